// Plans and expressions may be as deep as their statement's text, and run on a stack that is nearly used up: a plan that was made
// near the top of the stack is kept, and runs again deep inside of functions that call each other. So every few levels of what
// the builder makes, one of these asks for the stack: SQLSTATE 54001, never a crash. Shallow trees have none.
#pragma once

#include "engine/exec/expression/expression.h"
#include "engine/exec/operator.h"

namespace indigo::engine::exec {

// Levels between two of them; what so many need fits well into kStackReserve (base/fiber/stack.h).
inline constexpr int kStackGuardLevels = 16;

OperatorPtr make_stack_guard(OperatorPtr inner);
NodePtr make_stack_guard(QueryState& state, NodePtr inner);

}  // namespace indigo::engine::exec
