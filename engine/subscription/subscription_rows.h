// Subscriptions and their tables as rows of pg_subscription and pg_subscription_rel. How far a subscription has come is kept in a
// row of pg_subscription_rel, too, of the relation 0: the transaction that applies changes writes it with them, so that a crash
// neither loses nor repeats any.
// Thread safety: as the DdlContext.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/ddl/ddl.h"

namespace indigo::engine::subscription {

struct Subscription {
  Oid oid = kInvalidOid, database = kInvalidOid, owner = kInvalidOid;
  std::string name, connection, synchronous_commit;
  std::optional<std::string> slot;
  bool enabled = false, binary = false, disable_on_error = false;
  uint64_t skip_lsn = 0;
  std::vector<std::string> publications;
};
std::vector<Subscription> all_subscriptions(DdlContext& c);  // of all databases

// srsubstate: to be copied; copied, at a place that the stream may not have reached; ready.
inline constexpr char kTableInit = 'i', kTableSynced = 's', kTableReady = 'r';
struct TableState {
  Oid relation = kInvalidOid;
  char state = kTableInit;
  uint64_t lsn = 0;  // of kTableSynced: what was committed behind it is not in the copy
};
std::vector<TableState> table_states(DdlContext& c, Oid subscription);
Status add_table(DdlContext& c, Oid subscription, const TableState& table);
Status set_table(DdlContext& c, Oid subscription, const TableState& table);
Status remove_table(DdlContext& c, Oid subscription, Oid relation);
// All of a subscription's rows.
Status remove_tables(DdlContext& c, Oid subscription);

uint64_t progress(DdlContext& c, Oid subscription);      // 0: none
Status begin_progress(DdlContext& c, Oid subscription);  // of a new one
Status set_progress(DdlContext& c, Oid subscription, uint64_t lsn);

}  // namespace indigo::engine::subscription
