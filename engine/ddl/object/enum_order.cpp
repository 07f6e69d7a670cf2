#include "engine/ddl/object/enum_order.h"

#include <cmath>

#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"

namespace indigo::engine::ddl {

namespace {

// A type's first labels lie in the lower half of the range, labels that are added behind them above.
constexpr Oid kFirst = Oid{1} << 30, kSpread = Oid{1} << 29, kEnd = (Oid{1} << 31) - 1;
constexpr Oid kStep = Oid{1} << 15;  // between labels that are added at an end

bool taken(DdlContext& c, Oid oid) {
  std::string image;
  return table(c, pg_enum::kOid).find_oid(c.txn, oid, image);
}

// The free number nearest to `wanted`, from there upwards, then downwards, strictly between the two.
Oid free_between(DdlContext& c, Oid low, Oid high, Oid wanted) {
  for (Oid oid = wanted; oid < high; oid++) {
    if (!taken(c, oid)) return oid;
  }
  for (Oid oid = wanted - 1; oid > low; oid--) {
    if (!taken(c, oid)) return oid;
  }
  return kInvalidOid;
}

}  // namespace

std::vector<Oid> spread_label_oids(DdlContext& c, Oid type, size_t labels) {
  std::vector<Oid> out;
  const Oid step = kSpread / static_cast<Oid>(labels + 1);
  Oid low = kFirst;
  for (size_t i = 0; i < labels; i++) {
    // Types of as many labels would meet at every number: each begins elsewhere.
    const Oid wanted = kFirst + step * static_cast<Oid>(i + 1) + type % (step / 2 + 1);
    low = free_between(c, low, kEnd, std::max(wanted, low + 1));
    out.push_back(low);
  }
  return out;
}

Oid label_oid_at(DdlContext& c, std::span<const Oid> labels, std::span<const float> orders, size_t place) {
  if (labels.empty()) return spread_label_oids(c, kInvalidOid, 1)[0];
  const Oid low = place == 0 ? oid::kFirstUserOid : labels[place - 1];
  const Oid high = place == labels.size() ? kEnd : labels[place];
  if (high - low < 2) return kInvalidOid;
  Oid wanted = low + (high - low) / 2;
  if (place == labels.size()) wanted = std::min(wanted, low + kStep);
  if (place == 0) wanted = std::max(wanted, high - kStep);
  if (place > 0 && place < labels.size()) {
    // Close to a neighbour that seems to be the last that was added: more labels will come on this side of it.
    constexpr Oid kNear = 1 << 14, kAbout = kNear + 64;
    const Oid before = low - (place == 1 ? oid::kFirstUserOid : labels[place - 2]);
    const Oid behind = (place + 1 == labels.size() ? kEnd : labels[place + 1]) - high;
    const auto added = [&](size_t label) { return orders[label] != std::floor(orders[label]); };
    const bool follows = before < kAbout || (before <= high - low && added(place - 1));
    const bool precedes = behind < kAbout || (behind <= high - low && added(place));
    if (follows && before < behind) {
      wanted = std::min(wanted, low + kNear);
    } else if (precedes && behind < before) {
      wanted = std::max(wanted, high - kNear);
    }
  }
  return free_between(c, low, high, wanted);
}

}  // namespace indigo::engine::ddl
