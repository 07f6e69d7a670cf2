// Rules of a relation that rewrite its changes, built from pg_rewrite's rows. The rule that makes a view is no part of them.
// Thread safety: immutable; part of a RelationInfo.
//
// Invariant: rules stand in the order in which they apply: by name, in C order.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace indigo::catalog {

struct RuleInfo {
  Oid oid = kInvalidOid;
  std::string name;
  char event = '3';  // ev_type: 2 update, 3 insert, 4 delete
  char enabled = 'O';
  bool instead = false;
  bool conditional = false;
  std::string tree;  // condition and actions (sql/rule/rule_tree.h)
};

struct RuleSet {
  std::vector<RuleInfo> rules;

  const RuleInfo* find(std::string_view name) const {
    const auto at = std::find_if(rules.begin(), rules.end(), [&](const RuleInfo& r) { return r.name == name; });
    return at == rules.end() ? nullptr : &*at;
  }
};

}  // namespace indigo::catalog
