// sum and avg of intervals; generate_series over timestamps.
#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/datetime/arithmetic.h"
#include "types/function/families.h"
#include "types/set/producer.h"

namespace indigo::types {

namespace {

struct SumInterval {
  struct State {
    Interval sum;
    int64_t n;
  };
  static void add(FuncContext& context, State& s, Interval v) {
    s.sum = interval_add(context, s.sum, v);
    s.n++;
  }
  static void finish(FuncContext&, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, s.sum);
  }
};
struct AverageInterval : SumInterval {
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.n == 0 ? put_null(out, row) : put(out, row, interval_over(context, s.sum, static_cast<double>(s.n)));
  }
};
class TimestampSeries final : public SetProducer {
 public:
  TimestampSeries(int64_t first, int64_t last, Interval step, int sign, bool with_zone)
      : next_(first), last_(last), step_(step), sign_(sign), with_zone_(with_zone) {}
  uint32_t next(FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    while (n < capacity && (sign_ > 0 ? next_ <= last_ : next_ >= last_)) {
      columns[0].set(n++, next_);
      next_ = with_zone_ ? timestamptz_plus(context, next_, step_, session_time_zone(context))
                         : timestamp_plus(context, next_, step_);
      if (context.failed()) return 0;
    }
    return n;
  }

 private:
  int64_t next_, last_;
  Interval step_;
  int sign_;
  bool with_zone_;
};

template <bool kWithZone>
std::unique_ptr<SetProducer> open_timestamps(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const Interval step = arguments[2].interval;
  const auto total =
      static_cast<__int128>(step.microseconds) + (static_cast<__int128>(step.months) * 30 + step.days) * kDay;
  if (total == 0) {
    context.fail(sqlstate::kInvalidParameterValue, "step size cannot equal zero");
    return empty_set();
  }
  return std::make_unique<TimestampSeries>(arguments[0].i64, arguments[1].i64, step, total > 0 ? 1 : -1, kWithZone);
}

const AggregateEntry kAggregates[] = {
    {"sum(interval)", aggregate<SumInterval>()},
    {"avg(interval)", aggregate<AverageInterval>()},
};
const SetEntry kSets[] = {
    {"generate_series_timestamp", open_timestamps<false>},
    {"generate_series_timestamptz", open_timestamps<true>},
};

}  // namespace

std::span<const AggregateEntry> datetime_aggregates() { return kAggregates; }
std::span<const SetEntry> datetime_sets() { return kSets; }

}  // namespace indigo::types
