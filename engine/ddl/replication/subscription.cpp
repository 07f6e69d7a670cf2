#include "engine/ddl/replication/subscription.h"

#include <algorithm>
#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/replication/connection_string.h"
#include "engine/ddl/replication/subscription_options.h"
#include "engine/ddl/replication/subscription_publisher.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/subscription/subscription_rows.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace pg_subscription = catalog::pg_subscription;

namespace {

constexpr SqlState kNotReady("55000");

struct Subscription {
  Oid oid, owner;
  std::string name, connection;
  bool enabled;
  std::optional<std::string> slot;
  std::vector<std::string> publications;
  char two_phase = subscription::kTwoPhaseDisabled;
};

Status prevent_in_block(DdlContext& c, const char* statement) {
  if (!c.host.is_in_block()) return {};
  return Error(sqlstate::kActiveSqlTransaction, std::string(statement) + " cannot run inside a transaction block");
}

std::string origin_name(Oid subscription) { return "pg_" + std::to_string(subscription); }

std::optional<Subscription> subscription_named(DdlContext& c, std::string_view name) {
  std::optional<Subscription> found;
  table(c, pg_subscription::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_subscription::c_subname) != name || row.oid(pg_subscription::c_subdbid) != c.catalog.database())
      return true;
    found = {row.oid(pg_subscription::c_oid),
             row.oid(pg_subscription::c_subowner),
             std::string(name),
             std::string(row.str(pg_subscription::c_subconninfo)),
             row.flag(pg_subscription::c_subenabled),
             std::nullopt,
             read_texts(row.str(pg_subscription::c_subpublications)),
             row.chr(pg_subscription::c_subtwophasestate)};
    if (!row.is_null(pg_subscription::c_subslotname)) found->slot = row.str(pg_subscription::c_subslotname);
    return false;
  });
  return found;
}

Result<Subscription> own_subscription(DdlContext& c, std::string_view name) {
  auto found = subscription_named(c, name);
  if (!found) return Error(sqlstate::kUndefinedObject, "subscription " + quoted(name) + " does not exist");
  INDIGO_TRY(check_owner(c, found->owner, "subscription", name));
  return *std::move(found);
}

Status check_subscription_name_free(DdlContext& c, std::string_view name) {
  if (!subscription_named(c, name)) return {};
  return Error(sqlstate::kDuplicateObject, "subscription " + quoted(name) + " already exists");
}

Result<std::vector<std::string>> publication_names(NodeList list) {
  std::vector<std::string> out;
  for (const PgQuery__Node* node : list) {
    std::string name(string_of(node));
    if (std::find(out.begin(), out.end(), name) != out.end()) {
      return Error(sqlstate::kDuplicateObject, "publication name " + quoted(name) + " used more than once");
    }
    out.push_back(std::move(name));
  }
  return out;
}

Status update_subscription(DdlContext& c, const Subscription& s, const std::function<void(RowValues&)>& change) {
  return update_row(c, pg_subscription::kOid, {Datum::of_oid(s.oid)}, change);
}

void write_slot(RowValues& row, const SubscriptionOptions::SlotName& slot) {
  if (slot.name) {
    row.str(pg_subscription::c_subslotname, *slot.name);
  } else {
    row.set_null(pg_subscription::c_subslotname);
  }
}

void write_options(RowValues& row, const SubscriptionOptions& o) {
  if (o.slot) write_slot(row, *o.slot);
  if (o.synchronous_commit) row.str(pg_subscription::c_subsynccommit, *o.synchronous_commit);
  if (o.binary) row.flag(pg_subscription::c_subbinary, *o.binary);
  if (o.streaming) row.flag(pg_subscription::c_substream, *o.streaming);
  if (o.disable_on_error) row.flag(pg_subscription::c_subdisableonerr, *o.disable_on_error);
}

// ---- what the publisher has

// 42P01 and 42809 for a table that is not here, or is none.
Result<Oid> target_of(DdlContext& c, const subscription::PublishedName& name) {
  const RelationPtr relation = c.catalog.find_relation(name.schema, name.name);
  const std::string shown = quoted(name.schema + "." + name.name);
  if (relation == nullptr) return Error(sqlstate::kUndefinedTable, "relation " + shown + " does not exist");
  if (relation->kind != RelationKind::kTable && relation->kind != RelationKind::kPartitionedTable) {
    return Error(sqlstate::kWrongObjectType, "cannot use relation " + shown + " as logical replication target")
        .with_detail(not_supported_for(relation->kind));
  }
  INDIGO_TRY(lock_object(c, relation->oid, TableLockMode::kAccessShare));
  return relation->oid;
}

