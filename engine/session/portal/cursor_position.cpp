// What a session's cursors stand on, for WHERE CURRENT OF.
#include "base/sqlstate.h"
#include "engine/session/portal/portals.h"

namespace indigo::engine {

namespace {

Error wrong_cursor(std::string_view cursor, const std::string& rest) {
  return Error(sqlstate::kInvalidCursorState, "cursor \"" + std::string(cursor) + "\" " + rest);
}

Error not_updatable(std::string_view cursor, const catalog::RelationInfo& relation) {
  return wrong_cursor(cursor, "is not a simply updatable scan of table \"" + relation.name + "\"");
}

// Which of the plan's cursor tables has the relation's rows.
Result<size_t> table_of(std::string_view cursor, const sql::PlannedStatement& plan,
                        const catalog::RelationInfo& relation) {
  std::optional<size_t> found;
  for (size_t i = 0; i < plan.cursor_tables.size(); i++) {
    for (const Oid table : plan.cursor_tables[i].relations) {
      if (table != relation.oid) continue;
      if (!found) {
        found = i;
      } else if (plan.locks_rows) {
        return wrong_cursor(cursor, "has multiple FOR UPDATE/SHARE references to table \"" + relation.name + "\"");
      } else {
        return not_updatable(cursor, relation);
      }
    }
  }
  if (found) return *found;
  return plan.locks_rows
             ? wrong_cursor(cursor, "does not have a FOR UPDATE/SHARE reference to table \"" + relation.name + "\"")
             : not_updatable(cursor, relation);
}

}  // namespace

void Portal::note_position(const Chunk& chunk, uint32_t row) {
  if (prepared->is_utility()) return;
  const auto& tables = prepared->plan->cursor_tables;
  if (tables.empty()) return;
  origins.resize(tables.size());
  for (size_t i = 0; i < tables.size(); i++) {
    const Vector& keys = chunk.columns[static_cast<size_t>(tables[i].column)];
    RowOrigin& origin = origins[i];
    origin.key.reset();
    if (keys.is_null(row)) continue;
    origin.key = std::string(keys.get<Str>(row));
    if (tables[i].table_column < 0) continue;
    origin.table = static_cast<Oid>(chunk.columns[static_cast<size_t>(tables[i].table_column)].get<int32_t>(row));
  }
}

bool Portal::on_row() const {
  if (buffer) return buffer->position >= 1 && buffer->position <= buffer->row_count();
  return rows_sent > 0 && status != Status::kDone;
}

Result<std::optional<exec::CursorRows::Row>> Portals::current_row(std::string_view cursor,
                                                                  const catalog::RelationInfo& relation) {
  Portal* const found = find(cursor);
  if (found == nullptr) {
    return Error(sqlstate::kInvalidCursorName, "cursor \"" + std::string(cursor) + "\" does not exist");
  }
  Portal& portal = *found;
  if (portal.prepared == nullptr || portal.prepared->is_utility() ||
      portal.prepared->plan->command != sql::CommandKind::kSelect) {
    return wrong_cursor(cursor, "is not a SELECT query");
  }
  if (portal.held()) return wrong_cursor(cursor, "is held from a previous transaction");
  const sql::PlannedStatement& plan = *portal.prepared->plan;
  INDIGO_ASSIGN(const size_t table, table_of(cursor, plan, relation));
  if (!portal.on_row()) return wrong_cursor(cursor, "is not positioned on a row");
  if (portal.buffer) {
    INDIGO_ASSIGN(const Chunk* row, portal.buffer->chunk(portal.buffer->position - 1, 1));
    portal.note_position(*row);
  }
  const Portal::RowOrigin& origin = portal.origins[table];
  const bool of_another = plan.cursor_tables[table].table_column >= 0 && origin.table != relation.oid;
  if (!origin.key || of_another) return std::optional<exec::CursorRows::Row>();
  return std::optional<exec::CursorRows::Row>({*origin.key, portal.view});
}

}  // namespace indigo::engine
