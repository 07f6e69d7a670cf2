// Large objects as objects: rows of pg_largeobject_metadata with their owners and privileges, and what goes with them.
// Thread safety: belongs to one session, within a statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/object_privileges.h"
#include "engine/large_object/large_object_pages.h"

namespace indigo::engine {

// 42704.
Error no_large_object(Oid object);
// 42501.
Error large_object_denied(Oid object);

class LargeObjects {
 public:
  LargeObjects(catalog::SessionCatalog& catalog, storage::Transaction& txn) : catalog_(catalog), txn_(txn) {}

  LargeObjectPages pages(Oid object);
  // Whose it is and who may use it, as of `view`; not found: there is no such object.
  catalog::ObjectAcl access(const storage::ReadView& view, Oid object);
  catalog::ObjectAcl access(Oid object) { return access(txn_.newest_view(), object); }
  // kInvalidOid: under a number that is free. Belongs to the current role. 23505.
  Result<Oid> create(Oid wanted);
  // With its bytes and comment.
  Status remove(Oid object);
  // 42704, 42501.
  Status check_owner(Oid object);

 private:
  catalog::SystemTable& table(Oid oid) const;

  catalog::SessionCatalog& catalog_;
  storage::Transaction& txn_;
};

}  // namespace indigo::engine
