// How values of users' types compare within arrays and records. An image names the type of what it holds and how that is held,
// which tells the order of built-in types and of composite ones; for domains, arrays, ranges and extensions' types it has to be
// said here. One for the instance: OIDs are one series for all of its databases, and a type's order is never another one.
// Thread safety: any thread. Entries are only added, at the head of a chain: add() publishes with release what find() acquires.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/ids.h"
#include "types/value/physical.h"

namespace indigo::types {

class Collator;
struct TypeOrder;

struct MemberOrder {
  const TypeOrder* order = nullptr;
  const Collator* collator = nullptr;  // lives as long as the instance
  // As the key of an index (KeyColumn): of what it is held as.
  Oid key_type = kInvalidOid;
  Phys phys = Phys::kStr;
  friend bool operator==(const MemberOrder&, const MemberOrder&) = default;
};

class MemberOrders {
 public:
  // Nothing happens when the same has been said before.
  void add(Oid type, const MemberOrder& order);
  // Null: the type and how it is held say enough. Lives as long as this.
  const MemberOrder* find(Oid type) const;

 private:
  struct Entry {
    Oid type;
    MemberOrder order;
    const Entry* next;
  };
  static constexpr size_t kChains = 1024;

  std::array<std::atomic<const Entry*>, kChains> chains_{};
  std::mutex mutex_;  // guards entries_, and is held by who adds
  std::vector<std::unique_ptr<const Entry>> entries_;
};

}  // namespace indigo::types