Status warn_of_missing(DdlContext& c, SubscriptionPublisher& publisher, const std::vector<std::string>& names) {
  INDIGO_ASSIGN(const std::vector<std::string> missing, publisher.missing_publications(names));
  if (missing.empty()) return {};
  std::string list;
  for (const std::string& name : missing) list += (list.empty() ? "" : ", ") + quoted(name);
  warning(c, sqlstate::kUndefinedObject,
          missing.size() == 1 ? "publication " + list + " does not exist on the publisher"
                              : "publications " + list + " do not exist on the publisher");
  return {};
}

// Tables that the publications have got become the subscription's, and those that they have lost are it no longer.
Status refresh_tables(DdlContext& c, SubscriptionPublisher& publisher, const Subscription& s,
                      const std::vector<std::string>& publications, bool copy_data) {
  INDIGO_ASSIGN(const auto names, publisher.published_names(publications));
  const auto before = subscription::table_states(c, s.oid);
  std::vector<Oid> now;
  for (const subscription::PublishedName& name : names) {
    INDIGO_ASSIGN(const Oid relation, target_of(c, name));
    now.push_back(relation);
    const bool known = std::any_of(before.begin(), before.end(),
                                   [&](const subscription::TableState& t) { return t.relation == relation; });
    if (known) continue;
    const char state = copy_data ? subscription::kTableInit : subscription::kTableReady;
    INDIGO_TRY(subscription::add_table(c, s.oid, {relation, state, 0}));
  }
  for (const subscription::TableState& table : before) {
    if (std::find(now.begin(), now.end(), table.relation) == now.end())
      INDIGO_TRY(subscription::remove_table(c, s.oid, table.relation));
  }
  return {};
}

Status refresh(DdlContext& c, const Subscription& s, const std::vector<std::string>& publications, bool copy_data) {
  INDIGO_ASSIGN(SubscriptionPublisher publisher, SubscriptionPublisher::connect(s.connection, s.name));
  INDIGO_TRY(warn_of_missing(c, publisher, publications));
  return refresh_tables(c, publisher, s, publications, copy_data);
}

// ---- origins

Status make_origin(DdlContext& c, Oid subscription) {
  namespace pg_replication_origin = catalog::pg_replication_origin;
  SystemTable& t = table(c, pg_replication_origin::kOid);
  Oid number = 1;  // the lowest that is free; rows come in its order
  t.scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_replication_origin::c_roident) != number) return false;
    number++;
    return true;
  });
  RowValues row(t.definition());
  row.oid(pg_replication_origin::c_roident, number).str(pg_replication_origin::c_roname, origin_name(subscription));
  return check(t.insert(c.txn, row));
}

Status drop_origin(DdlContext& c, Oid subscription) {
  namespace pg_replication_origin = catalog::pg_replication_origin;
  SystemTable& t = table(c, pg_replication_origin::kOid);
  Oid number = kInvalidOid;
  t.scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_replication_origin::c_roname) == origin_name(subscription))
      number = row.oid(pg_replication_origin::c_roident);
    return true;
  });
  return number == kInvalidOid ? Status() : check_erased(t.erase(c.txn, {Datum::of_oid(number)}));
}

// ---- ALTER SUBSCRIPTION

// A table that is copied while transactions are decoded at PREPARE could miss what was prepared before its copy.
Status check_may_refresh(const Subscription& s, const std::string& verb) {
  if (s.two_phase != subscription::kTwoPhaseEnabled) return {};
  return Error(kNotReady, "ALTER SUBSCRIPTION with refresh and copy_data is not allowed when two_phase is enabled")
      .with_hint("Use ALTER SUBSCRIPTION ... " + verb +
                 " PUBLICATION with refresh = false, or with copy_data = false, or use DROP/CREATE SUBSCRIPTION.");
}

