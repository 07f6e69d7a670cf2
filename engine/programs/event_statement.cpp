#include "engine/programs/event_statement.h"

#include <algorithm>

#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/event/event_tags.h"
#include "engine/programs/programs.h"
#include "engine/programs/trigger_caller.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/statement/utility_statement.h"
#include "engine/system/catalog_rows.h"
#include "sql/parse/node.h"
#include "storage/transaction.h"
#include "types/text/ascii.h"
#include "types/value/array_format.h"

namespace indigo::engine::programs {

namespace {

namespace pg_event_trigger = catalog::pg_event_trigger;

// Objects of all databases have no event triggers.
bool is_shared(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE || type == PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_ROLE || type == PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_PARAMETER_ACL;
}

bool concerns_shared_object(const PgQuery__Node& n) {
  if (n.node_case == PG_QUERY__NODE__NODE_GRANT_STMT) return is_shared(n.grant_stmt->objtype);
  if (n.node_case == PG_QUERY__NODE__NODE_COMMENT_STMT) return is_shared(n.comment_stmt->objtype);
  return false;
}

bool makes_foreign_key(const PgQuery__CreateStmt& s) {
  const auto foreign = [](const PgQuery__Node* n) {
    return n->node_case == PG_QUERY__NODE__NODE_CONSTRAINT &&
           n->constraint->contype == PG_QUERY__CONSTR_TYPE__CONSTR_FOREIGN;
  };
  for (const PgQuery__Node* element : sql::nodes(s.n_table_elts, s.table_elts)) {
    if (foreign(element)) return true;
    if (element->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) continue;
    const auto constraints = sql::nodes(element->column_def->n_constraints, element->column_def->constraints);
    if (std::any_of(constraints.begin(), constraints.end(), foreign)) return true;
  }
  return false;
}

bool checks_columns(SessionParts& session, Oid constraint) {
  bool checks = false;
  CatalogRows(session).find(catalog::pg_constraint::kOid, constraint, [&](RowReader row) {
    checks = row.chr(catalog::pg_constraint::c_contype) == 'c' && !row.is_null(catalog::pg_constraint::c_conkey);
  });
  return checks;
}

// Sequences come before the table that they are of, indexes behind it.
int place_of(const MadeObject& m) {
  if (m.tag == "CREATE SEQUENCE") return 0;
  return m.tag == "CREATE INDEX" ? 2 : 1;
}

// ALTER, which may make and drop parts of what it alters.
bool alters(const PgQuery__Node& n) {
  return n.node_case == PG_QUERY__NODE__NODE_ALTER_TABLE_STMT || n.node_case == PG_QUERY__NODE__NODE_RENAME_STMT ||
         n.node_case == PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT ||
         n.node_case == PG_QUERY__NODE__NODE_ALTER_SEQ_STMT || n.node_case == PG_QUERY__NODE__NODE_ALTER_OPERATOR_STMT;
}

// What GRANT, REVOKE and ALTER DEFAULT PRIVILEGES are about, in the words of pg_event_trigger_ddl_commands(). Null: another.
const PgQuery__GrantStmt* grants(const PgQuery__Node& n) {
  if (n.node_case == PG_QUERY__NODE__NODE_GRANT_STMT) return n.grant_stmt;
  if (n.node_case == PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT) return n.alter_default_privileges_stmt->action;
  return nullptr;
}

}  // namespace

EventStatement::EventStatement(SessionParts& session, std::string tag, const PgQuery__Node& statement)
    : session_(session), tag_(std::move(tag)), statement_(statement) {
  if (ddl::event_support(tag_) == ddl::EventSupport::kDefinitions && !concerns_shared_object(statement))
    load_triggers();
}

EventStatement::~EventStatement() = default;

void EventStatement::load_triggers() {
  triggers_.clear();
  CatalogRows(session_).scan(pg_event_trigger::kOid, {}, [&](RowReader row) {
    if (!session_.triggers().fires(row.chr(pg_event_trigger::c_evtenabled))) return true;
    Trigger t{std::string(row.str(pg_event_trigger::c_evtname)),
              std::string(row.str(pg_event_trigger::c_evtevent)),
              row.oid(pg_event_trigger::c_evtfoid),
              {}};
    if (!row.is_null(pg_event_trigger::c_evttags)) t.tags = read_texts(row.str(pg_event_trigger::c_evttags));
    if (t.tags.empty() || std::find(t.tags.begin(), t.tags.end(), tag_) != t.tags.end())
      triggers_.push_back(std::move(t));
    return true;
  });
  std::sort(triggers_.begin(), triggers_.end(), [](const Trigger& a, const Trigger& b) { return a.name < b.name; });
}

bool EventStatement::fires(std::string_view event) const {
  return std::any_of(triggers_.begin(), triggers_.end(), [&](const Trigger& t) { return t.event == event; });
}

Status EventStatement::fire(std::string_view event) {
  const TriggerCaller::OfEvent inner(session_.triggers(), *this);
  load_triggers();  // the statement, or a trigger of it, may have dropped some
  const std::vector<Trigger> triggers = triggers_;
  for (const Trigger& t : triggers) {
    if (t.event != event) continue;
    INDIGO_TRY(session_.routines().call_event_trigger(t.function, event, tag_));
    session_.transaction().next_command();
  }
  return {};
}

Status EventStatement::begin() { return fires("ddl_command_start") ? fire("ddl_command_start") : Status(); }

Status EventStatement::end() {
  if (triggers_.empty()) return {};
  for (const RewrittenTable& table : rewritten_) {
    rewritten_now_ = &table;
    INDIGO_TRY(fire("table_rewrite"));
  }
  rewritten_now_ = nullptr;
  std::reverse(dropped_.begin(), dropped_.end());
  note_changes();
  if (!dropped_.empty()) {
    in_drop_ = true;
    INDIGO_TRY(fire("sql_drop"));
    in_drop_ = false;
  }
  return fire("ddl_command_end");
}

void EventStatement::made(Oid class_id, Oid object, bool in_extension) {
  if (!triggers_.empty()) made_.push_back({class_id, object, "", in_extension, ""});
}

void EventStatement::dropped(Oid class_id, Oid object, int32_t sub, bool asked, bool needed) {
  if (triggers_.empty() || class_id == pg_event_trigger::kOid) return;
  auto identity = identify_object(session_, class_id, object, sub);
  if (!identity) return;
  DroppedObject d{class_id, object, sub, std::move(*identity), asked, needed, false};
  // Parts of a table are in its schema here, though a name of theirs begins with none.
  const bool part = class_id == catalog::pg_trigger::kOid || class_id == catalog::pg_policy::kOid ||
                    class_id == catalog::pg_attrdef::kOid;
  if (part) d.identity.schema = d.identity.names.front();
  // A view's own rule, and a check of a table, also need the columns that they are about.
  if (class_id == catalog::pg_rewrite::kOid && d.identity.names.back() == "_RETURN") d.needed = true;
  if (class_id == catalog::pg_constraint::kOid && !asked) d.needed |= checks_columns(session_, object);
  d.temporary = d.identity.schema == "pg_temp";
  dropped_.push_back(std::move(d));
}

void EventStatement::rewritten(Oid relation, int32_t reasons) {
  if (triggers_.empty()) return;
  const auto known = std::find_if(rewritten_.begin(), rewritten_.end(),
                                  [&](const RewrittenTable& table) { return table.relation == relation; });
  if (known == rewritten_.end()) {
    rewritten_.push_back({relation, reasons});
  } else {
    known->reasons |= reasons;
  }
}

std::string EventStatement::tag_of(Oid class_id, const ObjectIdentity& identity) const {
  const std::string word = types::to_upper(identity.type);
  if (word == "TYPE" && tag_ == "CREATE DOMAIN") return tag_;
  const bool table = class_id == catalog::pg_class::kOid && word == "TABLE";
  if (table && (tag_ == "CREATE TABLE AS" || tag_ == "SELECT INTO")) return tag_;
  if (statement_.node_case == PG_QUERY__NODE__NODE_ALTER_PUBLICATION_STMT) return tag_;
  if (class_id == catalog::pg_statistic_ext::kOid) return "CREATE STATISTICS";
  if (class_id == catalog::pg_foreign_data_wrapper::kOid) return "CREATE FOREIGN DATA WRAPPER";
  return "CREATE " + word;
}

void EventStatement::note_changed(Oid object, std::string tag) {
  made_.push_back({catalog::pg_class::kOid, object, std::move(tag), false, ""});
}

void EventStatement::note_made() {
  for (MadeObject& m : made_) {
    auto identity = identify_object(session_, m.class_id, m.object, 0);
    const auto relation = session_.session_catalog().relation(m.object);
    if (identity && identity->type == "composite type" && relation != nullptr) {
      m = {catalog::pg_type::kOid, relation->row_type, "", m.in_extension, ""};
      identity = identify_object(session_, m.class_id, m.object, 0);
    }
    if (identity) m.tag = tag_of(m.class_id, *identity);
  }
  const bool publishing = statement_.node_case == PG_QUERY__NODE__NODE_CREATE_PUBLICATION_STMT;
  std::erase_if(made_, [&](const MadeObject& m) {
    if (m.tag.empty()) return true;  // made and dropped again
    return publishing && m.class_id != catalog::pg_publication::kOid;
  });
}

void EventStatement::note_changes() {
  note_made();
  if (const PgQuery__GrantStmt* grant = grants(statement_)) {
    std::string kind(object_type_name(grant->objtype));
    if (statement_.node_case != PG_QUERY__NODE__NODE_GRANT_STMT) kind += "S";
    made_.push_back({kInvalidOid, kInvalidOid, tag_, false, std::move(kind)});
    return;
  }
  if (statement_.node_case == PG_QUERY__NODE__NODE_CREATE_STMT) {
    std::stable_sort(made_.begin(), made_.end(),
                     [](const MadeObject& a, const MadeObject& b) { return place_of(a) < place_of(b); });
    const std::vector<MadeObject> made = made_;
    const auto own =
        std::find_if(made.begin(), made.end(), [](const MadeObject& m) { return m.tag == "CREATE TABLE"; });
    if (own != made.end() && makes_foreign_key(*statement_.create_stmt)) note_changed(own->object, "ALTER TABLE");
    for (const MadeObject& m : made) {
      if (m.tag == "CREATE SEQUENCE") note_changed(m.object, "ALTER SEQUENCE");
    }
    return;
  }
  if (!altered_) return;
  // What belongs to the altered object is part of the one command.
  if (alters(statement_)) std::erase_if(made_, [](const MadeObject& m) { return m.tag != "CREATE SEQUENCE"; });
  const std::vector<MadeObject> sequences = made_;
  made_.push_back(*altered_);
  for (const MadeObject& m : sequences) {
    if (m.tag == "CREATE SEQUENCE") note_changed(m.object, "ALTER SEQUENCE");
  }
}

}  // namespace indigo::engine::programs
