// The operators and support functions that CREATE OPERATOR CLASS and ALTER OPERATOR FAMILY name: rows of pg_amop and pg_amproc.
// Thread safety: as the DdlContext.
#pragma once

#include <vector>

#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object_lookup.h"
#include "types/type_info.h"

struct PgQuery__CreateOpClassItem;

namespace indigo::engine::ddl {

struct ClassMember {
  bool is_function;
  int16_t number;
  Oid left, right, object;
  Oid order_family =
      kInvalidOid;  // of btree: by which an operator's results are sorted; none: it is one to search with
};

// "operator 1(integer,smallint)"
std::string member_text(DdlContext& c, bool is_function, int number, Oid left, Oid right);

class ClassMembers {
 public:
  // `type` is the class's; kInvalidOid: the items are added to a family, and say their types themselves.
  ClassMembers(DdlContext& c, Oid method, Oid type) : c_(c), method_(method), type_(type) {}

  Status add(const PgQuery__CreateOpClassItem& item);
  const std::vector<ClassMember>& members() const { return members_; }
  Oid key_type() const { return key_type_; }  // STORAGE; kInvalidOid: the class's own

 private:
  Status insert(const ClassMember& m);
  Status add_operator(const PgQuery__CreateOpClassItem& item);
  Status add_function(const PgQuery__CreateOpClassItem& item);
  Status check_function(const types::FunctionInfo& f, ClassMember& m) const;
  Status check_options_function(const types::FunctionInfo& f, ClassMember& m) const;
  void guess_types(const types::FunctionInfo& f, ClassMember& m) const;

  DdlContext& c_;
  const Oid method_, type_;
  Oid key_type_ = kInvalidOid;
  std::vector<ClassMember> members_;
};

// 42P17: the method has no operator, or function, of that number.
Status check_member_number(Oid method, bool is_function, int number);
// The one or two types that an item is for; both kInvalidOid when it names none.
Status read_member_types(DdlContext& c, const PgQuery__CreateOpClassItem& item, Oid& left, Oid& right);

// `owner`: the class that cannot do without them; a family's own members go with what they name.
Status insert_class_members(DdlContext& c, Oid method, Oid family, const Address& owner,
                            const std::vector<ClassMember>& members);

Result<Oid> find_index_method(DdlContext& c, std::string_view name);  // 42704
std::string index_method_name(DdlContext& c, Oid method);

}  // namespace indigo::engine::ddl
