// Runs a PL/pgSQL function's code.
#include <array>
#include <optional>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "engine/programs/plpgsql/code.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/session/session_parts.h"
#include "types/array/array_edit.h"

namespace indigo::engine::programs {

using exec::Instruction;
using exec::Machine;

struct CodeRun final : Machine {
  CodeRun(Interpreter& i, Code& c) : in(i) {
    enter(c);
    files[static_cast<size_t>(exec::MachineFile::kTemporaries)] = &temporaries[0].datum;
    if (c.counters > few.size()) many.resize(c.counters);
    counters = c.counters > few.size() ? many.data() : few.data();
  }
  void enter(Code& c) {
    code = &c;
    std::vector<Datum>& parameters = in.frame_.parameters;
    if (parameters.size() < c.parameter_count) parameters.resize(c.parameter_count);
    files[static_cast<size_t>(exec::MachineFile::kParameters)] = parameters.data();
    files[static_cast<size_t>(exec::MachineFile::kConstants)] = c.constants.data();
    functions = &c.functions;
  }
  size_t number(const Instruction* at) const { return static_cast<size_t>(at - code->instructions.data()); }
  // What runs from now on, for contexts.
  void show(const Instruction* at) { in.frame_.statement = code->statements[number(at)]; }
  // The error is of a statement that the frame knows already.
  const Instruction* fail_within(std::unique_ptr<Error> why) {
    error = std::move(why);
    failed = true;
    return nullptr;
  }

