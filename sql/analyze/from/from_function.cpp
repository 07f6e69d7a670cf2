// Functions in FROM: ROWS FROM, WITH ORDINALITY, column definitions, and the columns that a function's result has.
#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/analyze/type/type_name.h"
#include "sql/parse/node.h"
#include "types/extension/extension.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

struct Item {
  ExprPtr call;
  std::string name;
  NodeList definitions;
};

// unnest(a, b) is ROWS FROM(unnest(a), unnest(b)).
bool is_unnest_of_many(const PgQuery__Node* n) {
  if (!is(n, PG_QUERY__NODE__NODE_FUNC_CALL)) return false;
  const PgQuery__FuncCall& f = *n->func_call;
  return f.n_funcname == 1 && string_of(f.funcname[0]) == "unnest" && f.n_args > 1 && f.n_agg_order == 0 &&
         absent(f.agg_filter) && f.over == nullptr && !f.agg_star && !f.agg_distinct && !f.func_variadic;
}

Result<Item> read_item(Scope& scope, const PgQuery__Node* n, NodeList definitions) {
  Item item;
  INDIGO_ASSIGN(item.call, transform(scope, n));
  item.name = output_name(n);
  item.definitions = definitions;
  ExprPtr nested;
  for_each_child(*item.call, [&](const ExprPtr& c) {
    if (!nested && returns_set(c)) nested = c;
  });
  if (nested) {
    return scope.error(sqlstate::kFeatureNotSupported, "set-returning functions must appear at top level of FROM",
                       expr_location(nested));
  }
  return item;
}

Result<std::vector<Item>> read_items(Scope& scope, const PgQuery__RangeFunction& f) {
  std::vector<Item> out;
  for (const PgQuery__Node* pair : nodes(f.n_functions, f.functions)) {
    const PgQuery__Node* call = pair->list->items[0];
    NodeList definitions;
    if (pair->list->n_items > 1 && is(pair->list->items[1], PG_QUERY__NODE__NODE_LIST)) {
      definitions = nodes(pair->list->items[1]->list->n_items, pair->list->items[1]->list->items);
    }
    if (f.n_coldeflist > 0) definitions = nodes(f.n_coldeflist, f.coldeflist);
    if (is_unnest_of_many(call) && definitions.empty()) {
      for (size_t i = 0; i < call->func_call->n_args; i++) {
        PgQuery__FuncCall one = *call->func_call;
        one.n_args = 1;
        one.args = call->func_call->args + i;
        PgQuery__Node node = PG_QUERY__NODE__INIT;
        node.node_case = PG_QUERY__NODE__NODE_FUNC_CALL;
        node.func_call = &one;
        INDIGO_ASSIGN(Item item, read_item(scope, &node, {}));
        out.push_back(std::move(item));
      }
      continue;
    }
    INDIGO_ASSIGN(Item item, read_item(scope, call, definitions));
    out.push_back(std::move(item));
  }
  return out;
}

// Of pseudo-types only records may be columns here.
Status check_defined_column(Scope& scope, const std::string& name, const TypeRef& type) {
  const auto info = scope.catalog().type(type.oid);
  if (info == nullptr || info->kind != 'p' || type.oid == oid::kRecord || type.oid == oid::kRecordArray) return {};
  return scope.error(sqlstate::kInvalidTableDefinition,
                     "column \"" + name + "\" has pseudo-type " + format_type(scope.catalog(), type.oid));
}

Status add_defined_columns(Scope& scope, NodeList definitions, Entry& entry) {
  const size_t first = entry.column_names.size();
  for (const PgQuery__Node* n : definitions) {
    const PgQuery__ColumnDef& d = *n->column_def;
    if (d.type_name->setof) {
      return scope.error(sqlstate::kInvalidTableDefinition,
                         "column \"" + std::string(d.colname) + "\" cannot be declared SETOF", d.location);
    }
    INDIGO_ASSIGN(TypeRef type, resolve_type_name(scope.a, d.type_name));
    INDIGO_TRY(check_defined_column(scope, d.colname, type));
    if (d.coll_clause) {
      INDIGO_ASSIGN(type.collation, resolve_collation(scope.a, d.coll_clause));
    }
    const auto own = entry.column_names.begin() + static_cast<ptrdiff_t>(first);
    if (std::find(own, entry.column_names.end(), d.colname) != entry.column_names.end()) {
      return scope.error(sqlstate::kDuplicateColumn,
                         "column name \"" + std::string(d.colname) + "\" specified more than once");
    }
    entry.column_names.emplace_back(d.colname);
    entry.column_types.push_back(type);
  }
  return {};
}

bool wants_row_shape(const types::FunctionInfo& f) {
  if (f.language == "c") {
    const types::Extension* module = types::find_module(f.library);
    return module != nullptr && module->shaped_sets && types::find_set_symbol(*module, f.source) != nullptr;
  }
  return f.oid < oid::kFirstUserOid && f.source.starts_with("json") &&
         (f.source.find("_to_record") != std::string::npos || f.source.find("_populate_record") != std::string::npos);
}

