// What is asked of an index's pages: brin_summarize_range and its kin, gin_clean_pending_list.
#include "base/sqlstate.h"
#include "engine/session/session_parts.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

struct Method {
  Oid oid;
  const char* name;
};
constexpr Method kBrin{3580, "BRIN"}, kGin{2742, "GIN"};

// An index of that method, for its owner.
Status check_index(SessionParts& session, Oid oid, const Method& wanted) {
  std::string name;
  char kind = 0;
  Oid method = kInvalidOid, owner = kInvalidOid;
  const bool found = CatalogRows(session).find(pg_class::kOid, oid, [&](RowReader row) {
    name = row.str(pg_class::c_relname);
    kind = row.chr(pg_class::c_relkind);
    method = row.oid(pg_class::c_relam);
    owner = row.oid(pg_class::c_relowner);
  });
  if (!found) return Error(sqlstate::kInternalError, "could not open relation with OID " + std::to_string(oid));
  if (kind != 'i') return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is not an index");
  if (method != wanted.oid)
    return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is not a " + wanted.name + " index");
  if (session.session_catalog().has_privileges_of(session.user(), owner)) return {};
  return Error(sqlstate::kInsufficientPrivilege, "must be owner of index " + name);
}

Status check_block(int64_t block) {
  if (block >= 0 && block <= UINT32_MAX) return {};
  return Error(sqlstate::kNumericValueOutOfRange, "block number out of range: " + std::to_string(block));
}

// Every row is in the index as soon as it is in the table: no range waits for its summary.
Result<OwnedDatum> summarize_new_values(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_index(session, arguments[0].oid(), kBrin));
  return OwnedDatum(Datum::of(int32_t{0}));
}
Result<OwnedDatum> summarize_range(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_block(arguments[1].i64));
  return summarize_new_values(session, arguments);
}
Result<OwnedDatum> desummarize_range(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_block(arguments[1].i64));
  INDIGO_TRY(check_index(session, arguments[0].oid(), kBrin));
  return OwnedDatum(Datum::of(Str()));
}

// Nothing waits to be put in its place.
Result<OwnedDatum> clean_pending_list(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_TRY(check_index(session, arguments[0].oid(), kGin));
  return value_of(int64_t{0});
}

constexpr SystemValue kPageValues[] = {
    {"gin_clean_pending_list", clean_pending_list},
    {"brin_summarize_new_values", summarize_new_values},
    {"brin_summarize_range", summarize_range},
    {"brin_desummarize_range", desummarize_range},
};

}  // namespace

std::span<const SystemValue> index_page_values() { return kPageValues; }

}  // namespace indigo::engine
