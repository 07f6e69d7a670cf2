#include "engine/ddl/operator/operator_class.h"

#include <algorithm>

#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/builtin/index_methods.h"
#include "types/extension/extension.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_am = catalog::pg_am;
namespace pg_amop = catalog::pg_amop;
namespace pg_amproc = catalog::pg_amproc;
namespace pg_opclass = catalog::pg_opclass;
namespace pg_opfamily = catalog::pg_opfamily;
constexpr Oid kBtree = oid::kBtreeMethod, kHash = oid::kHashMethod, kGist = 783, kSpgist = 4000;

Result<Oid> find_method(DdlContext& c, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_am::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_am::c_amname) != name || row.chr(pg_am::c_amtype) != 'i') return true;
    found = row.oid(pg_am::c_oid);
    return false;
  });
  if (found == kInvalidOid)
    return Error(sqlstate::kUndefinedObject, "access method " + quoted(name) + " does not exist");
  return found;
}

std::string method_name(DdlContext& c, Oid method) {
  std::string image;
  const SystemTable& t = table(c, pg_am::kOid);
  return t.find_oid(c.txn, method, image) ? std::string(t.reader(image).str(pg_am::c_amname)) : std::to_string(method);
}

// How many operators and functions a method's classes have (amstrategies, amsupport); 0: any.
struct Limits {
  int64_t operators, functions;
};
Limits limits_of(Oid method) {
  if (method == kBtree) return {5, 5};
  if (method == kHash) return {1, 3};
  constexpr Oid kGin = 2742, kBrin = 3580;
  if (method == kGist) return {32767, 11};
  if (method == kGin) return {32767, 7};
  if (method == kSpgist) return {32767, 7};
  if (method == kBrin) return {32767, 15};
  return {32767, 32767};
}

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

