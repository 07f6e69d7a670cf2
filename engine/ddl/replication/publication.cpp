#include "engine/ddl/replication/publication.h"

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/replication/publication_members.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "engine/settings/identifier_list.h"

namespace indigo::engine::ddl {

namespace pg_publication = catalog::pg_publication;

namespace {

constexpr SqlState kNotPrepared("55000");

Oid publication_named(DdlContext& c, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_publication::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_publication::c_pubname) == name) found = row.oid(pg_publication::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

std::optional<Publication> read_publication(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_publication::kOid);
  if (!t.find_oid(c.txn, oid, image)) return std::nullopt;
  const RowReader row = t.reader(image);
  return Publication{oid, row.oid(pg_publication::c_pubowner), std::string(row.str(pg_publication::c_pubname)),
                     row.flag(pg_publication::c_puballtables), row.flag(pg_publication::c_pubviaroot)};
}

Status check_name_free(DdlContext& c, std::string_view name) {
  if (publication_named(c, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject, "publication " + quoted(name) + " already exists");
}

// WITH (...); what is not written stays as it is.
struct Options {
  struct Published {
    bool inserts = false, updates = false, deletes = false, truncates = false;
  };
  std::optional<Published> published;
  std::optional<bool> via_root;
};

Result<Options::Published> read_published_kinds(std::string_view list) {
  const auto names = split_identifier_list(list);
  if (!names) return Error(sqlstate::kSyntaxError, "invalid list syntax in parameter \"publish\"");
  Options::Published out;
  for (const std::string& name : *names) {
    if (name == "insert") {
      out.inserts = true;
    } else if (name == "update") {
      out.updates = true;
    } else if (name == "delete") {
      out.deletes = true;
    } else if (name == "truncate") {
      out.truncates = true;
    } else {
      return Error(sqlstate::kSyntaxError, "unrecognized value for publication option \"publish\": " + quoted(name));
    }
  }
  return out;
}

Result<Options> read_options(DdlContext& c, NodeList list) {
  Options out;
  for (const PgQuery__Node* node : list) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view name = d.defname;
    const bool kinds = name == "publish";
    if (!kinds && name != "publish_via_partition_root") {
      return Error(sqlstate::kSyntaxError, "unrecognized publication parameter: " + quoted(name));
    }
    if (kinds ? out.published.has_value() : out.via_root.has_value()) {
      return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, d.location));
    }
    if (kinds) {
      if (sql::absent(d.arg)) return Error(sqlstate::kSyntaxError, "publish requires a parameter");
      INDIGO_ASSIGN(out.published, read_published_kinds(text_value(d.arg)));
    } else {
      INDIGO_ASSIGN(out.via_root, boolean_value(&d));
    }
  }
  return out;
}

void write_options(RowValues& row, const Options& o) {
  if (o.published) {
    row.flag(pg_publication::c_pubinsert, o.published->inserts)
        .flag(pg_publication::c_pubupdate, o.published->updates)
        .flag(pg_publication::c_pubdelete, o.published->deletes)
        .flag(pg_publication::c_pubtruncate, o.published->truncates);
  }
  if (o.via_root) row.flag(pg_publication::c_pubviaroot, *o.via_root);
}

Status require_superuser(DdlContext& c, const char* message) {
  if (c.catalog.is_superuser(c.catalog.user())) return {};
  return Error(sqlstate::kInsufficientPrivilege, message);
}

bool names_schemas(NodeList objects) {
  for (const PgQuery__Node* node : objects) {
    if (node->publication_obj_spec->pubobjtype != PG_QUERY__PUBLICATION_OBJ_SPEC_TYPE__PUBLICATIONOBJ_TABLE)
      return true;
  }
  return false;
}

Status alter_options(DdlContext& c, const Publication& p, NodeList list) {
  INDIGO_ASSIGN(const Options options, read_options(c, list));
  if (options.via_root && !*options.via_root && !p.all_tables) INDIGO_TRY(check_publishes_partitions(c, p));
  return update_row(c, pg_publication::kOid, {Datum::of_oid(p.oid)},
                    [&](RowValues& row) { write_options(row, options); });
}

Status alter_members(DdlContext& c, const Publication& p, const PgQuery__AlterPublicationStmt& s) {
  const NodeList written = nodes(s.n_pubobjects, s.pubobjects);
  const bool removed = s.action == PG_QUERY__ALTER_PUBLICATION_ACTION__AP_DropObjects;
  const bool schemas = names_schemas(written);
  if (schemas && !removed) INDIGO_TRY(require_superuser(c, "must be superuser to add or set schemas"));
  if (p.all_tables) {
    return Error(kNotPrepared, "publication " + quoted(p.name) + " is defined as FOR ALL TABLES")
        .with_detail(std::string(schemas ? "Schemas" : "Tables") +
                     " cannot be added to or dropped from FOR ALL TABLES publications.");
  }
  INDIGO_ASSIGN(const PublishedObjects objects, read_published(c, written, removed));
  if (removed) return remove_published(c, objects, p);
  if (s.action == PG_QUERY__ALTER_PUBLICATION_ACTION__AP_AddObjects) return add_published(c, p, objects);
  return set_published(c, p, objects);
}

}  // namespace

