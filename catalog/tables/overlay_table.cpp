#include "catalog/tables/overlay_table.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "storage/clone.h"
#include "storage/durability.h"
#include "storage/statistics.h"
#include "storage/store.h"

namespace indigo::catalog {

using storage::StorageStatus;

// ---- the base

BaseRows::BaseRows(const StaticTable& table, bool (*hidden)(const StaticTable& table, uint32_t row))
    : table_(table), hidden_(hidden) {
  std::vector<Phys> columns;
  for (const StaticColumn& c : table.column_span()) columns.push_back(c.phys);
  layout_ = RowLayout(std::move(columns));
  std::vector<KeyColumn> key;
  for (int i = 0; i < table.key_count; i++) {
    const StaticColumn& c = table.columns[table.key_columns[i]];
    KeyColumn k;
    k.type = c.type;
    k.phys = c.phys;
    k.collation = c.collation;
    k.nullable = false;
    key.push_back(k);
  }
  key_ = KeyLayout(std::move(key));
}

const std::vector<BaseRows::Entry>& BaseRows::entries() const {
  once_.call([this] {
    std::vector<Datum> values(table_.column_count);
    std::vector<Datum> key(table_.key_count);
    std::string bytes;
    for (uint32_t row = 0; row < table_.row_count; row++) {
      if (hidden_ != nullptr && hidden_(table_, row)) continue;
      for (int i = 0; i < table_.column_count; i++) values[static_cast<size_t>(i)] = table_.columns[i].datum(row);
      for (int i = 0; i < table_.key_count; i++) key[static_cast<size_t>(i)] = values[table_.key_columns[i]];
      Entry entry{};
      std::string piece;
      key_.append(key, piece);
      entry.key_begin = static_cast<uint32_t>(bytes_.size());
      bytes_ += piece;
      piece.clear();
      layout_.encode(values, piece);
      entry.row_begin = static_cast<uint32_t>(bytes_.size());
      bytes_ += piece;
      entry.end = static_cast<uint32_t>(bytes_.size());
      entries_.push_back(entry);
    }
    const auto key_at = [this](const Entry& e) { return Bytes(bytes_).substr(e.key_begin, e.row_begin - e.key_begin); };
    std::sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) { return key_at(a) < key_at(b); });
    bytes_.shrink_to_fit();
    entries_.shrink_to_fit();
    memory_bytes_.store(bytes_.capacity() + entries_.capacity() * sizeof(Entry), std::memory_order_relaxed);
  });
  return entries_;
}

storage::RowRef BaseRows::at(size_t i) const {
  const Entry& e = entries()[i];
  return {Bytes(bytes_).substr(e.key_begin, e.row_begin - e.key_begin),
          Bytes(bytes_).substr(e.row_begin, e.end - e.row_begin)};
}

size_t BaseRows::lower_bound(Bytes key) const {
  const auto& all = entries();
  // What users made has OIDs above all built-in ones.
  if (all.empty() || at(all.size() - 1).key < key) return all.size();
  const auto it = std::partition_point(all.begin(), all.end(), [&](const Entry& e) {
    return Bytes(bytes_).substr(e.key_begin, e.row_begin - e.key_begin) < key;
  });
  return static_cast<size_t>(it - all.begin());
}

bool BaseRows::find(Bytes key, size_t& position) const {
  position = lower_bound(key);
  return position < size() && at(position).key == key;
}

// ---- the table

namespace {

// Markers are in no index.
class UpperExtractor final : public storage::KeyExtractor {
 public:
  explicit UpperExtractor(std::shared_ptr<const storage::KeyExtractor> inner) : inner_(std::move(inner)) {}
  Outcome extract(Bytes primary_key, Bytes row, std::string& key, bool& has_null) const override {
    if (OverlayTable::is_marker(row)) return Outcome::kNotIndexed;
    return inner_->extract(primary_key, row, key, has_null);
  }

 private:
  std::shared_ptr<const storage::KeyExtractor> inner_;
};

constexpr Bytes kMarker{"\0", 1};

}  // namespace

