#include "engine/ddl/text_search/text_search_object.h"

#include "engine/ddl/extension/extension.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

using types::TextSearchKind;

constexpr TextSearchType kTypes[] = {
    {TextSearchKind::kConfiguration, catalog::pg_ts_config::kOid, catalog::pg_ts_config::c_cfgname,
     catalog::pg_ts_config::c_cfgnamespace, catalog::pg_ts_config::c_cfgowner, "text search configuration",
     "pg_ts_config_cfgname_index"},
    {TextSearchKind::kDictionary, catalog::pg_ts_dict::kOid, catalog::pg_ts_dict::c_dictname,
     catalog::pg_ts_dict::c_dictnamespace, catalog::pg_ts_dict::c_dictowner, "text search dictionary",
     "pg_ts_dict_dictname_index"},
    {TextSearchKind::kParser, catalog::pg_ts_parser::kOid, catalog::pg_ts_parser::c_prsname,
     catalog::pg_ts_parser::c_prsnamespace, -1, "text search parser", "pg_ts_parser_prsname_index"},
    {TextSearchKind::kTemplate, catalog::pg_ts_template::kOid, catalog::pg_ts_template::c_tmplname,
     catalog::pg_ts_template::c_tmplnamespace, -1, "text search template", "pg_ts_template_tmplname_index"},
};

struct Found {
  std::string name;
  Oid schema = kInvalidOid, owner = kInvalidOid;
};

Result<Found> read_text_search(DdlContext& c, const TextSearchType& type, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, type.table);
  if (!t.find_oid(c.txn, oid, image)) {
    return Error(sqlstate::kInternalError,
                 "cache lookup failed for " + std::string(type.words) + " " + std::to_string(oid));
  }
  const RowReader row = t.reader(image);
  return Found{std::string(row.str(type.name)), row.oid(type.schema),
               type.owner < 0 ? kInvalidOid : row.oid(type.owner)};
}

Oid named_in_schema(DdlContext& c, const TextSearchType& type, Oid schema, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, type.table).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(type.name) == name && row.oid(type.schema) == schema) found = row.oid(0);
    return found == kInvalidOid;
  });
  return found;
}

// Its owner may change it; what has none belongs to superusers.
Status check_may_change(DdlContext& c, const TextSearchType& type, Oid oid, const Found& found, std::string_view change,
                        Right right = Right::kOwner) {
  if (type.owner >= 0) return check_right(c, right, found.schema, found.owner, type.words, found.name);
  if (right == Right::kOwnerOrSchemaOwner &&
      check_right(c, right, found.schema, oid::kBootstrapSuperuser, type.words, found.name).ok())
    return {};
  if (c.catalog.is_superuser(c.catalog.user())) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "must be superuser to " + std::string(change) + " " + text_search_text(c, {type.table, oid, 0}));
}

Status check_name_free(DdlContext& c, const TextSearchType& type, Oid schema, std::string_view name) {
  if (named_in_schema(c, type, schema, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject, std::string(type.words) + " " + quoted(name) + " already exists in schema " +
                                               quoted(c.catalog.schema_name(schema)));
}

}  // namespace

const TextSearchType* text_search_type(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION: return &text_search_type(TextSearchKind::kConfiguration);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY: return &text_search_type(TextSearchKind::kDictionary);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSPARSER: return &text_search_type(TextSearchKind::kParser);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSTEMPLATE: return &text_search_type(TextSearchKind::kTemplate);
    default: return nullptr;
  }
}
const TextSearchType* text_search_type(Oid class_id) {
  for (const TextSearchType& type : kTypes)
    if (type.table == class_id) return &type;
  return nullptr;
}
const TextSearchType& text_search_type(TextSearchKind kind) { return kTypes[static_cast<size_t>(kind)]; }

types::TextSearchSession& text_search(DdlContext& c) {
  return dynamic_cast<types::TextSearchSession&>(c.host.session());
}

Result<Oid> existing_text_search(DdlContext& c, const TextSearchType& type, NodeList name) {
  const auto q = sql::qualified_name(name);
  if (!q.valid) {
    return Error(sqlstate::kSyntaxError,
                 "improper qualified name (too many dotted names): " + sql::name_list_text(name));
  }
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const Oid oid = text_search(c).find_text_search(type.kind, q.schema, q.name);
  if (oid != kInvalidOid) return oid;
  return Error(sqlstate::kUndefinedObject,
               std::string(type.words) + " " + quoted(sql::name_list_text(name)) + " does not exist");
}

