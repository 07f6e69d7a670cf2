// What a session's transaction has changed of the catalog: what it forgets at once, what others are told at its commit, and what it
// has made of its changes that they can use then.
#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "storage/store.h"

namespace indigo::catalog {

void SessionCatalog::bind(storage::Transaction* txn) {
  txn_ = txn;
  retired_.clear();
  if (!private_) return;
  const bool holds = holds_after_commit();
  for (const auto& [type, labels] : added_labels_) types_.erase(type);  // they may be used from now on
  added_labels_.clear();
  if (holds) {
    share_changed();
    local_version_ = announced_->after | (own_changes_ & kOwnMask) << kSharedBits;
  } else {
    clear_local();
  }
  private_ = false;
  private_log_.clear();
  private_objects_.clear();
  outdated_.clear();
  private_everything_ = false;
  announced_.reset();
}

void SessionCatalog::let_go() {
  if (announced_ != nullptr) announced_->view = nullptr;
  announced_.reset();
  bind(nullptr);
}

void SessionCatalog::Announced::told(uint64_t version) {
  if (after == 0) before = version - 1;
  in_turn &= after == 0 || version == after + 1;
  after = version;
}

// Built under `private_seen_`, and since then only this transaction's own changes have become known, which they have in them.
bool SessionCatalog::holds_after_commit() const {
  if (announced_ == nullptr || announced_->after == 0 || announced_->own || !announced_->in_turn) return false;
  return private_seen_ == (announced_->before | (own_changes_ & kOwnMask) << kSharedBits) &&
         local_version_ == private_version_ && database_->version() == announced_->after &&
         local_shared_version_ == catalog_.shared_version();
}

void SessionCatalog::share_changed() {
  const uint64_t seen = database_->cache_version();
  if (database_->version() != announced_->after) return;
  for (const Oid oid : private_objects_) {
    if (const auto it = by_oid_.find(oid); it != by_oid_.end()) database_->publish(seen, it->second);
  }
}

bool SessionCatalog::are_temporary(const std::vector<Oid>& objects) {
  if (temp_schema_ == kInvalidOid) return false;
  const SystemTable& classes = database_->table(pg_class::kOid);
  const SystemTable& types = database_->table(pg_type::kOid);
  std::string row;
  return std::all_of(objects.begin(), objects.end(), [&](Oid object) {
    if (object == kInvalidOid) return false;
    if (const auto it = by_oid_.find(object); it != by_oid_.end()) return it->second->schema == temp_schema_;
    if (classes.find_oid(*txn_, object, row)) {
      return classes.reader(row).oid(pg_class::c_relnamespace) == temp_schema_;
    }
    return types.find_oid(*txn_, object, row) && types.reader(row).oid(pg_type::c_typnamespace) == temp_schema_;
  });
}

void SessionCatalog::changed(std::vector<Oid> objects, RelationParts parts) {
  if (txn_ == nullptr) return;
  Change change;
  change.parts = parts;
  for (const Oid object : objects) {
    change.everything |= object == kInvalidOid;
    change.keys.push_back(object_key(object));
  }
  change.own = !objects.empty() && are_temporary(objects);
  change.objects = std::move(objects);
  note(std::move(change));
}

void SessionCatalog::named(Oid object, std::string_view name) {
  if (txn_ == nullptr) return;
  note({{object}, {object_key(object), relation_or_type_name(name)}, false, are_temporary({object})});
}

void SessionCatalog::changed_function(Oid function, std::string_view name) {
  note({{}, {object_key(function), function_name(name)}, false, false});
}

void SessionCatalog::added_label(Oid type, Oid label) {
  added_labels_[type].push_back(label);
  changed({type});
}

void SessionCatalog::note(Change change) {
  if (txn_ == nullptr) return;
  const bool current = is_current();
  const uint64_t seen = private_ ? private_seen_ : local_version_;
  add_private(change);
  if (current) {
    forget_local(change);
    // What others have committed since then shows in the next version().
    private_seen_ = seen;
    local_version_ = private_version_;
  } else {
    clear_local();
  }
  if (announced_ == nullptr) {
    announced_ = std::make_shared<Announced>();
    announced_->view = this;
  }
  announced_->temporary |= change.own;
  const auto kept = std::make_shared<const Change>(std::move(change));
  catalog_.store().on_end(
      *txn_,
      [database = database_, kept, announced = announced_] {
        SessionCatalog* const view = announced->view;
        if (!kept->own || view == nullptr) {
          return announced->told(database->invalidate(kept->objects, kept->keys, kept->everything, kept->parts));
        }
        announced->own = true;
        view->own_changes_++;
        kept->everything ? view->own_log_.add_everything(view->own_changes_)
                         : view->own_log_.add(view->own_changes_, kept->keys);
        database->forget(kept->objects);
      },
      [kept, announced = announced_] {
        SessionCatalog* const view = announced->view;
        if (view == nullptr) return;
        // Also when only a savepoint is rolled back: what stays is still private.
        if (view->private_) view->add_private(*kept);
        view->clear_local();
      });
}

void SessionCatalog::changed_shared() {
  if (txn_ == nullptr) return;
  Catalog& catalog = catalog_;
  catalog_.store().on_end(
      *txn_, [&catalog] { catalog.bump_shared_version(); }, [] {});
  note({.everything = true});
}

bool SessionCatalog::is_current() const {
  return version() == local_version_ && catalog_.shared_version() == local_shared_version_;
}

// Roles, schemas and operators change with everything; what is found by name may be another after any change.
void SessionCatalog::forget_local(const Change& change) {
  if (change.everything || change.own || change.objects.empty()) return clear_local();
  by_name_.clear();
  for (const Oid object : change.objects) {
    auto known = by_oid_.extract(object);
    outdated_.changed(object, change.parts, known.empty() ? nullptr : std::move(known.mapped()));
    types_.erase(object);
  }
}

}  // namespace indigo::catalog
