#include "engine/programs/plpgsql/code.h"

#include <algorithm>
#include <utility>

#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/session_parts.h"
#include "types/function/phys_of.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

using exec::Instruction;
using exec::MachineFile;
using exec::Operand;
using Purity = CompiledFragment::Purity;
using Label = exec::MachineCompiler::Label;

constexpr TypeRef kBoolean{oid::kBool, -1, kInvalidOid};
// Code that is made this often stays as it is but for what catalog and settings ask for.
constexpr int32_t kMadeMost = 64;
// Lists further in have code of their own.
constexpr int kDepthMost = 32;

class CodeBuilder {
 public:
  CodeBuilder(SessionParts& session, PlpgsqlFunction& function, Frame& frame, Code& code)
      : session_(session), function_(function), frame_(frame), code_(code), compiler_(code, session.context()) {}

  void build() {
    list(code_.list);
    add(CodeOperations::end);
    // What is done in another way when a record has changed its shape.
    for (size_t i = 0; i < aside_.size(); i++) {
      Aside& aside = aside_[i];
      note_statements();
      of_ = aside.statement;
      scope_ = aside.scope;
      for (const int32_t from : aside.from) code_.instructions[static_cast<size_t>(from)].jump = code_.next();
      if (aside.fragment == nullptr) {
        run_statement(*aside.statement, aside.next, code_.made < kMadeMost);
      } else {
        ask(*aside.fragment, aside.next, aside.otherwise, code_.made < kMadeMost);
      }
    }
    note_statements();
    for (Instruction& i : code_.instructions) {
      if (i.jump >= 0) i.target = &code_.instructions[static_cast<size_t>(i.jump)];
      if (i.jump < 0 && i.label >= 0) i.target = code_.at_label(i.label);
    }
  }

 private:
  struct Aside {
    std::vector<int32_t> from;
    const tree::Statement* statement;
    const tree::FragmentPtr* fragment;  // of a condition
    Label next, otherwise;
    int32_t scope;
  };

  Label label() {
    code_.labels.push_back(-1);
    return static_cast<Label>(code_.labels.size()) - 1;
  }
  void bind(Label l) { code_.labels[static_cast<size_t>(l)] = code_.next(); }
  // The statement and the scope of all instructions since the last call.
  void note_statements() {
    code_.statements.resize(code_.instructions.size(), of_);
    code_.scope_of.resize(code_.instructions.size(), scope_);
  }
  void begin_statement(const tree::Statement* s) {
    note_statements();
    of_ = s;
  }
  Instruction& add(exec::Operation operation, const void* data = nullptr, Label to = -1) {
    Instruction& i = code_.add(operation);
    i.data =
        const_cast<void*>(data);  // NOLINT(cppcoreguidelines-pro-type-const-cast): operations know what they may change
    i.label = to;
    return i;
  }
  void jump(Label to) { add(CodeOperations::jump, nullptr, to); }

  void run_statement(const tree::Statement& s, Label next, bool may_improve) {
    add(CodeOperations::statement, &s, next).x = may_improve ? 1 : 0;
    code_.unknown += may_improve ? 1 : 0;
  }
  void ask(const tree::FragmentPtr& condition, Label yes, Label no, bool may_improve) {
    Instruction& i = add(CodeOperations::condition, &condition, yes);
    i.x = may_improve ? 1 : 0;
    i.y = no;
    code_.unknown += may_improve ? 1 : 0;
  }

  // The fragment as an expression; null when it is none yet or never.
  sql::ExprPtr expression(const tree::Fragment& f, const TypeRef& to, bool& may_improve) {
    CompiledFragment& fragment = function_.fragment(f);
    const Purity purity = fragment.purity(session_, frame_);
    may_improve = purity == Purity::kUnknown && code_.made < kMadeMost;
    if (purity != Purity::kPure) return nullptr;
    auto e = fragment.pure(session_, frame_, to);
    if (!e.ok() || *e == nullptr) return nullptr;
    code_.expressions.push_back(*e);
    return std::move(*e);
  }
  // Puts the fields that the fragment reads in their places; a jump for each, to where the fragment is done in another way.
  std::vector<int32_t> bind_fields(const tree::Fragment& f) { return bind(function_.fragment(f).fields()); }
  std::vector<int32_t> bind(const std::vector<CompiledFragment::BoundField>& fields) {
    std::vector<int32_t> jumps;
    for (const CompiledFragment::BoundField& field : fields) {
      code_.fields.push_back(std::make_unique<CompiledFragment::BoundField>(field));
      jumps.push_back(code_.next());
      add(CodeOperations::bind, code_.fields.back().get());
    }
    return jumps;
  }
  // Takes back what has been made since: there were not places enough.
  bool take_back(size_t instructions) {
    if (!compiler_.overflowed()) return false;
    compiler_.forget_overflow();
    code_.instructions.resize(instructions);
    return true;
  }

