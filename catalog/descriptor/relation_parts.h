// A definition often changes one part of a relation's descriptor: a trigger comes, an index goes. Then the parts that it names
// are read again and the others taken from the descriptor as it was (InfoBuilder::renewed), at a fraction of the cost.
//
// Who says so: DDL, by SessionCatalog::changed. What a pg_class row itself says is always read again.
//
// Invariants:
//  1. The parts of an outdated descriptor that are not named are as they would be read now: every change after it was made has
//     named its parts, and one that names none means all of them, and the descriptor is not kept.
//  2. A change that gives a relation other storage names all parts: an outdated descriptor would keep what was dropped.
// Thread safety: none of its own; Database guards its own.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/ids.h"

namespace indigo::catalog {

struct RelationInfo;

enum class RelationParts : uint8_t {
  kDefaults = 1,     // of columns
  kIndexes = 2,      // and the tree's key
  kConstraints = 4,  // foreign keys of other tables to this one, too
  kTriggers = 8,
  kAll = 0xff
};

constexpr RelationParts operator|(RelationParts a, RelationParts b) {
  return static_cast<RelationParts>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool includes(RelationParts parts, RelationParts part) {
  return (static_cast<uint8_t>(parts) & static_cast<uint8_t>(part)) != 0;
}

class OutdatedRelations {
 public:
  struct Outdated {
    std::shared_ptr<const RelationInfo> relation;  // null: there is none
    RelationParts parts = RelationParts::kAll;     // that have changed since it was made
  };

  // `kept`: its descriptor, which was good until now; null: there was none.
  void changed(Oid relation, RelationParts parts, std::shared_ptr<const RelationInfo> kept) {
    if (parts == RelationParts::kAll) {
      all_.erase(relation);
    } else if (kept != nullptr) {
      all_.insert_or_assign(relation, Outdated{std::move(kept), parts});
    } else if (const auto at = all_.find(relation); at != all_.end()) {
      at->second.parts = at->second.parts | parts;
    }
  }
  Outdated find(Oid relation) const {
    const auto at = all_.find(relation);
    return at == all_.end() ? Outdated{} : at->second;
  }
  void erase(Oid relation) { all_.erase(relation); }
  void clear() { all_.clear(); }

 private:
  std::unordered_map<Oid, Outdated> all_;
};

}  // namespace indigo::catalog
