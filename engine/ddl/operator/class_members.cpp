#include "engine/ddl/operator/class_members.h"

#include "catalog/access_method.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/builtin/index_methods.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_am = catalog::pg_am;
namespace pg_amop = catalog::pg_amop;
namespace pg_amproc = catalog::pg_amproc;
namespace pg_opfamily = catalog::pg_opfamily;
constexpr Oid kBtree = oid::kBtreeMethod, kHash = oid::kHashMethod, kGist = 783, kGin = 2742, kSpgist = 4000,
              kBrin = 3580;

// How many operators and functions a method's classes have (amstrategies, amsupport), and which function reads the
// options of a class (amoptsprocnum).
struct Limits {
  int operators, functions, options;
};
Limits limits_of(Oid method) {
  const catalog::AccessMethod* known = catalog::access_method(method);
  if (known != nullptr && known->name == "bloom") return {1, 2, 2};
  switch (method) {
    case kBtree: return {5, 5, 5};
    case kHash: return {1, 3, 3};
    case kGist: return {32767, 11, 10};
    case kGin: return {32767, 7, 7};
    case kSpgist: return {32767, 7, 7};
    case kBrin: return {32767, 15, 5};
    default: return {32767, 32767, 0};
  }
}

Error invalid(std::string message) { return {sqlstate::kInvalidObjectDefinition, std::move(message)}; }

std::string types_text(DdlContext& c, Oid left, Oid right) {
  const auto text = [&](Oid type) { return type == kInvalidOid ? "-" : type_text(c, {type, -1, kInvalidOid}); };
  return "(" + text(left) + "," + text(right) + ")";
}

}  // namespace