OverlayTable::OverlayTable(storage::Store& store, log::DurableId durable_id, std::shared_ptr<const BaseRows> base,
                           std::vector<OverlayIndex> indexes)
    : store_(store), durable_id_(durable_id), base_(std::move(base)), id_(store.next_id()) {
  for (OverlayIndex& definition : indexes) {
    Index& index = indexes_.emplace_back();
    index.id = IndexId(store.next_id().value);
    index.definition = std::move(definition);
  }
}

OverlayTable::~OverlayTable() = default;

StorageStatus OverlayTable::make_upper(storage::Table*& out) {
  out = upper();
  if (out != nullptr) return StorageStatus::kOk;
  std::lock_guard guard(mutex_);
  out = upper();
  if (out != nullptr) return StorageStatus::kOk;
  auto table = storage::create_durable_table(store_, durable_id_);
  if (const auto status = index_upper(*table); status != StorageStatus::kOk) return status;
  owned_ = std::move(table);
  out = owned_.get();
  upper_.store(out, std::memory_order_release);  // pairs with upper()
  return StorageStatus::kOk;
}

// The table is still private: nothing here can wait.
StorageStatus OverlayTable::index_upper(storage::Table& table) {
  if (indexes_.empty()) return StorageStatus::kOk;
  auto txn = store_.begin(storage::Isolation::kReadCommitted, 0);
  storage::set_asynchronous(*txn, true);
  for (Index& index : indexes_) {
    auto extractor = std::make_shared<UpperExtractor>(index.definition.extractor);
    const auto status = table.create_index(*txn, index.id, index.definition.options, std::move(extractor), nullptr);
    if (status != StorageStatus::kOk) {
      store_.rollback(*txn);
      return status;
    }
  }
  return store_.commit(*txn);
}

StorageStatus OverlayTable::restore(std::shared_ptr<storage::Table> upper) {
  if (const auto status = index_upper(*upper); status != StorageStatus::kOk) return status;
  owned_ = std::move(upper);
  upper_.store(owned_.get(), std::memory_order_release);  // pairs with upper()
  return StorageStatus::kOk;
}

StorageStatus OverlayTable::get(storage::Transaction& txn, const storage::ReadView& view, Bytes key, std::string& row) {
  if (storage::Table* up = upper()) {
    const auto status = up->get(txn, view, key, row);
    if (status == StorageStatus::kOk) return is_marker(row) ? StorageStatus::kNotFound : StorageStatus::kOk;
    if (status != StorageStatus::kNotFound) return status;
  }
  size_t position = 0;
  if (!base_->find(key, position)) return StorageStatus::kNotFound;
  row.assign(base_->at(position).row);
  return StorageStatus::kOk;
}

StorageStatus OverlayTable::get_many(storage::Transaction& txn, const storage::ReadView& view,
                                     std::span<const Bytes> keys, std::span<std::string> rows, std::span<bool> found) {
  for (size_t i = 0; i < keys.size(); i++) {
    const auto status = get(txn, view, keys[i], rows[i]);
    if (status != StorageStatus::kOk && status != StorageStatus::kNotFound) return status;
    found[i] = status == StorageStatus::kOk;
    if (!found[i]) rows[i].clear();
  }
  return StorageStatus::kOk;
}

OverlayTable::Index* OverlayTable::find_index(IndexId id) {
  for (Index& index : indexes_) {
    if (index.id == id) return &index;
  }
  return nullptr;
}

const std::vector<OverlayTable::BaseIndexEntry>& OverlayTable::base_index(Index& index) const {
  index.once.call([&] {
    for (size_t i = 0; i < base_->size(); i++) {
      const auto ref = base_->at(i);
      BaseIndexEntry entry;
      bool has_null = false;
      const auto outcome = index.definition.extractor->extract(ref.key, ref.row, entry.key, has_null);
      if (outcome != storage::KeyExtractor::Outcome::kKey) continue;
      entry.position = static_cast<uint32_t>(i);
      index.entries.push_back(std::move(entry));
    }
    std::stable_sort(index.entries.begin(), index.entries.end(),
                     [](const BaseIndexEntry& a, const BaseIndexEntry& b) { return a.key < b.key; });
    index.entries.shrink_to_fit();
    size_t bytes = index.entries.size() * sizeof(BaseIndexEntry);
    const size_t inside = std::string().capacity();
    for (const BaseIndexEntry& e : index.entries) bytes += e.key.capacity() > inside ? e.key.capacity() + 1 : 0;
    index.entry_bytes.store(bytes, std::memory_order_relaxed);
  });
  return index.entries;
}