// SET, ADD and DROP PUBLICATION.
Status alter_publications(DdlContext& c, const Subscription& s, const PgQuery__AlterSubscriptionStmt& statement) {
  const bool adds = statement.kind == PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_ADD_PUBLICATION;
  const bool drops = statement.kind == PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_DROP_PUBLICATION;
  const NodeList options = nodes(statement.n_options, statement.options);
  INDIGO_ASSIGN(const SubscriptionOptions o, read_subscription_options(c, options, {"copy_data", "refresh"}));
  INDIGO_ASSIGN(std::vector<std::string> names,
                publication_names(nodes(statement.n_publication, statement.publication)));
  if (adds || drops) {
    std::vector<std::string> all = s.publications;
    for (const std::string& name : names) {
      const auto found = std::find(all.begin(), all.end(), name);
      if (adds == (found != all.end())) {
        return Error(
            adds ? sqlstate::kDuplicateObject : sqlstate::kInvalidObjectDefinition,
            "publication " + quoted(name) + (adds ? " is already" : " is not") + " in subscription " + quoted(s.name));
      }
      if (adds) {
        all.push_back(name);
      } else {
        all.erase(found);
      }
    }
    if (all.empty())
      return Error(sqlstate::kInvalidObjectDefinition, "cannot drop all the publications from a subscription");
    names = std::move(all);
  }
  const bool refreshes = o.refresh.value_or(true);
  const std::string verb = adds ? "ADD" : drops ? "DROP" : "SET";
  if (refreshes && !s.enabled) {
    const std::string instead = "ALTER SUBSCRIPTION ... " + verb + " PUBLICATION ... WITH (refresh = false)";
    return Error(kNotReady, "ALTER SUBSCRIPTION with refresh is not allowed for disabled subscriptions")
        .with_hint("Use " + instead + (verb == "SET" ? "." : " instead."));
  }
  if (refreshes && o.copy_data.value_or(true)) INDIGO_TRY(check_may_refresh(s, verb));
  if (refreshes) INDIGO_TRY(prevent_in_block(c, "ALTER SUBSCRIPTION with refresh"));
  INDIGO_TRY(update_subscription(c, s, [&](RowValues& row) { row.texts(pg_subscription::c_subpublications, names); }));
  return refreshes ? refresh(c, s, names, o.copy_data.value_or(true)) : Status();
}

Status alter_refresh(DdlContext& c, const Subscription& s, NodeList options) {
  if (!s.enabled) return Error(kNotReady, "ALTER SUBSCRIPTION ... REFRESH is not allowed for disabled subscriptions");
  INDIGO_ASSIGN(const SubscriptionOptions o, read_subscription_options(c, options, {"copy_data"}));
  if (o.copy_data.value_or(true) && s.two_phase == subscription::kTwoPhaseEnabled) {
    return Error(sqlstate::kSyntaxError,
                 "ALTER SUBSCRIPTION ... REFRESH with copy_data is not allowed when two_phase is enabled")
        .with_hint("Use ALTER SUBSCRIPTION ... REFRESH with copy_data = false, or use DROP/CREATE SUBSCRIPTION.");
  }
  INDIGO_TRY(prevent_in_block(c, "ALTER SUBSCRIPTION ... REFRESH"));
  return refresh(c, s, s.publications, o.copy_data.value_or(true));
}

Status alter_enabled(DdlContext& c, const Subscription& s, NodeList options) {
  INDIGO_ASSIGN(const SubscriptionOptions o, read_subscription_options(c, options, {"enabled"}));
  const bool enabled = o.enabled.value_or(false);
  if (enabled && !s.slot) return Error(kNotReady, "cannot enable subscription that does not have a slot name");
  return update_subscription(c, s, [&](RowValues& row) { row.flag(pg_subscription::c_subenabled, enabled); });
}

Status alter_skipped(DdlContext& c, const Subscription& s, NodeList options) {
  INDIGO_ASSIGN(const SubscriptionOptions o, read_subscription_options(c, options, {"lsn"}));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to skip transaction");
  if (!o.skip_lsn) return {};
  return update_subscription(c, s, [&](RowValues& row) { row.i64(pg_subscription::c_subskiplsn, *o.skip_lsn); });
}

Status alter_options(DdlContext& c, const Subscription& s, NodeList options) {
  INDIGO_ASSIGN(const SubscriptionOptions o,
                read_subscription_options(
                    c, options, {"slot_name", "synchronous_commit", "binary", "streaming", "disable_on_error"}));
  if (s.enabled && o.slot && !o.slot->name)
    return Error(kNotReady, "cannot set slot_name = NONE for enabled subscription");
  return update_subscription(c, s, [&](RowValues& row) { write_options(row, o); });
}

}  // namespace

