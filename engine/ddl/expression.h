// Expressions that definitions keep: defaults, generated columns, CHECK, index predicates. Analyzed once for errors, types and
// dependencies, kept as trees (sql/stored/stored_tree.h).
// Thread safety: as the DdlContext.
#pragma once

#include "engine/ddl/drop/dependency.h"
#include "sql/expr.h"
#include "sql/parse/tree_names.h"

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
  kPartitionBound,
  kStatistics,
  kPolicy
};

struct StoredExpression {
  std::string tree;
  TypeRef type;
  std::vector<int16_t> columns;     // of the relation, each once, in the order in which they are mentioned
  std::vector<Address> references;  // functions, types, relations (regclass constants)
  bool immutable = true;
  bool system_columns = false;  // mentions some: an index refuses them when all else is in order
  bool constant = false;        // no column, function of the row's or volatile part
  bool null = false;            // NULL itself, of whatever type
};

// `relation` may be null for uses without columns. `target` as in sql::analyze_expression; of type unknown: whatever the
// expression has, a literal stays one.
Result<StoredExpression> store_expression(DdlContext& c, const PgQuery__Node* node, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target);
// The same for SQL text that is made here.
Result<StoredExpression> store_expression(DdlContext& c, std::string_view text, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target);
// An analyzed expression as it is kept.
Result<StoredExpression> keep_expression(DdlContext& c, const sql::ExprPtr& expr);
// What `source` keeps, for another relation that has columns of these names (LIKE).
Result<StoredExpression> copy_expression(DdlContext& c, std::string_view stored, const RelationInfo& source,
                                         const RelationPtr& relation);
// What is kept, as SQL text for a statement of this transaction; columns bare. `qualify`: whether search_path finds it or not.
Result<std::string> expression_text(DdlContext& c, std::string_view stored, const RelationPtr& relation,
                                    bool qualify = true);
// Do two kept expressions over two relations say the same, columns by their names?
bool same_expression(DdlContext& c, std::string_view a, const RelationInfo& over_a, std::string_view b,
                     const RelationInfo& over_b);
// Records what the object holding the expression depends on.
Status record_expression(DdlContext& c, const Address& depender, const StoredExpression& e, Oid relation,
                         char column_type);

}  // namespace indigo::engine::ddl
