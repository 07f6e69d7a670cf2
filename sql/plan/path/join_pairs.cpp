#include "sql/plan/path/join_pairs.h"

#include <bit>

namespace indigo::sql::planning {
namespace {

// The relations up to and including i.
uint64_t up_to(int i) { return i == 63 ? ~uint64_t{0} : (uint64_t{1} << (i + 1)) - 1; }

class Enumeration {
 public:
  Enumeration(const std::vector<uint64_t>& neighbours, size_t limit) : neighbours_(neighbours), limit_(limit) {}

  JoinPairs run() {
    for (int i = static_cast<int>(neighbours_.size()) - 1; i >= 0 && out_.complete; i--) {
      const uint64_t start = uint64_t{1} << i;
      with_complements(start);
      grow(start, up_to(i));
    }
    return std::move(out_);
  }

 private:
  uint64_t around(uint64_t set) const {
    uint64_t out = 0;
    for (uint64_t rest = set; rest != 0; rest &= rest - 1)
      out |= neighbours_[static_cast<size_t>(std::countr_zero(rest))];
    return out & ~set;
  }

  // Calls f on every part of `set` but the empty one, smaller ones first where they are contained.
  template <class F>
  void for_each_part(uint64_t set, F f) {
    for (uint64_t part = (0 - set) & set; part != 0 && out_.complete; part = (part - set) & set) f(part);
  }

  // Connected sets that contain `set` and nothing of `excluded`.
  void grow(uint64_t set, uint64_t excluded) {
    const uint64_t next = around(set) & ~excluded;
    if (next == 0) return;
    for_each_part(next, [&](uint64_t part) { with_complements(set | part); });
    for_each_part(next, [&](uint64_t part) { grow(set | part, excluded | next); });
  }

  // The sets that `set` is joined with; of each pair the other side has the higher first relation.
  void with_complements(uint64_t set) {
    const uint64_t excluded = up_to(std::countr_zero(set)) | set;
    const uint64_t next = around(set) & ~excluded;
    for (uint64_t rest = next; rest != 0 && out_.complete;) {
      const int i = 63 - std::countl_zero(rest);
      const uint64_t start = uint64_t{1} << i;
      rest &= ~start;
      emit(set, start);
      grow_complement(set, start, excluded | (up_to(i) & next));
    }
  }

  void grow_complement(uint64_t set, uint64_t other, uint64_t excluded) {
    const uint64_t next = around(other) & ~excluded;
    if (next == 0) return;
    for_each_part(next, [&](uint64_t part) { emit(set, other | part); });
    for_each_part(next, [&](uint64_t part) { grow_complement(set, other | part, excluded | next); });
  }

  void emit(uint64_t a, uint64_t b) {
    if (out_.pairs.size() >= limit_) {
      out_.complete = false;
      return;
    }
    out_.pairs.emplace_back(a, b);
  }

  const std::vector<uint64_t>& neighbours_;
  size_t limit_;
  JoinPairs out_;
};

}  // namespace

JoinPairs connected_pairs(const std::vector<uint64_t>& neighbours, size_t limit) {
  return Enumeration(neighbours, limit).run();
}

}  // namespace indigo::sql::planning
