#include "engine/ddl/object/collation.h"

#include <set>

#include "catalog/catalog.h"
#include "engine/ddl/object/database_locale.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/value/acl.h"
#include "types/value/collator.h"

namespace indigo::engine::ddl {

namespace {

constexpr int32_t kAnyEncoding = -1, kUtf8 = 6;

struct Definition {
  std::string locale, collate, ctype, version;
  bool has_locale = false, has_collate = false, has_ctype = false, has_version = false;
  bool icu = false, deterministic = true;
  Oid from = kInvalidOid;
};

Oid named_in(DdlContext& c, Oid schema, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_collation::kOid)
      .scan_index(c.txn, system_index::kCollationName, {Datum::of(Str(name)), Datum::of_oid(schema)},
                  [&](RowReader row) {
                    found = row.oid(pg_collation::c_oid);
                    return false;
                  });
  return found;
}

Status read_option(DdlContext& c, const PgQuery__DefElem& option, Definition& d) {
  const std::string_view name = option.defname;
  if (name == "locale") {
    d.has_locale = true;
    d.locale = text_value(option.arg);
  } else if (name == "lc_collate") {
    d.has_collate = true;
    d.collate = text_value(option.arg);
  } else if (name == "lc_ctype") {
    d.has_ctype = true;
    d.ctype = text_value(option.arg);
  } else if (name == "provider") {
    const std::string provider = text_value(option.arg);
    if (provider != "icu" && provider != "libc") {
      return Error(sqlstate::kInvalidObjectDefinition, "unrecognized collation provider: " + provider);
    }
    d.icu = provider == "icu";
  } else if (name == "deterministic") {
    INDIGO_ASSIGN(d.deterministic, boolean_value(&option));
  } else if (name == "version") {
    d.has_version = true;
    d.version = text_value(option.arg);
  } else if (name == "from") {
    const NodeList parts = option.arg->node_case == PG_QUERY__NODE__NODE_LIST
                               ? nodes(option.arg->list->n_items, option.arg->list->items)
                               : nodes(option.arg->type_name->n_names, option.arg->type_name->names);
    INDIGO_ASSIGN(d.from, resolve_collation(c, parts, -1));
  } else {
    return Error(sqlstate::kSyntaxError, "collation attribute " + quoted(name) + " not recognized")
        .at(position(c, option.location));
  }
  return {};
}

Status check_definition(const Definition& d) {
  if (d.has_locale && (d.has_collate || d.has_ctype)) {
    return Error(sqlstate::kSyntaxError, "conflicting or redundant options")
        .with_detail("LOCALE cannot be specified together with LC_COLLATE or LC_CTYPE.");
  }
  const auto missing = [](const char* parameter) {
    return Error(sqlstate::kInvalidObjectDefinition, "parameter \"" + std::string(parameter) + "\" must be specified");
  };
  if (d.icu) return d.has_locale ? Status() : missing("locale");
  if (!d.deterministic) {
    return Error(sqlstate::kFeatureNotSupported, "nondeterministic collations not supported with this provider");
  }
  if (!d.has_locale && !d.has_collate) return missing("lc_collate");
  if (!d.has_locale && !d.has_ctype) return missing("lc_ctype");
  for (const std::string& name : {d.has_locale ? d.locale : d.collate, d.has_locale ? d.locale : d.ctype}) {
    INDIGO_TRY(check_libc_locale(name));
  }
  return {};
}

types::Locale locale_of(const Definition& d) {
  types::Locale out;
  out.deterministic = d.deterministic;
  if (d.icu) {
    out.provider = 'i';
    out.icu = d.locale;
  } else {
    out.collate = d.has_locale ? d.locale : d.collate;
    out.ctype = d.has_locale ? d.locale : d.ctype;
  }
  return out;
}

// A row that has all but what it is called, where it lies and whose it is.
Status insert_collation(DdlContext& c, RowValues& row, Oid schema, const std::string& name) {
  const Oid oid = next_oid(c);
  row.oid(pg_collation::c_oid, oid)
      .str(pg_collation::c_collname, name)
      .oid(pg_collation::c_collnamespace, schema)
      .oid(pg_collation::c_collowner, c.catalog.user());
  INDIGO_TRY(check(table(c, pg_collation::kOid).insert(c.txn, row)));
  c.host.made(pg_collation::kOid, oid, c.extension != kInvalidOid);
  return record_dependency(c, {pg_collation::kOid, oid, 0}, {pg_namespace::kOid, schema, 0}, 'n');
}

}  // namespace

