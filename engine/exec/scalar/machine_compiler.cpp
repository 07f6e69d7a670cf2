#include "engine/exec/scalar/machine_compiler.h"

#include <algorithm>

#include "types/function/phys_of.h"
#include "types/value/array_format.h"

namespace indigo::engine::exec {
namespace {

using Kind = sql::ExprKind;

// ---- operations

const Instruction* jump_if(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  return !a.null && a.b ? at->target : at + 1;
}
const Instruction* jump_unless(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  return !a.null && a.b ? at + 1 : at->target;
}
const Instruction* jump_if_null(Machine& m, const Instruction* at) { return m[at->a].null ? at->target : at + 1; }
const Instruction* jump_unless_null(Machine& m, const Instruction* at) { return m[at->a].null ? at + 1 : at->target; }
const Instruction* is_null(Machine& m, const Instruction* at) {
  const bool null = m[at->a].null;
  set_value(m[at->out], null);
  return at + 1;
}
const Instruction* is_not_null(Machine& m, const Instruction* at) {
  const bool null = m[at->a].null;
  set_value(m[at->out], !null);
  return at + 1;
}
const Instruction* negate_truth(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  if (a.null) {
    set_null(m[at->out], Phys::kBool);
  } else {
    set_value(m[at->out], !a.b);
  }
  return at + 1;
}
// AND (`x` 1) and OR (`x` 0): `out` is what the arguments so far make of it.
const Instruction* begin_logic(Machine& m, const Instruction* at) {
  set_value(m[at->out], at->x != 0);
  return at + 1;
}
const Instruction* add_to_logic(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  Datum& out = m[at->out];
  if (a.null) {
    out.null = true;
    return at + 1;
  }
  if (a.b == (at->x != 0)) return at + 1;
  set_value(out, a.b);
  return at->target;
}
const Instruction* reset_arena(Machine& m, const Instruction* at) {
  m.functions->arena().reset();
  return at + 1;
}
const Instruction* evaluate(Machine& m, const Instruction* at) {
  Status status = static_cast<ScalarExpression*>(at->data)->evaluate(m.files[0], m[at->out]);
  if (!status.ok()) [[unlikely]]
    return m.fail(at, status.take_error());
  return at + 1;
}
// A null array has no elements, and its subscript is not evaluated. `x`: the element's physical kind.
const Instruction* null_array(Machine& m, const Instruction* at) {
  if (!m[at->a].null) return at + 1;
  set_null(m[at->out], static_cast<Phys>(at->x));
  return at->target;
}
// An element of an array of one dimension; null where there is none. `x`: the element's physical kind.
const Instruction* array_element(Machine& m, const Instruction* at) {
  const Datum& container = m[at->a];
  const Datum& subscript = m[at->b];
  Datum& out = m[at->out];
  if (!subscript.null) {
    const ArrayView array(container.str);
    if (array.dimensions() == 1) {
      const ArrayDimension dimension = array.dimension(0);
      const int64_t place = int64_t{subscript.i32} - dimension.lower;
      if (place >= 0 && place < dimension.length) {
        out = array.element(static_cast<int32_t>(place));
        return at + 1;
      }
    }
  }
  set_null(out, static_cast<Phys>(at->x));
  return at + 1;
}

// Whether evaluating it can end in an error: then a null before it in AND does not end the evaluation.
bool may_fail(types::CatalogContext& catalog, const sql::Expr& e) {
  switch (e.kind) {
    case Kind::kParam:
    case Kind::kConst: return false;
    case Kind::kCall: {
      const auto& call = sql::as<sql::CallExpr>(e);
      const MachineFunction* const f = machine_function(catalog, call);
      if (f == nullptr || f->may_fail) return true;
      break;
    }
    case Kind::kRelabel:
    case Kind::kCollate:
    case Kind::kBool: break;
    case Kind::kNullTest:
      if (sql::as<sql::NullTestExpr>(e).row) return true;
      break;
    default: return true;
  }
  bool fails = false;
  sql::for_each_child(e, [&](const sql::ExprPtr& c) { fails = fails || c == nullptr || may_fail(catalog, *c); });
  return fails;
}

}  // namespace

Operand MachineCompiler::temporary() {
  if (used_ == kMachineTemporaries) {
    overflowed_ = true;
    return Operand::at(MachineFile::kTemporaries, 0);
  }
  return Operand::at(MachineFile::kTemporaries, used_++);
}

void MachineCompiler::jump(Operation operation, const Operand& a, const Operand& b, const Jump& to) {
  if (to.later != nullptr) to.later->push_back(code_.next());
  Instruction& i = code_.add(operation);
  i.a = a;
  i.b = b;
  i.label = to.label;
}

void MachineCompiler::meet(const std::vector<int32_t>& jumps) {
  for (const int32_t from : jumps) code_.instructions[static_cast<size_t>(from)].jump = code_.next();
}

Operand MachineCompiler::compute(const sql::ExprPtr& e, const Operand* into) {
  switch (e->kind) {
    case Kind::kParam:
      return Operand::at(MachineFile::kParameters, static_cast<size_t>(sql::as<sql::ParamExpr>(*e).index));
    case Kind::kConst: {
      Datum value = sql::as<sql::ConstExpr>(*e).value.get();
      value.phys = types::phys_of(session_.catalog(), e->type.oid);
      code_.constants.push_back(value);
      code_.expressions.push_back(e);
      return Operand::at(MachineFile::kConstants, code_.constants.size() - 1);
    }
    case Kind::kRelabel: return compute(sql::as<sql::RelabelExpr>(*e).argument, into);
    case Kind::kCollate: return compute(sql::as<sql::CollateExpr>(*e).argument, into);
    case Kind::kCall: return call(e, into);
    case Kind::kSubscript: return element(e);
    case Kind::kBool: return logic(sql::as<sql::BoolExpr>(*e));
    case Kind::kNullTest: {
      const auto& test = sql::as<sql::NullTestExpr>(*e);
      if (test.row) return evaluated(e);
      const Operand a = compute(test.argument);
      const Operand out = result(into);
      Instruction& i = code_.add(test.is_null ? is_null : is_not_null);
      i.a = a;
      i.out = out;
      return out;
    }
    default: return evaluated(e);
  }
}

Operand MachineCompiler::call(const sql::ExprPtr& e, const Operand* into) {
  const auto& call = sql::as<sql::CallExpr>(*e);
  const MachineFunction* const f = machine_function(session_.catalog(), call);
  if (f == nullptr) return evaluated(e);
  uses_arena_ = uses_arena_ || f->uses_arena;
  const size_t before = used_;
  const Operand a = compute(call.arguments[0]);
  const Operand b = call.arguments.size() > 1 ? compute(call.arguments[1]) : a;
  used_ = before;  // an operation reads its arguments before it writes
  const Operand out = result(into);
  Instruction& i = code_.add(f->value);
  i.a = a;
  i.b = b;
  i.out = out;
  return out;
}

// The result is built where nothing reads: its arguments may be variables that it is assigned to.
Operand MachineCompiler::logic(const sql::BoolExpr& e) {
  const Operand out = temporary();
  if (e.op == sql::BoolExpr::Op::kNot) {
    const Operand a = compute(e.arguments[0]);
    Instruction& i = code_.add(negate_truth);
    i.a = a;
    i.out = out;
    return out;
  }
  const int32_t is_and = e.op == sql::BoolExpr::Op::kAnd ? 1 : 0;
  Instruction& begin = code_.add(begin_logic);
  begin.x = is_and;
  begin.out = out;
  std::vector<int32_t> decided;
  for (const sql::ExprPtr& argument : e.arguments) {
    const size_t before = used_;
    const Operand a = compute(argument);
    used_ = before;
    decided.push_back(code_.next());
    Instruction& i = code_.add(add_to_logic);
    i.a = a;
    i.out = out;
    i.x = is_and;
  }
  meet(decided);
  return out;
}

Operand MachineCompiler::element(const sql::ExprPtr& e) {
  const auto& subscript = sql::as<sql::SubscriptExpr>(*e);
  const auto container = session_.catalog().type(subscript.container->type.oid);
  const bool plain = container != nullptr && container->is_array() && subscript.assign == nullptr &&
                     subscript.indexes.size() == 1 && !subscript.indexes[0].slice &&
                     subscript.indexes[0].upper != nullptr && subscript.container->kind == Kind::kParam;
  if (!plain) return evaluated(e);
  const auto phys = static_cast<int32_t>(types::phys_of(session_.catalog(), e->type.oid));
  const Operand out = temporary();
  const Operand a = compute(subscript.container);
  const int32_t test = code_.next();
  Instruction& first = code_.add(null_array);
  first.a = a;
  first.out = out;
  first.x = phys;
  const size_t before = used_;
  const Operand b = compute(subscript.indexes[0].upper);
  used_ = before;
  Instruction& i = code_.add(array_element);
  i.a = a;
  i.b = b;
  i.out = out;
  i.x = phys;
  meet({test});
  return out;
}

Operand MachineCompiler::evaluated(const sql::ExprPtr& e) {
  code_.evaluated.push_back(std::make_unique<ScalarExpression>(session_, e));
  const Operand out = temporary();
  Instruction& i = code_.add(evaluate);
  i.data = code_.evaluated.back().get();
  i.out = out;
  return out;
}

void MachineCompiler::branch(const sql::ExprPtr& e, bool when, Label label) {
  in_one_piece([&] {
    branch(e, when, Jump{label, nullptr});
    return Operand();
  });
}

Operand MachineCompiler::value(const sql::ExprPtr& e, const Operand* into) {
  return in_one_piece([&] { return compute(e, into); });
}

// What it computes in the arena is gone when it is computed again.
template <class Make>
Operand MachineCompiler::in_one_piece(const Make& make) {
  const size_t before = code_.instructions.size();
  used_ = 0;
  uses_arena_ = false;
  const Operand out = make();
  if (!uses_arena_) return out;
  code_.instructions.resize(before);
  code_.add(reset_arena);
  used_ = 0;
  return make();
}

void MachineCompiler::branch(const sql::ExprPtr& e, bool when, const Jump& to) {
  const size_t before = used_;
  if (e->kind == Kind::kBool) {
    const auto& logic = sql::as<sql::BoolExpr>(*e);
    const bool is_and = logic.op == sql::BoolExpr::Op::kAnd, is_or = logic.op == sql::BoolExpr::Op::kOr;
    // AND goes on behind a null.
    const bool early =
        is_or || (is_and && std::none_of(logic.arguments.begin() + 1, logic.arguments.end(),
                                         [&](const sql::ExprPtr& a) { return may_fail(session_.catalog(), *a); }));
    if (early) {
      std::vector<int32_t> decided;
      for (size_t i = 0; i < logic.arguments.size(); i++) {
        const bool last = i + 1 == logic.arguments.size();
        if (last || when == is_or) {
          branch(logic.arguments[i], when, to);
        } else {
          branch(logic.arguments[i], is_or, Jump{-1, &decided});
        }
      }
      return meet(decided);
    }
  }
  if (e->kind == Kind::kNullTest && !sql::as<sql::NullTestExpr>(*e).row) {
    const auto& test = sql::as<sql::NullTestExpr>(*e);
    const Operand a = compute(test.argument);
    jump(test.is_null == when ? jump_if_null : jump_unless_null, a, a, to);
    used_ = before;
    return;
  }
  if (e->kind == Kind::kCall) {
    const auto& call = sql::as<sql::CallExpr>(*e);
    const MachineFunction* const f = machine_function(session_.catalog(), call);
    if (f != nullptr && f->jump_if != nullptr) {
      const Operand a = compute(call.arguments[0]), b = compute(call.arguments[1]);
      jump(when ? f->jump_if : f->jump_unless, a, b, to);
      used_ = before;
      return;
    }
  }
  const Operand a = compute(e);
  jump(when ? jump_if : jump_unless, a, a, to);
  used_ = before;
}

}  // namespace indigo::engine::exec
