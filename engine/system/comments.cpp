// Comments on objects.
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

Result<OwnedDatum> comment(SessionParts& session, Oid object, Oid class_id, int32_t column) {
  std::optional<std::string> text;
  CatalogRows(session).find(pg_description::kOid, {Datum::of_oid(object), Datum::of_oid(class_id), Datum::of(column)},
                            [&](RowReader row) { text = row.str(pg_description::c_description); });
  return text_or_null(text);
}

Oid catalog_named(SessionParts& session, std::string_view name) {
  return session.session_catalog().relation_oid(oid::kPgCatalogSchema, name);
}

Result<OwnedDatum> object_description(SessionParts& session, std::span<const Datum> arguments) {
  return comment(session, arguments[0].oid(), catalog_named(session, arguments[1].str), 0);
}
// Without its catalog: the first comment on any object of that number.
Result<OwnedDatum> any_description(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<std::string> text;
  CatalogRows(session).scan(pg_description::kOid, {arguments[0]}, [&](RowReader row) {
    if (row.i32(pg_description::c_objsubid) == 0) text = row.str(pg_description::c_description);
    return !text;
  });
  return text_or_null(text);
}
Result<OwnedDatum> column_description(SessionParts& session, std::span<const Datum> arguments) {
  return comment(session, arguments[0].oid(), pg_class::kOid, arguments[1].i32);
}
Result<OwnedDatum> shared_description(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<std::string> text;
  CatalogRows(session).find(pg_shdescription::kOid,
                            {arguments[0], Datum::of_oid(catalog_named(session, arguments[1].str))},
                            [&](RowReader row) { text = row.str(pg_shdescription::c_description); });
  return text_or_null(text);
}

constexpr SystemValue kCommentsValues[] = {
    {"obj_description(oid,name)", object_description},
    {"obj_description(oid)", any_description},
    {"col_description(oid,int4)", column_description},
    {"shobj_description(oid,name)", shared_description},
};

}  // namespace

std::span<const SystemValue> comment_values() { return kCommentsValues; }

}  // namespace indigo::engine
