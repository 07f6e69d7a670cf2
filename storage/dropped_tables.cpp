#include "storage/dropped_tables.h"

#include <utility>

#include "storage/table/table_impl.h"

namespace indigo::storage {

bool DroppedTables::Entry::due() {
  const uint64_t bit = WriteContext::touched_bit(table->id());
  std::erase_if(writers, [bit](const Writer& w) {
    return (w.context->touched.load(std::memory_order_acquire) & bit) == 0 ||  // pairs with StoreImpl::finish
           w.context->descriptor.transaction() != w.transaction;
  });
  return writers.empty();
}

bool DroppedTables::add(std::unique_ptr<TableImpl> table, const std::vector<WriteContext*>& contexts) {
  Entry entry{std::move(table), {}};
  const uint64_t bit = WriteContext::touched_bit(entry.table->id());
  for (WriteContext* c : contexts) {
    if ((c->touched.load(std::memory_order_acquire) & bit) == 0) continue;
    entry.writers.push_back({c, c->descriptor.transaction()});
  }
  if (entry.writers.empty()) return false;
  std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(entry));
  return true;
}

bool DroppedTables::destroy_due() {
  std::vector<Entry> due;
  std::lock_guard lock(mutex_);
  for (Entry& entry : waiting_) {
    if (entry.due()) due.push_back(std::move(entry));
  }
  std::erase_if(waiting_, [](const Entry& entry) { return entry.table == nullptr; });
  return !waiting_.empty();
}

void DroppedTables::destroy_all() {
  std::lock_guard lock(mutex_);
  waiting_.clear();
}

}  // namespace indigo::storage