Result<Oid> find_index_method(DdlContext& c, std::string_view name) {
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

std::string index_method_name(DdlContext& c, Oid method) {
  std::string image;
  const SystemTable& t = table(c, pg_am::kOid);
  return t.find_oid(c.txn, method, image) ? std::string(t.reader(image).str(pg_am::c_amname)) : std::to_string(method);
}

std::string member_text(DdlContext& c, bool is_function, int number, Oid left, Oid right) {
  return std::string(is_function ? "function " : "operator ") + std::to_string(number) + types_text(c, left, right);
}

Status check_member_number(Oid method, bool is_function, int number) {
  const Limits limits = limits_of(method);
  const int limit = is_function ? limits.functions : limits.operators;
  if (number >= 1 && number <= limit) return {};
  return invalid("invalid " + std::string(is_function ? "function" : "operator") + " number " + std::to_string(number) +
                 ", must be between 1 and " + std::to_string(limit));
}

Status read_member_types(DdlContext& c, const PgQuery__CreateOpClassItem& item, Oid& left, Oid& right) {
  if (item.n_class_args == 0) return {};
  INDIGO_ASSIGN(const TypeRef first, resolve_type(c, item.class_args[0]->type_name));
  left = right = first.oid;
  if (item.n_class_args == 1) return {};
  INDIGO_ASSIGN(const TypeRef second, resolve_type(c, item.class_args[1]->type_name));
  right = second.oid;
  if (item.n_class_args == 2) return {};
  return Error(sqlstate::kSyntaxError, "one or two argument types must be specified");
}

Status ClassMembers::add(const PgQuery__CreateOpClassItem& item) {
  constexpr int kOperator = 1, kFunction = 2;
  if (item.itemtype == kOperator || item.itemtype == kFunction) {
    INDIGO_TRY(check_member_number(method_, item.itemtype == kFunction, item.number));
    return item.itemtype == kFunction ? add_function(item) : add_operator(item);
  }
  if (type_ == kInvalidOid)
    return Error(sqlstate::kSyntaxError, "STORAGE cannot be specified in ALTER OPERATOR FAMILY");
  INDIGO_ASSIGN(const TypeRef stored, resolve_type(c_, item.storedtype));
  if (stored.oid != type_ && (method_ == kBtree || method_ == kHash)) {
    return invalid("storage type cannot be different from data type for access method " +
                   quoted(index_method_name(c_, method_)));
  }
  key_type_ = stored.oid == type_ ? kInvalidOid : stored.oid;
  return {};
}

Status ClassMembers::insert(const ClassMember& m) {
  for (const ClassMember& other : members_) {
    if (other.is_function != m.is_function || other.number != m.number || other.left != m.left ||
        other.right != m.right)
      continue;
    return invalid(std::string(m.is_function ? "function" : "operator") + " number " + std::to_string(m.number) +
                   " for " + types_text(c_, m.left, m.right) + " appears more than once");
  }
  members_.push_back(m);
  return {};
}

Status ClassMembers::add_operator(const PgQuery__CreateOpClassItem& item) {
  Oid order_family = kInvalidOid;
  if (type_ == kInvalidOid && item.name->n_objargs == 0) {
    return Error(sqlstate::kSyntaxError, "operator argument types must be specified in ALTER OPERATOR FAMILY");
  }
  if (item.n_order_family > 0) {
    const NodeList parts = nodes(item.n_order_family, item.order_family);
    order_family = find_operator_group_named(c_, true, kBtree, sql::qualified_name(parts));
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
  if (o->left == kInvalidOid) return invalid("index operators must be binary");
  if (order_family != kInvalidOid) {
    const catalog::AccessMethod* known = catalog::access_method(method_);
    if (method_ != kGist && method_ != kSpgist && (known == nullptr || !known->nearest))
      return invalid("access method " + quoted(index_method_name(c_, method_)) +
                     " does not support ordering operators");
  } else if (o->result != oid::kBool) {
    return invalid("index search operators must return boolean");
  }
  return insert({false, static_cast<int16_t>(item.number), o->left, o->right, o->oid, order_family});
}

Status ClassMembers::add_function(const PgQuery__CreateOpClassItem& item) {
  ClassMember m{true, static_cast<int16_t>(item.number), kInvalidOid, kInvalidOid, kInvalidOid};
  INDIGO_TRY(read_member_types(c_, item, m.left, m.right));
  INDIGO_ASSIGN(const RoutinePtr f, find_routine(c_, PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION, *item.name));
  m.object = f->oid;
  if (m.number == limits_of(method_).options) {
    INDIGO_TRY(check_options_function(*f, m));
  } else {
    INDIGO_TRY(check_function(*f, m));
    if (m.left == kInvalidOid) guess_types(*f, m);
  }
  if (m.left == kInvalidOid) m.left = m.right = type_;
  if (m.left == kInvalidOid) return invalid("associated data types must be specified for index support function");
  return insert(m);
}

// What a function is for where its signature says so; else it is for the class's type.
void ClassMembers::guess_types(const types::FunctionInfo& f, ClassMember& m) const {
  if (method_ == kBtree && m.number == 1) {
    m.left = f.arguments[0];
    m.right = f.arguments[1];
  } else if (method_ == kBtree && m.number == 3) {
    m.left = f.arguments[0];
    m.right = f.arguments[2];
  } else if (method_ == kHash) {
    m.left = m.right = f.arguments[0];
  }
}

Status ClassMembers::check_options_function(const types::FunctionInfo& f, ClassMember& m) const {
  constexpr std::string_view kTypes = "associated data types for operator class options parsing functions must match";
  if (type_ != kInvalidOid && m.left != kInvalidOid && (m.left != type_ || m.right != type_))
    return invalid(std::string(kTypes) + " opclass input type");
  if (type_ == kInvalidOid && m.left != m.right) return invalid("left and right " + std::string(kTypes));
  if (f.result == oid::kVoid && f.arguments.size() == 1 && f.arguments[0] == oid::kInternal) return {};
  return invalid("invalid operator class options parsing function")
      .with_hint("Valid signature of operator class options parsing function is (internal) RETURNS void.");
}

Status ClassMembers::check_function(const types::FunctionInfo& f, ClassMember& m) const {
  const size_t count = f.arguments.size();
  if (method_ == kBtree && m.number == 1) {
    if (count != 2) return invalid("btree comparison functions must have two arguments");
    if (f.result != oid::kInt4) return invalid("btree comparison functions must return integer");
  } else if (method_ == kBtree && m.number == 2) {
    if (count != 1 || f.arguments[0] != oid::kInternal)
      return invalid("btree sort support functions must accept type \"internal\"");
    if (f.result != oid::kVoid) return invalid("btree sort support functions must return void");
  } else if (method_ == kBtree && m.number == 3) {
    if (count != 5) return invalid("btree in_range functions must have five arguments");
    if (f.result != oid::kBool) return invalid("btree in_range functions must return boolean");
  } else if (method_ == kBtree && m.number == 4) {
    if (count != 1) return invalid("btree equal image functions must have one argument");
    if (f.result != oid::kBool) return invalid("btree equal image functions must return boolean");
    if (m.left != m.right) return invalid("btree equal image functions must not be cross-type");
  } else if (method_ == kHash && m.number == 1) {
    if (count != 1) return invalid("hash function 1 must have one argument");
    if (f.result != oid::kInt4) return invalid("hash function 1 must return integer");
  } else if (method_ == kHash && m.number == 2) {
    if (count != 2) return invalid("hash function 2 must have two arguments");
    if (f.result != oid::kInt8) return invalid("hash function 2 must return bigint");
  }
  return {};
}

namespace {

// An operator is in a family once to search with, and once to sort by.
Status check_new_operator(DdlContext& c, Oid family, const ClassMember& m) {
  const char purpose = m.order_family == kInvalidOid ? 's' : 'o';
  bool found = false;
  table(c, pg_amop::kOid)
      .scan_index(c.txn, catalog::system_index::kAmopOperator, {Datum::of_oid(m.object)}, [&](RowReader row) {
        found = row.oid(pg_amop::c_amopfamily) == family && row.chr(pg_amop::c_amoppurpose) == purpose;
        return !found;
      });
  if (!found) return {};
  return Error(sqlstate::kUniqueViolation, "duplicate key value violates unique constraint \"pg_amop_opr_fam_index\"")
      .with_detail("Key (amopopr, amoppurpose, amopfamily)=(" + std::to_string(m.object) + ", " + purpose + ", " +
                   std::to_string(family) + ") already exists.");
}

}  // namespace

Status insert_class_members(DdlContext& c, Oid method, Oid family, const Address& owner,
                            const std::vector<ClassMember>& members) {
  const bool of_family = owner.class_id == pg_opfamily::kOid;
  for (const ClassMember& m : members) {
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
      INDIGO_TRY(check_new_operator(c, family, m));
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
    INDIGO_TRY(record_dependency(c, self, {object_class, m.object, 0}, of_family ? 'a' : 'n'));
    INDIGO_TRY(record_dependency(c, self, owner, of_family ? 'a' : 'i'));
    if (m.order_family != kInvalidOid)
      INDIGO_TRY(record_dependency(c, self, {pg_opfamily::kOid, m.order_family, 0}, of_family ? 'a' : 'n'));
  }
  return {};
}

}  // namespace indigo::engine::ddl