Status execute_create_publication(DdlContext& c, const PgQuery__CreatePublicationStmt& s) {
  INDIGO_TRY(check_database_privilege(c, kPrivilegeCreate));
  if (s.for_all_tables) INDIGO_TRY(require_superuser(c, "must be superuser to create FOR ALL TABLES publication"));
  const std::string name = truncated_name(s.pubname);
  INDIGO_TRY(check_name_free(c, name));
  INDIGO_ASSIGN(const Options options, read_options(c, nodes(s.n_options, s.options)));
  SystemTable& t = table(c, pg_publication::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_publication::c_oid, oid)
      .str(pg_publication::c_pubname, name)
      .oid(pg_publication::c_pubowner, c.catalog.user())
      .flag(pg_publication::c_puballtables, s.for_all_tables)
      .flag(pg_publication::c_pubinsert, true)
      .flag(pg_publication::c_pubupdate, true)
      .flag(pg_publication::c_pubdelete, true)
      .flag(pg_publication::c_pubtruncate, true)
      .flag(pg_publication::c_pubviaroot, false);
  write_options(row, options);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_publication::kOid, oid, 0};
  INDIGO_TRY(record_membership(c, self));
  const NodeList written = nodes(s.n_pubobjects, s.pubobjects);
  INDIGO_ASSIGN(const PublishedObjects objects, read_published(c, written, false));
  if (!objects.schemas.empty())
    INDIGO_TRY(require_superuser(c, "must be superuser to create FOR TABLES IN SCHEMA publication"));
  const Publication made{oid, c.catalog.user(), name, s.for_all_tables != 0, options.via_root.value_or(false)};
  INDIGO_TRY(add_published(c, made, objects));
  c.catalog.changed({kInvalidOid});
  if (std::string level; c.host.session().setting("wal_level", level) && level != "logical") {
    c.host.notice(Severity::kWarning, Error(kNotPrepared, "wal_level is insufficient to publish logical changes")
                                          .with_hint("Set wal_level to \"logical\" before creating subscriptions."));
  }
  return {};
}

Status execute_alter_publication(DdlContext& c, const PgQuery__AlterPublicationStmt& s) {
  INDIGO_ASSIGN(const auto found, find_own_publication(c, s.pubname, false));
  const SystemTable& t = table(c, pg_publication::kOid);
  std::string image;
  // Two changes of a publication's members are one after the other.
  INDIGO_TRY(check(t.claim(c.txn, t.key({Datum::of_oid(found->object)}), image)));
  const auto publication = read_publication(c, found->object);
  if (!publication) return storage_failure(StorageStatus::kNotFound);
  INDIGO_TRY(s.n_options > 0 ? alter_options(c, *publication, nodes(s.n_options, s.options))
                             : alter_members(c, *publication, s));
  c.catalog.changed({kInvalidOid});
  return {};
}

Result<std::optional<Address>> find_own_publication(DdlContext& c, std::string_view name, bool missing_ok) {
  const Oid oid = publication_named(c, name);
  const auto publication = read_publication(c, oid);
  if (!publication) {
    const std::string message = "publication " + quoted(name) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_owner(c, publication->owner, "publication", name));
  return std::optional<Address>(Address{pg_publication::kOid, oid, 0});
}

Status rename_publication(DdlContext& c, std::string_view name, std::string_view wanted) {
  const std::string to = truncated_name(wanted);
  INDIGO_ASSIGN(const auto found, find_own_publication(c, name, false));
  INDIGO_TRY(check_name_free(c, to));
  return update_row(c, pg_publication::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& row) { row.str(pg_publication::c_pubname, to); });
}

Status change_publication_owner(DdlContext& c, std::string_view name, Oid owner) {
  const auto publication = read_publication(c, publication_named(c, name));
  if (publication && publication->owner == owner) return {};  // which nobody is refused
  INDIGO_TRY(find_own_publication(c, name, false));
  INDIGO_TRY(check_new_owner(c, owner, kInvalidOid));
  if (!c.catalog.is_superuser(c.catalog.user())) {
    const uint32_t held = catalog::object_privileges(c.catalog, catalog::kDatabaseAcl, c.catalog.database(), owner);
    if ((held & kPrivilegeCreate) == 0) {
      return Error(sqlstate::kInsufficientPrivilege,
                   "permission denied for database " + std::string(c.catalog.database_name()));
    }
    const bool schemas = publishes_schemas(c, publication->oid);
    if ((publication->all_tables || schemas) && !c.catalog.is_superuser(owner)) {
      return Error(sqlstate::kInsufficientPrivilege, "permission denied to change owner of publication " + quoted(name))
          .with_hint(std::string("The owner of a ") +
                     (publication->all_tables ? "FOR ALL TABLES" : "FOR TABLES IN SCHEMA") +
                     " publication must be a superuser.");
    }
  }
  return update_row(c, pg_publication::kOid, {Datum::of_oid(publication->oid)},
                    [&](RowValues& row) { row.oid(pg_publication::c_pubowner, owner); });
}

std::string publication_name(DdlContext& c, Oid oid) {
  const auto publication = read_publication(c, oid);
  return publication ? publication->name : std::to_string(oid);
}

}  // namespace indigo::engine::ddl
