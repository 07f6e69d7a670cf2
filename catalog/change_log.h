// What something that was made of the catalog depends on (Dependences: a plan's), and what has changed since (ChangeLog).
//
// A key stands for an object (the OID of a relation, type or function) or for a name: what asks for a name depends on the name,
// too, because a new object may stand before the one that was found, or be the first.
//
// Who publishes: DDL, by SessionCatalog::changed, into the log of its database at its commit; of temporary objects into its
// session's; and of its own transaction into the session's private one at once. Who reads: SessionCatalog::unchanged_since,
// before a kept plan runs (engine/session/portal/preparation.h) and when a session throws away what is outdated.
//
// Invariants:
//  1. A change of a relation names its OID; so do changes of its columns, constraints, indexes, triggers, rules, policies,
//     statistics, storage and owner, and a foreign key names both tables, a partition or child its parent.
//  2. Who comes into being under a name, or is renamed, names it: pg_class and pg_type share one space, functions have another.
//  3. What can change the meaning of any statement changes everything: operators, casts, operator classes, collations, aggregates,
//     schemas, what is moved between them, roles, and superusers' own changes of system tables.
//  4. A relation's dependence includes its columns' types; a type's, what it is made of.
//  5. Two keys may be equal by accident: that drops a plan too much. A log that grew too long forgets, and then says of everything
//     before that it has changed.
// Thread safety: none of its own; Database guards its log.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/ids.h"

namespace indigo::catalog {

using DependenceKey = uint64_t;

constexpr DependenceKey object_key(Oid oid) { return oid; }
DependenceKey relation_or_type_name(std::string_view name);
DependenceKey function_name(std::string_view name);

class Dependences {
 public:
  void add(DependenceKey key) {
    if (keys_.empty() || keys_.back() != key) keys_.push_back(key);
  }
  // False: it was there.
  bool add_new(DependenceKey key);
  void add_everything() { everything_ = true; }
  // Sorted, each key once; when nothing more is added.
  void seal();

  bool everything() const { return everything_; }
  const std::vector<DependenceKey>& keys() const { return keys_; }

 private:
  std::vector<DependenceKey> keys_;
  bool everything_ = false;
};

// A session's state of the catalog, noted before something is made of it.
struct CatalogState {
  static constexpr uint64_t kNeverAgain = UINT64_MAX;  // of_own: what was made then holds for its snapshot alone
  uint64_t version = 0;                                // SessionCatalog::version()
  uint64_t shared = 0;                                 // of what is committed
  uint64_t of_own = 0;  // of the transaction's own changes; 0: there were none, or they do not matter
};

class ChangeLog {
 public:
  // `version` does not descend.
  void add(uint64_t version, std::span<const DependenceKey> keys);
  void add_everything(uint64_t version);
  // Whether something of `on` has changed in a version after `version`.
  bool touched_since(uint64_t version, const Dependences& on) const;
  void clear() {
    last_.clear();
    everything_ = 0;
  }

 private:
  static constexpr size_t kKeysMax = 16384;

  absl::flat_hash_map<DependenceKey, uint64_t> last_;  // the version that changed it last
  uint64_t everything_ = 0;
  uint64_t newest_ = 0;
};

}  // namespace indigo::catalog
