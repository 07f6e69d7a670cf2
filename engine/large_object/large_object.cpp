#include "engine/large_object/large_object.h"

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "engine/exec/execution.h"

namespace indigo::engine {

namespace pg_largeobject = catalog::pg_largeobject;
namespace pg_largeobject_metadata = catalog::pg_largeobject_metadata;
namespace pg_description = catalog::pg_description;
using storage::StorageStatus;

Error no_large_object(Oid object) {
  return Error(sqlstate::kUndefinedObject, "large object " + std::to_string(object) + " does not exist");
}

Error large_object_denied(Oid object) {
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for large object " + std::to_string(object));
}

catalog::SystemTable& LargeObjects::table(Oid oid) const { return catalog_.database_object().table(oid); }

LargeObjectPages LargeObjects::pages(Oid object) { return {table(pg_largeobject::kOid), txn_, object}; }

catalog::ObjectAcl LargeObjects::access(const storage::ReadView& view, Oid object) {
  const catalog::SystemTable& metadata = table(pg_largeobject_metadata::kOid);
  std::string image;
  catalog::ObjectAcl out;
  if (metadata.storage()->get(txn_, view, metadata.key({Datum::of_oid(object)}), image) != StorageStatus::kOk)
    return out;
  const catalog::RowReader row = metadata.reader(image);
  out.found = true;
  out.kind = catalog::kLargeObjectAcl.default_kind;
  out.owner = row.oid(pg_largeobject_metadata::c_lomowner);
  out.acl = row.is_null(pg_largeobject_metadata::c_lomacl)
                ? types::default_acl(out.kind, out.owner)
                : types::read_acl(row.str(pg_largeobject_metadata::c_lomacl));
  return out;
}

Result<Oid> LargeObjects::create(Oid wanted) {
  Oid object = wanted;
  while (object == kInvalidOid) {
    object = catalog_.catalog().next_oid();
    if (access(object).found) object = kInvalidOid;
  }
  catalog::SystemTable& metadata = table(pg_largeobject_metadata::kOid);
  catalog::RowValues row(metadata.definition());
  row.oid(pg_largeobject_metadata::c_oid, object).oid(pg_largeobject_metadata::c_lomowner, catalog_.user());
  row.set_null(pg_largeobject_metadata::c_lomacl);
  const StorageStatus status = metadata.insert(txn_, row);
  if (status == StorageStatus::kDuplicateKey) {
    Error error(sqlstate::kUniqueViolation,
                "duplicate key value violates unique constraint \"pg_largeobject_metadata_oid_index\"");
    error.schema = "pg_catalog";
    error.table = metadata.definition().name;
    error.constraint = metadata.definition().primary_index_name;
    return std::move(error).with_detail("Key (oid)=(" + std::to_string(object) + ") already exists.");
  }
  if (status != StorageStatus::kOk) return storage_error(status, nullptr);
  return object;
}

Status LargeObjects::remove(Oid object) {
  const StorageStatus erased = table(pg_largeobject_metadata::kOid).erase(txn_, {Datum::of_oid(object)});
  if (erased == StorageStatus::kNotFound) return no_large_object(object);
  if (erased != StorageStatus::kOk) return storage_error(erased, nullptr);
  INDIGO_TRY(pages(object).erase());
  const StorageStatus comment =
      table(pg_description::kOid)
          .erase(txn_, {Datum::of_oid(object), Datum::of_oid(pg_largeobject::kOid), Datum::of(int32_t{0})});
  if (comment != StorageStatus::kOk && comment != StorageStatus::kNotFound) return storage_error(comment, nullptr);
  return {};
}

Status LargeObjects::check_owner(Oid object) {
  const catalog::ObjectAcl found = access(object);
  if (!found.found) return no_large_object(object);
  if (catalog_.has_privileges_of(catalog_.user(), found.owner)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "must be owner of large object " + std::to_string(object));
}

}  // namespace indigo::engine
