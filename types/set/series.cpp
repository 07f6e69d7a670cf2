// generate_series over integers and numerics, generate_subscripts, unnest.
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/numeric/numeric.h"
#include "types/set/producer.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

using Producer = std::unique_ptr<SetProducer>;

template <class T>
class IntegerSeries final : public SetProducer {
 public:
  IntegerSeries(T first, T last, T step) : next_(first), last_(last), step_(step) {}
  uint32_t next(FuncContext&, std::span<Vector> columns, uint32_t capacity) override {
    T* out = columns[0].data<T>();
    uint32_t n = 0;
    while (n < capacity && !done_ && (step_ > 0 ? next_ <= last_ : next_ >= last_)) {
      out[n++] = next_;
      done_ = __builtin_add_overflow(next_, step_, &next_);
    }
    return n;
  }

 private:
  T next_, last_, step_;
  bool done_ = false;
};

template <class T>
T value_of(const Datum& d) {
  if constexpr (sizeof(T) == 4) return d.i32;
  if constexpr (sizeof(T) == 8) return d.i64;
}
template <class T>
Producer open_integers(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const T step = arguments.size() > 2 ? value_of<T>(arguments[2]) : T{1};
  if (step == 0) {
    context.fail(sqlstate::kInvalidParameterValue, "step size cannot equal zero");
    return empty_set();
  }
  return std::make_unique<IntegerSeries<T>>(value_of<T>(arguments[0]), value_of<T>(arguments[1]), step);
}

class NumericSeries final : public SetProducer {
 public:
  NumericSeries(Numeric first, Numeric last, Numeric step)
      : next_(std::move(first)), last_(std::move(last)), step_(std::move(step)) {}
  uint32_t next(FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    for (; n < capacity; n++) {
      const int c = compare(next_, last_);
      if (step_.negative ? c < 0 : c > 0) break;
      columns[0].set(n, numeric_image(context, next_));
      next_ = add(next_, step_);
    }
    return n;
  }

 private:
  Numeric next_, last_, step_;
};

Producer open_numerics(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  static constexpr const char* kNames[] = {"start", "stop", "step size"};
  Numeric values[3] = {Numeric(), Numeric(), Numeric(1)};
  for (size_t i = 0; i < arguments.size(); i++) {
    values[i] = Numeric::from_image(arguments[i].str);
    if (values[i].finite()) continue;
    context.fail(sqlstate::kInvalidParameterValue, std::string(kNames[i]) +
                                                       (i == 2 ? " cannot be " : " value cannot be ") +
                                                       (values[i].kind == Numeric::Kind::kNan ? "NaN" : "infinity"));
    return empty_set();
  }
  if (values[2].is_zero()) {
    context.fail(sqlstate::kInvalidParameterValue, "step size cannot equal zero");
    return empty_set();
  }
  return std::make_unique<NumericSeries>(values[0], values[1], values[2]);
}

Producer open_subscripts(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  const ArrayView array(arguments[0].str);
  const int32_t dimension = arguments[1].i32;
  if (dimension < 1 || dimension > array.dimensions()) return empty_set();
  const int32_t low = array.dimension(dimension - 1).lower, high = array.upper(dimension - 1);
  const bool reverse = arguments.size() > 2 && arguments[2].b;
  return reverse ? std::make_unique<IntegerSeries<int32_t>>(high, low, -1)
                 : std::make_unique<IntegerSeries<int32_t>>(low, high, 1);
}

class Unnest final : public SetProducer {
 public:
  explicit Unnest(Str image) : image_(image), array_(image_) {}
  uint32_t next(FuncContext&, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    for (; n < capacity && at_ < array_.count(); n++) columns[0].set_datum(n, array_.element(at_++));
    return n;
  }

 private:
  std::string image_;
  ArrayView array_;
  int32_t at_ = 0;
};
Producer open_unnest(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  return std::make_unique<Unnest>(arguments[0].str);
}

const SetEntry kSeriesEntries[] = {
    {"generate_series_int4", open_integers<int32_t>},
    {"generate_series_step_int4", open_integers<int32_t>},
    {"generate_series_int8", open_integers<int64_t>},
    {"generate_series_step_int8", open_integers<int64_t>},
    {"generate_series_numeric", open_numerics},
    {"generate_series_step_numeric", open_numerics},
    {"generate_subscripts", open_subscripts},
    {"generate_subscripts_nodir", open_subscripts},
    {"array_unnest", open_unnest},
};

}  // namespace

std::span<const SetEntry> series_sets() { return kSeriesEntries; }

}  // namespace indigo::types
