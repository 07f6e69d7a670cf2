#include "engine/ddl/operator/operator_class.h"

#include <algorithm>

#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/class_members.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/builtin/index_methods.h"
#include "types/extension/extension.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_opclass = catalog::pg_opclass;
namespace pg_opfamily = catalog::pg_opfamily;

Oid named_in(DdlContext& c, bool family, Oid method, std::string_view name, Oid schema) {
  Oid found = kInvalidOid;
  table(c, family ? pg_opfamily::kOid : pg_opclass::kOid)
      .scan_index(c.txn, family ? system_index::kOpfamilyName : system_index::kOpclassName,
                  {Datum::of_oid(method), Datum::of(Str(name)), Datum::of_oid(schema)}, [&](RowReader row) {
                    found = row.oid(family ? int{pg_opfamily::c_oid} : int{pg_opclass::c_oid});
                    return false;
                  });
  return found;
}

Result<Oid> make_family(DdlContext& c, Oid method, const std::string& name, Oid schema) {
  SystemTable& families = table(c, pg_opfamily::kOid);
  if (named_in(c, true, method, name, schema) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject, "operator family " + quoted(name) + " for access method " +
                                                 quoted(index_method_name(c, method)) + " already exists");
  }
  const Oid oid = next_oid(c);
  RowValues row(families.definition());
  row.oid(pg_opfamily::c_oid, oid)
      .oid(pg_opfamily::c_opfmethod, method)
      .str(pg_opfamily::c_opfname, name)
      .oid(pg_opfamily::c_opfnamespace, schema)
      .oid(pg_opfamily::c_opfowner, c.catalog.user());
  INDIGO_TRY(check(families.insert(c.txn, row)));
  const Address self{pg_opfamily::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {catalog::pg_am::kOid, method, 0}, 'a'));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  INDIGO_TRY(record_membership(c, self));
  return oid;
}

// A default class decides how values are sorted everywhere: there is one of a method and type.
Status check_default(DdlContext& c, Oid method, Oid type, const std::string& written, const std::string& name) {
  std::string other;
  table(c, pg_opclass::kOid).scan_index(c.txn, system_index::kOpclassName, {Datum::of_oid(method)}, [&](RowReader row) {
    if (row.oid(pg_opclass::c_opcintype) != type || !row.flag(pg_opclass::c_opcdefault)) return true;
    other = row.str(pg_opclass::c_opcname);
    return false;
  });
  if (!other.empty()) {
    return Error(sqlstate::kDuplicateObject,
                 "could not make operator class " + quoted(name) + " be default for type " + written)
        .with_detail("Operator class " + quoted(other) + " already is the default.");
  }
  return {};
}

}  // namespace

Oid find_operator_group_named(DdlContext& c, bool family, Oid method, const sql::QualifiedName& q) {
  if (!q.schema.empty()) return named_in(c, family, method, q.name, c.catalog.schema_named(q.schema));
  for (const Oid schema : c.catalog.search_path()) {
    if (const Oid found = named_in(c, family, method, q.name, schema); found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

Oid operator_class_named(DdlContext& c, Oid method, const sql::QualifiedName& name) {
  return find_operator_group_named(c, false, method, name);
}

Status execute_create_operator_family(DdlContext& c, const PgQuery__CreateOpFamilyStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_opfamilyname, s.opfamilyname));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_opfamilyname, s.opfamilyname)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const Oid method, find_index_method(c, s.amname));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create an operator family");
  INDIGO_TRY(make_family(c, method, truncated_name(q.name), schema));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status execute_create_operator_class(DdlContext& c, const PgQuery__CreateOpClassStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_opclassname, s.opclassname));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_opclassname, s.opclassname)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const Oid method, find_index_method(c, s.amname));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create an operator class");
  INDIGO_ASSIGN(const TypeRef type, resolve_type(c, s.datatype));
  const std::string name = truncated_name(q.name);
  Oid family = kInvalidOid;
  if (s.n_opfamilyname > 0) {
    const NodeList parts = nodes(s.n_opfamilyname, s.opfamilyname);
    family = find_operator_group_named(c, true, method, sql::qualified_name(parts));
    if (family == kInvalidOid) {
      return Error(sqlstate::kUndefinedObject, "operator family " + quoted(sql::name_list_text(parts)) +
                                                   " does not exist for access method " + quoted(s.amname));
    }
  } else {
    family = named_in(c, true, method, name, schema);
  }
  ClassMembers maker(c, method, type.oid);
  for (const PgQuery__Node* n : nodes(s.n_items, s.items)) INDIGO_TRY(maker.add(*n->create_op_class_item));
  if (named_in(c, false, method, name, schema) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject,
                 "operator class " + quoted(name) + " for access method " + quoted(s.amname) + " already exists");
  }
  if (s.is_default) {
    const std::string written = sql::name_list_text(nodes(s.datatype->n_names, s.datatype->names));
    INDIGO_TRY(check_default(c, method, type.oid, written, name));
  }
  if (family == kInvalidOid) {
    INDIGO_ASSIGN(family, make_family(c, method, name, schema));
  }
  const Oid oid = next_oid(c);
  SystemTable& classes = table(c, pg_opclass::kOid);
  RowValues row(classes.definition());
  row.oid(pg_opclass::c_oid, oid)
      .oid(pg_opclass::c_opcmethod, method)
      .str(pg_opclass::c_opcname, name)
      .oid(pg_opclass::c_opcnamespace, schema)
      .oid(pg_opclass::c_opcowner, c.catalog.user())
      .oid(pg_opclass::c_opcfamily, family)
      .oid(pg_opclass::c_opcintype, type.oid)
      .flag(pg_opclass::c_opcdefault, s.is_default)
      .oid(pg_opclass::c_opckeytype, maker.key_type());
  INDIGO_TRY(check(classes.insert(c.txn, row)));
  const Address self{pg_opclass::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, self, {pg_opfamily::kOid, family, 0}, 'a'));
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, type.oid, 0}, 'n'));
  INDIGO_TRY(insert_class_members(c, method, family, self, maker.members()));
  INDIGO_TRY(record_membership(c, self));
  c.catalog.changed({kInvalidOid});
  return {};
}