Result<std::optional<Address>> find_own_text_search(DdlContext& c, const TextSearchType& type, NodeList name,
                                                    bool missing_ok, Right right) {
  const auto q = sql::qualified_name(name);
  if (missing_ok && !q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  const Result<Oid> oid = existing_text_search(c, type, name);
  if (!oid) {
    if (!missing_ok || oid.error().state != sqlstate::kUndefinedObject) return Error(oid.error());
    notice(c, oid.error().message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_ASSIGN(const Found found, read_text_search(c, type, *oid));
  INDIGO_TRY(check_may_change(c, type, *oid, found, "change", right));
  return std::optional<Address>(Address{type.table, *oid, 0});
}

Result<std::optional<Address>> find_dropped_text_search(DdlContext& c, const TextSearchType& type, NodeList name,
                                                        bool missing_ok) {
  INDIGO_ASSIGN(const std::optional<Address> found,
                find_own_text_search(c, type, name, missing_ok, Right::kOwnerOrSchemaOwner));
  constexpr Oid kFirstUnpinned = 12000;
  if (found && found->object < kFirstUnpinned) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop " + text_search_text(c, *found) + " because it is required by the database system");
  }
  return found;
}

Status rename_text_search(DdlContext& c, const TextSearchType& type, NodeList name, std::string_view to) {
  INDIGO_ASSIGN(const Oid oid, existing_text_search(c, type, name));
  INDIGO_ASSIGN(const Found found, read_text_search(c, type, oid));
  INDIGO_TRY(check_may_change(c, type, oid, found, "rename"));
  INDIGO_TRY(check_schema_privilege(c, found.schema, types::kPrivilegeCreate));
  const std::string wanted = truncated_name(to);
  INDIGO_TRY(check_name_free(c, type, found.schema, wanted));
  INDIGO_TRY(update_row(c, type.table, {Datum::of_oid(oid)}, [&](RowValues& v) { v.str(type.name, wanted); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status move_text_search(DdlContext& c, const TextSearchType& type, NodeList name, std::string_view new_schema) {
  INDIGO_ASSIGN(const Oid oid, existing_text_search(c, type, name));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const Found found, read_text_search(c, type, oid));
  INDIGO_TRY(check_may_change(c, type, oid, found, "set schema of"));
  INDIGO_TRY(check_may_move(c, found.schema, schema));
  if (found.schema == schema) return {};
  INDIGO_TRY(check_name_free(c, type, schema, found.name));
  INDIGO_TRY(update_row(c, type.table, {Datum::of_oid(oid)}, [&](RowValues& v) { v.oid(type.schema, schema); }));
  INDIGO_TRY(change_dependency(c, {type.table, oid, 0}, {pg_namespace::kOid, found.schema, 0},
                               {pg_namespace::kOid, schema, 0}));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status change_text_search_owner(DdlContext& c, const TextSearchType& type, NodeList name, Oid owner) {
  INDIGO_ASSIGN(const Oid oid, existing_text_search(c, type, name));
  INDIGO_ASSIGN(const Found found, read_text_search(c, type, oid));
  if (found.owner == owner) return {};
  INDIGO_TRY(check_may_change(c, type, oid, found, "change"));
  INDIGO_TRY(check_new_owner(c, owner, found.schema));
  INDIGO_TRY(hold_role(c, owner));
  return update_row(c, type.table, {Datum::of_oid(oid)}, [&](RowValues& v) { v.oid(type.owner, owner); });
}

Status remove_text_search(DdlContext& c, const Address& address) {
  if (address.class_id == catalog::pg_ts_config::kOid) {
    SystemTable& map = table(c, catalog::pg_ts_config_map::kOid);
    std::vector<std::string> keys;
    map.scan_keys(c.txn, {Datum::of_oid(address.object)}, [&](RowReader, Bytes key) {
      keys.emplace_back(key.begin(), key.end());
      return true;
    });
    for (const std::string& key : keys) INDIGO_TRY(check_erased(map.erase_key(c.txn, Bytes(key))));
  }
  SystemTable& t = table(c, address.class_id);
  std::string image;
  if (t.find_oid(c.txn, address.object, image))
    INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(address.object)})));
  c.catalog.changed({kInvalidOid});
  return {};
}

std::string text_search_text(DdlContext& c, const Address& address) {
  const TextSearchType& type = *text_search_type(address.class_id);
  const auto name = text_search(c).text_search_name(type.kind, address.object);
  if (!name) return std::string(type.words) + " " + std::to_string(address.object);
  return std::string(type.words) + " " + (name->visible ? identifier(name->name) : qualified(name->schema, name->name));
}

Result<NewTextSearchName> new_text_search_name(DdlContext& c, NodeList name) {
  const auto q = sql::qualified_name(name);
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, name));
  return NewTextSearchName{schema, truncated_name(q.name)};
}

Status insert_text_search(DdlContext& c, const TextSearchType& type, const RowValues& row, Oid oid, Oid schema) {
  const std::string name(row.get(type.name).str);
  if (named_in_schema(c, type, schema, name) != kInvalidOid) {
    const char* prefix = type.kind == types::TextSearchKind::kConfiguration ? "cfg"
                         : type.kind == types::TextSearchKind::kDictionary  ? "dict"
                         : type.kind == types::TextSearchKind::kParser      ? "prs"
                                                                            : "tmpl";
    return Error(sqlstate::kUniqueViolation, "duplicate key value violates unique constraint " + quoted(type.unique))
        .with_detail("Key (" + std::string(prefix) + "name, " + prefix + "namespace)=(" + name + ", " +
                     std::to_string(schema) + ") already exists.");
  }
  INDIGO_TRY(check(table(c, type.table).insert(c.txn, row)));
  const Address self{type.table, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  INDIGO_TRY(record_membership(c, self));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
