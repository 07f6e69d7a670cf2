#include "engine/ddl/replication/subscription.h"

#include <algorithm>
#include <vector>

#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/replication/connection_string.h"
#include "engine/ddl/replication/subscription_options.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace pg_subscription = catalog::pg_subscription;

namespace {

constexpr SqlState kNotReady("55000");

struct Subscription {
  Oid oid, owner;
  std::string name;
  bool enabled, has_slot;
  std::vector<std::string> publications;
};

std::optional<Subscription> subscription_named(DdlContext& c, std::string_view name) {
  std::optional<Subscription> found;
  table(c, pg_subscription::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_subscription::c_subname) != name || row.oid(pg_subscription::c_subdbid) != c.catalog.database())
      return true;
    found = {row.oid(pg_subscription::c_oid),
             row.oid(pg_subscription::c_subowner),
             std::string(name),
             row.flag(pg_subscription::c_subenabled),
             !row.is_null(pg_subscription::c_subslotname),
             read_texts(row.str(pg_subscription::c_subpublications))};
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

// SET, ADD and DROP PUBLICATION.
Status alter_publications(DdlContext& c, const Subscription& s, const PgQuery__AlterSubscriptionStmt& statement) {
  const bool adds = statement.kind == PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_ADD_PUBLICATION;
  const bool drops = statement.kind == PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_DROP_PUBLICATION;
  const NodeList options = nodes(statement.n_options, statement.options);
  INDIGO_ASSIGN(const SubscriptionOptions o, drops ? read_subscription_options(c, options, {"refresh"})
                                                   : read_subscription_options(c, options, {"copy_data", "refresh"}));
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
  if (o.refresh.value_or(true)) {
    const std::string verb = adds ? "ADD" : drops ? "DROP" : "SET";
    const std::string instead = "ALTER SUBSCRIPTION ... " + verb + " PUBLICATION ... WITH (refresh = false)";
    return Error(kNotReady, "ALTER SUBSCRIPTION with refresh is not allowed for disabled subscriptions")
        .with_hint("Use " + instead + (verb == "SET" ? "." : " instead."));
  }
  return update_subscription(c, s, [&](RowValues& row) { row.texts(pg_subscription::c_subpublications, names); });
}

Status alter_enabled(DdlContext& c, const Subscription& s, NodeList options) {
  INDIGO_ASSIGN(const SubscriptionOptions o, read_subscription_options(c, options, {"enabled"}));
  if (!o.enabled.value_or(false)) return {};
  if (!s.has_slot) return Error(kNotReady, "cannot enable subscription that does not have a slot name");
  return unsupported("receiving changes from a publisher");
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
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create subscriptions");
  const std::string name = truncated_name(s.subname);
  INDIGO_TRY(check_subscription_name_free(c, name));
  INDIGO_TRY(check_connection_string(s.conninfo));
  INDIGO_ASSIGN(const std::vector<std::string> publications, publication_names(nodes(s.n_publication, s.publication)));
  if (o.connect.value_or(true)) {
    return Error(unsupported("connecting to a publisher"))
        .with_hint("Use CREATE SUBSCRIPTION ... WITH (connect = false) to keep the definition alone.");
  }
  INDIGO_TRY(hold_role(c, c.catalog.user()));
  SystemTable& t = table(c, pg_subscription::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_subscription::c_oid, oid)
      .oid(pg_subscription::c_subdbid, c.catalog.database())
      .i64(pg_subscription::c_subskiplsn, 0)
      .str(pg_subscription::c_subname, name)
      .oid(pg_subscription::c_subowner, c.catalog.user())
      .flag(pg_subscription::c_subenabled, false)
      .flag(pg_subscription::c_subbinary, false)
      .flag(pg_subscription::c_substream, false)
      .chr(pg_subscription::c_subtwophasestate, o.two_phase.value_or(false) ? 'p' : 'd')
      .flag(pg_subscription::c_subdisableonerr, false)
      .str(pg_subscription::c_subconninfo, s.conninfo)
      .str(pg_subscription::c_subsynccommit, "off")
      .texts(pg_subscription::c_subpublications, publications);
  write_slot(row, {name});
  write_options(row, o);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.host.made(pg_subscription::kOid, oid, false);
  warning(
      c, SqlState("01000"),
      "tables were not subscribed, you will have to run ALTER SUBSCRIPTION ... REFRESH PUBLICATION to subscribe the "
      "tables");
  return {};
}

Status execute_alter_subscription(DdlContext& c, const PgQuery__AlterSubscriptionStmt& statement) {
  INDIGO_ASSIGN(const Subscription named, own_subscription(c, statement.subname));
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
    case PG_QUERY__ALTER_SUBSCRIPTION_TYPE__ALTER_SUBSCRIPTION_REFRESH:
      return Error(kNotReady, "ALTER SUBSCRIPTION ... REFRESH is not allowed for disabled subscriptions");
    default: return alter_publications(c, s, statement);
  }
}

Status execute_drop_subscription(DdlContext& c, const PgQuery__DropSubscriptionStmt& statement) {
  if (!subscription_named(c, statement.subname) && statement.missing_ok) {
    notice(c, "subscription " + quoted(statement.subname) + " does not exist, skipping");
    return {};
  }
  INDIGO_ASSIGN(const Subscription named, own_subscription(c, statement.subname));
  SystemTable& t = table(c, pg_subscription::kOid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(named.oid)}), image)));
  INDIGO_ASSIGN(const Subscription s, own_subscription(c, statement.subname));
  if (s.has_slot) {
    return Error(unsupported("dropping a replication slot of a publisher"))
        .with_hint("Use ALTER SUBSCRIPTION ... SET (slot_name = NONE) to disassociate the subscription from the slot.");
  }
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(s.oid)})));
  return remove_comments(c, {pg_subscription::kOid, s.oid, 0});
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