namespace {

// Classes of pseudo-types are for every type of the kind.
bool class_takes(DdlContext& c, Oid type, Oid input) {
  const TypePtr info = c.catalog.type(type);
  if (info == nullptr) return false;
  if (info->kind == 'd') return class_takes(c, info->base, input);
  switch (input) {
    case oid::kAnyEnum: return info->kind == 'e';
    case oid::kAnyArray: return info->is_array();
    case oid::kAnyRange: return info->kind == 'r';
    case oid::kAnyMultirange: return info->kind == 'm';
    case oid::kRecord: return info->kind == 'c' || type == oid::kRecord;
    default: return is_binary_coercible(c, type, input);
  }
}

}  // namespace

Result<Oid> find_class(DdlContext& c, NodeList name, Oid type, Oid method) {
  const auto q = sql::qualified_name(name);
  const Oid found = q.valid ? find_operator_group_named(c, false, method, q) : kInvalidOid;
  if (found == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject, "operator class " + quoted(sql::name_list_text(name)) +
                                                 " does not exist for access method " +
                                                 quoted(index_method_name(c, method)));
  }
  std::string image;
  const SystemTable& classes = table(c, pg_opclass::kOid);
  const Oid input = classes.find_oid(c.txn, found, image) ? classes.reader(image).oid(pg_opclass::c_opcintype) : type;
  if (class_takes(c, type, input)) return found;
  return Error(sqlstate::kDatatypeMismatch, "operator class " + quoted(sql::name_list_text(name)) +
                                                " does not accept data type " + type_text(c, {type, -1, kInvalidOid}));
}

Result<std::optional<Address>> find_operator_group(DdlContext& c, NodeList name, bool family, bool missing_ok,
                                                   Right right) {
  const std::string method_text(string_of(name.front()));
  INDIGO_ASSIGN(const Oid method, find_index_method(c, method_text));
  const NodeList parts = name.subspan(1);
  const auto q = sql::qualified_name(parts);
  if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    if (!missing_ok) return existing_schema(c, q.schema).take_error();
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  const Oid found = find_operator_group_named(c, family, method, q);
  const std::string what = family ? "operator family " : "operator class ";
  const std::string text = sql::name_list_text(parts);
  const std::string message = what + quoted(text) + " does not exist for access method " + quoted(method_text);
  if (found == kInvalidOid) {
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  const Oid class_id = family ? Oid{pg_opfamily::kOid} : Oid{pg_opclass::kOid};
  std::string image;
  const SystemTable& t = table(c, class_id);
  if (t.find_oid(c.txn, found, image)) {
    const Oid owner = t.reader(image).oid(family ? int{pg_opfamily::c_opfowner} : int{pg_opclass::c_opcowner});
    const Oid schema = t.reader(image).oid(family ? int{pg_opfamily::c_opfnamespace} : int{pg_opclass::c_opcnamespace});
    INDIGO_TRY(check_right(c, right, schema, owner, family ? "operator family" : "operator class", text));
  }
  const Address address{class_id, found, 0};
  if (found < oid::kFirstUserOid && !missing_ok) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop " + describe(c, address) + " because it is required by the database system");
  }
  return std::optional<Address>(address);
}

std::string operator_group_text(DdlContext& c, const Address& a) {
  const bool family = a.class_id == pg_opfamily::kOid;
  std::string image;
  const SystemTable& t = table(c, a.class_id);
  if (!t.find_oid(c.txn, a.object, image)) return std::to_string(a.object);
  const RowReader row = t.reader(image);
  const std::string name(row.str(family ? int{pg_opfamily::c_opfname} : int{pg_opclass::c_opcname}));
  const Oid schema = row.oid(family ? int{pg_opfamily::c_opfnamespace} : int{pg_opclass::c_opcnamespace});
  const Oid method = row.oid(family ? int{pg_opfamily::c_opfmethod} : int{pg_opclass::c_opcmethod});
  sql::QualifiedName q;
  q.name = name;
  const bool visible = find_operator_group_named(c, family, method, q) == a.object;
  return (visible ? identifier(name) : qualified(c.catalog.schema_name(schema), name)) + " for access method " +
         index_method_name(c, method);
}

}  // namespace indigo::engine::ddl
