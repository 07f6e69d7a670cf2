#include "engine/ddl/event/event_trigger.h"

#include <algorithm>
#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/event/event_tags.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/text/ascii.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_event_trigger = catalog::pg_event_trigger;

Oid event_trigger_named(DdlContext& c, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_event_trigger::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_event_trigger::c_evtname) == name) found = row.oid(pg_event_trigger::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

Status check_event_trigger_name_free(DdlContext& c, std::string_view name) {
  if (event_trigger_named(c, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject, "event trigger " + quoted(name) + " already exists");
}

Status check_tag(std::string_view given, bool rewrite) {
  const std::string tag = types::to_upper(given);
  const EventSupport support = event_support(tag);
  if (support == EventSupport::kUnknown) {
    return Error(sqlstate::kSyntaxError,
                 "filter value " + quoted(given) + " not recognized for filter variable \"tag\"");
  }
  if (support == EventSupport::kDefinitions && (!rewrite || rewrites_tables(tag))) return {};
  return Error(sqlstate::kFeatureNotSupported, "event triggers are not supported for " + std::string(given));
}

// WHEN TAG IN (...): the tags in capitals.
Result<std::optional<std::vector<std::string>>> read_filter(NodeList conditions, bool rewrite) {
  std::optional<std::vector<std::string>> out;
  for (const PgQuery__Node* n : conditions) {
    const PgQuery__DefElem& d = *n->def_elem;
    if (std::string_view(d.defname) != "tag") {
      return Error(sqlstate::kSyntaxError, "unrecognized filter variable " + quoted(d.defname));
    }
    if (out) return Error(sqlstate::kSyntaxError, "filter variable \"tag\" specified more than once");
    out.emplace();
    for (const PgQuery__Node* value : nodes(d.arg->list->n_items, d.arg->list->items)) {
      INDIGO_TRY(check_tag(string_of(value), rewrite));
      out->push_back(types::to_upper(string_of(value)));
    }
  }
  return out;
}

}  // namespace

Status execute_create_event_trigger(DdlContext& c, const PgQuery__CreateEventTrigStmt& s) {
  const std::string name = truncated_name(s.trigname);
  if (!c.catalog.is_superuser(c.catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to create event trigger " + quoted(name))
        .with_hint("Must be superuser to create an event trigger.");
  }
  const std::string_view event = s.eventname;
  const bool rewrite = event == "table_rewrite";
  if (!rewrite && event != "ddl_command_start" && event != "ddl_command_end" && event != "sql_drop")
    return Error(sqlstate::kSyntaxError, "unrecognized event name " + quoted(event));
  INDIGO_ASSIGN(const auto tags, read_filter(nodes(s.n_whenclause, s.whenclause), rewrite));
  INDIGO_TRY(check_event_trigger_name_free(c, name));
  const NodeList function_name = nodes(s.n_funcname, s.funcname);
  INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, function_name, {}));
  if (function->result != oid::kEventTrigger) {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "function " + sql::name_list_text(function_name) + " must return type event_trigger");
  }
  SystemTable& t = table(c, pg_event_trigger::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_event_trigger::c_oid, oid)
      .str(pg_event_trigger::c_evtname, name)
      .str(pg_event_trigger::c_evtevent, event)
      .oid(pg_event_trigger::c_evtowner, c.catalog.user())
      .oid(pg_event_trigger::c_evtfoid, function->oid)
      .chr(pg_event_trigger::c_evtenabled, 'O');
  row.set_null(pg_event_trigger::c_evttags);
  if (tags) row.texts(pg_event_trigger::c_evttags, *tags);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  return record_dependency(c, {pg_event_trigger::kOid, oid, 0}, {pg_proc::kOid, function->oid, 0}, 'n');
}

Result<std::optional<Address>> find_own_event_trigger(DdlContext& c, std::string_view name, bool missing_ok) {
  const Oid oid = event_trigger_named(c, name);
  if (oid == kInvalidOid) {
    const std::string message = "event trigger " + quoted(name) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  std::string image;
  const SystemTable& t = table(c, pg_event_trigger::kOid);
  if (t.find_oid(c.txn, oid, image)) {
    INDIGO_TRY(check_owner(c, t.reader(image).oid(pg_event_trigger::c_evtowner), "event trigger", name));
  }
  return std::optional<Address>(Address{pg_event_trigger::kOid, oid, 0});
}

Status execute_alter_event_trigger(DdlContext& c, const PgQuery__AlterEventTrigStmt& s) {
  INDIGO_ASSIGN(const auto found, find_own_event_trigger(c, s.trigname, false));
  return update_row(c, pg_event_trigger::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& row) { row.chr(pg_event_trigger::c_evtenabled, s.tgenabled[0]); });
}

Status rename_event_trigger(DdlContext& c, std::string_view name, std::string_view to) {
  INDIGO_ASSIGN(const auto found, find_own_event_trigger(c, name, false));
  INDIGO_TRY(check_event_trigger_name_free(c, to));
  return update_row(c, pg_event_trigger::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& row) { row.str(pg_event_trigger::c_evtname, truncated_name(to)); });
}

Status change_event_trigger_owner(DdlContext& c, std::string_view name, Oid owner) {
  INDIGO_ASSIGN(const auto found, find_own_event_trigger(c, name, false));
  if (!c.catalog.is_superuser(owner)) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to change owner of event trigger " + quoted(name))
        .with_hint("The owner of an event trigger must be a superuser.");
  }
  return update_row(c, pg_event_trigger::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& row) { row.oid(pg_event_trigger::c_evtowner, owner); });
}

}  // namespace indigo::engine::ddl
