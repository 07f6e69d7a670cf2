// vector and halfvec: the parts of avg. A state is a float8[]: how many vectors, then the sum of each dimension.
#include <cmath>

#include "base/sqlstate.h"
#include "types/extension/vector/vector.h"
#include "types/function/errors.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::vectors {

namespace {

// The numbers of a state, which lie behind one another at the end of its image.
class State {
 public:
  State(FuncContext& context, Str image, const char* caller) {
    const ArrayView array(image);
    sound_ = array.dimensions() == 1 && array.count() > 0 && !array.has_nulls() && array.element_type() == oid::kFloat8;
    if (!sound_) {
      context.fail(sqlstate::kInternalError, std::string(caller) + ": expected state array");
      return;
    }
    count_ = static_cast<size_t>(array.count());
    numbers_ = image.data() + image.size() - count_ * sizeof(double);
  }
  bool sound() const { return sound_; }
  size_t dimensions() const { return count_ - 1; }
  double vectors() const { return load_unaligned<double>(numbers_); }
  double sum(size_t i) const { return load_unaligned<double>(numbers_ + (i + 1) * sizeof(double)); }

 private:
  bool sound_ = false;
  size_t count_ = 0;
  const char* numbers_ = nullptr;
};

std::string state_of(double vectors, size_t dimensions) {
  std::vector<Datum> numbers(dimensions + 1, Datum::of(0.0));
  numbers[0] = Datum::of(vectors);
  return make_array(oid::kFloat8, Phys::kF64, numbers);
}
void put_sum(FuncContext& context, std::string& state, size_t dimensions, size_t i, double sum) {
  if (std::isinf(sum)) fail_float_overflow(context);
  store_unaligned(state.data() + state.size() - (dimensions - i) * sizeof(double), sum);
}

template <class Type>
std::string accumulated(FuncContext& context, Str image, Str value) {
  const State state(context, image, std::is_same_v<Type, Half> ? "halfvec_accum" : "vector_accum");
  const DenseView<Type> v(value);
  const auto count = static_cast<size_t>(v.dimensions());
  if (!state.sound()) return {};
  const bool first = state.dimensions() == 0;
  if (!first && !check_expected(context, static_cast<int32_t>(state.dimensions()), v.dimensions())) return {};
  std::string out = state_of(state.vectors() + 1, count);
  for (size_t i = 0; i < count; i++) put_sum(context, out, count, i, (first ? 0 : state.sum(i)) + double{v[i]});
  return out;
}

std::string combined(FuncContext& context, Str left, Str right) {
  const State a(context, left, "vector_combine"), b(context, right, "vector_combine");
  if (!a.sound() || !b.sound()) return {};
  const size_t count = std::max(a.dimensions(), b.dimensions());
  if (a.dimensions() != 0 && b.dimensions() != 0 &&
      !check_expected(context, static_cast<int32_t>(a.dimensions()), static_cast<int32_t>(b.dimensions()))) {
    return {};
  }
  if (count > 0 && !check_dimensions(context, Single::kName, static_cast<int64_t>(count), Single::kMostDimensions))
    return {};
  std::string out = state_of(a.vectors() + b.vectors(), count);
  for (size_t i = 0; i < count; i++) {
    put_sum(context, out, count, i, (a.dimensions() == 0 ? 0 : a.sum(i)) + (b.dimensions() == 0 ? 0 : b.sum(i)));
  }
  return out;
}

template <class Type>
std::optional<std::string> average(FuncContext& context, Str image) {
  const State state(context, image, std::is_same_v<Type, Half> ? "halfvec_avg" : "vector_avg");
  if (!state.sound() || state.vectors() == 0) return std::nullopt;
  if (!check_dimensions(context, Type::kName, static_cast<int64_t>(state.dimensions()), Type::kMostDimensions))
    return std::nullopt;
  std::string out = dense_image<Type>(state.dimensions());
  for (size_t i = 0; i < state.dimensions(); i++) {
    const auto value = static_cast<float>(state.sum(i) / state.vectors());
    if (!check_dense_element<Type>(context, value)) return std::nullopt;
    put_element<Type>(out, i, value);
  }
  return out;
}

const ScalarEntry kAverageFunctions[] = {
    {"vector_accum", kernel<accumulated<Single>>}, {"vector_combine", kernel<combined>},
    {"vector_avg", kernel<average<Single>>},       {"halfvec_accum", kernel<accumulated<Half>>},
    {"halfvec_combine", kernel<combined>},         {"halfvec_avg", kernel<average<Half>>},
};

}  // namespace

std::span<const ScalarEntry> average_functions() { return kAverageFunctions; }

}  // namespace indigo::types::vectors
