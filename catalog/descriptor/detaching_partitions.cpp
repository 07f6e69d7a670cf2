#include "catalog/descriptor/detaching_partitions.h"

#include <algorithm>

#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_table.h"
#include "storage/table.h"
#include "storage/transaction.h"

namespace indigo::catalog {

namespace {

// The mark came after the snapshot.
bool is_attached(const SystemTable& inherits, storage::Transaction& txn, const storage::ReadView& view, Oid partition,
                 Oid parent) {
  const auto range = storage::KeyRange::prefix(inherits.key({Datum::of_oid(partition)}));
  const auto cursor = inherits.storage()->scan(txn, view, range, storage::Direction::kForward);
  storage::RowRef row;
  size_t count = 0;
  while (cursor->next({&row, 1}, count) == storage::StorageStatus::kOk && count > 0) {
    const RowReader seen(inherits.layout(), row.row);
    if (seen.oid(pg_inherits::c_inhparent) == parent) return !seen.flag(pg_inherits::c_inhdetachpending);
  }
  return false;
}

constexpr uint64_t kNewestPartitions = 1;

}  // namespace

std::shared_ptr<const RelationInfo> with_partitions(CatalogView& catalog, const RelationInfo& relation,
                                                    std::span<const Oid> detaching) {
  auto out = std::make_shared<RelationInfo>(relation);
  out->children.insert(out->children.end(), detaching.begin(), detaching.end());
  std::sort(out->children.begin(), out->children.end());
  out->child_bounds.clear();
  for (const Oid child : out->children) {
    const auto partition = catalog.relation(child);
    out->child_bounds.push_back(partition == nullptr ? std::string() : partition->partition_bound);
  }
  out->partition_map = std::make_shared<DerivedSlot>();
  return out;
}

std::shared_ptr<const RelationInfo> with_detaching(CatalogView& catalog,
                                                   const std::shared_ptr<const RelationInfo>& relation) {
  std::vector<Oid> missing;
  for (const Oid partition : relation->detaching) {
    if (!std::binary_search(relation->children.begin(), relation->children.end(), partition))
      missing.push_back(partition);
  }
  return missing.empty() ? relation : with_partitions(catalog, *relation, missing);
}

// Transactions without a snapshot of their own all have the newest partitions.
uint64_t SessionCatalog::partitions_of() const {
  if (txn_ == nullptr || txn_->isolation() == storage::Isolation::kReadCommitted) return kNewestPartitions;
  return txn_->id().value << 1;
}

std::shared_ptr<const RelationInfo> SessionCatalog::in_snapshot(const std::shared_ptr<const RelationInfo>& relation) {
  met_detaching_ = true;
  if (partitions_of() == kNewestPartitions) return relation;
  const SystemTable& inherits = database_->table(pg_inherits::kOid);
  const storage::ReadView view{txn_->view().stamp, UINT32_MAX};  // read for the server's own sake
  std::vector<Oid> seen;
  for (const Oid partition : relation->detaching) {
    if (is_attached(inherits, *txn_, view, partition, relation->oid)) seen.push_back(partition);
  }
  return seen.empty() ? relation : with_partitions(*this, *relation, seen);
}

}  // namespace indigo::catalog