Status execute_create_collation(DdlContext& c, const PgQuery__DefineStmt& s) {
  const NodeList parts = nodes(s.n_defnames, s.defnames);
  const auto q = sql::qualified_name(parts);
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, parts));
  const std::string name = truncated_name(q.name);
  Definition d;
  std::set<std::string_view> seen;
  for (const PgQuery__Node* node : nodes(s.n_definition, s.definition)) {
    const PgQuery__DefElem& option = *node->def_elem;
    if (!seen.insert(option.defname).second) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, option.location));
    }
    INDIGO_TRY(read_option(c, option, d));
  }
  SystemTable& t = table(c, pg_collation::kOid);
  RowValues row(t.definition());
  if (d.from != kInvalidOid) {
    if (s.n_definition > 1) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options")
          .with_detail("FROM cannot be specified together with any other options.");
    }
    if (d.from == oid::kDefaultCollation)
      return Error(sqlstate::kInvalidObjectDefinition, "collation \"default\" cannot be copied");
    std::string image;
    if (!t.find_oid(c.txn, d.from, image)) return gone_error();
    for (int i = 0; i < t.definition().column_count; i++) row.set(i, t.reader(image).datum(i));
  } else {
    INDIGO_TRY(check_definition(d));
    row.chr(pg_collation::c_collprovider, d.icu ? 'i' : 'c')
        .flag(pg_collation::c_collisdeterministic, d.deterministic)
        .i32(pg_collation::c_collencoding, d.icu ? kAnyEncoding : kUtf8);
    const types::Locale locale = locale_of(d);
    const std::string version = d.has_version ? d.version : c.catalog.catalog().collation_version(locale);
    if (d.icu) {
      if (c.catalog.catalog().collator(locale) == nullptr) {
        return Error(sqlstate::kInternalError, "could not open collator for locale \"" + d.locale + "\"");
      }
      row.str(pg_collation::c_colliculocale, d.locale);
    } else {
      row.str(pg_collation::c_collcollate, locale.collate).str(pg_collation::c_collctype, locale.ctype);
    }
    if (!version.empty()) row.str(pg_collation::c_collversion, version);
  }
  if (named_in(c, schema, name) != kInvalidOid) {
    if (!s.if_not_exists) return Error(sqlstate::kDuplicateObject, "collation " + quoted(name) + " already exists");
    notice(c, "collation " + quoted(name) + " already exists, skipping", sqlstate::kDuplicateObject);
    return {};
  }
  INDIGO_TRY(insert_collation(c, row, schema, name));
  c.catalog.changed({kInvalidOid});
  return {};
}

Result<int32_t> import_collations(DdlContext& c, Oid schema) {
  struct Found {
    std::string name, image;
  };
  std::vector<Found> all;
  SystemTable& t = table(c, pg_collation::kOid);
  t.scan(c.txn, {}, [&](RowReader row) {
    const char provider = row.chr(pg_collation::c_collprovider);
    const Str order = provider == 'c' ? row.str(pg_collation::c_collcollate) : Str();
    const bool of_library = provider == 'i' || (provider == 'c' && order != "C" && order != "POSIX");
    std::string image;
    const Oid oid = row.oid(pg_collation::c_oid);
    if (of_library && oid < oid::kFirstUserOid && t.find_oid(c.txn, oid, image))
      all.push_back({std::string(row.str(pg_collation::c_collname)), std::move(image)});
    return true;
  });
  int32_t made = 0;
  for (const Found& found : all) {
    if (named_in(c, schema, found.name) != kInvalidOid) continue;
    RowValues row(t.definition());
    for (int i = 0; i < t.definition().column_count; i++) row.set(i, t.reader(found.image).datum(i));
    INDIGO_TRY(insert_collation(c, row, schema, found.name));
    made++;
  }
  if (made > 0) c.catalog.changed({kInvalidOid});
  return made;
}

