#include "storage/durability.h"

#include <algorithm>

#include "storage/table/table_impl.h"

namespace indigo::storage {

log::Log& log_of(Store& store) { return impl(store).log(); }

std::shared_ptr<Table> create_durable_table(Store& store, log::DurableId id, const TableOptions& options) {
  TableOptions kept = options;
  if (id && impl(store).log().records()) kept.leaf_bytes = std::min(kept.leaf_bytes, TableOptions().leaf_bytes);
  return impl(store).make_table(kept, id);
}

std::vector<DurableTable> durable_tables(Store& store) {
  std::vector<DurableTable> out;
  for (auto& table : impl(store).durable_tables()) {
    const log::DurableId id = table->durable_id();
    out.push_back({id, std::move(table)});
  }
  return out;
}

void set_asynchronous(Transaction& txn, bool on) { static_cast<TransactionImpl&>(txn).set_asynchronous(on); }
void need_durable(Transaction& txn, Lsn lsn) { static_cast<TransactionImpl&>(txn).need_durable(lsn); }

void settle(Store& store) {
  CommitClock& clock = impl(store).clock();
  clock.wait_stable(clock.taken());
}

void start_clock(Store& store, CommitStamp last) { impl(store).clock().start_at(last); }

}  // namespace indigo::storage
