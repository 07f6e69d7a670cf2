#include "engine/maintenance/table_activity.h"

#include "engine/session/clock.h"
#include "storage/statistics.h"
#include "storage/table.h"

namespace indigo::engine {

void TableActivity::analyzed(Oid database, const catalog::RelationInfo& relation, uint64_t changes, bool automatic) {
  if (relation.table == nullptr) return;
  const int64_t now = timestamp_now();
  std::lock_guard lock(mutex_);
  Analyzed& entry = analyzed_[{database, relation.oid}];
  entry.table = relation.table->id();
  entry.changes = changes;
  (automatic ? entry.last_automatic : entry.last_manual) = now;
  (automatic ? entry.automatic : entry.manual)++;
}

TableActivity::Analyzed TableActivity::of(Oid database, Oid relation) const {
  std::lock_guard lock(mutex_);
  const auto found = analyzed_.find({database, relation});
  return found == analyzed_.end() ? Analyzed() : found->second;
}

uint64_t TableActivity::changes_since(Oid database, const catalog::RelationInfo& relation) const {
  if (relation.table == nullptr) return 0;
  const uint64_t changes = storage::changes_of(*relation.table).all();
  const Analyzed seen = of(database, relation.oid);
  const bool known = seen.table == relation.table->id() && seen.changes <= changes;
  return known ? changes - seen.changes : changes;
}

void TableActivity::forget(Oid database) {
  std::lock_guard lock(mutex_);
  analyzed_.erase(analyzed_.lower_bound({database, 0}), analyzed_.upper_bound({database, UINT32_MAX}));
}

}  // namespace indigo::engine
