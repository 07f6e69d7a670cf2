#include "engine/ddl/object/large_object.h"

#include <charconv>

#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "engine/large_object/large_object.h"
#include "types/oids.h"

namespace indigo::engine::ddl {

namespace pg_largeobject = catalog::pg_largeobject;
namespace pg_largeobject_metadata = catalog::pg_largeobject_metadata;

namespace {

bool checks_owners(DdlContext& c) {
  std::string value;
  return !c.host.session().setting("lo_compat_privileges", value) || value != "on";
}

}  // namespace

Result<Oid> large_object_number(const PgQuery__Node* node) {
  if (node->node_case == PG_QUERY__NODE__NODE_INTEGER) return static_cast<Oid>(node->integer->ival);
  const std::string_view text = node->float_->fval;
  const bool negative = text.starts_with('-');
  uint64_t value = 0;
  const char* begin = text.data() + (negative ? 1 : 0);
  const auto [end, failure] = std::from_chars(begin, text.data() + text.size(), value);
  if (end != text.data() + text.size() && failure == std::errc()) {
    return Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type oid: " + quoted(text));
  }
  if (failure != std::errc() || value > (negative ? uint64_t{1} << 31 : UINT32_MAX)) {
    return Error(sqlstate::kNumericValueOutOfRange, "value " + quoted(text) + " is out of range for type oid");
  }
  return negative ? Oid(0) - static_cast<Oid>(value) : static_cast<Oid>(value);
}

bool large_object_exists(DdlContext& c, Oid object) { return LargeObjects(c.catalog, c.txn).access(object).found; }

Result<Oid> existing_large_object(DdlContext& c, const PgQuery__Node* node) {
  INDIGO_ASSIGN(const Oid object, large_object_number(node));
  if (!large_object_exists(c, object)) return no_large_object(object);
  return object;
}

Result<Address> find_own_large_object(DdlContext& c, const PgQuery__Node* node) {
  INDIGO_ASSIGN(const Oid object, existing_large_object(c, node));
  if (checks_owners(c)) INDIGO_TRY(LargeObjects(c.catalog, c.txn).check_owner(object));
  return Address{pg_largeobject::kOid, object, 0};
}

Status change_large_object_owner(DdlContext& c, Oid object, Oid owner) {
  LargeObjects objects(c.catalog, c.txn);
  const catalog::ObjectAcl access = objects.access(object);
  if (!access.found) return no_large_object(object);
  if (access.owner == owner) return {};
  INDIGO_TRY(objects.check_owner(object));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  return update_row(c, pg_largeobject_metadata::kOid, {Datum::of_oid(object)}, [&](RowValues& v) {
    v.oid(pg_largeobject_metadata::c_lomowner, owner);
    pass_on(v, pg_largeobject_metadata::c_lomacl, access.owner, owner);
  });
}

Status remove_large_object(DdlContext& c, Oid object) {
  LargeObjects objects(c.catalog, c.txn);
  return objects.access(object).found ? objects.remove(object) : Status();
}

}  // namespace indigo::engine::ddl