Status execute_create_subscription(DdlContext& c, const PgQuery__CreateSubscriptionStmt& s) {
  INDIGO_ASSIGN(
      const SubscriptionOptions o,
      read_subscription_options(c, nodes(s.n_options, s.options),
                                {"connect", "enabled", "create_slot", "slot_name", "copy_data", "synchronous_commit",
                                 "binary", "streaming", "two_phase", "disable_on_error"}));
  INDIGO_TRY(check_subscription_options(o));
  const bool connects = o.connect.value_or(true), makes_slot = o.create_slot.value_or(connects);
  if (makes_slot) INDIGO_TRY(prevent_in_block(c, "CREATE SUBSCRIPTION ... WITH (create_slot = true)"));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create subscriptions");
  const std::string name = truncated_name(s.subname);
  INDIGO_TRY(check_subscription_name_free(c, name));
  INDIGO_TRY(check_connection_string(s.conninfo));
  INDIGO_ASSIGN(const std::vector<std::string> publications, publication_names(nodes(s.n_publication, s.publication)));
  INDIGO_TRY(c.host.change_subscriptions(kInvalidOid));
  INDIGO_TRY(hold_role(c, c.catalog.user()));
  SystemTable& t = table(c, pg_subscription::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_subscription::c_oid, oid)
      .oid(pg_subscription::c_subdbid, c.catalog.database())
      .i64(pg_subscription::c_subskiplsn, 0)
      .str(pg_subscription::c_subname, name)
      .oid(pg_subscription::c_subowner, c.catalog.user())
      .flag(pg_subscription::c_subenabled, connects && o.enabled.value_or(true))
      .flag(pg_subscription::c_subbinary, false)
      .flag(pg_subscription::c_substream, false)
      .chr(pg_subscription::c_subtwophasestate,
           o.two_phase.value_or(false) ? subscription::kTwoPhasePending : subscription::kTwoPhaseDisabled)
      .flag(pg_subscription::c_subdisableonerr, false)
      .str(pg_subscription::c_subconninfo, s.conninfo)
      .str(pg_subscription::c_subsynccommit, "off")
      .texts(pg_subscription::c_subpublications, publications);
  write_slot(row, {name});
  write_options(row, o);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.host.made(pg_subscription::kOid, oid, false);
  INDIGO_TRY(make_origin(c, oid));
  INDIGO_TRY(subscription::begin_progress(c, oid));
  if (!connects) {
    warning(c, SqlState("01000"),
            "tables were not subscribed, you will have to run ALTER SUBSCRIPTION ... REFRESH PUBLICATION to subscribe "
            "the tables");
    return {};
  }
  const std::optional<std::string> slot = o.slot ? o.slot->name : name;
  const Subscription made{oid, c.catalog.user(), name, s.conninfo, true, slot, publications};
  INDIGO_ASSIGN(SubscriptionPublisher publisher, SubscriptionPublisher::connect(made.connection, name));
  INDIGO_TRY(warn_of_missing(c, publisher, publications));
  INDIGO_TRY(refresh_tables(c, publisher, made, publications, o.copy_data.value_or(true)));
  if (!makes_slot) return {};
  // Tables that are to be copied come first: the worker enables it when all are ready.
  const bool two_phase =
      o.two_phase.value_or(false) && !o.copy_data.value_or(true) && !subscription::table_states(c, oid).empty();
  INDIGO_TRY(publisher.create_slot(*slot, two_phase));
  if (two_phase) INDIGO_TRY(subscription::set_two_phase(c, oid, subscription::kTwoPhaseEnabled));
  notice(c, "created replication slot " + quoted(*slot) + " on publisher");
  return {};
}

Status execute_alter_subscription(DdlContext& c, const PgQuery__AlterSubscriptionStmt& statement) {
  INDIGO_ASSIGN(const Subscription named, own_subscription(c, statement.subname));
  INDIGO_TRY(c.host.change_subscriptions(named.oid));
  const SystemTable& t = table(c, pg_subscription::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(named.oid)}), image)));
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, statement.subname));
  const NodeList options = nodes(statement.n_options, statement.options);
  switch (statement.kind) {
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_OPTIONS: return alter_options(c, s, options);
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_ENABLED: return alter_enabled(c, s, options);
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_SKIP: return alter_skipped(c, s, options);
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_CONNECTION:
      INDIGO_TRY(check_connection_string(statement.conninfo));
      return update_subscription(c, s,
                                 [&](RowValues& row) { row.str(pg_subscription::c_subconninfo, statement.conninfo); });
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_REFRESH: return alter_refresh(c, s, options);
    default: return alter_publications(c, s, statement);
  }
}

