// Built-in functions with a fast form for one row: as nodes, and as operations of the machine.
//
// Op::apply(context, a, b, out) answers false when it has failed; no argument of it is null, and with one the result is.
// Thread safety: none.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/exec/scalar/machine.h"
#include "engine/exec/scalar/scalar_node.h"

namespace indigo::engine::exec {

// ---- nodes

template <class Op, class R, class A, class B>
class ScalarBinaryNode final : public ScalarNode {
 public:
  ScalarBinaryNode(ScalarOperand a, ScalarOperand b) : a_(std::move(a)), b_(std::move(b)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch left, right;
    const Datum* const a = a_.get(run, left.datum);
    if (a == nullptr) return false;
    const Datum* const b = b_.get(run, right.datum);
    if (b == nullptr) return false;
    if (a->null || b->null) {
      set_null(out, kScalarPhys<R>);
      return true;
    }
    R value{};
    if (!Op::apply(run.functions, scalar_value<A>(*a), scalar_value<B>(*b), value)) return false;
    set_value(out, value);
    return true;
  }

 private:
  ScalarOperand a_, b_;
};

template <class Op, class R, class A>
class ScalarUnaryNode final : public ScalarNode {
 public:
  explicit ScalarUnaryNode(ScalarOperand a) : a_(std::move(a)) {}
  bool evaluate(ScalarRun& run, Datum& out) override {
    ScalarScratch argument;
    const Datum* const a = a_.get(run, argument.datum);
    if (a == nullptr) return false;
    if (a->null) {
      set_null(out, kScalarPhys<R>);
      return true;
    }
    R value{};
    if (!Op::apply(run.functions, scalar_value<A>(*a), value)) return false;
    set_value(out, value);
    return true;
  }

 private:
  ScalarOperand a_;
};

template <class Op, class R, class A, class B>
ScalarPtr binary_node(std::vector<ScalarOperand>& a) {
  return std::make_unique<ScalarBinaryNode<Op, R, A, B>>(std::move(a[0]), std::move(a[1]));
}
template <class Op, class R, class A>
ScalarPtr unary_node(std::vector<ScalarOperand>& a) {
  return std::make_unique<ScalarUnaryNode<Op, R, A>>(std::move(a[0]));
}

// ---- operations of the machine

template <class Op, class R, class A, class B>
const Instruction* binary_operation(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  const Datum& b = m[at->b];
  if (a.null || b.null) {
    set_null(m[at->out], kScalarPhys<R>);
    return at + 1;
  }
  R value{};
  if (!Op::apply(*m.functions, scalar_value<A>(a), scalar_value<B>(b), value)) [[unlikely]]
    return m.fail(at);
  set_value(m[at->out], value);
  return at + 1;
}
template <class Op, class R, class A>
const Instruction* unary_operation(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  if (a.null) {
    set_null(m[at->out], kScalarPhys<R>);
    return at + 1;
  }
  R value{};
  if (!Op::apply(*m.functions, scalar_value<A>(a), value)) [[unlikely]]
    return m.fail(at);
  set_value(m[at->out], value);
  return at + 1;
}
// Jumps when the comparison's truth is `kWhen`; null is not true.
template <class Op, bool kWhen, class A, class B>
const Instruction* jump_operation(Machine& m, const Instruction* at) {
  const Datum& a = m[at->a];
  const Datum& b = m[at->b];
  bool holds = false;
  if (!a.null && !b.null) Op::apply(*m.functions, scalar_value<A>(a), scalar_value<B>(b), holds);
  return holds == kWhen ? at->target : at + 1;
}

struct FastFunction {
  ScalarPtr (*make)(std::vector<ScalarOperand>& arguments) = nullptr;
  MachineFunction machine;
};

using FastTable = std::unordered_map<Oid, FastFunction>;  // by pg_proc OID
void add_typed_functions(FastTable& table);               // scalar_functions.cpp

// A result that is a string is in the context's arena.
template <class R>
inline constexpr bool kInArena = std::is_same_v<R, Str>;

template <class Op, class R, class A, class B>
FastFunction binary() {
  return {binary_node<Op, R, A, B>,
          {.arguments = 2, .value = binary_operation<Op, R, A, B>, .uses_arena = kInArena<R>}};
}
template <class Op, class R, class A>
FastFunction unary() {
  return {unary_node<Op, R, A>, {.arguments = 1, .value = unary_operation<Op, R, A>, .uses_arena = kInArena<R>}};
}
template <class Op, class A, class B>
FastFunction comparison() {
  return {
      binary_node<Op, bool, A, B>,
      {2, binary_operation<Op, bool, A, B>, jump_operation<Op, true, A, B>, jump_operation<Op, false, A, B>, false}};
}

}  // namespace indigo::engine::exec