bool OverlayTable::base_conflict(storage::Transaction& txn, Bytes key, Bytes row, storage::Duplicate* duplicate) {
  for (Index& index : indexes_) {
    if (!index.definition.options.unique) continue;
    std::string wanted;
    bool has_null = false;
    if (index.definition.extractor->extract(key, row, wanted, has_null) != storage::KeyExtractor::Outcome::kKey ||
        has_null)
      continue;
    const auto& entries = base_index(index);
    auto it =
        std::partition_point(entries.begin(), entries.end(), [&](const BaseIndexEntry& e) { return e.key < wanted; });
    for (; it != entries.end() && it->key == wanted; ++it) {
      const Bytes base_key = base_->at(it->position).key;
      if (base_key == key) continue;
      std::string changed;
      storage::Table* up = upper();
      if (up != nullptr && up->get(txn, txn.newest_view(), base_key, changed) == StorageStatus::kOk)
        continue;  // hidden
      if (duplicate != nullptr) {
        duplicate->index = index.id;
        duplicate->primary_key.assign(base_key);
      }
      return true;
    }
  }
  return false;
}

StorageStatus OverlayTable::lift(storage::Transaction& txn, storage::Table& up, size_t position) {
  const auto ref = base_->at(position);
  const auto status = up.insert(txn, ref.key, ref.row, nullptr);
  return status == StorageStatus::kDuplicateKey ? StorageStatus::kOk : status;  // somebody else has lifted it
}

StorageStatus OverlayTable::insert(storage::Transaction& txn, Bytes key, Bytes row, storage::Duplicate* duplicate) {
  storage::Table* up = nullptr;
  if (const auto status = make_upper(up); status != StorageStatus::kOk) return status;
  if (base_conflict(txn, key, row, duplicate)) return StorageStatus::kDuplicateKey;
  size_t position = 0;
  if (!base_->find(key, position)) return up->insert(txn, key, row, duplicate);
  storage::Claimed claimed;
  auto status =
      up->claim(txn, txn.newest_view(), key, storage::RowLockMode::kUpdate, storage::LockWait::kWait, claimed);
  if (status == StorageStatus::kOk && is_marker(claimed.row)) return up->update(txn, key, row, duplicate);
  if (status == StorageStatus::kOk) up->unclaim(txn, key);
  if (status != StorageStatus::kOk && status != StorageStatus::kNotFound) return status;
  if (duplicate != nullptr) *duplicate = {IndexId{}, std::string(key)};
  return StorageStatus::kDuplicateKey;
}

uint64_t OverlayTable::next_row_id() {
  storage::Table* up = nullptr;
  return make_upper(up) == StorageStatus::kOk ? up->next_row_id() : 0;
}

StorageStatus OverlayTable::claim(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                                  storage::RowLockMode mode, storage::LockWait wait, storage::Claimed& out) {
  storage::Table* up = nullptr;
  if (const auto status = make_upper(up); status != StorageStatus::kOk) return status;
  auto status = up->claim(txn, view, key, mode, wait, out);
  size_t position = 0;
  if (status == StorageStatus::kNotFound && base_->find(key, position)) {
    if (const auto lifted = lift(txn, *up, position); lifted != StorageStatus::kOk) return lifted;
    status = up->claim(txn, txn.newest_view(), key, mode, wait, out);
  }
  if (status == StorageStatus::kOk && is_marker(out.row)) {
    up->unclaim(txn, key);
    return StorageStatus::kNotFound;
  }
  return status;
}

void OverlayTable::unclaim(storage::Transaction& txn, Bytes key) {
  if (storage::Table* up = upper()) up->unclaim(txn, key);
}

