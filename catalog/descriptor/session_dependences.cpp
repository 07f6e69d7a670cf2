// What is noted of look-ups while a Recording lives, and what has changed since (catalog/change_log.h).
#include "base/fiber/stack_exhausted.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "types/oids.h"

namespace indigo::catalog {

uint64_t SessionCatalog::shared_state() const {
  return database_->version() | (own_changes_ & kOwnMask) << kSharedBits;
}

CatalogState SessionCatalog::state() const {
  const uint64_t shared = shared_state();
  return {version(), shared, private_ ? private_version_ : 0};
}

void SessionCatalog::settle(CatalogState& made, const Dependences& on) const {
  if (met_detaching_) {
    made.of_own = CatalogState::kNeverAgain;
    return;
  }
  if (made.of_own != 0 && private_ && !private_log_.touched_since(0, on)) made.of_own = 0;
}

bool SessionCatalog::unchanged_since(const CatalogState& made, const Dependences& on) const {
  if (made.of_own == CatalogState::kNeverAgain) return false;
  if (made.of_own != 0 && (!private_ || made.of_own < private_begin_)) return false;  // that transaction has ended
  if (private_ && private_log_.touched_since(made.of_own, on)) return false;
  const uint64_t own_passed = (own_changes_ - (made.shared >> kSharedBits)) & kOwnMask;
  if (own_passed != 0 && own_log_.touched_since(own_changes_ - own_passed, on)) return false;
  const uint64_t shared = made.shared & kSharedMask;
  return shared == database_->version() || !database_->touched_since(shared, on);
}

void SessionCatalog::add_private(const Change& change) {
  private_version_ = database_->next_private_version();
  if (!private_) private_begin_ = private_version_;
  private_ = true;
  // Who tells of no object means all (roles), or what no descriptor has anything of (functions): not worth telling apart.
  private_everything_ |= change.everything || change.objects.empty();
  private_objects_.insert(change.objects.begin(), change.objects.end());
  change.everything ? private_log_.add_everything(private_version_) : private_log_.add(private_version_, change.keys);
}

void SessionCatalog::record(const RelationInfo& relation) {
  recording_->add(object_key(relation.oid));
  for (const ColumnInfo& column : relation.columns) record_type(column.type.oid);
}

void SessionCatalog::record(const TypeInfo& type) {
  recording_->add(object_key(type.oid));
  for (const Oid part : {type.element, type.base, type.range_subtype, type.range_partner}) record_type(part);
  if (type.relation != kInvalidOid && recording_->add_new(object_key(type.relation))) {
    const auto noted = relation(type.relation);
    if (noted == nullptr) recording_->add_everything();
  }
}

void SessionCatalog::record(const FunctionInfo& function) {
  if (function.oid < oid::kFirstUserOid) return;
  recording_->add(object_key(function.oid));
  record_type(function.result);
  for (const Oid argument : function.arguments) record_type(argument);
  for (const Oid argument : function.all_argument_types) record_type(argument);
}

void SessionCatalog::record_type(Oid oid) {
  if (oid < oid::kFirstUserOid || !recording_->add_new(object_key(oid))) return;
  require_stack();  // types that are kept already are followed, too, as deep as they are nested
  const auto noted = type(oid);
  if (noted == nullptr) recording_->add_everything();
}

}  // namespace indigo::catalog