  Interpreter& in;
  Code* code = nullptr;
  Interpreter::Flow flow = Interpreter::Flow::kNormal;
  bool failed = false;
  Interpreter::Counter* counters = nullptr;
  std::array<Interpreter::Counter, 3> few;
  std::vector<Interpreter::Counter> many;
  std::array<exec::ScalarScratch, exec::kMachineTemporaries> temporaries;
};
static_assert(sizeof(exec::ScalarScratch) == sizeof(Datum));

namespace {

CodeRun& of(Machine& m) { return static_cast<CodeRun&>(m); }

}  // namespace

Result<Interpreter::Flow> Interpreter::run(const StatementList& list) {
  if (list.empty()) return Flow::kNormal;
  const tree::Statement* const around = frame_.statement;
  CodeRun run(*this, function_.code(session_, frame_, list));
  const Instruction* at = run.code->instructions.data();
  do {
    at = at->operation(run, at);
  } while (at != nullptr);
  if (run.failed_at != nullptr) {
    run.show(run.failed_at);
    return run.error != nullptr ? std::move(run.error) : run.functions->take_error();
  }
  if (run.failed) return std::move(run.error);
  frame_.statement = around;  // what a loop does for its next round is done by the loop
  return run.flow;
}

const Instruction* CodeOperations::go_on(Machine& m, const Instruction* at, int32_t label) {
  CodeRun& run = of(m);
  Interpreter& in = run.in;
  const bool improve = at->x != 0 && ++run.code->unknown_runs > run.code->unknown;
  if (improve || !PlpgsqlFunction::is_current(in.session_, in.frame_, *run.code)) [[unlikely]] {
    run.enter(in.function_.make_code_again(in.session_, in.frame_, run.code->list));
  } else {
    m.files[0] = in.frame_.parameters.data();
  }
  return run.code->at_label(label);
}

const Instruction* CodeOperations::statement(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  Interpreter& in = run.in;
  auto flow = in.run(*static_cast<const tree::Statement*>(at->data));
  if (!flow.ok()) return run.fail_within(flow.take_error());
  if (*flow == Interpreter::Flow::kNormal) return go_on(m, at, at->label);
  run.flow = *flow;
  return run.flow == Interpreter::Flow::kReturn ? nullptr : go_out(m, at);
}

// EXIT or CONTINUE in a part of the statement that has code of its own.
const Instruction* CodeOperations::go_out(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  std::string& label = run.in.exit_label_;
  for (int32_t s = run.code->scope_of[run.number(at)]; s >= 0;) {
    const CodeScope& scope = run.code->scopes[static_cast<size_t>(s)];
    if (label.empty() ? scope.loop : scope.label == label) {
      const int32_t to = run.flow == Interpreter::Flow::kExit ? scope.after : scope.again;
      label.clear();
      run.flow = Interpreter::Flow::kNormal;
      return go_on(m, at, to);
    }
    if (scope.sets_found) run.in.set_found(true);
    s = scope.around;
  }
  return nullptr;
}

const Instruction* CodeOperations::list(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  if (Status status = check_stack_depth(); !status.ok()) return run.fail_within(status.take_error());
  run.show(at);
  auto flow = run.in.run(*static_cast<const tree::StatementList*>(at->data));
  if (!flow.ok()) return run.fail_within(flow.take_error());
  run.flow = *flow;
  if (run.flow == Interpreter::Flow::kNormal) return go_on(m, at, at->label);
  return run.flow == Interpreter::Flow::kReturn ? nullptr : go_out(m, at);
}

const Instruction* CodeOperations::condition(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  run.show(at);
  auto holds = run.in.condition(*static_cast<const tree::FragmentPtr*>(at->data));
  if (!holds.ok()) return run.fail_within(holds.take_error());
  return go_on(m, at, *holds ? at->label : at->y);
}

const Instruction* CodeOperations::block(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  Status status = run.in.begin_block(*static_cast<const tree::Block*>(at->data));
  if (!status.ok()) return run.fail_within(status.take_error());
  return go_on(m, at, at->label);
}

const Instruction* CodeOperations::case_operand(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  run.show(at);
  Status status = run.in.set_case_operand(*static_cast<const tree::Case*>(at->data));
  if (!status.ok()) return run.fail_within(status.take_error());
  return go_on(m, at, at->label);
}

const Instruction* CodeOperations::no_case(Machine& m, const Instruction* at) {
  Error error(sqlstate::kCaseNotFound, "case not found");
  error.hint = "CASE statement is missing ELSE part.";
  return m.fail(at, std::make_unique<Error>(std::move(error)));
}

const Instruction* CodeOperations::assign_string(Machine& m, const Instruction* at) {
  Frame& frame = of(m).in.frame_;
  const Datum& value = m[at->a];
  if (value.null) {
    exec::set_null(frame.parameters[static_cast<size_t>(at->x)], Phys::kStr);
  } else {
    frame.set_scalar(at->x, value);
  }
  return at + 1;
}

const Instruction* CodeOperations::assign(Machine& m, const Instruction* at) {
  const Datum& value = m[at->a];
  Datum& place = m[at->out];
  if (value.null) {
    exec::set_null(place, static_cast<Phys>(at->x));
  } else {
    exec::copy_scalar(place, value);
  }
  return at + 1;
}

const Instruction* CodeOperations::bind(Machine& m, const Instruction* at) {
  const auto& field = *static_cast<const CompiledFragment::BoundField*>(at->data);
  const RecordValue& record = *of(m).in.frame_.values[field.variable].record;
  if (record.shape != field.shape || field.field >= record.values.size()) return at->target;
  exec::copy_scalar(m.files[0][field.parameter], record.values[field.field].get());
  return at + 1;
}

const Instruction* CodeOperations::check_shape(Machine& m, const Instruction* at) {
  const auto& field = *static_cast<const CompiledFragment::BoundField*>(at->data);
  const RecordValue& record = *of(m).in.frame_.values[field.variable].record;
  return record.shape != field.shape || field.field >= record.values.size() ? at->target : at + 1;
}

const Instruction* CodeOperations::assign_field(Machine& m, const Instruction* at) {
  const auto& field = *static_cast<const CompiledFragment::BoundField*>(at->data);
  RecordValue& record = *of(m).in.frame_.values[field.variable].record;
  const Datum& value = m[at->a];
  record.values[field.field] = OwnedDatum(value.null ? Datum::make_null(static_cast<Phys>(at->x)) : value);
  record.null = false;
  record.changed = true;
  return at + 1;
}

const Instruction* CodeOperations::append_element(Machine& m, const Instruction* at) {
  const Datum& element = m[at->a];
  const bool done =
      of(m).in.frame_.change_string(at->x, [&](std::string& image) { return types::append_in_place(image, element); });
  return done ? at + 1 : at->target;
}

const Instruction* CodeOperations::store_element(Machine& m, const Instruction* at) {
  const auto& place = *static_cast<const ElementPlace*>(at->data);
  std::array<int32_t, kMaxArrayDimensions> subscripts{};
  size_t count = 0;
  for (const auto& expression : place.subscripts) {
    exec::ScalarScratch scratch;
    Status status = expression->evaluate(m.files[0], scratch.datum);
    if (!status.ok()) [[unlikely]]
      return m.fail(at, status.take_error());
    if (scratch.datum.null) return at->target;
    subscripts[count++] = scratch.datum.i32;
  }
  const Datum& element = m[at->a];
  const bool done = of(m).in.frame_.change_string(place.variable, [&](std::string& image) {
    return types::store_in_place(image, {subscripts.data(), count}, element);
  });
  return done ? at + 1 : at->target;
}

const Instruction* CodeOperations::jump(Machine&, const Instruction* at) { return at->target; }

const Instruction* CodeOperations::breathe(Machine& m, const Instruction* at) {
  Status status = of(m).in.breathe();
  if (!status.ok()) [[unlikely]]
    return m.fail(at, status.take_error());
  return at->target;
}

const Instruction* CodeOperations::begin_for(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  run.show(at);
  auto more = run.in.begin_for(*static_cast<const tree::ForInteger*>(at->data), run.counters[at->z]);
  if (!more.ok()) return run.fail_within(more.take_error());
  return go_on(m, at, *more ? at->label : at->y);
}

const Instruction* CodeOperations::next_for(Machine& m, const Instruction* at) {
  Interpreter::Counter& counter = of(m).counters[at->y];
  Status status = of(m).in.breathe();
  if (!status.ok()) [[unlikely]]
    return m.fail(at, status.take_error());
  counter.at += counter.step;
  if (counter.at > counter.last) return at + 1;
  exec::set_value(m.files[0][at->x], static_cast<int32_t>(counter.at));
  return at->target;
}

const Instruction* CodeOperations::next_for_reverse(Machine& m, const Instruction* at) {
  Interpreter::Counter& counter = of(m).counters[at->y];
  Status status = of(m).in.breathe();
  if (!status.ok()) [[unlikely]]
    return m.fail(at, status.take_error());
  counter.at -= counter.step;
  if (counter.at < counter.last) return at + 1;
  exec::set_value(m.files[0][at->x], static_cast<int32_t>(counter.at));
  return at->target;
}

const Instruction* CodeOperations::found(Machine& m, const Instruction* at) {
  of(m).in.set_found(at->x != 0);
  return at + 1;
}

const Instruction* CodeOperations::leave(Machine& m, const Instruction* at) {
  CodeRun& run = of(m);
  const auto& exit = *static_cast<const tree::Exit*>(at->data);
  run.in.exit_label_ = exit.label;
  run.flow = exit.is_exit ? Interpreter::Flow::kExit : Interpreter::Flow::kContinue;
  return nullptr;
}

const Instruction* CodeOperations::end(Machine&, const Instruction*) { return nullptr; }

}  // namespace indigo::engine::programs
