// What a session's cursors stand on, for WHERE CURRENT OF.
#include "base/sqlstate.h"
#include "engine/session/portal/portals.h"

namespace indigo::engine {

namespace {

Error wrong_cursor(std::string_view cursor, const std::string& rest) {
  return Error(sqlstate::kInvalidCursorState, "cursor \"" + std::string(cursor) + "\" " + rest);
}

// The result column with the relation's row keys.
Result<size_t> key_column(std::string_view cursor, const sql::PlannedStatement& plan,
                          const catalog::RelationInfo& relation) {
  int found = -1;
  for (const auto& table : plan.cursor_tables) {
    if (table.relation != relation.oid) continue;
    if (found >= 0) {
      return wrong_cursor(cursor, "has multiple FOR UPDATE/SHARE references to table \"" + relation.name + "\"");
    }
    found = table.column;
  }
  if (found >= 0) return static_cast<size_t>(found);
  return plan.locks_rows
             ? wrong_cursor(cursor, "does not have a FOR UPDATE/SHARE reference to table \"" + relation.name + "\"")
             : wrong_cursor(cursor, "is not a simply updatable scan of table \"" + relation.name + "\"");
}

}  // namespace

void Portal::note_position(const Chunk& chunk, uint32_t row) {
  if (prepared->plan->cursor_tables.empty()) return;
  row_keys.resize(prepared->plan->cursor_tables.size());
  for (size_t i = 0; i < row_keys.size(); i++) {
    const Vector& keys = chunk.columns[static_cast<size_t>(prepared->plan->cursor_tables[i].column)];
    if (keys.is_null(row)) {
      row_keys[i].reset();
    } else {
      row_keys[i] = std::string(keys.get<Str>(row));
    }
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
  INDIGO_ASSIGN(const size_t column, key_column(cursor, plan, relation));
  if (!portal.on_row()) return wrong_cursor(cursor, "is not positioned on a row");
  if (portal.buffer) {
    INDIGO_ASSIGN(const Chunk* row, portal.buffer->chunk(portal.buffer->position - 1, 1));
    portal.note_position(*row);
  }
  const auto& key = portal.row_keys[column - plan.targets.size()];
  if (!key) return std::optional<exec::CursorRows::Row>();
  return std::optional<exec::CursorRows::Row>({*key, portal.view});
}

}  // namespace indigo::engine
