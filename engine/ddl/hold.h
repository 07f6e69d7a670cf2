// Definitions keep what they mention. A statement that makes a reference to an object holds that object to the end of the
// transaction; DROP locks the object, and everything that goes with it, before looking for what depends on it. So
// either the drop finds the new dependent, or the definition finds that the object is gone.
// Thread safety: as the DdlContext.
//
// 1. An OID names one object of a database, whatever its system table, so objects and relations share a space of locks.
// 2. A relation's row type is held through the relation, which DROP locks first.
#pragma once

#include "engine/ddl/drop/dependency.h"

namespace indigo::engine::ddl {

// 42704 and the like when somebody has dropped it meanwhile.
Status hold(DdlContext& c, const Address& mentioned);
// Without looking whether it is still there.
Status lock_mentioned(DdlContext& c, const Address& mentioned);
// The owner of what is made, and who is granted something. Roles are locked as objects of no database.
Status hold_role(DdlContext& c, Oid role);
Status lock_role(DdlContext& c, Oid role, TableLockMode mode);
// Is the object there now? A column: is its relation?
bool exists(DdlContext& c, const Address& a);
// It cannot be dropped.
bool is_pinned(const Address& a);
inline Oid oid_of(const std::optional<Address>& a) { return a->object; }
template <class Info>
Oid oid_of(const std::shared_ptr<Info>& info) {
  return info->oid;
}
// Locks what was found by name: `find` answers an address or a descriptor, or nothing, and is asked again until no definition
// has changed while the lock was waited for. What is no longer there is the business of its next answer.
template <class Find>
auto find_and_lock(DdlContext& c, TableLockMode mode, Find&& find) -> decltype(find()) {
  for (;;) {
    const uint64_t version = c.catalog.version();
    auto found = find();
    if (!found.ok() || !*found) return found;
    INDIGO_TRY(lock_object(c, oid_of(*found), mode));
    if (c.catalog.version() == version) return found;
  }
}

}  // namespace indigo::engine::ddl
