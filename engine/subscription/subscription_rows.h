// Subscriptions and their tables as rows of pg_subscription and pg_subscription_rel. How far a subscription has come is kept in a
// row of pg_subscription_rel, too, of the relation 0: the transaction that applies changes writes it with them, so that a crash
// neither loses nor repeats any. While a prepared transaction is being committed, which takes two steps here, it is marked.
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
  bool enabled = false, binary = false, streaming = false, disable_on_error = false;
  char two_phase = 'd';  // subtwophasestate
  uint64_t skip_lsn = 0;
  std::vector<std::string> publications;
};
std::vector<Subscription> all_subscriptions(DdlContext& c);  // of all databases

// subtwophasestate: off; wanted, when all tables are ready; on.
inline constexpr char kTwoPhaseDisabled = 'd', kTwoPhasePending = 'p', kTwoPhaseEnabled = 'e';

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

struct Progress {
  uint64_t lsn = 0;  // 0: none
  // The publisher's COMMIT PREPARED at this place has been begun here, and perhaps been done.
  bool committing_prepared = false;
};
Progress progress(DdlContext& c, Oid subscription);
Status begin_progress(DdlContext& c, Oid subscription);  // of a new one
Status set_progress(DdlContext& c, Oid subscription, const Progress& progress);
Status set_two_phase(DdlContext& c, Oid subscription, char state);

}  // namespace indigo::engine::subscription
