// An operator class with the members of its family, as pg_opclass, pg_opfamily, pg_amop and pg_amproc have them.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace indigo::engine {

class SessionParts;

struct FamilyFunction {
  Oid left, right;
  int16_t number;
  Oid function;
};
struct FamilyOperator {
  Oid left, right;
  int16_t strategy;
  Oid op;
  bool orders;       // its results are sorted by, not searched with
  Oid order_family;  // of btree: how they are sorted; kInvalidOid: not
};

struct OperatorClass {
  Oid method, family, input;
  Oid key;  // kInvalidOid: the input's
  std::string name, family_name;
  std::vector<FamilyFunction> functions;  // by types, then by number
  std::vector<FamilyOperator> operators;

  Oid key_or_input() const { return key != kInvalidOid ? key : input; }
};
// Nothing: there is no such class.
std::optional<OperatorClass> read_operator_class(SessionParts& session, Oid oid);

// What a family has for two types: bit n for number n; numbers from 64 on have none.
struct FamilyPair {
  Oid left, right;
  uint64_t operators, functions;

  bool has_function(int number) const { return (functions >> number & 1) != 0; }
};
std::vector<FamilyPair> family_pairs(const OperatorClass& c);

// Has the family a class of btree for the type?
bool family_sorts(SessionParts& session, Oid family, Oid type);

}  // namespace indigo::engine
