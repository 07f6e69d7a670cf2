#include "engine/subscription/target_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sqlstate.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/object_lookup.h"
#include "engine/replication/replica_identity.h"

namespace indigo::engine::subscription {

namespace {

constexpr SqlState kNotReadyForChange("55000");
using Value = std::optional<std::string_view>;

std::string always_quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

std::string parameter(size_t number) { return "$" + std::to_string(number); }

// Columns of the replica identity here, else of the primary key.
std::vector<int16_t> search_key(catalog::CatalogView& view, const catalog::RelationInfo& relation) {
  const auto identity = replication::replica_identity(view, relation);
  if (identity->kind != 'f' && !identity->none()) return identity->columns;
  std::vector<int16_t> out;
  for (const catalog::IndexInfo& index : relation.indexes) {
    if (!index.primary || !index.immediate) continue;
    for (const catalog::IndexColumn& column : index.columns) out.push_back(column.column);
  }
  return out;
}

}  // namespace

// A statement with its values, which are a tuple's.
struct TargetTable::Call {
  std::string text;
  std::vector<Value> values;
  std::vector<Format> formats;

  size_t add(const TupleValue& value) {
    const bool null = value.kind == TupleValue::Kind::kNull;
    values.push_back(null ? Value() : Value(value.bytes));
    formats.push_back(value.kind == TupleValue::Kind::kBinary ? Format::kBinary : Format::kText);
    return values.size();
  }
};

std::string quoted_name(std::string_view schema, std::string_view name) {
  return always_quoted(schema) + "." + always_quoted(name);
}

Result<TargetTable> TargetTable::find(ApplySession& session, const RelationChange& remote) {
  TargetTable out;
  out.remote_ = remote;
  const auto refused = [&](const std::string& why) {
    return Error(kNotReadyForChange, "logical replication target relation \"" + out.shown_name() + "\" " + why);
  };
  INDIGO_TRY(session.in_catalog([&](DdlContext& c) -> Status {
    const auto relation = c.catalog.find_relation(remote.schema, remote.name);
    if (relation == nullptr) return refused("does not exist");
    using Kind = catalog::RelationKind;
    if (relation->kind != Kind::kTable && relation->kind != Kind::kPartitionedTable) {
      return Error(SqlState("42809"), "cannot use relation \"" + out.shown_name() + "\" as logical replication target")
          .with_detail(ddl::not_supported_for(relation->kind));
    }
    out.relation_ = relation->oid;
    out.partitioned_ = relation->kind == Kind::kPartitionedTable;
    out.only_ = out.partitioned_ ? "" : "ONLY ";
    const std::vector<int16_t> key = search_key(c.catalog, *relation);
    out.has_key_ = !key.empty();
    std::vector<std::string> missing;
    size_t found_keys = 0;
    for (size_t i = 0; i < remote.columns.size(); i++) {
      const auto& columns = relation->columns;
      const auto column = std::find_if(columns.begin(), columns.end(), [&](const types::ColumnInfo& one) {
        return !one.dropped && one.generated == 0 && one.name == remote.columns[i].name;
      });
      out.always_.push_back(column != columns.end() && column->identity == 'a');
      if (column == columns.end()) {
        missing.push_back("\"" + remote.columns[i].name + "\"");
      } else if (std::find(key.begin(), key.end(), column->number) != key.end() &&
                 (remote.columns[i].key || remote.identity == 'f')) {
        out.search_.push_back(i);
        found_keys++;
      }
    }
    if (found_keys != key.size()) out.search_.clear();
    if (missing.empty()) return {};
    std::string list;
    for (const std::string& name : missing) list += (list.empty() ? "" : ", ") + name;
    return refused((missing.size() == 1 ? "is missing replicated column: " : "is missing replicated columns: ") + list);
  }));
  return out;
}

void TargetTable::forget(ApplySession& session) {
  for (const std::string& name : statements_) session.forget(name);
  statements_.clear();
}

Status TargetTable::run(ApplySession& session, const std::string& name, const Call& call) {
  if (!statements_.contains(name)) {
    INDIGO_TRY(session.prepare(name, call.text));
    statements_.insert(name);
  }
  return session.execute(name, call.values, call.formats);
}

Status TargetTable::apply(ApplySession& session, const RowChange& row) {
  const size_t columns = remote_.columns.size();
  if ((row.kind != RowChange::Kind::kDelete && row.new_tuple.size() != columns) ||
      (row.has_old && row.old_tuple.size() != columns)) {
    return Error(sqlstate::kProtocolViolation,
                 "the publisher sent another number of columns than its relation \"" + shown_name() + "\" has");
  }
  return row.kind == RowChange::Kind::kInsert ? insert(session, row.new_tuple) : change(session, row);
}

Status TargetTable::insert(ApplySession& session, const Tuple& row) {
  Call call;
  std::string names, values;
  for (size_t i = 0; i < row.size(); i++) {
    names += (i == 0 ? "" : ", ") + always_quoted(remote_.columns[i].name);
    values += (i == 0 ? "" : ", ") + parameter(call.add(row[i]));
  }
  call.text = "INSERT INTO " + quoted_name(remote_.schema, remote_.name);
  call.text += row.empty() ? " DEFAULT VALUES" : " (" + names + ") OVERRIDING SYSTEM VALUE VALUES (" + values + ")";
  return run(session, "i" + std::to_string(remote_.relation), call);
}

// UPDATE and DELETE: `columns` become the remote columns that the row is found by.
Result<std::string> TargetTable::condition(std::vector<size_t>& columns) const {
  if (!search_.empty()) {
    columns = search_;
    return std::string("=");
  }
  if (remote_.identity == 'f') {
    for (size_t i = 0; i < remote_.columns.size(); i++) columns.push_back(i);
    return std::string("IS NOT DISTINCT FROM");
  }
  if (has_key_) {
    return Error(
        kNotReadyForChange,
        "publisher did not send replica identity column expected by the logical replication target relation \"" +
            shown_name() + "\"");
  }
  return Error(kNotReadyForChange,
               "logical replication target relation \"" + shown_name() +
                   "\" has neither REPLICA IDENTITY index nor PRIMARY KEY and published relation does not have REPLICA "
                   "IDENTITY FULL");
}

Status TargetTable::change(ApplySession& session, const RowChange& row) {
  const bool updates = row.kind == RowChange::Kind::kUpdate;
  const Tuple& old = row.has_old ? row.old_tuple : row.new_tuple;
  std::vector<size_t> columns;
  INDIGO_ASSIGN(const std::string comparison, condition(columns));
  Call call;
  const std::string table = quoted_name(remote_.schema, remote_.name);
  std::string sent, assignments;
  for (size_t i = 0; updates && i < row.new_tuple.size(); i++) {
    // An identity column that is always generated cannot be assigned to; as a part of an old key it stays as it is.
    const bool searched = std::find(columns.begin(), columns.end(), i) != columns.end();
    const bool stays = row.new_tuple[i].kind == TupleValue::Kind::kUnchanged ||
                       (always_[i] != 0 && (!row.has_old || (searched && old[i].bytes == row.new_tuple[i].bytes)));
    sent.push_back(stays ? '0' : '1');
    if (stays) continue;
    assignments += (assignments.empty() ? "" : ", ") + always_quoted(remote_.columns[i].name) + " = ";
    assignments += parameter(call.add(row.new_tuple[i]));
  }
  if (updates && assignments.empty()) return {};
  std::string where;
  for (const size_t i : columns) {
    where += (where.empty() ? "" : " AND ") + always_quoted(remote_.columns[i].name) + " " + comparison + " ";
    where += parameter(call.add(old[i]));
  }
  // Of rows that are all alike one is meant.
  if (search_.empty()) {
    const std::string place = partitioned_ ? "(tableoid, ctid)" : "ctid";
    const std::string selected = partitioned_ ? "tableoid, ctid" : "ctid";
    where = place + " = (SELECT " + selected + " FROM " + only_ + table + " WHERE " + where + " LIMIT 1)";
  }
  call.text = updates ? "UPDATE " + only_ + table + " SET " + assignments : "DELETE FROM " + only_ + table;
  call.text += " WHERE " + where;
  const std::string name = (updates ? "u" : "d") + std::to_string(remote_.relation) + (updates ? "_" + sent : "");
  return run(session, name, call);
}

}  // namespace indigo::engine::subscription
