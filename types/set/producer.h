// Bases for set-returning functions. An open function whose arguments contain a null that it is strict in returns
// empty_set().
// Thread safety: a producer belongs to one running call.
#pragma once

#include <memory>
#include <vector>

#include "base/fiber/long_work.h"
#include "base/fiber/turns.h"
#include "base/sqlstate.h"
#include "types/function/kernel.h"
#include "types/function/registry.h"

namespace indigo::types {

class EmptySet final : public SetProducer {
 public:
  uint32_t next(FuncContext&, std::span<Vector>, uint32_t) override { return 0; }
};
inline std::unique_ptr<SetProducer> empty_set() { return std::make_unique<EmptySet>(); }

inline bool any_null(std::span<const Datum> arguments) {
  for (const Datum& d : arguments)
    if (d.null) return true;
  return false;
}

// Rows computed at once, given out in portions. Strings lie in the producer's own arena.
class RowSet final : public SetProducer {
 public:
  Arena& arena() { return arena_; }
  Datum keep(Datum d) {
    if (!d.null && d.phys == Phys::kStr) d.str = arena_.copy(d.str);
    return d;
  }
  Datum text(std::string_view s) { return Datum::of(arena_.copy(s)); }
  void add(std::vector<Datum> row) {
    note_work(64);
    rows_.push_back(std::move(row));
  }
  // By who holds nothing that others may wait for.
  void add_in_turn(std::vector<Datum> row) {
    turns_.work(64);
    rows_.push_back(std::move(row));
  }
  uint32_t next(FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    for (; n < capacity && at_ < rows_.size(); n++, at_++) {
      const std::vector<Datum>& row = rows_[at_];
      for (size_t c = 0; c < columns.size(); c++) {
        const Phys phys = columns[c].phys();
        if (c >= row.size() || (!row[c].null && row[c].phys != phys)) {
          context.fail(sqlstate::kInternalError, "a set-returning function's row has not the columns of its result");
          return 0;
        }
        columns[c].set_datum(n, row[c].null ? Datum::make_null(phys) : row[c]);
      }
    }
    return n;
  }

 private:
  Arena arena_;
  std::vector<std::vector<Datum>> rows_;
  Turns turns_;
  size_t at_ = 0;
};

}  // namespace indigo::types
