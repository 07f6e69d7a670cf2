// What the executor asks of the session about triggers: who runs their functions. And what a trigger function is called with.
// It also tells the session which tables must stay as they are while functions run.
//
// Data flow. Rows are images in the layout of the trigger's own relation. RowTriggers (row_triggers.h) decides which triggers
// fire, evaluates WHEN and calls BEFORE and INSTEAD OF triggers while the row is changed; AFTER triggers go as events into the
// statement's queue (foreign_key.h), together with what foreign keys owe, so that both run in the order of the changes; events
// of deferred constraint triggers continue to DeferredChecks.
//
// What a function sees: a volatile one begins a command of its own, so it sees all that the statement has done so far, also
// to earlier rows of the same statement; the row that a BEFORE trigger is called for is not written yet.
// Thread safety: none; belongs to a session.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/tables_in_use.h"
#include "engine/exec/row_store.h"

namespace indigo::engine::exec {

// OLD TABLE and NEW TABLE of one kind of change to one table, by the table's columns.
struct TransitionTables {
  std::shared_ptr<const catalog::RelationInfo> relation;
  bool wants_old = false, wants_new = false;
  RowStore old_rows, new_rows;
};

// Where a row lies, for its system columns; without a key it lies nowhere yet.
struct RowPlace {
  Bytes key = {};
  bool own = false;  // written by this transaction
};

struct TriggerCall {
  std::shared_ptr<const catalog::RelationInfo> relation;
  const catalog::TriggerInfo* trigger = nullptr;
  int16_t event = 0;       // catalog::TriggerType
  Bytes old_row, new_row;  // of row triggers; empty: there is none
  RowPlace old_place = {}, new_place = {};
  std::span<const int16_t> updated = {};  // the columns that an UPDATE gives values to (attnums)
  std::shared_ptr<const TransitionTables> transitions;

  bool updates(int16_t column) const { return std::find(updated.begin(), updated.end(), column) != updated.end(); }
};

class TriggerHost {
 public:
  virtual ~TriggerHost() = default;
  // Whether session_replication_role lets a trigger of this tgenabled fire.
  virtual bool fires(char enabled) const = 0;
  // While it lives, what is raised has this line in its context: the statement that a foreign key's action stands for.
  class Place {
   public:
    virtual ~Place() = default;
  };
  // Until then the session acts as `owner`, of the table that the action changes.
  virtual std::unique_ptr<Place> enter(std::string line, Oid owner) = 0;
  // Whether a trigger may wait for the transaction's end; not within a security-restricted operation.
  virtual bool allows_waiting() const = 0;
  // The row that the function returns; nothing when it is null.
  virtual Result<std::optional<std::string>> call(const TriggerCall& call) = 0;

  // Of the session; never null.
  const std::shared_ptr<TablesInUse>& tables_in_use() const { return tables_in_use_; }

 private:
  const std::shared_ptr<TablesInUse> tables_in_use_ = std::make_shared<TablesInUse>();
};

}  // namespace indigo::engine::exec
