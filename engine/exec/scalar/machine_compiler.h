// Expressions to the machine's instructions. What has no instruction of its own is one that evaluates a ScalarExpression.
// Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "base/memory/arena.h"
#include "engine/exec/scalar/machine.h"
#include "engine/exec/scalar/scalar_expression.h"
#include "sql/expr.h"

namespace indigo::engine::exec {

// What instructions refer to.
struct MachineCode {
  explicit MachineCode(types::SessionContext& session) : functions(session) { functions.set_arena(&arena); }

  std::vector<Instruction> instructions;
  std::vector<Datum> constants;  // their strings borrow from `expressions`
  std::vector<sql::ExprPtr> expressions;
  std::vector<std::unique_ptr<ScalarExpression>> evaluated;
  Arena arena{4096};             // of what is computed on the way
  types::FuncContext functions;  // where operations fail

  Instruction& add(Operation operation) {
    instructions.emplace_back();
    instructions.back().operation = operation;
    return instructions.back();
  }
  int32_t next() const { return static_cast<int32_t>(instructions.size()); }
};

class MachineCompiler {
 public:
  // Where a jump goes: to a label of the code's own.
  using Label = int32_t;

  MachineCompiler(MachineCode& code, types::SessionContext& session) : code_(code), session_(session) {}

  // Code that computes the expression; where its value is until the next expression is computed. `into`: a place that the
  // value may go to at once, of the expression's physical kind; whether it did shows in the answer.
  Operand value(const sql::ExprPtr& e, const Operand* into = nullptr);
  // Code that jumps to the label if the condition is true (`when`), or if it is false or null (not `when`), and otherwise goes on
  // behind it.
  void branch(const sql::ExprPtr& e, bool when, Label label);
  // There were not places enough for what is computed on the way: the code must not run.
  bool overflowed() const { return overflowed_; }
  void forget_overflow() { overflowed_ = false; }

 private:
  // Where a jump goes to: a label, or an end in this expression, which is known later.
  struct Jump {
    Label label = -1;
    std::vector<int32_t>* later = nullptr;
  };
  template <class Make>
  Operand in_one_piece(const Make& make);
  Operand compute(const sql::ExprPtr& e, const Operand* into = nullptr);
  void branch(const sql::ExprPtr& e, bool when, const Jump& to);
  void jump(Operation operation, const Operand& a, const Operand& b, const Jump& to);
  void meet(const std::vector<int32_t>& jumps);  // they go to the next instruction
  Operand temporary();
  Operand result(const Operand* into) { return into != nullptr ? *into : temporary(); }
  Operand call(const sql::ExprPtr& e, const Operand* into);
  Operand logic(const sql::BoolExpr& e);
  Operand element(const sql::ExprPtr& e);
  Operand evaluated(const sql::ExprPtr& e);

  MachineCode& code_;
  types::SessionContext& session_;
  size_t used_ = 0;
  bool overflowed_ = false, uses_arena_ = false;
};

}  // namespace indigo::engine::exec
