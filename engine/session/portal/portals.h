// The portals of a session: those that Bind and DECLARE have made, by name, and the one that Query messages use.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/exec/scan/cursor_rows.h"
#include "engine/session/portal/portal.h"
#include "engine/session/transaction_block.h"

namespace indigo::engine {

class ExecutionPool;

class Portals final : public exec::CursorRows {
 public:
  using Map = std::map<std::string, std::unique_ptr<Portal>, std::less<>>;

  explicit Portals(ExecutionPool& executions) : executions_(executions) {}

  Portal& simple() { return simple_; }
  // Null when there is none.
  Portal* find(std::string_view name);
  bool contains(std::string_view name) { return find(name) != nullptr; }
  // The name must be free.
  void add(std::string name, std::unique_ptr<Portal> portal) { named_.emplace(std::move(name), std::move(portal)); }
  // The portal of that name, closed, or a new one.
  Portal& reuse(std::string_view name);
  // Unknown names are no error.
  void erase(std::string_view name);
  // CLOSE of one that exists: 24000 while it runs, or a program's loop reads it.
  Status drop(const Portal& portal);
  // CLOSE ALL: whatever its maker, but what runs; 24000 at one that a program's loop reads.
  Status drop_all();
  // All that have names, but what runs.
  void clear();
  // All, at the session's end.
  void abandon_all();
  const Map& named() const { return named_; }
  // "<unnamed portal 1>" and so on, another one each time.
  std::string unused_name();

  // While a program's loop reads rows that a change of data has returned: the program may not end the transaction.
  class Unheld {
   public:
    explicit Unheld(Portals& portals) : portals_(portals) { portals_.unheld_++; }
    ~Unheld() { portals_.unheld_--; }
    Unheld(const Unheld&) = delete;
    Unheld& operator=(const Unheld&) = delete;

   private:
    Portals& portals_;
  };
  bool any_unheld() const { return unheld_ > 0; }

  // What a portal holds while it is open: operators, snapshot, rows.
  void close(Portal& portal);
  // The same where the statement has failed, or its transaction is rolled back.
  void abandon(Portal& portal);
  // The transaction ends, or its part since a savepoint (TransactionBlock::before_end). `nested`: a program's savepoint,
  // while the statement that called it continues.
  void end(size_t depth, TransactionBlock::End end, bool nested);
  // RELEASE: what was made since the savepoint is the outer level's now.
  void release(size_t depth);
  // After an exception: operators that it has passed through are in no known state, and a portal may be half made.
  void discard_broken();

  // cursor_position.cpp
  Result<std::optional<Row>> current_row(std::string_view cursor, const catalog::RelationInfo& relation) override;

 private:
  ExecutionPool& executions_;
  Portal simple_;
  Map named_;
  int unheld_ = 0;
  uint64_t unnamed_ = 0;  // names that have been made up
};

}  // namespace indigo::engine
