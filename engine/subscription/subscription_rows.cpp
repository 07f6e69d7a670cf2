#include "engine/subscription/subscription_rows.h"

#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/object_lookup.h"
#include "engine/ddl/rows.h"
#include "types/value/array_format.h"

namespace indigo::engine::subscription {

namespace pg_subscription = catalog::pg_subscription;
namespace pg_subscription_rel = catalog::pg_subscription_rel;

namespace {

constexpr Oid kWholeSubscription = kInvalidOid;  // srrelid of the row that keeps the progress
constexpr char kCommittingPrepared = 'f';        // its srsubstate; else kTableReady

void write_state(catalog::RowValues& row, const TableState& table) {
  row.chr(pg_subscription_rel::c_srsubstate, table.state);
  if (table.lsn == 0) {
    row.set_null(pg_subscription_rel::c_srsublsn);
  } else {
    row.i64(pg_subscription_rel::c_srsublsn, static_cast<int64_t>(table.lsn));
  }
}

void each_row(DdlContext& c, const std::function<void(const catalog::RowReader&)>& call) {
  ddl::table(c, pg_subscription_rel::kOid).scan(c.txn, {}, [&](const catalog::RowReader& row) {
    call(row);
    return true;
  });
}

uint64_t lsn_of(const catalog::RowReader& row) {
  if (row.is_null(pg_subscription_rel::c_srsublsn)) return 0;
  return static_cast<uint64_t>(row.i64(pg_subscription_rel::c_srsublsn));
}

Status erase(DdlContext& c, Oid subscription, Oid relation) {
  return ddl::check_erased(
      ddl::table(c, pg_subscription_rel::kOid).erase(c.txn, {Datum::of_oid(relation), Datum::of_oid(subscription)}));
}

}  // namespace

std::vector<Subscription> all_subscriptions(DdlContext& c) {
  std::vector<Subscription> out;
  ddl::table(c, pg_subscription::kOid).scan(c.txn, {}, [&](const catalog::RowReader& row) {
    Subscription& s = out.emplace_back();
    s.oid = row.oid(pg_subscription::c_oid);
    s.database = row.oid(pg_subscription::c_subdbid);
    s.owner = row.oid(pg_subscription::c_subowner);
    s.name = row.str(pg_subscription::c_subname);
    s.connection = row.str(pg_subscription::c_subconninfo);
    s.synchronous_commit = row.str(pg_subscription::c_subsynccommit);
    if (!row.is_null(pg_subscription::c_subslotname)) s.slot = std::string(row.str(pg_subscription::c_subslotname));
    s.enabled = row.flag(pg_subscription::c_subenabled);
    s.binary = row.flag(pg_subscription::c_subbinary);
    s.streaming = row.flag(pg_subscription::c_substream);
    s.two_phase = row.chr(pg_subscription::c_subtwophasestate);
    s.disable_on_error = row.flag(pg_subscription::c_subdisableonerr);
    s.skip_lsn = static_cast<uint64_t>(row.i64(pg_subscription::c_subskiplsn));
    s.publications = read_texts(row.str(pg_subscription::c_subpublications));
    return true;
  });
  return out;
}

std::vector<TableState> table_states(DdlContext& c, Oid subscription) {
  std::vector<TableState> out;
  each_row(c, [&](const catalog::RowReader& row) {
    const Oid relation = row.oid(pg_subscription_rel::c_srrelid);
    if (row.oid(pg_subscription_rel::c_srsubid) != subscription || relation == kWholeSubscription) return;
    out.push_back({relation, row.chr(pg_subscription_rel::c_srsubstate), lsn_of(row)});
  });
  return out;
}

Status add_table(DdlContext& c, Oid subscription, const TableState& table) {
  catalog::SystemTable& t = ddl::table(c, pg_subscription_rel::kOid);
  catalog::RowValues row(t.definition());
  row.oid(pg_subscription_rel::c_srsubid, subscription).oid(pg_subscription_rel::c_srrelid, table.relation);
  write_state(row, table);
  return ddl::check(t.insert(c.txn, row));
}

Status set_table(DdlContext& c, Oid subscription, const TableState& table) {
  return ddl::update_row(c, pg_subscription_rel::kOid, {Datum::of_oid(table.relation), Datum::of_oid(subscription)},
                         [&](catalog::RowValues& row) { write_state(row, table); });
}

Status remove_table(DdlContext& c, Oid subscription, Oid relation) { return erase(c, subscription, relation); }

Status remove_tables(DdlContext& c, Oid subscription) {
  std::vector<Oid> relations;
  each_row(c, [&](const catalog::RowReader& row) {
    if (row.oid(pg_subscription_rel::c_srsubid) == subscription)
      relations.push_back(row.oid(pg_subscription_rel::c_srrelid));
  });
  for (const Oid relation : relations) INDIGO_TRY(erase(c, subscription, relation));
  return {};
}

Progress progress(DdlContext& c, Oid subscription) {
  Progress out;
  each_row(c, [&](const catalog::RowReader& row) {
    if (row.oid(pg_subscription_rel::c_srsubid) != subscription) return;
    if (row.oid(pg_subscription_rel::c_srrelid) != kWholeSubscription) return;
    out.lsn = lsn_of(row);
    out.committing_prepared = row.chr(pg_subscription_rel::c_srsubstate) == kCommittingPrepared;
  });
  return out;
}

Status begin_progress(DdlContext& c, Oid subscription) {
  return add_table(c, subscription, {kWholeSubscription, kTableReady, 0});
}

Status set_progress(DdlContext& c, Oid subscription, const Progress& progress) {
  return set_table(
      c, subscription,
      {kWholeSubscription, progress.committing_prepared ? kCommittingPrepared : kTableReady, progress.lsn});
}

Status set_two_phase(DdlContext& c, Oid subscription, char state) {
  return ddl::update_row(c, pg_subscription::kOid, {Datum::of_oid(subscription)},
                         [&](catalog::RowValues& row) { row.chr(pg_subscription::c_subtwophasestate, state); });
}

}  // namespace indigo::engine::subscription
