#include "engine/ddl/access/role_objects.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/owned_kinds.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/object/database_snapshot.h"
#include "engine/ddl/text_search/text_search_object.h"

namespace indigo::engine::ddl {

namespace {

std::string new_objects(char kind) {
  switch (kind) {
    case 'r': return "relations";
    case 'S': return "sequences";
    case 'f': return "functions";
    case 'T': return "types";
    default: return "schemas";
  }
}

// Of one database. What all have in common is found with those of the session's own.
class RoleObjects {
 public:
  RoleObjects(DdlContext& c, Oid role, catalog::Database& database)
      : c_(c), role_(role), database_(database), here_(database.oid() == c.catalog.database()) {}

  // In words, which there are for the session's own database alone.
  std::vector<std::string> find() {
    all();
    std::stable_sort(found_.begin(), found_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> out;
    for (auto& [oid, text] : found_) out.push_back(std::move(text));
    return out;
  }

 private:
  void all() {
    relations();
    all_types();
    listed(catalog::kSchemaAcl, pg_namespace::c_oid);
    listed(catalog::kFunctionAcl, pg_proc::c_oid);
    listed(catalog::kLanguageAcl, catalog::pg_language::c_oid);
    if (here_) shared();
    listed(catalog::kWrapperAcl, catalog::pg_foreign_data_wrapper::c_oid);
    listed(catalog::kServerAcl, catalog::pg_foreign_server::c_oid);
    large_objects();
    scan(catalog::pg_user_mapping::kOid, [&](RowReader row) {
      owned({catalog::pg_user_mapping::kOid, row.oid(catalog::pg_user_mapping::c_oid), 0},
            row.oid(catalog::pg_user_mapping::c_umuser));
      return true;
    });
    scan(catalog::pg_publication::kOid, [&](RowReader row) {
      owned({catalog::pg_publication::kOid, row.oid(catalog::pg_publication::c_oid), 0},
            row.oid(catalog::pg_publication::c_pubowner));
      return true;
    });
    for (const OwnedKind& kind : kPlainKinds) {
      scan(kind.table, [&](RowReader row) {
        owned({kind.table, row.oid(kind.oid), 0}, row.oid(kind.owner));
        return true;
      });
    }
    for (const Oid class_id : {catalog::pg_ts_config::kOid, catalog::pg_ts_dict::kOid}) {
      scan(class_id, [&](RowReader row) {
        owned({class_id, row.oid(0), 0}, row.oid(text_search_type(class_id)->owner));
        return true;
      });
    }
    default_privileges();
  }

  void shared() {
    listed(catalog::kDatabaseAcl, pg_database::c_oid);
    listed(catalog::kTablespaceAcl, catalog::pg_tablespace::c_oid);
    listed(catalog::kParameterAcl, catalog::pg_parameter_acl::c_oid);
    scan(catalog::pg_subscription::kOid, [&](RowReader row) {
      owned({catalog::pg_subscription::kOid, row.oid(catalog::pg_subscription::c_oid), 0},
            row.oid(catalog::pg_subscription::c_subowner));
      return true;
    });
  }

  template <class F>
  void scan(Oid table, const F& f) {
    database_.table(table).scan(c_.txn, {}, f);
  }
  std::string named(const Address& a) { return here_ ? describe(c_, a) : std::string(); }

  void owned(const Address& a, Oid owner) {
    if (owner == role_) found_.emplace_back(a.object, "owner of " + named(a));
  }
  void granted(const Address& a, Oid owner, const RowReader& row, int acl_column) {
    if (owner == role_ || row.is_null(acl_column)) return;
    for (const types::AclItem& item : types::read_acl(row.str(acl_column))) {
      if (item.grantee != role_) continue;
      found_.emplace_back(a.object, "privileges for " + named(a));
      return;
    }
  }

  void listed(const catalog::AclSource& source, int oid_column) {
    scan(source.table, [&](RowReader row) {
      const Oid owner = source.owner >= 0 ? row.oid(source.owner) : oid::kBootstrapSuperuser;
      const Address a{source.table, row.oid(oid_column), 0};
      owned(a, owner);
      granted(a, owner, row, source.acl);
      return true;
    });
  }

  void large_objects() {
    const catalog::AclSource& source = catalog::kLargeObjectAcl;
    scan(source.table, [&](RowReader row) {
      const Address a{catalog::pg_largeobject::kOid, row.oid(catalog::pg_largeobject_metadata::c_oid), 0};
      owned(a, row.oid(source.owner));
      granted(a, row.oid(source.owner), row, source.acl);
      return true;
    });
  }

  void relations() {
    scan(pg_class::kOid, [&](RowReader row) {
      const Address a{pg_class::kOid, row.oid(pg_class::c_oid), 0};
      if (a.object < oid::kFirstUserOid) return true;
      const Oid owner = row.oid(pg_class::c_relowner);
      owners_.emplace(a.object, owner);
      if (row.chr(pg_class::c_relkind) != 'i') owned(a, owner);
      granted(a, owner, row, pg_class::c_relacl);
      return true;
    });
    scan(pg_attribute::kOid, [&](RowReader row) {
      if (row.is_null(pg_attribute::c_attacl)) return true;
      const auto relation = owners_.find(row.oid(pg_attribute::c_attrelid));
      if (relation == owners_.end()) return true;
      granted({pg_class::kOid, relation->first, row.i16(pg_attribute::c_attnum)}, relation->second, row,
              pg_attribute::c_attacl);
      return true;
    });
  }

  // Row types and arrays belong to what they are the types of.
  void all_types() {
    scan(pg_type::kOid, [&](RowReader row) {
      const Address a{pg_type::kOid, row.oid(pg_type::c_oid), 0};
      if (a.object < oid::kFirstUserOid || row.oid(pg_type::c_typrelid) != kInvalidOid ||
          row.oid(pg_type::c_typelem) != kInvalidOid) {
        return true;
      }
      owned(a, row.oid(pg_type::c_typowner));
      granted(a, row.oid(pg_type::c_typowner), row, pg_type::c_typacl);
      return true;
    });
  }

  std::string in_schema(Oid schema) {
    return schema == kInvalidOid ? std::string() : " in schema " + c_.catalog.schema_name(schema);
  }

  void default_privileges() {
    namespace acl = catalog::pg_default_acl;
    scan(acl::kOid, [&](RowReader row) {
      const Oid owner = row.oid(acl::c_defaclrole), oid = row.oid(acl::c_oid);
      if (!here_) {
        const auto items = types::read_acl(row.str(acl::c_defaclacl));
        const bool named = std::any_of(items.begin(), items.end(), [&](const auto& i) { return i.grantee == role_; });
        if (owner == role_ || named) found_.emplace_back(oid, std::string());
        return true;
      }
      const std::string of = "default privileges on new " + new_objects(row.chr(acl::c_defaclobjtype)) +
                             " belonging to role " + c_.catalog.role_name(owner) +
                             in_schema(row.oid(acl::c_defaclnamespace));
      if (owner == role_) found_.emplace_back(oid, "owner of " + of);
      for (const types::AclItem& item : types::read_acl(row.str(acl::c_defaclacl))) {
        if (item.grantee == role_ && owner != role_) found_.emplace_back(oid, "privileges for " + of);
      }
      return true;
    });
  }

  DdlContext& c_;
  const Oid role_;
  catalog::Database& database_;
  const bool here_;
  std::unordered_map<Oid, Oid> owners_;             // of relations that users have made
  std::vector<std::pair<Oid, std::string>> found_;  // by the object
};

}  // namespace

std::vector<std::string> objects_of_role(DdlContext& c, Oid role) {
  std::vector<std::string> out;
  std::map<Oid, int> elsewhere;
  for (const auto& database : c.catalog.catalog().databases()) {
    std::vector<std::string> found = RoleObjects(c, role, *database).find();
    if (database->oid() == c.catalog.database()) {
      out = std::move(found);
    } else if (!found.empty()) {
      elsewhere[database->oid()] = static_cast<int>(found.size());
    }
  }
  for (std::string& policy : policies_for_role(c, role, elsewhere)) out.push_back(std::move(policy));
  for (const auto& [database, count] : elsewhere) {
    out.push_back(std::to_string(count) + (count == 1 ? " object" : " objects") + " in " +
                  describe_database(c, database));
  }
  return out;
}

}  // namespace indigo::engine::ddl
