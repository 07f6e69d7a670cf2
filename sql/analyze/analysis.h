// The state of one statement's analysis that all its query levels share: session, text, parameters and lifted literals.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fiber/stack.h"
#include "base/memory/arena.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/variables.h"
#include "sql/expr.h"
#include "sql/parse/node.h"
#include "sql/parse/tree_names.h"
#include "types/function/context.h"

namespace indigo::sql {

class Analysis {
 public:
  Analysis(catalog::SessionContext& session, std::string_view text);
  // For a nested text: a view's definition, a default, a function's body. Errors there have no position in the user's text.
  Analysis(const Analysis& outer, std::string_view text);

  catalog::SessionContext& session;
  catalog::CatalogView& catalog;
  const std::string_view text;

  // An error at a 0-based byte of the text (-1: no position).
  Error error(const SqlState& state, std::string message, int location = -1) const;
  int position(int location) const;

  bool has_positions = true;
  // Whether calls of functions that nothing implements are refused (0A000).
  bool require_implementations = true;
  // Whether functions in language SQL yield to their bodies. Not where the expression is printed back.
  bool inline_functions = true;
  // Whether a COLLATE clause has been seen: without one no collation is explicit.
  bool has_collate_clause = false;
  // What is made of INSERT, UPDATE and DELETE (sql/rule): a statement that can run; one whose rows rules take, whose target stays
  // the view that it names, with defaults and without checks; or one to be kept, as it is written.
  enum class Changes : uint8_t { kComplete, kSource, kKept } changes = Changes::kComplete;
  // The owner of the rule whose action this is; kInvalidOid: it is none.
  Oid rule_owner = kInvalidOid;
  // Of the views that the statement's changes name, which are asked for rules first: their definitions, loaded once.
  std::map<Oid, std::shared_ptr<const Query>> changed_views;
  // Changes in WITH that rules have replaced, as they were.
  std::vector<std::shared_ptr<const Query>> rule_sources;
  // Names of a SQL function's arguments while its body is analyzed; they mean $1 and so on.
  std::vector<std::string> argument_names;
  Oid parameter_collation =
      kInvalidOid;  // of parameters that have one: the input collation of a function that is inlined
  // What else names may mean; null: nothing.
  const VariableScope* variables = nullptr;
  // In CALL a parameter of type void has no type yet: clients send it for an argument that is an output.
  bool is_call = false;

  // For input functions: results live in the arena until the end of the analysis.
  types::FuncContext& functions() { return functions_; }

  // ---- $n (parameters.cpp)
  void declare_parameters(std::span<const Oid> types, bool variable, const PgQuery__Node* statement);
  void declare_known(std::span<const TypeRef> types);  // all of them, and nothing else
  Result<ExprPtr> parameter(int number, int location);
  // A parameter or lifted literal of unknown type gets the type that its context asks for.
  Result<ExprPtr> resolve_parameter(const ParamExpr& param, const TypeRef& type);
  // 42P18 for a parameter whose type nothing decided; then the results.
  Status finish_parameters(AnalyzedStatement& out) const;

  // ---- literals that the statement cache took out of the text (parameters.cpp)
  void declare_lifted(std::span<const LiftedLiteral> lifted);
  // The parameter for the literal at `location`, null when it must stay a constant. `negative`: the location is a minus
  // sign's; it stays true when the literal that was lifted is only what follows the sign.
  ExprPtr lift(int location, bool& negative, Oid constant_type);
  // A literal parameter that is coerced at once to a wider number takes that type itself. Null: not possible.
  ExprPtr widen_lifted(const ExprPtr& e, const TypeRef& type);
  // A program's variables get numbers while the statement is analyzed: none of them is a literal.
  bool is_lifted(const ParamExpr& p) const {
    return variables == nullptr && p.index >= static_cast<int>(types_.size());
  }

  int nesting = 0;  // of texts
  // How many views and functions have been replaced by their texts, this one counted: each may name several others twice, so
  // somebody must say when it is enough. 57014 when the session has been told to stop.
  Result<size_t> count_expansion();
  // The views that are being expanded, the innermost last.
  std::vector<Oid>& expanding() { return expanding_; }
  // Whether names of schemas ask for USAGE there: in what a client writes, not in texts that are kept, whose names were
  // looked up by who made them.
  bool checks_schemas = false;
  // 42501 for such a schema.
  Status check_schema(std::string_view schema, int location) const;
  // 0A000 when the name is of another database, 3F000 when its schema is missing, then as check_schema().
  Status check_qualified(const QualifiedName& name, NodeList parts, int location) const;

 private:
  size_t own_expansions_ = 0;
  size_t& expansions_;  // of the outermost
  std::vector<Oid> own_expanding_;
  std::vector<Oid>& expanding_;  // of the outermost
  Arena arena_;
  types::FuncContext functions_;
  std::vector<Oid> types_;  // of $1.., kUnknown while undecided, kInvalidOid when never mentioned
  std::vector<TypeRef> resolved_;
  size_t declared_ = 0;
  bool variable_ = false;
  std::span<const LiftedLiteral> lifted_;
  std::vector<TypeRef> lifted_types_;
  std::vector<bool> lifted_used_;
};

}  // namespace indigo::sql