  // Goes to `yes` or, when the condition is not true, to `no`; the one of them comes next that is not `jump_when`'s.
  void condition(const tree::FragmentPtr& f, Label yes, Label no, bool jump_when = false) {
    bool may_improve = false;
    const sql::ExprPtr e = expression(*f, kBoolean, may_improve);
    if (e != nullptr) {
      const size_t before = code_.instructions.size();
      std::vector<int32_t> jumps = bind_fields(*f);
      compiler_.branch(e, jump_when, jump_when ? yes : no);
      if (!take_back(before)) {
        code_.computes = true;
        if (!jumps.empty()) aside_.push_back({std::move(jumps), of_, &f, yes, no, scope_});
        return;
      }
    }
    ask(f, yes, no, may_improve);
  }

  void list(const tree::StatementList& statements) {
    if (depth_ >= kDepthMost) {
      const Label next = label();
      add(CodeOperations::list, &statements, next);
      bind(next);
      return;
    }
    depth_++;
    const tree::Statement* const around = of_;
    for (const auto& s : statements) {
      begin_statement(s.get());
      statement(*s);
    }
    begin_statement(around);
    depth_--;
  }

  void statement(const tree::Statement& s) {
    switch (s.kind) {
      case tree::SK::kNull: return;
      case tree::SK::kAssign: return assign(static_cast<const tree::Assign&>(s));
      case tree::SK::kIf: return choose(static_cast<const tree::If&>(s));
      case tree::SK::kCase: return choose_case(static_cast<const tree::Case&>(s));
      case tree::SK::kLoop: return loop(static_cast<const tree::Loop&>(s));
      case tree::SK::kWhile: return repeat_while(static_cast<const tree::While&>(s));
      case tree::SK::kForInteger: return count(static_cast<const tree::ForInteger&>(s));
      case tree::SK::kExit: return exit(static_cast<const tree::Exit&>(s));
      case tree::SK::kBlock:
        if (static_cast<const tree::Block&>(s).handlers.empty()) return block(static_cast<const tree::Block&>(s));
        break;
      default: break;
    }
    const Label next = label();
    run_statement(s, next, false);
    bind(next);
  }

  void assign(const tree::Assign& s) {
    const Label next = label();
    bool may_improve = false;
    if (s.place.part == nullptr && s.place.fields.empty() && function_.variable(s.place.variable).assignable) {
      const VariableType& variable = function_.variable(s.place.variable);
      const sql::ExprPtr e = expression(*s.value, variable.type, may_improve);
      if (e != nullptr && (append_element(s, e, next) || assign_typed(s, variable, e, next))) return bind(next);
    } else if (s.place.part != nullptr && s.place.fields.empty() && function_.variable(s.place.variable).assignable) {
      if (store_element(s, next, may_improve)) return bind(next);
    } else if (s.place.part == nullptr && s.place.fields.size() == 1 && function_.variable(s.place.variable).row) {
      if (assign_field(s, next, may_improve)) return bind(next);
    }
    run_statement(s, next, may_improve);
    bind(next);
  }

  // x := x || a, which adds to the array where it stands.
  bool append_element(const tree::Assign& s, const sql::ExprPtr& e, Label next) {
    const auto* call = sql::try_as<sql::CallExpr>(e);
    if (call == nullptr || call->arguments.size() != 2 || call->function >= oid::kFirstUserOid ||
        sql::contains_volatile(*e))
      return false;
    const auto* array = sql::try_as<sql::ParamExpr>(call->arguments[0]);
    const auto function = session_.session_catalog().function(call->function);
    if (array == nullptr || array->index != s.place.variable || function == nullptr || function->name != "array_append")
      return false;
    return change_array(s, call->arguments[1], bind_fields(*s.value), next, [&] {
      Instruction& i = add(CodeOperations::append_element);
      i.x = s.place.variable;
      return &i;
    });
  }

