// What every definition statement needs: names to relations and schemas, table locks, errors, notices, type names.
// Thread safety: as the DdlContext.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/relation_info.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/ddl.h"
#include "sql/parse/tree_names.h"
#include "storage/lock/lock_mode.h"
#include "storage/status.h"
#include "types/oids.h"

namespace indigo::engine::ddl {

// Throws RaisedError: 42P01 of a relation, 42704 of another object.
[[noreturn]] void raise_gone(bool relation);
// The same as a value.
Error gone_error(bool relation = false);

using catalog::ConstraintInfo;
using catalog::IndexInfo;
using catalog::RelationInfo;
using catalog::RelationKind;
using catalog::RelationParts;
using catalog::RowReader;
using catalog::RowValues;
using catalog::SystemTable;
using sql::NodeList;
using storage::StorageStatus;
using storage::TableLockMode;
using types::ColumnInfo;
using types::TypeInfo;
using types::TypeRef;
// What the catalog has found, or null. Other sessions drop things between two look-ups of one statement: where nothing asks
// for null, using it fails the statement as if they had been dropped before (PostgreSQL: "could not open relation", XX000).
template <class Info>
class FoundPtr : public std::shared_ptr<const Info> {
  using Base = std::shared_ptr<const Info>;

 public:
  FoundPtr() = default;
  FoundPtr(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  template <class T, class = std::enable_if_t<std::is_convertible_v<T*, const Info*>>>
  FoundPtr(std::shared_ptr<T> found) : Base(std::move(found)) {}  // NOLINT(google-explicit-constructor)
  const Info& operator*() const { return *there(); }
  const Info* operator->() const { return there(); }

 private:
  const Info* there() const {
    if (this->get() == nullptr) [[unlikely]]
      raise_gone(std::is_same_v<Info, RelationInfo>);
    return this->get();
  }
};
using RelationPtr = FoundPtr<RelationInfo>;
using TypePtr = FoundPtr<TypeInfo>;
using FunctionPtr = FoundPtr<types::FunctionInfo>;

namespace system_index = catalog::system_index;
namespace pg_class = catalog::pg_class;
namespace pg_attribute = catalog::pg_attribute;
namespace pg_type = catalog::pg_type;
namespace pg_namespace = catalog::pg_namespace;
namespace pg_index = catalog::pg_index;
namespace pg_constraint = catalog::pg_constraint;
namespace pg_attrdef = catalog::pg_attrdef;
namespace pg_sequence = catalog::pg_sequence;
namespace pg_depend = catalog::pg_depend;
namespace pg_shdepend = catalog::pg_shdepend;
namespace pg_rewrite = catalog::pg_rewrite;
namespace pg_enum = catalog::pg_enum;
namespace pg_proc = catalog::pg_proc;
namespace pg_database = catalog::pg_database;
namespace pg_authid = catalog::pg_authid;
namespace pg_auth_members = catalog::pg_auth_members;
namespace pg_description = catalog::pg_description;
namespace pg_shdescription = catalog::pg_shdescription;
namespace pg_statistic = catalog::pg_statistic;
namespace pg_db_role_setting = catalog::pg_db_role_setting;
namespace pg_collation = catalog::pg_collation;
namespace pg_trigger = catalog::pg_trigger;

// ---- errors and notices
inline Error unsupported(std::string feature) {
  return Error(sqlstate::kFeatureNotSupported, std::move(feature) + " is not supported");
}
// A storage answer that is not kOk. kNotFound of a system table: another session has dropped the object.
Error storage_failure(StorageStatus status, const RelationInfo* relation = nullptr);
inline Status check(StorageStatus status, const RelationInfo* relation = nullptr) {
  if (status == StorageStatus::kOk) return {};
  return storage_failure(status, relation);
}
// The same for a row that had to go: another session may have dropped it while this one waited for it.
inline Status check_erased(StorageStatus status) {
  return status == StorageStatus::kNotFound ? Status() : check(status);
}
void notice(DdlContext& c, std::string message, SqlState state = sqlstate::kSuccessfulCompletion);
void warning(DdlContext& c, SqlState state, std::string message);
void debug(DdlContext& c, std::string message);
// 1-based character of a 0-based byte location of the tree; 0 when unknown.
int position(const DdlContext& c, int location);
std::string quoted(std::string_view name);                              // "name", as messages write names
std::string identifier(std::string_view name);                          // quoted when SQL needs it
std::string qualified(std::string_view schema, std::string_view name);  // schema.name, quoted when SQL needs it
inline std::string qualified(const RelationInfo& r) { return qualified(r.schema_name, r.name); }
std::string literal(std::string_view text);
std::string column_text(const RelationInfo& r, std::string_view column);  // column "a" of relation "t"

// ---- the system tables
SystemTable& table(DdlContext& c, Oid oid);
Oid next_oid(DdlContext& c);
// An identifier cut to PostgreSQL's 63 bytes (at a character's boundary).
std::string truncated_name(std::string_view name);

// ---- schemas
// Where CREATE puts an object of that name: 3F000 when the schema does not exist, 42501 when it may not be used.
// `temporary` asks for the session's own temporary schema, made when it is missing.
Result<Oid> creation_schema(DdlContext& c, std::string_view schema, bool temporary);
// Of a relation's name, which may name a database too: 0A000 when it is another one, 42501 for system catalogs' schemas.
Result<Oid> creation_schema(DdlContext& c, const PgQuery__RangeVar& name, bool temporary);
// Of another object's name.
Result<Oid> creation_schema(DdlContext& c, NodeList name);
Result<Oid> existing_schema(DdlContext& c, std::string_view schema);  // 3F000

// ---- relations
// Finds and locks. Null only when missing_ok (after a notice is the caller's business). 42P01 otherwise.
// `allowed` is asked before the lock is waited for, so that a role without the right neither waits nor blocks others, and again
// when the wait is over.
using RelationCheck = Status (*)(DdlContext& c, const RelationInfo& relation);
Result<RelationPtr> open_relation(DdlContext& c, const PgQuery__RangeVar* name, TableLockMode mode,
                                  bool missing_ok = false, RelationCheck allowed = nullptr);
// By name, not locked: 3F000, 42501 of the schema, 42P01. With missing_ok: null, and PostgreSQL's notice instead of 3F000
// and 42P01.
Result<RelationPtr> existing_relation(DdlContext& c, NodeList name, bool missing_ok = false);
// The owner's, and no system catalog: what most definitions ask for.
Status check_definable(DdlContext& c, const RelationInfo& relation);
Result<RelationPtr> open_relation(DdlContext& c, Oid oid, TableLockMode mode);
Status lock_object(DdlContext& c, Oid object, TableLockMode mode);
// The descriptor as it is now, own changes included.
RelationPtr current(DdlContext& c, Oid oid);
// 3F000 when it is not there and has to be; 42501 when the current role may not look names up there. "": no schema was written.
Status check_schema_usage(DdlContext& c, std::string_view schema, bool missing_ok = false);
// A type by name, its schema's right included: 3F000, 42501, 42704.
Result<TypePtr> existing_type(DdlContext& c, NodeList name);
// 42501 "must be owner of table t".
Status check_owner(DdlContext& c, const RelationInfo& relation);
Status check_owner(DdlContext& c, Oid owner, std::string_view kind, std::string_view name);
// Whose right a statement asks for: dropping is also that of the schema's owner; nobody's where the caller looks itself.
enum class Right : uint8_t { kOwner, kOwnerOrSchemaOwner, kNobody };
Status check_right(DdlContext& c, Right right, Oid schema, Oid owner, std::string_view kind, std::string_view name);
// 55006 "cannot ALTER TABLE "t" because it is being used by active queries in this session", or "... has pending trigger
// events".
Status check_not_in_use(DdlContext& c, const RelationInfo& relation, std::string_view statement);
// "table", "index", "view" ... as PostgreSQL's messages call it.
std::string_view kind_name(RelationKind kind);
std::string not_supported_for(RelationKind kind);  // a detail: "This operation is not supported for indexes."
// 42501 for built-in relations.
Status check_not_system(const RelationInfo& relation);

// ---- types
// Of a column or cast; serial and the like are not types. 42704 with position.
Result<TypeRef> resolve_type(DdlContext& c, const PgQuery__TypeName* name);
// For something of that type to be made: 42501 without USAGE on it.
Status check_type_usage(DdlContext& c, Oid type);
Result<TypeRef> usable_type(DdlContext& c, const PgQuery__TypeName* name);
std::string type_text(DdlContext& c, const TypeRef& type);  // format_type
// For an SQL text: "character" and "bit" alone would be those of length one.
std::string type_in_sql(DdlContext& c, const TypeRef& type);
Result<Oid> resolve_collation(DdlContext& c, NodeList name, int location);

// ---- roles
Result<Oid> resolve_role(DdlContext& c, const PgQuery__RoleSpec* role);

// ---- values of options (DefElem)
std::optional<int64_t> integer_value(const PgQuery__Node* node);  // Integer, or a Float that is an integer
std::string text_value(const PgQuery__Node* node);                // String, TypeName's name, number or boolean as text
Result<bool> boolean_value(const PgQuery__DefElem* option);

// A value as text, for messages.
std::string value_text(DdlContext& c, const TypeRef& type, const Datum& value);
// "(a, b)=(1, x)" of a row's columns (attnums).
std::string key_text(DdlContext& c, const RelationInfo& relation, std::span<const int16_t> columns, Bytes row);

}  // namespace indigo::engine::ddl