StorageStatus OverlayTable::update(storage::Transaction& txn, Bytes key, Bytes row, storage::Duplicate* duplicate) {
  if (base_conflict(txn, key, row, duplicate)) return StorageStatus::kDuplicateKey;
  return upper()->update(txn, key, row, duplicate);
}

StorageStatus OverlayTable::update_key(storage::Transaction& txn, Bytes key, Bytes new_key, Bytes row,
                                       storage::Duplicate* duplicate) {
  size_t position = 0;
  if (!base_->find(key, position) && !base_->find(new_key, position)) {
    if (base_conflict(txn, new_key, row, duplicate)) return StorageStatus::kDuplicateKey;
    return upper()->update_key(txn, key, new_key, row, duplicate);
  }
  if (const auto status = erase(txn, key); status != StorageStatus::kOk) return status;
  return insert(txn, new_key, row, duplicate);
}

StorageStatus OverlayTable::erase(storage::Transaction& txn, Bytes key) {
  size_t position = 0;
  if (base_->find(key, position)) return upper()->update(txn, key, kMarker, nullptr);
  return upper()->erase(txn, key);
}

StorageStatus OverlayTable::lock_row(storage::Transaction& txn, const storage::ReadView& view, Bytes key,
                                     storage::RowLockMode mode, storage::LockWait wait, storage::Claimed& out) {
  storage::Table* up = nullptr;
  if (const auto status = make_upper(up); status != StorageStatus::kOk) return status;
  auto status = up->lock_row(txn, view, key, mode, wait, out);
  size_t position = 0;
  if (status == StorageStatus::kNotFound && base_->find(key, position)) {
    if (const auto lifted = lift(txn, *up, position); lifted != StorageStatus::kOk) return lifted;
    status = up->lock_row(txn, txn.newest_view(), key, mode, wait, out);
  }
  if (status == StorageStatus::kOk && is_marker(out.row)) return StorageStatus::kNotFound;
  return status;
}

StorageStatus OverlayTable::create_index(storage::Transaction&, IndexId, const storage::IndexOptions&,
                                         std::shared_ptr<const storage::KeyExtractor>, storage::Duplicate*) {
  return StorageStatus::kKeyError;  // system tables have their indexes from the start; DDL refuses before
}

void OverlayTable::drop_index(IndexId) {}

void OverlayTable::clone_changes(storage::Cloner& cloner, OverlayTable& target) {
  storage::Table* from = upper();
  if (from == nullptr) return;
  const auto new_id = [&](IndexId id) {
    size_t i = 0;
    while (indexes_[i].id != id) i++;
    return target.indexes_[i].id;
  };
  target.owned_ = cloner.clone(*from, target.durable_id_, new_id);
  target.upper_.store(target.owned_.get(), std::memory_order_release);  // pairs with upper()
}

bool OverlayTable::index_usable(IndexId index, const storage::ReadView& view) const {
  // While nothing was written, the base alone answers. Afterwards a view older than the upper table's index sees none
  // of the upper rows, but the index may not be asked for it.
  const storage::Table* up = upper();
  return up == nullptr || up->index_usable(index, view);
}

uint64_t OverlayTable::rows() const {
  const storage::Table* up = upper();
  return base_->size() + (up == nullptr ? 0 : up->rows());
}

storage::Table::Statistics OverlayTable::statistics() const {
  Statistics s;
  if (const storage::Table* up = upper()) s = up->statistics();
  s.rows += base_->size();
  return s;
}

storage::TableMemory OverlayTable::memory() const {
  storage::TableMemory m;
  if (const storage::Table* up = upper()) m = storage::memory_of(*up).value_or(m);
  m.constant_bytes = base_->bytes();
  for (const Index& index : indexes_) {
    const size_t bytes = index.entry_bytes.load(std::memory_order_relaxed);
    const auto above =
        std::find_if(m.indexes.begin(), m.indexes.end(), [&](const auto& of) { return of.id == index.id; });
    if (above != m.indexes.end()) {
      above->bytes += bytes;
    } else {
      m.indexes.push_back({index.id, bytes});
    }
  }
  return m;
}

}  // namespace indigo::catalog