  // x[i] := a.
  bool store_element(const tree::Assign& s, Label next, bool& may_improve) {
    CompiledPart& part = function_.part(*s.place.part);
    const Purity purity = part.purity(session_, frame_);
    may_improve = purity == Purity::kUnknown && code_.made < kMadeMost;
    if (purity != Purity::kPure) return false;
    const sql::SubscriptExpr* const store = part.element_of(session_, s.place.variable);
    const auto fields = part.fields(frame_);
    if (store == nullptr || !fields) return false;
    auto place = std::make_unique<ElementPlace>();
    place->variable = s.place.variable;
    for (const auto& index : store->indexes) {
      code_.expressions.push_back(index.upper);
      place->subscripts.push_back(std::make_unique<exec::ScalarExpression>(session_.context(), index.upper));
    }
    code_.elements.push_back(std::move(place));
    return change_array(s, store->assign, bind(*fields), next,
                        [&] { return &add(CodeOperations::store_element, code_.elements.back().get()); });
  }

  // What `make` adds takes the element as its first operand, and jumps to where the statement is done in another way.
  template <class Make>
  bool change_array(const tree::Assign& s, const sql::ExprPtr& element, std::vector<int32_t> jumps, Label next,
                    const Make& make) {
    const size_t before = static_cast<size_t>(code_.next()) - jumps.size();
    code_.expressions.push_back(element);
    const Operand value = compiler_.value(element);
    if (take_back(before)) return false;
    jumps.push_back(code_.next());
    make()->a = value;
    code_.computes = true;
    aside_.push_back({std::move(jumps), &s, nullptr, next, -1, scope_});
    return true;
  }

  bool assign_typed(const tree::Assign& s, const VariableType& variable, const sql::ExprPtr& e, Label next) {
    const size_t before = code_.instructions.size();
    std::vector<int32_t> jumps = bind_fields(*s.value);
    const Operand place = Operand::at(MachineFile::kParameters, static_cast<size_t>(s.place.variable));
    const bool string = variable.phys == Phys::kStr;
    const Operand value = compiler_.value(e, string ? nullptr : &place);
    if (take_back(before)) return false;
    if (string) {
      Instruction& i = add(CodeOperations::assign_string);
      i.a = value;
      i.x = s.place.variable;
    } else if (!(value == place)) {
      Instruction& i = add(CodeOperations::assign);
      i.a = value;
      i.out = place;
      i.x = static_cast<int32_t>(variable.phys);
    }
    code_.computes = true;
    if (!jumps.empty()) aside_.push_back({std::move(jumps), &s, nullptr, next, -1, scope_});
    return true;
  }

  // A field of a record, while that has the shape that it has now.
  bool assign_field(const tree::Assign& s, Label next, bool& may_improve) {
    const auto variable = static_cast<size_t>(s.place.variable);
    const RecordValue& record = *frame_.values[variable].record;
    const int field = record.assigned && record.shape != 0 ? record.find(s.place.fields[0]) : -1;
    if (field < 0) return false;
    const TypeRef type = record.types[static_cast<size_t>(field)];
    const sql::ExprPtr e = expression(*s.value, type, may_improve);
    if (e == nullptr) return false;
    const size_t before = code_.instructions.size();
    code_.fields.push_back(std::make_unique<CompiledFragment::BoundField>(
        CompiledFragment::BoundField{0, variable, static_cast<size_t>(field), record.shape}));
    const CompiledFragment::BoundField* const place = code_.fields.back().get();
    std::vector<int32_t> jumps{code_.next()};
    add(CodeOperations::check_shape, place);
    const std::vector<int32_t> more = bind_fields(*s.value);
    jumps.insert(jumps.end(), more.begin(), more.end());
    const Operand value = compiler_.value(e);
    if (take_back(before)) return false;
    Instruction& i = add(CodeOperations::assign_field, place);
    i.a = value;
    i.x = static_cast<int32_t>(types::phys_of(session_.session_catalog(), type.oid));
    code_.computes = true;
    aside_.push_back({std::move(jumps), &s, nullptr, next, -1, scope_});
    return true;
  }

  void branches(const std::vector<tree::If::Branch>& all, Label end, bool computed) {
    const tree::Statement* const statement = of_;
    for (const auto& branch : all) {
      const Label yes = label(), no = label();
      if (computed) {
        condition(branch.condition, yes, no);
      } else {
        ask(branch.condition, yes, no, false);
      }
      bind(yes);
      list(branch.body);
      begin_statement(statement);
      jump(end);
      bind(no);
    }
  }

  void choose(const tree::If& s) {
    const Label end = label();
    branches(s.branches, end, true);
    list(s.otherwise);
    bind(end);
  }

