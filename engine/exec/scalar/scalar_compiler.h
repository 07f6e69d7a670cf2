// sql::Expr to scalar nodes. What has no node of its own becomes one that asks the vectorized evaluation, so every
// expression without columns, subplans, aggregates and sets compiles.
//
// Extending it: an operator or function with a fast form is one line in a table of scalar_arithmetic.cpp; an expression
// kind is a case of ScalarCompiler::compile and a node.
// Thread safety: none.
#pragma once

#include <vector>

#include "engine/exec/scalar/scalar_node.h"
#include "sql/expr.h"

namespace indigo::engine::exec {

class ScalarCompiler {
 public:
  // Domains and enums are looked up there.
  explicit ScalarCompiler(types::CatalogContext& catalog) : catalog_(catalog) {}

  ScalarOperand operand(const sql::ExprPtr& e);
  std::vector<ScalarOperand> operands(const sql::ExprList& list);
  Phys phys_of(const types::TypeRef& type);
  types::CatalogContext& catalog() { return catalog_; }

  // What nodes ask for.
  bool needs_functions = false;  // an arena
  bool needs_fresh = false;      // a fresh FuncContext at each evaluation: what it keeps may depend on settings
  bool needs_context = false;    // ScalarRun::context
  bool too_deep = false;         // the tree must not be evaluated

 private:
  static constexpr int kMaxDepth = 200;
  ScalarPtr compile(const sql::ExprPtr& e);

  types::CatalogContext& catalog_;
  int depth_ = 0;
};

// By the file that has them; null: it has no such node.
// scalar_arithmetic.cpp
ScalarPtr scalar_fast_call(ScalarCompiler& compiler, const sql::CallExpr& e, std::vector<ScalarOperand>& arguments);
ScalarPtr scalar_call(ScalarCompiler& compiler, const sql::CallExpr& e);          // scalar_call.cpp
ScalarPtr scalar_cast(ScalarCompiler& compiler, const sql::IoCastExpr& e);        // scalar_call.cpp
ScalarPtr scalar_element(ScalarCompiler& compiler, const sql::SubscriptExpr& e);  // scalar_call.cpp
ScalarPtr scalar_logic(ScalarCompiler& compiler, const sql::Expr& e);             // scalar_logic.cpp
ScalarPtr scalar_vectorized(ScalarCompiler& compiler, const sql::ExprPtr& e);     // scalar_call.cpp

}  // namespace indigo::engine::exec
