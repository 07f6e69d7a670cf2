#include "engine/exec/row_text.h"

#include <algorithm>

#include "base/utf8.h"
#include "catalog/row_security.h"
#include "engine/exec/scan/index_key.h"
#include "types/function/registry.h"
#include "types/text/strings.h"

namespace indigo::engine::exec {
namespace {

// PostgreSQL cuts each value of a failing row to this many bytes.
constexpr size_t kMaxValueText = 64;

void append_value(types::FuncContext& functions, const types::TypeRef& type, const Datum& value, size_t limit,
                  std::string& out) {
  if (value.null) {
    out += "null";
    return;
  }
  std::string text;
  types::type_output(functions, type, value, text);
  if (limit == 0 || text.size() <= limit) {
    out += text;
    return;
  }
  out += utf8_clip(text, limit);
  out += "...";
}

bool answers_true(Result<OwnedDatum> answer) { return answer.ok() && !answer->get().null && answer->get().b; }

// Values of rows that policies may hide are not told.
bool has_row_security(QueryState& state, const catalog::RelationInfo& relation) {
  catalog::CatalogView& catalog = state.session().catalog();
  return catalog::row_security_of(catalog, relation, catalog.user()) == catalog::RowSecurity::kActive;
}

bool may_read_table(QueryState& state, const catalog::RelationInfo& relation) {
  const Datum arguments[] = {Datum::of_oid(relation.oid), Datum::of(Str("SELECT"))};
  return answers_true(state.session().system_value("has_table_privilege_id", arguments));
}

bool may_read_column(QueryState& state, const catalog::RelationInfo& relation, int16_t column) {
  const Datum arguments[] = {Datum::of_oid(relation.oid), Datum::of(column), Datum::of(Str("SELECT"))};
  return answers_true(state.session().system_value("has_column_privilege_id_attnum", arguments));
}

}  // namespace

bool may_read(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns) {
  if (has_row_security(state, relation)) return false;
  return may_read_table(state, relation) || std::all_of(columns.begin(), columns.end(), [&](int16_t c) {
           return c > 0 && may_read_column(state, relation, c);
         });
}

std::optional<std::string> failing_row_text(QueryState& state, const catalog::RelationInfo& relation,
                                            std::span<const Vector* const> columns, uint32_t row,
                                            std::span<const int> named) {
  if (has_row_security(state, relation)) return std::nullopt;
  const bool whole = may_read_table(state, relation);
  std::string names, values;
  bool first = true;
  for (size_t c = 0; c < relation.columns.size(); c++) {
    const types::ColumnInfo& column = relation.columns[c];
    if (column.dropped) continue;
    if (!whole && std::find(named.begin(), named.end(), static_cast<int>(c)) == named.end() &&
        !may_read_column(state, relation, column.number)) {
      continue;
    }
    if (!first) names += ", ", values += ", ";
    first = false;
    names += column.name;
    const Datum value = columns[c] != nullptr ? columns[c]->datum(row) : Datum::make_null(relation.layout.phys(c));
    append_value(state.functions(), column.type, value, kMaxValueText, values);
  }
  if (whole) return "(" + values + ")";
  if (first) return std::nullopt;
  return "(" + names + ") = (" + values + ")";
}

namespace {

std::string columns_text(types::FuncContext& functions, const catalog::RelationInfo& relation,
                         std::span<const int16_t> columns, Bytes row, bool quoted) {
  std::string names, values;
  for (const int16_t number : columns) {
    const auto c = static_cast<size_t>(number) - 1;
    if (!names.empty()) names += ", ", values += ", ";
    names += quoted ? types::quote_identifier(relation.columns[c].name) : relation.columns[c].name;
    append_value(functions, relation.columns[c].type, relation.layout.column(row, c), 0, values);
  }
  return "(" + names + ")=(" + values + ")";
}

}  // namespace

std::string key_text(QueryState& state, const catalog::RelationInfo& relation, std::span<const int16_t> columns,
                     Bytes row) {
  if (!may_read(state, relation, columns)) return "";
  return " " + columns_text(state.functions(), relation, columns, row, false);
}

std::optional<std::string> index_entry_text(catalog::SessionContext& session, storage::Store& store,
                                            const std::shared_ptr<const catalog::RelationInfo>& relation,
                                            const catalog::IndexInfo& index, Bytes row) {
  std::vector<int16_t> columns;
  for (const catalog::IndexColumn& column : index.columns) {
    if (column.column <= 0) return index_key_text(session, store, relation, index, row);
    columns.push_back(column.column);
  }
  return index_columns_text(session, *relation, columns, row);
}

std::string index_columns_text(catalog::SessionContext& session, const catalog::RelationInfo& relation,
                               std::span<const int16_t> columns, Bytes row) {
  Arena arena;
  types::FuncContext functions(session);
  functions.set_arena(&arena);
  return columns_text(functions, relation, columns, row, true);
}

}  // namespace indigo::engine::exec
