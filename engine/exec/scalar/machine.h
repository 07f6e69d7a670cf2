// Straight-line code for what programs compute: instructions over typed places, without a call from node to node.
//
// An instruction's operation does its work and answers the instruction that comes next; null ends the run, failed or not.
// Operands are places in one of three files: the program's parameters (its variables), the code's constants, and places for
// what is computed on the way. A place has the type that the compiler knows; only whether it is null is looked at.
//
// Invariants:
//  1. An operation writes its result only when it has not failed: a variable keeps its value when its assignment fails.
//  2. Operations answer what ScalarNodes of the same expression answer (scalar_node.h).
// Thread safety: none; belongs to one session.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/error.h"
#include "engine/exec/scalar/scalar_node.h"
#include "sql/expr.h"
#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::engine::exec {

struct Machine;
struct Instruction;
using Operation = const Instruction* (*)(Machine& machine, const Instruction* at);

enum class MachineFile : uint32_t { kParameters, kConstants, kTemporaries };
inline constexpr size_t kMachineTemporaries = 16;

struct Operand {
  uint32_t offset = 0;  // bytes
  MachineFile file = MachineFile::kParameters;

  static Operand at(MachineFile file, size_t index) { return {static_cast<uint32_t>(index * sizeof(Datum)), file}; }
  bool operator==(const Operand&) const = default;
};

struct Instruction {
  Operation operation = nullptr;
  Operand a, b, out;
  const Instruction* target = nullptr;  // of a jump
  void* data = nullptr;                 // of the operation's own kind; the code owns it
  // While the code is made: where `target` is, an instruction's number (`jump`) or a label's. Labels and numbers are also of
  // use to the operations themselves.
  int32_t jump = -1, label = -1;
  int32_t x = 0, y = 0, z = 0;
};

struct Machine {
  Datum* files[3] = {nullptr, nullptr, nullptr};
  types::FuncContext* functions = nullptr;
  const Instruction* failed_at = nullptr;  // then the error is in `error`, or in `functions`
  std::unique_ptr<Error> error;

  [[gnu::always_inline]] Datum& operator[](const Operand& o) const {
    return *reinterpret_cast<Datum*>(reinterpret_cast<char*>(files[static_cast<size_t>(o.file)]) + o.offset);
  }
  const Instruction* fail(const Instruction* at) {
    failed_at = at;
    return nullptr;
  }
  const Instruction* fail(const Instruction* at, std::unique_ptr<Error> why) {
    error = std::move(why);
    return fail(at);
  }
};

// What a built-in function is to the machine.
struct MachineFunction {
  size_t arguments = 0;
  Operation value = nullptr;                           // out := f(a, b)
  Operation jump_if = nullptr, jump_unless = nullptr;  // of comparisons: `unless` jumps for null too
  bool may_fail = true;
  bool uses_arena = false;
  bool c_order = false;         // texts compare as their bytes
  bool texts_equality = false;  // texts are equal when their bytes are
};
// Null: it has no such form.
const MachineFunction* machine_function(types::CatalogContext& catalog,
                                        const sql::CallExpr& e);  // scalar_arithmetic.cpp

}  // namespace indigo::engine::exec