Oid find_group(DdlContext& c, bool family, Oid method, const sql::QualifiedName& q) {
  if (!q.schema.empty()) return named_in(c, family, method, q.name, c.catalog.schema_named(q.schema));
  for (const Oid schema : c.catalog.search_path()) {
    if (const Oid found = named_in(c, family, method, q.name, schema); found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

Result<Oid> make_family(DdlContext& c, Oid method, const std::string& name, Oid schema) {
  SystemTable& families = table(c, pg_opfamily::kOid);
  if (named_in(c, true, method, name, schema) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject, "operator family " + quoted(name) + " for access method " +
                                                 quoted(method_name(c, method)) + " already exists");
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
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  INDIGO_TRY(record_membership(c, self));
  return oid;
}

struct Member {
  bool is_function;
  int16_t number;
  Oid left, right, object;
  Oid order_family =
      kInvalidOid;  // of btree: by which an operator's results are sorted; none: it is one to search with
};

class ClassMaker {
 public:
  ClassMaker(DdlContext& c, Oid method, Oid type) : c_(c), method_(method), type_(type) {}

  Status add(const PgQuery__CreateOpClassItem& item) {
    constexpr int kOperator = 1, kFunction = 2;
    const Limits limits = limits_of(method_);
    if (item.itemtype == kOperator) {
      if (item.number < 1 || item.number > limits.operators) return out_of_range("operator", item, limits.operators);
      return add_operator(item);
    }
    if (item.itemtype == kFunction) {
      if (item.number < 1 || item.number > limits.functions) return out_of_range("function", item, limits.functions);
      return add_function(item);
    }
    INDIGO_ASSIGN(const TypeRef stored, resolve_type(c_, item.storedtype));
    if (stored.oid != type_ && (method_ == kBtree || method_ == kHash)) {
      return Error(
          sqlstate::kInvalidObjectDefinition,
          "storage type cannot be different from data type for access method " + quoted(method_name(c_, method_)));
    }
    key_type_ = stored.oid == type_ ? kInvalidOid : stored.oid;
    return {};
  }

  const std::vector<Member>& members() const { return members_; }
  Oid key_type() const { return key_type_; }

 private:
  static Error out_of_range(std::string_view what, const PgQuery__CreateOpClassItem& item, int64_t limit) {
    return Error(sqlstate::kInvalidObjectDefinition, "invalid " + std::string(what) + " number " +
                                                         std::to_string(item.number) + ", must be between 1 and " +
                                                         std::to_string(limit));
  }

  Status insert(const Member& m) {
    for (const Member& other : members_) {
      if (other.is_function != m.is_function || other.number != m.number || other.left != m.left ||
          other.right != m.right)
        continue;
      const std::string left = type_text(c_, {m.left, -1, kInvalidOid});
      const std::string right = m.right == kInvalidOid ? "-" : type_text(c_, {m.right, -1, kInvalidOid});
      return Error(sqlstate::kInvalidObjectDefinition, std::string(m.is_function ? "function" : "operator") +
                                                           " number " + std::to_string(m.number) + " for (" + left +
                                                           "," + right + ") appears more than once");
    }
    members_.push_back(m);
    return {};
  }

  Status add_operator(const PgQuery__CreateOpClassItem& item) {
    Oid order_family = kInvalidOid;
    if (item.n_order_family > 0) {
      const NodeList parts = nodes(item.n_order_family, item.order_family);
      order_family = find_group(c_, true, kBtree, sql::qualified_name(parts));
      if (order_family == kInvalidOid) {
        return Error(sqlstate::kUndefinedObject, "operator family " + quoted(sql::name_list_text(parts)) +
                                                     " does not exist for access method \"btree\"");
      }
    }
    OperatorPtr o = nullptr;
    if (item.name->n_objargs > 0) {
      INDIGO_ASSIGN(o, find_named_operator(c_, *item.name, false));
    } else {
      const NodeList name = nodes(item.name->n_objname, item.name->objname);
      o = operator_with(c_, name, type_, type_);
      if (o == nullptr) {
        const std::string text = type_text(c_, {type_, -1, kInvalidOid});
        return Error(sqlstate::kUndefinedFunction,
                     "operator does not exist: " + text + " " + sql::name_list_text(name) + " " + text);
      }
    }
    if (o->left == kInvalidOid) return Error(sqlstate::kInvalidObjectDefinition, "index operators must be binary");
    if (order_family != kInvalidOid) {
      if (method_ != kGist && method_ != kSpgist) {
        return Error(sqlstate::kInvalidObjectDefinition,
                     "access method " + quoted(method_name(c_, method_)) + " does not support ordering operators");
      }
    } else if (o->result != oid::kBool) {
      return Error(sqlstate::kInvalidObjectDefinition, "index search operators must return boolean");
    }
    return insert({false, static_cast<int16_t>(item.number), o->left, o->right, o->oid, order_family});
  }

  Status add_function(const PgQuery__CreateOpClassItem& item) {
    INDIGO_ASSIGN(const RoutinePtr f, find_routine(c_, PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION, *item.name));
    Oid left = type_, right = type_;
    std::vector<Oid> types;
    for (const PgQuery__Node* n : nodes(item.n_class_args, item.class_args)) {
      INDIGO_ASSIGN(const TypeRef t, resolve_type(c_, n->type_name));
      types.push_back(t.oid);
    }
    if (!types.empty()) {
      left = types[0];
      right = types.back();
    } else if (method_ == kBtree && item.number == 1 && f->arguments.size() == 2) {
      left = f->arguments[0];
      right = f->arguments[1];
    }
    INDIGO_TRY(check_function(*f, item.number));
    return insert({true, static_cast<int16_t>(item.number), left, right, f->oid});
  }

  Status check_function(const types::FunctionInfo& f, int number) const {
    const auto invalid = [](const char* message) { return Error(sqlstate::kInvalidObjectDefinition, message); };
    if (method_ == kBtree && number == 1) {
      if (f.arguments.size() != 2) return invalid("btree comparison functions must have two arguments");
      if (f.result != oid::kInt4) return invalid("btree comparison functions must return integer");
    } else if (method_ == kHash && number == 1) {
      if (f.arguments.size() != 1) return invalid("hash function 1 must have one argument");
      if (f.result != oid::kInt4) return invalid("hash function 1 must return integer");
    } else if (method_ == kHash && number == 2) {
      if (f.arguments.size() != 2) return invalid("hash function 2 must have two arguments");
      if (f.result != oid::kInt8) return invalid("hash function 2 must return bigint");
    }
    return {};
  }

  DdlContext& c_;
  const Oid method_, type_;
  Oid key_type_ = kInvalidOid;
  std::vector<Member> members_;
};

// A default class decides how values are sorted and hashed everywhere.
Status check_default(DdlContext& c, Oid method, Oid type, const std::string& written, const std::string& name,
                     const std::vector<Member>& members) {
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
  if (method != kBtree && method != kHash) return {};
  for (const Member& m : members) {
    if (!m.is_function || m.number != 1) continue;
    const auto f = c.catalog.function(m.object);
    if (f->language == "c") return {};
  }
  return unsupported("a default operator class over functions that sorting does not know");
}

Status insert_members(DdlContext& c, Oid method, Oid family, const Address& owner, const std::vector<Member>& members) {
  for (const Member& m : members) {
    const Oid oid = next_oid(c), class_id = m.is_function ? Oid{pg_amproc::kOid} : Oid{pg_amop::kOid};
    SystemTable& t = table(c, class_id);
    RowValues row(t.definition());
    if (m.is_function) {
      row.oid(pg_amproc::c_oid, oid)
          .oid(pg_amproc::c_amprocfamily, family)
          .oid(pg_amproc::c_amproclefttype, m.left)
          .oid(pg_amproc::c_amprocrighttype, m.right)
          .i16(pg_amproc::c_amprocnum, m.number)
          .oid(pg_amproc::c_amproc, m.object);
    } else {
      row.oid(pg_amop::c_oid, oid)
          .oid(pg_amop::c_amopfamily, family)
          .oid(pg_amop::c_amoplefttype, m.left)
          .oid(pg_amop::c_amoprighttype, m.right)
          .i16(pg_amop::c_amopstrategy, m.number)
          .chr(pg_amop::c_amoppurpose, m.order_family == kInvalidOid ? 's' : 'o')
          .oid(pg_amop::c_amopopr, m.object)
          .oid(pg_amop::c_amopmethod, method)
          .oid(pg_amop::c_amopsortfamily, m.order_family);
    }
    INDIGO_TRY(check(t.insert(c.txn, row)));
    const Address self{class_id, oid, 0};
    const Oid object_class = m.is_function ? Oid{pg_proc::kOid} : Oid{catalog::pg_operator::kOid};
    INDIGO_TRY(record_dependency(c, self, {object_class, m.object, 0}, 'n'));
    INDIGO_TRY(record_dependency(c, self, owner, 'i'));
    if (m.order_family != kInvalidOid)
      INDIGO_TRY(record_dependency(c, self, {pg_opfamily::kOid, m.order_family, 0}, 'n'));
  }
  return {};
}

}  // namespace

Oid operator_class_named(DdlContext& c, Oid method, const sql::QualifiedName& name) {
  return find_group(c, false, method, name);
}

Status execute_create_operator_family(DdlContext& c, const PgQuery__CreateOpFamilyStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_opfamilyname, s.opfamilyname));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, q.schema, false));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const Oid method, find_method(c, s.amname));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create an operator family");
  INDIGO_TRY(make_family(c, method, truncated_name(q.name), schema));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status execute_create_operator_class(DdlContext& c, const PgQuery__CreateOpClassStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_opclassname, s.opclassname));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, q.schema, false));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const Oid method, find_method(c, s.amname));
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create an operator class");
  INDIGO_ASSIGN(const TypeRef type, resolve_type(c, s.datatype));
  const std::string name = truncated_name(q.name);
  Oid family = kInvalidOid;
  if (s.n_opfamilyname > 0) {
    const NodeList parts = nodes(s.n_opfamilyname, s.opfamilyname);
    family = find_group(c, true, method, sql::qualified_name(parts));
    if (family == kInvalidOid) {
      return Error(sqlstate::kUndefinedObject, "operator family " + quoted(sql::name_list_text(parts)) +
                                                   " does not exist for access method " + quoted(s.amname));
    }
  } else {
    family = named_in(c, true, method, name, schema);
  }
  ClassMaker maker(c, method, type.oid);
  for (const PgQuery__Node* n : nodes(s.n_items, s.items)) INDIGO_TRY(maker.add(*n->create_op_class_item));
  if (named_in(c, false, method, name, schema) != kInvalidOid) {
    return Error(sqlstate::kDuplicateObject,
                 "operator class " + quoted(name) + " for access method " + quoted(s.amname) + " already exists");
  }
  if (s.is_default) {
    const std::string written = sql::name_list_text(nodes(s.datatype->n_names, s.datatype->names));
    INDIGO_TRY(check_default(c, method, type.oid, written, name, maker.members()));
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
  INDIGO_TRY(insert_members(c, method, family, self, maker.members()));
  INDIGO_TRY(record_membership(c, self));
  c.catalog.changed({kInvalidOid});
  return {};
}

