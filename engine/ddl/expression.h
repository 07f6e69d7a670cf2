// Expressions that definitions keep: defaults, generated columns, CHECK, index predicates. Analyzed once for errors, types and
// dependencies, kept as SQL text with qualified names.
#pragma once

#include <set>

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

enum class ExpressionUse : uint8_t {
  kDefault,
  kGenerated,
  kCheck,
  kIndex,
  kIndexPredicate,
  kUsing,
  kDomainCheck,
  kPartitionKey,
  kPartitionBound
};

struct StoredExpression {
  std::string sql;
  TypeRef type;
  std::vector<int16_t> columns;     // of the relation, ascending
  std::vector<Address> references;  // functions, types, relations (regclass constants)
  bool immutable = true;
  bool constant = false;  // no column, function of the row's or volatile part
};

// `relation` may be null for uses without columns. `target` as in sql::analyze_expression.
Result<StoredExpression> store_expression(DdlContext& c, const PgQuery__Node* node, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target);
// The same for a text that is stored already, with another relation that has columns of these names (LIKE).
Result<StoredExpression> store_expression(DdlContext& c, std::string_view text, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target);
// Records what the object holding the expression depends on.
Status record_expression(DdlContext& c, const Address& depender, const StoredExpression& e, Oid relation,
                         char column_type);

// `text` with every reference to column `from` renamed to `to`.
Result<std::string> rename_column_in(std::string_view text, std::string_view from, std::string_view to);
// `text` (an expression or a query) with every name of relation schema.name replaced; in FROM the old name stays as alias.
Result<std::string> rename_relation_in(std::string_view text, bool query, std::string_view schema,
                                       std::string_view name, std::string_view new_schema, std::string_view new_name);

// The same for every name of type schema.name.
Result<std::string> rename_type_in(std::string_view text, bool query, std::string_view schema, std::string_view name,
                                   std::string_view new_schema, std::string_view new_name);
// Column references at these places of `statement`, whose tree is `root`, that say `from`; output columns that were named
// after them keep that name.
std::string rename_columns_at(const std::string& statement, const PgQuery__Node& root, const std::set<int>& locations,
                              std::string_view from, std::string_view to);

}  // namespace indigo::engine::ddl
