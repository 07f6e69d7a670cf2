#include "engine/system/object_kinds.h"

#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

constexpr PlainKind kPlainKinds[] = {
    {pg_am::kOid, pg_am::c_amname, "access method"},
    {pg_authid::kOid, pg_authid::c_rolname, "role"},
    {pg_database::kOid, pg_database::c_datname, "database"},
    {pg_event_trigger::kOid, pg_event_trigger::c_evtname, "event trigger"},
    {pg_extension::kOid, pg_extension::c_extname, "extension"},
    {pg_foreign_data_wrapper::kOid, pg_foreign_data_wrapper::c_fdwname, "foreign-data wrapper"},
    {pg_foreign_server::kOid, pg_foreign_server::c_srvname, "server"},
    {pg_language::kOid, pg_language::c_lanname, "language"},
    {pg_namespace::kOid, pg_namespace::c_nspname, "schema"},
    {pg_parameter_acl::kOid, pg_parameter_acl::c_parname, "parameter ACL"},
    {pg_publication::kOid, pg_publication::c_pubname, "publication"},
    {pg_subscription::kOid, pg_subscription::c_subname, "subscription"},
    {pg_tablespace::kOid, pg_tablespace::c_spcname, "tablespace"},
};

constexpr SchemaKind kSchemaKinds[] = {
    {pg_opclass::kOid, pg_opclass::c_opcname, pg_opclass::c_opcnamespace, "operator class", pg_opclass::c_opcmethod},
    {pg_opfamily::kOid, pg_opfamily::c_opfname, pg_opfamily::c_opfnamespace, "operator family",
     pg_opfamily::c_opfmethod},
    {pg_conversion::kOid, pg_conversion::c_conname, pg_conversion::c_connamespace, "conversion"},
    {pg_collation::kOid, pg_collation::c_collname, pg_collation::c_collnamespace, "collation"},
    {pg_statistic_ext::kOid, pg_statistic_ext::c_stxname, pg_statistic_ext::c_stxnamespace, "statistics object"},
    {pg_ts_parser::kOid, pg_ts_parser::c_prsname, pg_ts_parser::c_prsnamespace, "text search parser"},
    {pg_ts_dict::kOid, pg_ts_dict::c_dictname, pg_ts_dict::c_dictnamespace, "text search dictionary"},
    {pg_ts_template::kOid, pg_ts_template::c_tmplname, pg_ts_template::c_tmplnamespace, "text search template"},
    {pg_ts_config::kOid, pg_ts_config::c_cfgname, pg_ts_config::c_cfgnamespace, "text search configuration"},
};

// The rest: parts of other objects, and what has more than a name.
constexpr struct {
  Oid table;
  std::string_view words;
} kOtherKinds[] = {
    {pg_type::kOid, "type"},
    {pg_proc::kOid, "routine"},
    {pg_cast::kOid, "cast"},
    {pg_constraint::kOid, "constraint"},
    {pg_attrdef::kOid, "default value"},
    {pg_largeobject::kOid, "large object"},
    {pg_operator::kOid, "operator"},
    {pg_amop::kOid, "operator of access method"},
    {pg_amproc::kOid, "function of access method"},
    {pg_rewrite::kOid, "rule"},
    {pg_trigger::kOid, "trigger"},
    {pg_user_mapping::kOid, "user mapping"},
    {pg_default_acl::kOid, "default acl"},
    {pg_policy::kOid, "policy"},
    {pg_publication_namespace::kOid, "publication namespace"},
    {pg_publication_rel::kOid, "publication relation"},
    {pg_transform::kOid, "transform"},
};

template <class Kinds>
auto* kind_of(const Kinds& kinds, Oid table) {
  for (const auto& kind : kinds)
    if (kind.table == table) return &kind;
  return static_cast<decltype(&kinds[0])>(nullptr);
}
template <class Kinds>
auto* kind_called(const Kinds& kinds, std::string_view words) {
  for (const auto& kind : kinds)
    if (kind.words == words) return &kind;
  return static_cast<decltype(&kinds[0])>(nullptr);
}

Oid same_of(const SchemaKind& kind, const RowReader& row) { return kind.same < 0 ? kInvalidOid : row.oid(kind.same); }

}  // namespace

const PlainKind* plain_kind(Oid table) { return kind_of(kPlainKinds, table); }
const PlainKind* plain_kind(std::string_view words) { return kind_called(kPlainKinds, words); }
const SchemaKind* schema_kind(Oid table) { return kind_of(kSchemaKinds, table); }
const SchemaKind* schema_kind(std::string_view words) { return kind_called(kSchemaKinds, words); }

Oid object_in_schema(SessionParts& session, const SchemaKind& kind, Oid schema, std::string_view name, Oid same) {
  Oid found = kInvalidOid;
  CatalogRows(session).scan(kind.table, {}, [&](RowReader row) {
    if (row.oid(kind.schema) == schema && row.str(kind.name) == name && same_of(kind, row) == same) found = row.oid(0);
    return found == kInvalidOid;
  });
  return found;
}

Oid object_in_path(SessionParts& session, const SchemaKind& kind, std::string_view name, Oid same) {
  SessionCatalog& view = session.session_catalog();
  for (const Oid schema : view.search_path()) {
    if (schema == view.temp_schema()) continue;
    const Oid found = object_in_schema(session, kind, schema, name, same);
    if (found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

std::optional<bool> is_found_by_name(SessionParts& session, const SchemaKind& kind, Oid object) {
  std::string name;
  Oid same = kInvalidOid;
  const bool exists = CatalogRows(session).find(kind.table, object, [&](RowReader row) {
    name = row.str(kind.name);
    same = same_of(kind, row);
  });
  if (!exists) return std::nullopt;
  return object_in_path(session, kind, name, same) == object;
}

std::string_view class_words(Oid table, int32_t sub) {
  if (table == pg_class::kOid) return sub == 0 ? "relation" : "table column";
  if (const PlainKind* kind = plain_kind(table)) return kind->words;
  if (const SchemaKind* kind = schema_kind(table)) return kind->words;
  if (const auto* kind = kind_of(kOtherKinds, table)) return kind->words;
  return {};
}

}  // namespace indigo::engine