  void choose_case(const tree::Case& s) {
    const Label end = label();
    if (s.operand) {
      // Its variable may have another type each time: the conditions find out.
      const Label next = label();
      add(CodeOperations::case_operand, &s, next);
      bind(next);
    }
    branches(s.branches, end, s.operand == nullptr);
    if (s.has_else) {
      list(s.otherwise);
    } else {
      add(CodeOperations::no_case, &s);
    }
    bind(end);
  }

  int32_t open_scope(const std::string& name, bool is_loop, bool sets_found, Label again, Label after) {
    code_.scopes.push_back({name, is_loop, sets_found, again, after, scope_});
    note_statements();
    return std::exchange(scope_, static_cast<int32_t>(code_.scopes.size()) - 1);
  }
  void leave_scope(int32_t around) {
    note_statements();
    scope_ = around;
  }

  void loop(const tree::Loop& s) {
    const Label body = label(), again = label(), after = label();
    const int32_t around = open_scope(s.label, true, false, again, after);
    bind(body);
    list(s.body);
    begin_statement(&s);
    bind(again);
    add(CodeOperations::breathe, nullptr, body);
    leave_scope(around);
    bind(after);
  }

  // The condition is asked before the first round, and behind each.
  void repeat_while(const tree::While& s) {
    const Label body = label(), again = label(), more = label(), after = label();
    condition(s.condition, body, after);
    const int32_t around = open_scope(s.label, true, false, again, after);
    bind(body);
    list(s.body);
    begin_statement(&s);
    bind(again);
    add(CodeOperations::breathe, nullptr, more);
    bind(more);
    condition(s.condition, body, after, true);
    leave_scope(around);
    bind(after);
  }

  void count(const tree::ForInteger& s) {
    const Label body = label(), again = label(), after = label(), end = label();
    const auto counter = static_cast<int32_t>(counters_++);
    code_.counters = std::max(code_.counters, counters_);
    Instruction& begin = add(CodeOperations::begin_for, &s, body);
    begin.y = end;
    begin.z = counter;
    const int32_t around = open_scope(s.label, true, true, again, after);
    bind(body);
    list(s.body);
    begin_statement(&s);
    bind(again);
    Instruction& next = add(s.reverse ? CodeOperations::next_for_reverse : CodeOperations::next_for, nullptr, body);
    next.x = s.variable;
    next.y = counter;
    bind(after);
    add(CodeOperations::found).x = 1;
    bind(end);
    leave_scope(around);
    counters_--;
  }

  void exit(const tree::Exit& s) {
    const Label next = label();
    if (s.condition) {
      const Label yes = label();
      condition(s.condition, yes, next);
      bind(yes);
    }
    bool found = false;
    int32_t to = scope_;
    for (; to >= 0; to = code_.scopes[static_cast<size_t>(to)].around) {
      const CodeScope& scope = code_.scopes[static_cast<size_t>(to)];
      if (s.label.empty() ? scope.loop : scope.label == s.label) break;
      found = found || scope.sets_found;
    }
    if (found) add(CodeOperations::found).x = 1;
    if (to < 0) {
      add(CodeOperations::leave, &s);
    } else {
      const CodeScope& scope = code_.scopes[static_cast<size_t>(to)];
      jump(s.is_exit ? scope.after : scope.again);
    }
    bind(next);
  }

  void block(const tree::Block& s) {
    const Label inside = label(), after = label();
    if (!s.variables.empty()) add(CodeOperations::block, &s, inside);
    bind(inside);
    const int32_t around = scope_;
    if (!s.label.empty()) open_scope(s.label, false, false, -1, after);
    list(s.body);
    leave_scope(around);
    bind(after);
  }

  SessionParts& session_;
  PlpgsqlFunction& function_;
  Frame& frame_;
  Code& code_;
  exec::MachineCompiler compiler_;
  const tree::Statement* of_ = nullptr;
  int32_t scope_ = -1;
  size_t counters_ = 0;
  int depth_ = 0;
  std::vector<Aside> aside_;
};

}  // namespace

std::unique_ptr<Code> make_code(SessionParts& session, PlpgsqlFunction& function, Frame& frame,
                                const tree::StatementList& list, const Code* before) {
  auto code = std::make_unique<Code>(session.context(), list);
  code->catalog_version = session.session_catalog().version();
  code->plan_generation = session.preparation().generation();
  if (before != nullptr) code->made = before->made + 1;
  CodeBuilder(session, function, frame, *code).build();
  code->parameter_count = function.parameter_count();
  return code;
}

}  // namespace indigo::engine::programs
