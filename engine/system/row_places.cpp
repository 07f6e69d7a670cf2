// Where a row is: currtid2, which drivers ask for a row's place after they have changed it.
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/system/asked_relation.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Status check_readable(SessionParts& session, const AskedRelation& asked) {
  const WantedPrivilege wanted{types::kPrivilegeSelect, false};
  INDIGO_ASSIGN(const OwnedDatum allowed, check_object(session, kTableClass, session.user(), asked.oid, {&wanted, 1}));
  if (allowed.get().null || allowed.get().b) return {};
  const char* const kind = asked.kind == 'v'   ? "view "
                           : asked.kind == 'm' ? "materialized view "
                           : asked.kind == 'S' ? "sequence "
                           : asked.kind == 'f' ? "foreign table "
                                               : "table ";
  return Error(sqlstate::kInsufficientPrivilege, std::string("permission denied for ") + kind + asked.name);
}

// A view's rows have a place if one of its columns is called so, which is then a table's.
Status check_view(const catalog::RelationInfo& view) {
  const catalog::ColumnInfo* const column = view.find_column("ctid");
  if (column == nullptr) return Error(sqlstate::kInternalError, "currtid cannot handle views with no CTID");
  if (column->type.oid != oid::kTid) return Error(sqlstate::kInternalError, "ctid isn't of type TID");
  return {};
}

// A row that is changed stays in its place here, so the newest version of what is there is there, too.
Result<OwnedDatum> current_place(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].str));
  if (asked.is_index()) return Error(sqlstate::kWrongObjectType, "\"" + asked.name + "\" is an index");
  if (asked.kind == 'c') return Error(sqlstate::kWrongObjectType, "\"" + asked.name + "\" is a composite type");
  INDIGO_TRY(check_readable(session, asked));
  if (asked.kind == 'v') {
    INDIGO_TRY(check_view(*asked.table));
  } else if (!asked.has_rows()) {
    return Error(sqlstate::kInternalError, "cannot look at latest visible tid for relation \"" +
                                               asked.table->schema_name + "." + asked.name + "\"");
  }
  return OwnedDatum(arguments[1]);
}

constexpr SystemValue kRowPlaceValues[] = {{"currtid_byrelname", current_place}};

}  // namespace

std::span<const SystemValue> row_place_values() { return kRowPlaceValues; }

}  // namespace indigo::engine