namespace {

// Classes of pseudo-types are for every type of the kind.
bool class_takes(DdlContext& c, Oid type, Oid input) {
  const auto info = c.catalog.type(type);
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
  const Oid found = q.valid ? find_group(c, false, method, q) : kInvalidOid;
  if (found == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject, "operator class " + quoted(sql::name_list_text(name)) +
                                                 " does not exist for access method " + quoted(method_name(c, method)));
  }
  std::string image;
  const SystemTable& classes = table(c, pg_opclass::kOid);
  const Oid input = classes.find_oid(c.txn, found, image) ? classes.reader(image).oid(pg_opclass::c_opcintype) : type;
  if (class_takes(c, type, input)) return found;
  return Error(sqlstate::kDatatypeMismatch, "operator class " + quoted(sql::name_list_text(name)) +
                                                " does not accept data type " + type_text(c, {type, -1, kInvalidOid}));
}

Result<std::optional<Address>> find_operator_group(DdlContext& c, NodeList name, bool family, bool missing_ok) {
  const std::string method_text(string_of(name.front()));
  INDIGO_ASSIGN(const Oid method, find_method(c, method_text));
  const NodeList parts = name.subspan(1);
  const auto q = sql::qualified_name(parts);
  if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    if (!missing_ok) return existing_schema(c, q.schema).take_error();
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  const Oid found = find_group(c, family, method, q);
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
    INDIGO_TRY(check_owner(c, owner, family ? "operator family" : "operator class", text));
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
  const bool visible = find_group(c, family, method, q) == a.object;
  return (visible ? identifier(name) : qualified(c.catalog.schema_name(schema), name)) + " for access method " +
         method_name(c, method);
}

}  // namespace indigo::engine::ddl
