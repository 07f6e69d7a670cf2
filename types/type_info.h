// Types, functions, operators and casts as descriptors: immutable values built from the rows of pg_type, pg_proc,
// pg_aggregate, pg_operator and pg_cast. Members are named after the columns.
// Thread safety: immutable once published; shared by pointer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "types/value/physical.h"

namespace indigo::types {

// A column's or expression's type: OID, modifier (-1 none, as pg_attribute.atttypmod), collation.
struct TypeRef {
  Oid oid = kInvalidOid;
  int32_t typmod = -1;
  Oid collation = kInvalidOid;
  friend bool operator==(const TypeRef&, const TypeRef&) = default;
};

struct TypeDefinition;  // types/io/type_definition.h

struct TypeInfo {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid;
  Oid owner = kInvalidOid;
  Phys phys = Phys::kStr;
  int16_t length = -1;  // typlen
  bool by_value = false;
  char kind = 'b';      // typtype: b c d e p r m
  char category = 'U';  // typcategory
  bool preferred = false;
  char delimiter = ',';
  char alignment = 'i', storage = 'p';
  Oid relation = kInvalidOid;  // of a composite type
  Oid element = kInvalidOid;   // typelem (arrays and the few subscriptable fixed types)
  Oid array = kInvalidOid;     // typarray
  Oid input = kInvalidOid, output = kInvalidOid, receive = kInvalidOid, send = kInvalidOid;  // pg_proc
  Oid modifier_in = kInvalidOid, modifier_out = kInvalidOid, subscript = kInvalidOid;
  bool not_null = false;   // domains
  Oid base = kInvalidOid;  // domains
  int32_t base_typmod = -1;
  Oid collation = kInvalidOid;
  std::string default_expr;  // domains
  struct Check {
    std::string name, expression;  // SQL text over VALUE
  };
  std::vector<Check> checks;  // domains, in PostgreSQL's order (by name)
  // A base type of users' own: the built-in type whose input and output functions it has, and whose form its values have.
  Oid like = kInvalidOid;
  // One whose forms, and order, an extension has (types/extension/extension.h); null otherwise.
  const TypeDefinition* definition = nullptr;
  // Such a type with an order of its own: the symbol of its default btree class's comparison in an extension's module.
  std::string comparison;
  Oid range_subtype = kInvalidOid;       // ranges and multiranges: pg_range.rngsubtype
  Oid range_partner = kInvalidOid;       // of a range its multirange, of a multirange its range
  std::vector<std::string> enum_labels;  // enums, in sort order
  std::vector<Oid> enum_label_oids;
  // Of these the ones that the transaction which looks has added (ALTER TYPE ... ADD VALUE): not to be used before they are
  // committed, as an index that keeps them would outlive a roll-back.
  std::vector<Oid> uncommitted_label_oids;
  bool is_array() const { return element != kInvalidOid && length == -1 && category == 'A'; }
};

enum class FunctionKind : char { kFunction = 'f', kProcedure = 'p', kAggregate = 'a', kWindow = 'w' };
enum class Volatility : char { kImmutable = 'i', kStable = 's', kVolatile = 'v' };

struct FunctionInfo {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid;
  FunctionKind kind = FunctionKind::kFunction;
  Volatility volatility = Volatility::kImmutable;
  bool strict = true;
  bool leakproof = false;
  bool returns_set = false;
  Oid result = kInvalidOid;
  Oid variadic = kInvalidOid;  // element type of the VARIADIC argument ("any" for variadic "any")
  std::vector<Oid> arguments;  // proargtypes: input arguments
  uint16_t default_count = 0;
  std::vector<std::string> defaults;    // SQL texts of the last default_count arguments
  std::vector<Oid> all_argument_types;  // with OUT arguments, empty when there are none
  std::vector<char> argument_modes;     // i o b v t
  std::vector<std::string> argument_names;
  std::string language = "internal";  // internal, sql, plpgsql
  std::string source;
  std::string library;     // probin: the module of a function in C
  std::string statements;  // prosqlbody: BEGIN ATOMIC ... END or RETURN ..., empty when the body is `source`
  Oid owner = kInvalidOid;
  bool security_definer = false;
  std::vector<std::string> settings;  // proconfig: name=value, in force while it runs
  float cost = 1, rows = 0;
};

struct AggregateInfo {
  Oid function = kInvalidOid;
  char kind = 'n';  // n normal, o ordered-set, h hypothetical
  int16_t direct_arguments = 0;
  Oid sort_operator = kInvalidOid;
  // An aggregate of users' own: the built-in one that has the same functions, where there is one; it runs in its place.
  Oid same_as = kInvalidOid;
  // pg_aggregate's functions and states: plain ones, and those of moving window frames.
  struct Program {
    Oid transition = kInvalidOid, inverse = kInvalidOid, final = kInvalidOid;
    Oid state = kInvalidOid;             // as declared: polymorphic, perhaps
    bool final_extra = false;            // the final function takes the aggregated arguments, too (as nulls)
    std::optional<std::string> initial;  // as text; none: null
  };
  Program plain, moving;  // moving.transition is kInvalidOid where there is none
};

struct OperatorInfo {
  Oid oid = kInvalidOid;
  std::string name;
  Oid schema = kInvalidOid;
  Oid left = kInvalidOid;  // invalid: prefix operator
  Oid right = kInvalidOid;
  Oid result = kInvalidOid;
  Oid function = kInvalidOid;  // oprcode
  Oid commutator = kInvalidOid, negator = kInvalidOid;
  bool can_merge = false, can_hash = false;
  std::string restriction, join;  // oprrest, oprjoin: names of selectivity estimators
};

enum class CastContext : char { kImplicit = 'i', kAssignment = 'a', kExplicit = 'e' };
enum class CastMethod : char { kFunction = 'f', kInOut = 'i', kBinary = 'b' };

struct CastInfo {
  Oid source = kInvalidOid, target = kInvalidOid;
  Oid function = kInvalidOid;
  CastContext context = CastContext::kExplicit;
  CastMethod method = CastMethod::kFunction;
};

}  // namespace indigo::types
