// A definition statement as event triggers see it: which of them it fires, what it has made and what it has dropped.
//
// Invariants:
// 1. Objects that are dropped are named before they go.
// 2. Statements inside an event trigger's function are event statements of their own; outer() leads to the one around.
// 3. Without event triggers in the database nothing is collected.
// Thread safety: none; belongs to a session.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/system/object_identity.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::programs {

struct MadeObject {
  Oid class_id = kInvalidOid, object = kInvalidOid;
  std::string tag;  // of the command that made or changed it
  bool in_extension = false;
  std::string kind;  // of GRANT, REVOKE and ALTER DEFAULT PRIVILEGES, which name no object
  int32_t sub = 0;
};

struct DroppedObject {
  Oid class_id = kInvalidOid, object = kInvalidOid;
  int32_t sub = 0;
  ObjectIdentity identity;
  bool asked = false, needed = false;  // named by the statement; needs what is dropped
  bool temporary = false;
};

// A table whose rows the statement writes again.
struct RewrittenTable {
  Oid relation = kInvalidOid;
  int32_t reasons = 0;  // ddl::rewrite_reason
};

class EventStatement {
 public:
  EventStatement(SessionParts& session, std::string tag, const PgQuery__Node& statement);
  ~EventStatement();
  EventStatement(const EventStatement&) = delete;
  EventStatement& operator=(const EventStatement&) = delete;

  // Whether somebody is to be told of what the statement changes.
  bool tells_changes() const { return fires("ddl_command_end"); }
  // ddl_command_start; table_rewrite, once the tables have been, sql_drop and ddl_command_end.
  Status begin();
  Status end();

  // From the definition that runs.
  void made(Oid class_id, Oid object, bool in_extension);
  void dropped(Oid class_id, Oid object, int32_t sub, bool asked, bool needed);
  // What ALTER, COMMENT or REFRESH names.
  void altered(Oid class_id, Oid object, int32_t sub) { altered_ = {class_id, object, tag_, false, "", sub}; }

  void rewritten(Oid relation, int32_t reasons);

  // For the functions of a trigger that runs.
  bool in_drop() const { return in_drop_; }
  // Null: no trigger on table_rewrite.
  const RewrittenTable* rewritten_table() const { return rewritten_now_; }
  const std::vector<MadeObject>& made_objects() const { return made_; }
  const std::vector<DroppedObject>& dropped_objects() const { return dropped_; }  // the last one to go first

 private:
  struct Trigger {
    std::string name, event;
    Oid function = kInvalidOid;
    std::vector<std::string> tags;  // none: all
  };
  void load_triggers();
  bool fires(std::string_view event) const;
  Status fire(std::string_view event);
  std::string tag_of(Oid class_id, const ObjectIdentity& identity) const;
  // What the statement does beside making objects.
  void note_changes();
  void note_made();
  void note_changed(Oid object, std::string tag);

  SessionParts& session_;
  const std::string tag_;
  const PgQuery__Node& statement_;
  std::vector<Trigger> triggers_;  // by name
  std::vector<MadeObject> made_;
  std::optional<MadeObject> altered_;
  std::vector<DroppedObject> dropped_;
  bool in_drop_ = false;
  std::vector<RewrittenTable> rewritten_;  // in order of the commands
  const RewrittenTable* rewritten_now_ = nullptr;
};

}  // namespace indigo::engine::programs
