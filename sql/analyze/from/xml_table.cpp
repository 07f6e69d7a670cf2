// XMLTABLE in FROM: a call of a function of our own (types/xml/xml_table.cpp), whose result has the columns that are named here.
#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/node.h"
#include "sql/xml_constructs.h"
#include "types/oids.h"

namespace indigo::sql {

namespace {

constexpr const char* kConstruct = "XMLTABLE";

ExprPtr text_const(std::string_view text) {
  return make_const({oid::kText, -1, oid::kDefaultCollation}, Datum::of(Str(text)));
}

Result<ExprPtr> argument(Scope& scope, const PgQuery__Node* node, Oid type) {
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_specific(scope.a, e, type, kConstruct);
}

// ARRAY[name, uri, ...]; the default namespace has an empty name.
Result<ExprPtr> namespaces(Scope& scope, NodeList list) {
  auto out = std::make_shared<ArrayExpr>();
  out->element = {oid::kText, -1, oid::kDefaultCollation};
  out->type = {oid::kTextArray, -1, oid::kDefaultCollation};
  std::vector<std::string> names;
  for (const PgQuery__Node* node : list) {
    const PgQuery__ResTarget& target = *node->res_target;
    const std::string name = has_text(target.name) ? target.name : "";
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return scope.error(
          sqlstate::kSyntaxError,
          name.empty() ? "only one default namespace is allowed" : "namespace name \"" + name + "\" is not unique",
          target.location);
    }
    names.push_back(name);
    INDIGO_ASSIGN(ExprPtr uri, argument(scope, target.val, oid::kText));
    out->elements.push_back(text_const(name));
    out->elements.push_back(std::move(uri));
  }
  return ExprPtr(std::move(out));
}

struct Columns {
  std::string flags;  // a letter for each
  ExprList arguments;
};

Status add_column(Scope& scope, const PgQuery__RangeTableFuncCol& c, Entry& entry, Columns& out) {
  const std::string name = c.colname;
  if (std::find(entry.column_names.begin(), entry.column_names.end(), name) != entry.column_names.end()) {
    return scope.error(sqlstate::kSyntaxError, "column name \"" + name + "\" is not unique", c.location);
  }
  TypeRef type{oid::kInt4, -1, kInvalidOid};
  ExprPtr path = make_null(scope.catalog(), {oid::kText, -1, oid::kDefaultCollation}), otherwise;
  if (c.for_ordinality) {
    if (out.flags.find('o') != std::string::npos) {
      return scope.error(sqlstate::kSyntaxError, "only one FOR ORDINALITY column is allowed", c.location);
    }
    out.flags += 'o';
  } else {
    if (c.type_name->setof) {
      return scope.error(sqlstate::kInvalidTableDefinition, "column \"" + name + "\" cannot be declared SETOF",
                         c.location);
    }
    INDIGO_ASSIGN(type, resolve_type_name(scope.a, c.type_name));
    char flag = c.is_not_null ? '1' : '0';
    path = text_const(name);
    if (!absent(c.colexpr)) {
      flag += 4;
      INDIGO_ASSIGN(path, argument(scope, c.colexpr, oid::kText));
    }
    if (!absent(c.coldefexpr)) {
      flag += 2;
      INDIGO_ASSIGN(otherwise, argument(scope, c.coldefexpr, type.oid));
      INDIGO_ASSIGN(otherwise, coerce_typmod(scope.a, otherwise, type, Coercion::kAssignment,
                                             CallExpr::Form::kImplicitCast, c.location));
    }
    out.flags += flag;
  }
  entry.column_names.push_back(name);
  entry.column_types.push_back(type);
  out.arguments.push_back(std::move(path));
  out.arguments.push_back(otherwise != nullptr ? otherwise : make_null(scope.catalog(), type));
  return {};
}

}  // namespace

Result<Entry> xml_table_entry(Scope& scope, const PgQuery__RangeTableFunc& t) {
  Entry entry;
  entry.kind = EntryKind::kFunction;
  entry.alias = "xmltable";
  ExprList arguments;
  {
    // It sees the names to its left, with or without LATERAL.
    Setting<bool> lateral(scope.lateral_active, true);
    Setting<Clause> clause(scope.clause, Clause::kFromFunction);
    INDIGO_ASSIGN(const ExprPtr row, argument(scope, t.rowexpr, oid::kText));
    INDIGO_ASSIGN(const ExprPtr document, argument(scope, t.docexpr, oid::kXml));
    Columns columns;
    for (const PgQuery__Node* node : nodes(t.n_columns, t.columns)) {
      INDIGO_TRY(add_column(scope, *node->range_table_func_col, entry, columns));
    }
    INDIGO_ASSIGN(const ExprPtr spaces, namespaces(scope, nodes(t.n_namespaces, t.namespaces)));
    arguments = {document, row, spaces, record_of_nulls(scope, entry.column_types, entry.column_names),
                 text_const(columns.flags)};
    arguments.insert(arguments.end(), columns.arguments.begin(), columns.arguments.end());
  }
  const auto f = scope.catalog().function(xml_construct::kTable);
  if (f == nullptr) return scope.error(sqlstate::kInternalError, "an XML function is missing", t.location);
  INDIGO_ASSIGN(ExprPtr call, make_call(scope.a, *f, std::move(arguments), {oid::kRecord, -1, kInvalidOid},
                                        CallExpr::Form::kSqlSyntax, kInvalidOid, t.location));
  if (t.alias != nullptr && t.alias->n_colnames > entry.column_names.size()) {
    return scope.error(sqlstate::kInvalidColumnReference,
                       "XMLTABLE function has " + std::to_string(entry.column_names.size()) +
                           " columns available but " + std::to_string(t.alias->n_colnames) + " columns specified");
  }
  entry.lateral = t.lateral || contains_vars(call);
  entry.functions.push_back({std::move(call), static_cast<int>(entry.column_names.size())});
  INDIGO_TRY(apply_alias(scope, entry, t.alias));
  return entry;
}

}  // namespace indigo::sql