// json_to_record, json_populate_record and the like learn the row's shape from a last argument: a record of nulls with the
// definitions' names and types.
ExprPtr with_row_shape(Scope& scope, const ExprPtr& call, const Entry& entry, size_t first) {
  const auto* e = try_as<CallExpr>(call);
  if (e == nullptr) return call;
  const auto f = scope.catalog().function(e->function);
  if (f == nullptr || !wants_row_shape(*f)) return call;
  const std::vector<TypeRef> types(entry.column_types.begin() + static_cast<ptrdiff_t>(first),
                                   entry.column_types.end());
  const std::vector<std::string> names(entry.column_names.begin() + static_cast<ptrdiff_t>(first),
                                       entry.column_names.end());
  auto copy = std::make_shared<CallExpr>(*e);
  copy->arguments.push_back(record_of_nulls(scope, types, names));
  return copy;
}

// The columns of one function; `single`: the only one of its entry.
Status add_columns(Scope& scope, const Item& item, const PgQuery__RangeFunction& f, bool single, Entry& entry) {
  RowShape shape;
  const size_t before = entry.column_names.size();
  ExprPtr call = item.call;
  const bool row = row_shape(scope.catalog(), item.call, shape);
  const bool record = item.call->type.oid == oid::kRecord && !row;
  if (!item.definitions.empty()) {
    if (!record) {
      return scope.error(sqlstate::kSyntaxError,
                         item.call->type.oid == oid::kRecord
                             ? "a column definition list is redundant for a function with OUT parameters"
                         : is_composite(scope.catalog(), item.call->type.oid)
                             ? "a column definition list is redundant for a function returning a named composite type"
                             : "a column definition list is only allowed for functions returning \"record\"",
                         item.definitions[0]->column_def->location);
    }
    INDIGO_TRY(add_defined_columns(scope, item.definitions, entry));
    call = with_row_shape(scope, call, entry, before);
  } else if (record) {
    return scope.error(sqlstate::kSyntaxError,
                       "a column definition list is required for functions returning \"record\"",
                       expr_location(item.call));
  } else if (row && (item.call->type.oid == oid::kRecord || is_composite(scope.catalog(), item.call->type.oid))) {
    for (size_t i = 0; i < shape.names.size(); i++) {
      const bool dropped = i < shape.dropped.size() && shape.dropped[i];
      entry.column_names.push_back(dropped ? std::string() : shape.names[i]);
      entry.column_types.push_back(shape.types[i]);
    }
  } else {
    // One column: named by the single OUT parameter, else by the alias, else by the function.
    const bool named_by_alias = single && f.alias && has_text(f.alias->aliasname);
    const bool out_parameter = row && shape.names.size() == 1 && shape.names[0] != "column1";
    entry.column_names.push_back(out_parameter ? shape.names[0] : named_by_alias ? f.alias->aliasname : item.name);
    entry.column_types.push_back(item.call->type);
  }
  entry.functions.push_back({call, static_cast<int>(entry.column_names.size() - before)});
  return {};
}

bool refers_to_level(const ExprPtr& e) { return contains_vars(e); }

}  // namespace

ExprPtr record_of_nulls(Scope& scope, const std::vector<TypeRef>& types, const std::vector<std::string>& names) {
  std::vector<Datum> nulls;
  for (const TypeRef& type : types) {
    const auto info = scope.catalog().type(type.oid);
    nulls.push_back(Datum::make_null(info ? info->phys : Phys::kStr));
  }
  auto shape = std::make_shared<ConstExpr>();
  shape->type = {oid::kRecord, -1, kInvalidOid};
  const std::string image = types::make_record(oid::kRecord, types, nulls, names);
  shape->value = OwnedDatum(Datum::of(Str(image)));
  return shape;
}

Result<Entry> function_entry(Scope& scope, const PgQuery__RangeFunction& f) {
  std::vector<Item> items;
  {
    // Functions see the names to their left, with or without LATERAL.
    Setting<bool> lateral(scope.lateral_active, true);
    Setting<Clause> clause(scope.clause, Clause::kFromFunction);
    const bool sets = scope.query->has_set_functions;
    INDIGO_ASSIGN(items, read_items(scope, f));
    scope.query->has_set_functions = sets;
  }
  if (f.n_coldeflist > 0 && items.size() > 1) {
    return scope.error(sqlstate::kSyntaxError,
                       "ROWS FROM() with multiple functions cannot have a column definition list",
                       f.coldeflist[0]->column_def->location);
  }
  if (f.n_coldeflist > 0 && f.ordinality) {
    return scope
        .error(sqlstate::kSyntaxError, "WITH ORDINALITY cannot be used with a column definition list",
               f.coldeflist[0]->column_def->location)
        .with_hint("Put the column definition list inside ROWS FROM().");
  }
  Entry entry;
  entry.kind = EntryKind::kFunction;
  entry.alias = items.empty() ? "unnest" : items[0].name;
  entry.lateral = f.lateral;
  for (const Item& item : items) {
    INDIGO_TRY(add_columns(scope, item, f, items.size() == 1, entry));
    entry.lateral = entry.lateral || refers_to_level(item.call);
  }
  if (f.ordinality) {
    entry.with_ordinality = true;
    entry.column_names.emplace_back("ordinality");
    entry.column_types.push_back({oid::kInt8, -1, kInvalidOid});
  }
  INDIGO_TRY(apply_alias(scope, entry, f.alias));
  return entry;
}

}  // namespace indigo::sql
