#include "catalog/database.h"

#include <array>

#include "base/check.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/relation_info.h"
#include "storage/durability.h"

namespace indigo::catalog {

Database::Database(Catalog& catalog, Oid oid, std::string name, Oid image, const types::Locale& locale)
    : catalog_(catalog),
      oid_(oid),
      image_(image),
      locale_(locale),
      collator_(catalog.collator(locale)),
      letters_(catalog.letters(locale)),
      case_insensitive_(catalog.case_insensitive(collator_, letters_)),
      name_(std::move(name)),
      tables_(catalog.make_system_tables(image)) {}

Database::~Database() = default;

std::string Database::name() const {
  std::shared_lock guard(mutex_);
  return name_;
}

void Database::set_name(std::string_view name) {
  std::unique_lock guard(mutex_);
  name_ = name;
}

SystemTable* Database::find_table(Oid oid) const {
  SystemTable* local = tables_->find(oid);
  return local != nullptr ? local : catalog_.shared_tables().find(oid);
}

SystemTable& Database::table(Oid oid) const {
  SystemTable* t = find_table(oid);
  INDIGO_CHECK(t != nullptr);
  return *t;
}

void Database::add_physical(Oid filenode, PhysicalRelation relation) {
  std::unique_lock guard(mutex_);
  physical_[filenode] = std::move(relation);
}

void Database::remove_physical(Oid filenode) {
  PhysicalRelation removed;  // destroyed after the lock is free
  std::unique_lock guard(mutex_);
  if (const auto it = physical_.find(filenode); it != physical_.end()) {
    removed = std::move(it->second);
    physical_.erase(it);
  }
  guard.unlock();
}

PhysicalRelation Database::physical(Oid filenode) const {
  std::shared_lock guard(mutex_);
  const auto it = physical_.find(filenode);
  return it == physical_.end() ? PhysicalRelation{} : it->second;
}

std::unordered_map<Oid, PhysicalRelation> Database::all_physical() const {
  std::shared_lock guard(mutex_);
  return physical_;
}

Status Database::add_sequence(Oid filenode, Sequence::State state, bool kept) {
  PhysicalRelation physical;
  physical.sequence = std::make_shared<Sequence>(state.last_value, state.is_called);
  const auto sequence = physical.sequence;
  if (kept) sequence->attach(storage::log_of(catalog_.store()), durable_id(image_, filenode));
  add_physical(filenode, std::move(physical));
  if (!kept) return {};
  // In this order: the horizon of a checkpoint that does not find it is below the note.
  catalog_.register_sequence(sequence);
  Status status = sequence->note_state();
  if (!status.ok()) remove_physical(filenode);
  return status;
}

std::shared_ptr<const RelationInfo> Database::cached_relation(Oid oid) const {
  std::shared_lock guard(mutex_);
  const auto it = relations_.find(oid);
  return it == relations_.end() ? nullptr : it->second;
}

OutdatedRelations::Outdated Database::outdated_relation(Oid oid) const {
  const std::shared_lock guard(mutex_);
  return outdated_.find(oid);
}

std::shared_ptr<const TypeInfo> Database::cached_type(Oid oid) const {
  std::shared_lock guard(mutex_);
  const auto it = types_.find(oid);
  return it == types_.end() ? nullptr : it->second;
}

void Database::publish(uint64_t seen, std::shared_ptr<const RelationInfo> relation) {
  std::unique_lock guard(mutex_);
  if (cache_version() != seen) return;
  outdated_.erase(relation->oid);
  relations_[relation->oid] = std::move(relation);
}

void Database::publish(uint64_t seen, std::shared_ptr<const TypeInfo> type) {
  std::unique_lock guard(mutex_);
  if (cache_version() == seen) types_[type->oid] = std::move(type);
}

uint64_t Database::invalidate(std::span<const Oid> objects, std::span<const DependenceKey> keys, bool everything,
                              RelationParts parts) {
  const std::unique_lock guard(mutex_);
  // Pairs with version() of readers that look at what they have: they find the log complete when they get the mutex.
  const uint64_t version = version_.fetch_add(1, std::memory_order_acq_rel) + 1;
  everything ? changes_.add_everything(version) : changes_.add(version, keys);
  erase_cached(objects, parts);
  return version;
}

bool Database::touched_since(uint64_t version, const Dependences& on) const {
  const std::shared_lock guard(mutex_);
  return changes_.touched_since(version, on);
}

void Database::forget(std::span<const Oid> objects) {
  const std::unique_lock guard(mutex_);
  erase_cached(objects, RelationParts::kAll);
}

void Database::replace(Database& before) {
  const uint64_t version = before.version(), private_version = before.private_version_.load(std::memory_order_relaxed);
  {
    const std::unique_lock guard(mutex_);
    if (version_.load(std::memory_order_relaxed) < version) version_.store(version, std::memory_order_relaxed);
    if (private_version_.load(std::memory_order_relaxed) < private_version) {
      private_version_.store(private_version, std::memory_order_relaxed);
    }
  }
  invalidate(std::array{kInvalidOid}, {}, true);
  before.replaced_.store(true, std::memory_order_release);  // pairs with replaced
}

void Database::erase_cached(std::span<const Oid> objects, RelationParts parts) {
  cache_version_.fetch_add(1,
                           std::memory_order_acq_rel);  // pairs with cache_version() of readers that build a descriptor
  for (const Oid oid : objects) {
    if (oid == kInvalidOid) {
      relations_.clear();
      outdated_.clear();
      types_.clear();
      return;
    }
    auto known = relations_.extract(oid);
    outdated_.changed(oid, parts, known.empty() ? nullptr : std::move(known.mapped()));
    types_.erase(oid);
  }
}

int Database::take_temp_number() {
  std::unique_lock guard(mutex_);
  for (size_t i = 1; i < temp_numbers_.size(); i++) {
    if (!temp_numbers_[i]) {
      temp_numbers_[i] = true;
      return static_cast<int>(i);
    }
  }
  if (temp_numbers_.empty()) temp_numbers_.push_back(true);  // pg_temp_0 is never used
  temp_numbers_.push_back(true);
  return static_cast<int>(temp_numbers_.size()) - 1;
}

void Database::return_temp_number(int number) {
  std::unique_lock guard(mutex_);
  if (number > 0 && static_cast<size_t>(number) < temp_numbers_.size())
    temp_numbers_[static_cast<size_t>(number)] = false;
}

}  // namespace indigo::catalog
