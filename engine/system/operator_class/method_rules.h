// What the operator families of an index access method may have in them.
// Thread safety: constants.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/ids.h"

namespace indigo::engine {

// In the place of a type: one that the row of pg_amproc is for, or the class is.
inline constexpr Oid kLeftType = 1, kRightType = 2, kInputType = 3, kKeyType = 4;

struct SupportRule {
  int16_t number;
  Oid result;
  bool exact;                    // else the class's types need only be taken for the function's as they are
  size_t least;                  // how many of the arguments it must have
  std::array<Oid, 8> arguments;  // up to the first kInvalidOid

  size_t most() const;
};

enum class RuleSet : uint8_t { kBtree, kHash, kGist, kGin, kSpgist, kBrin, kBloom };

enum class OrderRule : uint8_t {
  kNone,      // no operator's results are sorted
  kFamily,    // they are, by a family that can
  kDistance,  // ... and the class has a function for distances
};

struct MethodRules {
  RuleSet set;
  std::string_view handler;  // whose methods these rules are for
  std::string_view name;
  std::span<const SupportRule> functions;
  int first_free, last_free;  // numbers of functions that the class decides about: none where the last is 0
  int16_t strategies;         // the last one
  OrderRule order;
  bool one_type;    // functions are for one type, not for two
  bool class_only;  // functions of other classes in the family are not looked at

  const SupportRule* function(int16_t number) const;  // null: no such number
};

// By the handler's source (pg_proc.prosrc). Null: all is as it should be in such a method.
const MethodRules* method_rules(std::string_view handler);

// Hash functions that serve types which look the same in memory, without a cast that says so.
bool hashes_same_form(Oid function, Oid type);
// The type of the leaves that this configuration function of spgist tells, by its source. kInvalidOid: none of its own.
Oid spgist_leaf_type(std::string_view configuration);

}  // namespace indigo::engine
