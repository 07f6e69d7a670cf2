// A list of statements as instructions: control flow and what only computes, over typed places (engine/exec/scalar/machine.h);
// any other statement is one instruction that has the interpreter run it.
//
// A fragment is compiled when it is first reached, as errors in it show only then. Code begins with instructions that ask the
// interpreter for everything, and is made again when fragments that run often have turned out to be expressions. It is also made
// again when catalog or settings have changed, which code looks at when it begins and behind every instruction that may have
// changed them: expressions are not looked up again while nothing but built-in functions has run.
//
// Invariants:
//  1. Labels are given out in the statements' order whatever the instructions are: code that is made again goes on at the label
//     where the old one was.
//  2. Nothing but variables and the counters of loops lives from one statement to the next.
//  3. An instruction that may fail or run anything knows its statement, for the line of context.
// Thread safety: none; belongs to a session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/exec/scalar/machine_compiler.h"
#include "engine/programs/plpgsql/fragment.h"
#include "sql/plpgsql/program.h"

namespace indigo::engine {

class SessionParts;

namespace programs {

class PlpgsqlFunction;

namespace tree = sql::plpgsql;

// A loop or a labelled block around an instruction, which EXIT and CONTINUE go to.
struct CodeScope {
  std::string label;
  bool loop = true;
  bool sets_found = false;  // when it is left
  int32_t again = -1, after = -1;
  int32_t around = -1;  // the scope that this one is in
};

// The subscripts of x[i] := a.
struct ElementPlace {
  int variable = -1;
  std::vector<std::unique_ptr<exec::ScalarExpression>> subscripts;
};

struct Code : exec::MachineCode {
  Code(types::SessionContext& session, const tree::StatementList& list) : MachineCode(session), list(list) {}

  const tree::StatementList& list;
  std::vector<const tree::Statement*> statements;  // of each instruction
  std::vector<int32_t> labels;                     // where they are
  std::vector<CodeScope> scopes;
  std::vector<int32_t> scope_of;  // of each instruction; -1: none
  std::vector<std::unique_ptr<CompiledFragment::BoundField>> fields;
  std::vector<std::unique_ptr<ElementPlace>> elements;
  size_t counters = 0;         // of integer loops within one another
  size_t parameter_count = 0;  // that it reads
  // The state of things that its expressions are for.
  uint64_t catalog_version = 0, plan_generation = 0;
  bool computes = false;  // it has such expressions
  // Instructions that may be better when the code is made again, and how often those have run.
  int32_t unknown = 0, unknown_runs = 0;
  int32_t made = 1;  // how often the list's code has been made

  const exec::Instruction* at_label(int32_t label) const {
    return &instructions[static_cast<size_t>(labels[static_cast<size_t>(label)])];
  }
};

// Instructions that the interpreter does. `data` is the statement unless something else is said; `label` is where they go on.
struct CodeOperations {
  using Instruction = exec::Instruction;
  using Machine = exec::Machine;
  static const Instruction* statement(Machine& m, const Instruction* at);  // x: 1 when it may be better later
  static const Instruction* list(Machine& m, const Instruction* at);       // data: a list, with code of its own
  static const Instruction* condition(Machine& m,
                                      const Instruction* at);  // data: a fragment; x: as above; y: `label` unless true
  static const Instruction* block(Machine& m, const Instruction* at);  // initialises the block's variables
  static const Instruction* case_operand(Machine& m, const Instruction* at);
  static const Instruction* no_case(Machine& m, const Instruction* at);        // fails
  static const Instruction* assign_string(Machine& m, const Instruction* at);  // the variable x := a
  static const Instruction* assign(Machine& m, const Instruction* at);         // out := a; x: its physical kind
  static const Instruction* bind(Machine& m,
                                 const Instruction* at);  // data: a BoundField; jumps when the record has another shape
  static const Instruction* check_shape(Machine& m, const Instruction* at);  // the same, but for the place
  static const Instruction* assign_field(
      Machine& m, const Instruction* at);  // data: a BoundField, which is := a; x: its physical kind
  // The array x := x || a, where it stands; jumps when that cannot be done there.
  static const Instruction* append_element(Machine& m, const Instruction* at);
  // data: an ElementPlace, which is := a; jumps as well.
  static const Instruction* store_element(Machine& m, const Instruction* at);
  static const Instruction* jump(Machine& m, const Instruction* at);
  static const Instruction* breathe(Machine& m, const Instruction* at);  // and jumps
  static const Instruction* begin_for(Machine& m,
                                      const Instruction* at);  // z: the counter, y: `label` when there is no round
  static const Instruction* next_for(Machine& m, const Instruction* at);  // y: the counter, x: the variable; jumps back
  static const Instruction* next_for_reverse(Machine& m, const Instruction* at);
  static const Instruction* found(Machine& m, const Instruction* at);  // FOUND := x
  static const Instruction* leave(Machine& m,
                                  const Instruction* at);  // EXIT or CONTINUE to what is outside of the code
  static const Instruction* end(Machine& m, const Instruction* at);

 private:
  // Behind what may have run anything.
  static const Instruction* go_on(Machine& m, const Instruction* at, int32_t label);
  static const Instruction* go_out(Machine& m, const Instruction* at);
};

// Code for the list as its fragments are now; `before`: the code that it stands for.
std::unique_ptr<Code> make_code(SessionParts& session, PlpgsqlFunction& function, Frame& frame,
                                const tree::StatementList& list, const Code* before);

}  // namespace programs
}  // namespace indigo::engine
