// Wraps an operator to count what EXPLAIN ANALYZE shows: loops, rows, time to the first row and in all.
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class TimedOperator final : public Operator {
 public:
  explicit TimedOperator(OperatorPtr inner) : inner_(std::move(inner)) {
    set_slots(inner_->slots());
    set_volatile(inner_->is_volatile());
  }
  Status open(Open mode) override {
    auto begin = std::chrono::steady_clock::now();
    Status status = inner_->open(mode);
    first_ = true;
    inner_->counters().loops++;
    spent_ = std::chrono::steady_clock::now() - begin;
    inner_->counters().total += spent_;
    return status;
  }
  Result<Chunk*> next(uint32_t max_rows) override {
    auto begin = std::chrono::steady_clock::now();
    auto result = inner_->next(max_rows);
    auto took = std::chrono::steady_clock::now() - begin;
    OperatorCounters& c = inner_->counters();
    c.total += took;
    if (first_) {
      c.startup += spent_ + took;
      first_ = false;
    }
    if (result.ok() && *result != nullptr) c.rows += (*result)->selection.count;
    return result;
  }
  void close() override { inner_->close(); }

 private:
  OperatorPtr inner_;
  std::chrono::nanoseconds spent_{0};
  bool first_ = true;
};

}  // namespace

OperatorPtr make_timed(OperatorPtr inner) { return std::make_unique<TimedOperator>(std::move(inner)); }

}  // namespace indigo::engine::exec