Status execute_drop_subscription(DdlContext& c, const PgQuery__DropSubscriptionStmt& statement) {
  if (!subscription_named(c, statement.subname) && statement.missing_ok) {
    notice(c, "subscription " + quoted(statement.subname) + " does not exist, skipping");
    return {};
  }
  INDIGO_ASSIGN(const Subscription named, own_subscription(c, statement.subname));
  INDIGO_TRY(c.host.change_subscriptions(named.oid));
  SystemTable& t = table(c, pg_subscription::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(named.oid)}), image)));
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, statement.subname));
  if (s.slot) INDIGO_TRY(prevent_in_block(c, "DROP SUBSCRIPTION"));
  INDIGO_TRY(subscription::remove_tables(c, s.oid));
  INDIGO_TRY(drop_origin(c, s.oid));
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(s.oid)})));
  INDIGO_TRY(remove_comments(c, {pg_subscription::kOid, s.oid, 0}));
  if (!s.slot) return {};
  auto publisher = SubscriptionPublisher::connect(s.connection, s.name);
  if (!publisher.ok()) {
    Error error = publisher.error();
    constexpr std::string_view kReached = "could not connect to the publisher: ";
    if (error.message.starts_with(kReached)) {
      error.message = "could not connect to publisher when attempting to drop replication slot " + quoted(*s.slot) +
                      ": " + error.message.substr(kReached.size());
      error.hint =
          "Use ALTER SUBSCRIPTION ... DISABLE to disable the subscription, and then use ALTER SUBSCRIPTION ... SET "
          "(slot_name = NONE) to disassociate it from the slot.";
    }
    return error;
  }
  INDIGO_TRY(publisher->drop_slot(*s.slot));
  notice(c, "dropped replication slot " + quoted(*s.slot) + " on publisher");
  return {};
}

Result<Address> find_own_subscription(DdlContext& c, std::string_view name) {
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, name));
  return Address{pg_subscription::kOid, s.oid, 0};
}

Status rename_subscription(DdlContext& c, std::string_view name, std::string_view wanted) {
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, name));
  const std::string to = truncated_name(wanted);
  INDIGO_TRY(check_subscription_name_free(c, to));
  return update_subscription(c, s, [&](RowValues& row) { row.str(pg_subscription::c_subname, to); });
}

Status change_subscription_owner(DdlContext& c, std::string_view name, Oid owner) {
  const auto found = subscription_named(c, name);
  if (found && found->owner == owner) return {};
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, name));
  return change_subscription_owner(c, s.oid, owner);
}

Status change_subscription_owner(DdlContext& c, Oid subscription, Oid owner) {
  if (!c.catalog.is_superuser(owner)) {
    return Error(sqlstate::kInsufficientPrivilege,
                 "permission denied to change owner of subscription " + quoted(subscription_name(c, subscription)))
        .with_hint("The owner of a subscription must be a superuser.");
  }
  INDIGO_TRY(hold_role(c, owner));
  return update_row(c, pg_subscription::kOid, {Datum::of_oid(subscription)},
                    [&](RowValues& row) { row.oid(pg_subscription::c_subowner, owner); });
}

std::string subscription_name(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_subscription::kOid);
  if (!t.find_oid(c.txn, oid, image)) return std::to_string(oid);
  return std::string(t.reader(image).str(pg_subscription::c_subname));
}

Status check_no_subscriptions(DdlContext& c, Oid database, std::string_view name) {
  int count = 0;
  table(c, pg_subscription::kOid).scan(c.txn, {}, [&](RowReader row) {
    count += row.oid(pg_subscription::c_subdbid) == database ? 1 : 0;
    return true;
  });
  if (count == 0) return {};
  return Error(sqlstate::kObjectInUse,
               "database " + quoted(name) + " is being used by logical replication subscription")
      .with_detail(count == 1 ? std::string("There is 1 subscription.")
                              : "There are " + std::to_string(count) + " subscriptions.");
}

}  // namespace indigo::engine::ddl