Result<Oid> owned_collation(DdlContext& c, NodeList name, Right right) {
  INDIGO_ASSIGN(const Oid oid, resolve_collation(c, name, -1));
  std::string image;
  const SystemTable& t = table(c, pg_collation::kOid);
  if (!t.find_oid(c.txn, oid, image)) return gone_error();
  const RowReader row = t.reader(image);
  INDIGO_TRY(check_right(c, right, row.oid(pg_collation::c_collnamespace), row.oid(pg_collation::c_collowner),
                         "collation", row.str(pg_collation::c_collname)));
  return oid;
}

Status execute_alter_collation(DdlContext& c, const PgQuery__AlterCollationStmt& s) {
  INDIGO_ASSIGN(const Oid oid, owned_collation(c, nodes(s.n_collname, s.collname)));
  if (oid == oid::kDefaultCollation) {
    return Error(sqlstate::kInternalError, "unexpected null in pg_collation");
  }
  std::string image;
  const SystemTable& t = table(c, pg_collation::kOid);
  if (!t.find_oid(c.txn, oid, image)) return gone_error();
  const RowReader row = t.reader(image);
  const std::string before(row.is_null(pg_collation::c_collversion) ? Str() : row.str(pg_collation::c_collversion));
  const types::Collator* const order = c.catalog.collator(oid);
  const std::string now = order == nullptr ? "" : order->version();
  if (before.empty() != now.empty()) return Error(sqlstate::kInternalError, "invalid collation version change");
  if (before == now) {
    notice(c, "version has not changed");
    return {};
  }
  notice(c, "changing version from " + before + " to " + now);
  INDIGO_TRY(update_row(c, pg_collation::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.str(pg_collation::c_collversion, now); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Result<std::optional<Address>> find_dropped_collation(DdlContext& c, NodeList name, bool missing_ok) {
  const auto q = sql::qualified_name(name);
  if (missing_ok && !q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  if (missing_ok && q.valid && c.catalog.find_collation(q.schema, q.name) == kInvalidOid) {
    notice(c, "collation " + quoted(sql::name_list_text(name)) + " does not exist, skipping");
    return std::optional<Address>();
  }
  INDIGO_ASSIGN(const Oid oid, owned_collation(c, name, Right::kOwnerOrSchemaOwner));
  constexpr Oid kFirstUnpinned = 12000;
  if (oid < kFirstUnpinned) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop collation " + identifier(q.name) + " because it is required by the database system");
  }
  return std::optional<Address>(Address{pg_collation::kOid, oid, 0});
}

Status rename_collation(DdlContext& c, NodeList name, std::string_view to) {
  INDIGO_ASSIGN(const Oid oid, owned_collation(c, name));
  const std::string wanted = truncated_name(to);
  std::string image;
  const SystemTable& t = table(c, pg_collation::kOid);
  if (!t.find_oid(c.txn, oid, image)) return gone_error();
  const Oid schema = t.reader(image).oid(pg_collation::c_collnamespace);
  INDIGO_TRY(check_schema_privilege(c, schema, types::kPrivilegeCreate));
  if (named_in(c, schema, wanted) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject, "collation " + quoted(wanted) +
                                                 " for encoding \"UTF8\" already exists in schema " +
                                                 quoted(c.catalog.schema_name(schema)));
  }
  INDIGO_TRY(update_row(c, pg_collation::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.str(pg_collation::c_collname, wanted); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status move_collation(DdlContext& c, NodeList name, std::string_view new_schema) {
  INDIGO_TRY(owned_collation(c, name, Right::kNobody));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const Oid oid, owned_collation(c, name));
  std::string image;
  const SystemTable& t = table(c, pg_collation::kOid);
  if (!t.find_oid(c.txn, oid, image)) return gone_error();
  const std::string own(t.reader(image).str(pg_collation::c_collname));
  const Oid before = t.reader(image).oid(pg_collation::c_collnamespace);
  INDIGO_TRY(check_may_move(c, before, schema));
  if (before != schema && named_in(c, schema, own) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject, "collation " + quoted(own) +
                                                 " for encoding \"UTF8\" already exists in schema " +
                                                 quoted(c.catalog.schema_name(schema)));
  }
  INDIGO_TRY(update_row(c, pg_collation::kOid, {Datum::of_oid(oid)},
                        [&](RowValues& v) { v.oid(pg_collation::c_collnamespace, schema); }));
  INDIGO_TRY(change_dependency(c, {pg_collation::kOid, oid, 0}, {pg_namespace::kOid, before, 0},
                               {pg_namespace::kOid, schema, 0}));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
