#include "engine/exec/change/arbiter_probe.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/exec/errors.h"
#include "engine/exec/scan/index_key.h"

namespace indigo::engine::exec {
namespace {

bool is_arbiter(const catalog::IndexInfo& index, const std::vector<Oid>& arbiters) {
  // An index that is not immediate is that of a constraint, perhaps of an exclusion constraint.
  return (index.unique || !index.immediate) &&
         (arbiters.empty() || std::find(arbiters.begin(), arbiters.end(), index.oid) != arbiters.end());
}

}  // namespace

Result<const storage::KeyExtractor*> ArbiterProbe::extractor(const catalog::IndexInfo& index) {
  auto& made = extractors_[index.oid];
  if (made == nullptr) {
    INDIGO_ASSIGN(made, make_index_key_extractor(state_.session(), state_.context().store, target_.shared_relation(),
                                                 index, index.key));
  }
  return made.get();
}

Result<std::string> ArbiterProbe::holder(const catalog::IndexInfo& index, Bytes primary_key, Bytes row) {
  using Outcome = storage::KeyExtractor::Outcome;
  storage::Transaction& txn = state_.transaction();
  storage::ReadView view = txn.newest_view();
  view.command = txn.command() + 1;
  if (index.primary) {
    std::string found;
    const storage::StorageStatus status = target_.table().get(txn, view, primary_key, found);
    if (status == storage::StorageStatus::kOk) return std::string(primary_key);
    if (status == storage::StorageStatus::kNotFound) return std::string();
    return storage_error(status, &target_.relation());
  }
  INDIGO_ASSIGN(const storage::KeyExtractor* extract, extractor(index));
  std::string key;
  bool has_null = false;
  const Outcome outcome = extract->extract(primary_key, row, key, has_null);
  if (outcome != Outcome::kKey || (has_null && !index.nulls_not_distinct)) return std::string();
  auto cursor = target_.table().scan_index(txn, view, index.storage, storage::KeyRange::point(key));
  storage::RowRef refs[1];
  size_t count = 0;
  const storage::StorageStatus status = cursor->next(refs, count);
  if (status != storage::StorageStatus::kOk) return storage_error(status, &target_.relation());
  return count > 0 ? std::string(refs[0].key) : std::string();
}

bool ArbiterProbe::has_deferrable(const std::vector<Oid>& arbiters) const {
  const auto& indexes = target_.relation().indexes;
  return std::any_of(indexes.begin(), indexes.end(),
                     [&](const auto& index) { return !index.immediate && is_arbiter(index, arbiters); });
}

Result<std::optional<storage::Duplicate>> ArbiterProbe::find(const std::vector<Oid>& arbiters, Bytes primary_key,
                                                             Bytes row) {
  for (const catalog::IndexInfo& index : target_.relation().indexes) {
    if (!index.ready || !is_arbiter(index, arbiters)) continue;
    if (!index.immediate) {
      return target_.named(Error(sqlstate::kObjectNotInPrerequisiteState,
                                 "ON CONFLICT does not support deferrable unique constraints/exclusion constraints as "
                                 "arbiters"),
                           index.name);
    }
    INDIGO_ASSIGN(std::string found, holder(index, primary_key, row));
    if (!found.empty()) return std::optional(storage::Duplicate{index.storage, std::move(found)});
  }
  return std::optional<storage::Duplicate>();
}

}  // namespace indigo::engine::exec
