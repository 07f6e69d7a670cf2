// A statement with its parameters, ready to run or running: a portal of the extended protocol, a cursor, or the one that the
// simple protocol reuses.
//
// A portal that stays open between messages keeps its Execution (operators, cursors) and pins its snapshot. It never holds a
// latch or guard. Rows of data-changing statements, and of cursors that outlive their transaction, are materialised.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/memory/arena.h"
#include "engine/exec/execution.h"
#include "engine/exec/row_parameters.h"
#include "engine/session/portal/read_ahead.h"
#include "engine/session/portal/row_buffer.h"
#include "engine/statement/own_names.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

struct Portal {
  std::string name;
  PreparedPtr prepared;
  std::vector<Datum> parameters;  // strings in `arena`
  Arena arena{1024};
  std::unique_ptr<RowParameters> rows;       // of INSERT ... VALUES, for more rows than the plan has
  std::shared_ptr<const ResultShape> shape;  // null: no rows
  std::string text;                          // of the statement, where the plan is of another
  ColumnLabels labels;                       // of columns, where the plan is of a text that calls them otherwise

  enum class Status : uint8_t { kReady, kRunning, kDone, kFailed } status = Status::kReady;
  std::unique_ptr<Execution> execution;
  ReadAhead ahead;                 // of `execution`
  uint64_t execution_version = 0;  // of the catalog, when it was taken
  storage::ReadView view;
  std::unique_ptr<storage::Transaction::PinnedView> pin;  // of `view`, while the portal is suspended
  std::unique_ptr<RowBuffer> buffer;                      // materialised rows, when they are
  size_t created_at_depth = 0;                            // savepoints when it was made: rolling back further closes it
  RowSink* rule_sink = nullptr;                           // of rows that SELECTs in rules give; null: they are dropped
  std::string tag;                                        // of a finished statement whose rows are still to be fetched
  uint64_t rows_sent = 0;
  // Where the row fetched last comes from, by PlannedStatement::cursor_tables.
  struct RowOrigin {
    std::optional<std::string> key;
    Oid table = kInvalidOid;  // kInvalidOid: the only one
  };
  std::vector<RowOrigin> origins;

  // Cursors (DECLARE).
  bool is_cursor = false, scroll = false, no_scroll = false, hold = false, binary = false;
  bool visible = true;     // in pg_cursors
  bool pinned = false;     // a program's loop reads it: it is held when the program ends the transaction
  bool active = false;     // it runs (RunningPortal): what it calls can neither run nor close it
  SharedText source_text;  // and of what PREPARE has named; null: its statement's
  int64_t created_timestamp = 0;

  // The text that it came with.
  std::string_view client_text() const {
    if (!is_cursor && source_text != nullptr) return *source_text;
    return text.empty() ? prepared->parsed->text() : std::string_view(text);
  }
  // A WITH HOLD cursor whose transaction has ended.
  bool held() const { return hold && created_at_depth == SIZE_MAX; }
  // The execution's next rows; what has been read ahead comes first.
  Result<const Chunk*> next(uint32_t max_rows);
  struct Row {
    const Chunk* chunk = nullptr;  // null: there are no more
    uint32_t row = 0;
  };
  // The next one alone, with its position noted.
  Result<Row> next_row(catalog::CatalogView& catalog, const storage::Transaction& transaction);
  // Remembers where the chunk's last row comes from.
  void note_position(const Chunk& chunk) {
    if (chunk.rows() > 0) note_position(chunk, chunk.selection[chunk.rows() - 1]);
  }
  void note_position(const Chunk& chunk, uint32_t row);
  // Whether it stands on a row: neither before the first nor past the last.
  bool on_row() const;
};

// While a portal's statement runs: functions that it calls find it by its name, and must leave it alone.
class RunningPortal {
 public:
  explicit RunningPortal(Portal& portal) : portal_(portal), within_(portal.active) { portal_.active = true; }
  ~RunningPortal() { portal_.active = within_; }
  RunningPortal(const RunningPortal&) = delete;
  RunningPortal& operator=(const RunningPortal&) = delete;

 private:
  Portal& portal_;
  const bool within_;
};

}  // namespace indigo::engine
