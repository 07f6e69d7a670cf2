// What a session's view keeps of the operators, casts and aggregates that users have made, while one version of the catalog
// stands. Pointers into it are handed out.
// Thread safety: one session.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/string_map.h"
#include "catalog/database.h"
#include "types/type_info.h"

namespace indigo::catalog {

struct DefinedOperators {
  std::unordered_map<Oid, std::unique_ptr<types::OperatorInfo>> operators;  // null: there is none
  StringMap<std::vector<const types::OperatorInfo*>> by_name;               // of all schemas
  std::map<std::pair<Oid, Oid>, std::unique_ptr<types::CastInfo>> casts;    // null: there is none
  std::unordered_map<Oid, std::unique_ptr<types::AggregateInfo>> aggregates;
  std::map<std::pair<Oid, int>, Oid> btree_operators;  // by type and strategy
  std::unordered_map<Oid, int> btree_strategies;
  std::unordered_map<Oid, const types::Collator*> orders;  // by type; null: no class of users' own is its default
};

}  // namespace indigo::catalog
