// Strong identifiers: values that must not be mixed up. Zero is "none" for every one of them.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <utility>

namespace indigo {

template <class Tag, class Rep>
struct StrongId {
  Rep value = 0;
  constexpr StrongId() = default;
  constexpr explicit StrongId(Rep v) : value(v) {}
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const StrongId&, const StrongId&) = default;
  template <class H>
  friend H AbslHashValue(H h, const StrongId& id) {
    return H::combine(std::move(h), id.value);
  }
};

using Oid = uint32_t;  // PostgreSQL's object identifier; plain because it crosses SQL values everywhere
inline constexpr Oid kInvalidOid = 0;

using TableId = StrongId<struct TableIdTag, uint64_t>;  // one physical tree; unique in a Store, never reused
using IndexId = StrongId<struct IndexIdTag, uint64_t>;  // one physical secondary index; same number space as TableId
using TxnId = StrongId<struct TxnIdTag, uint64_t>;      // one transaction of this process, ascending
using CommitStamp = StrongId<struct CommitStampTag, uint64_t>;  // position in the one commit order
using Lsn = StrongId<struct LsnTag, uint64_t>;
using CommandId = uint32_t;  // statement number within a transaction, from 1

inline constexpr CommitStamp kMaxStamp{UINT64_MAX};

}  // namespace indigo

template <class Tag, class Rep>
struct std::hash<indigo::StrongId<Tag, Rep>> {
  size_t operator()(const indigo::StrongId<Tag, Rep>& id) const noexcept { return std::hash<Rep>{}(id.value); }
};
