// Arrays as sets: containment, union, order and single elements.
#include <algorithm>
#include <functional>
#include <iterator>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/intarray/intarray.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::intarray {

std::optional<std::vector<int32_t>> elements(FuncContext& context, Str array) {
  const ArrayView view(array);
  std::vector<int32_t> out(static_cast<size_t>(view.count()));
  for (int32_t i = 0; i < view.count(); i++) {
    if (view.is_null(i)) {
      context.fail(sqlstate::kNullValueNotAllowed, "array must not contain nulls");
      return std::nullopt;
    }
    out[static_cast<size_t>(i)] = view.element(i).i32;
  }
  note_work(out.size());
  return out;
}

std::string array_of(std::span<const int32_t> elements) {
  std::vector<Datum> values;
  values.reserve(elements.size());
  for (const int32_t e : elements) values.push_back(Datum::of(e));
  return make_array(oid::kInt4, Phys::kI32, values);
}

namespace {

using Elements = std::vector<int32_t>;

// The array of `values` in the place of the elements of `array`, whose number of dimensions and lower bounds stay; the first
// dimension has all of them when there are fewer.
std::string replaced(Str array, const Elements& values) {
  const ArrayView view(array);
  if (values.empty()) return array_of({});
  std::vector<ArrayDimension> dimensions;
  for (int d = 0; d < view.dimensions(); d++) {
    dimensions.push_back(view.dimension(d));
    if (values.size() != static_cast<size_t>(view.count()))
      dimensions.back().length = d == 0 ? static_cast<int32_t>(values.size()) : 1;
  }
  std::vector<Datum> elements;
  elements.reserve(values.size());
  for (const int32_t v : values) elements.push_back(Datum::of(v));
  return make_array(oid::kInt4, Phys::kI32, dimensions, elements);
}

void sort_up(Elements& values) { std::sort(values.begin(), values.end(), noted_order(std::less<>(), 2)); }
void drop_repeated(Elements& values) { values.erase(std::unique(values.begin(), values.end()), values.end()); }

std::optional<Elements> set_of(FuncContext& context, Str array) {
  auto out = elements(context, array);
  if (out) sort_up(*out), drop_repeated(*out);
  return out;
}

bool contains(FuncContext& context, Str whole, Str part) {
  const auto a = set_of(context, whole), b = a ? set_of(context, part) : std::nullopt;
  return b && std::includes(a->begin(), a->end(), b->begin(), b->end());
}
bool contained(FuncContext& context, Str part, Str whole) { return contains(context, whole, part); }

bool overlaps(FuncContext& context, Str left, Str right) {
  const auto a = set_of(context, left), b = a ? set_of(context, right) : std::nullopt;
  if (!b) return false;
  for (auto i = a->begin(), j = b->begin(); i != a->end() && j != b->end();) {
    if (*i == *j) return true;
    *i < *j ? ++i : ++j;
  }
  return false;
}

bool same(FuncContext& context, Str left, Str right) {
  auto a = elements(context, left), b = a ? elements(context, right) : std::nullopt;
  if (!b || a->size() != b->size()) return false;
  sort_up(*a), sort_up(*b);
  return *a == *b;
}
bool different(FuncContext& context, Str left, Str right) { return !same(context, left, right); }

template <auto kCombine>
std::string combined(FuncContext& context, Str left, Str right) {
  const auto a = set_of(context, left), b = a ? set_of(context, right) : std::nullopt;
  if (!b) return {};
  Elements out;
  kCombine(*a, *b, out);
  return array_of(out);
}
void unite(const Elements& a, const Elements& b, Elements& out) {
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
}
void intersect(const Elements& a, const Elements& b, Elements& out) {
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
}
void subtract(const Elements& a, const Elements& b, Elements& out) {
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
}

std::string set_of_one(int32_t element) { return array_of({&element, 1}); }
int32_t count(Str array) { return ArrayView(array).count(); }

std::string sorted(Str array, Elements values, bool down) {
  down ? std::sort(values.begin(), values.end(), noted_order(std::greater<>(), 2)) : sort_up(values);
  return replaced(array, values);
}
std::string sort(FuncContext& context, Str array) {
  auto values = elements(context, array);
  return values ? sorted(array, std::move(*values), false) : std::string();
}
std::string sort_down(FuncContext& context, Str array) {
  auto values = elements(context, array);
  return values ? sorted(array, std::move(*values), true) : std::string();
}
std::string sort_as(FuncContext& context, Str array, Str direction) {
  auto values = elements(context, array);
  if (!values) return {};
  if (values->size() < 2) return std::string(array);
  std::string word(direction);
  for (char& c : word) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c);
  if (word == "asc" || word == "desc") return sorted(array, std::move(*values), word == "desc");
  context.fail(sqlstate::kInvalidParameterValue, "second parameter must be \"ASC\" or \"DESC\"");
  return {};
}

std::string without_repeated(FuncContext& context, Str array) {
  auto values = elements(context, array);
  if (!values) return {};
  drop_repeated(*values);
  return replaced(array, *values);
}

int32_t index_of(FuncContext& context, Str array, int32_t element) {
  const auto values = elements(context, array);
  if (!values) return 0;
  const auto found = std::find(values->begin(), values->end(), element);
  return found == values->end() ? 0 : static_cast<int32_t>(found - values->begin()) + 1;
}

// Positions from 1, or from the end below 0; a length of 0 takes all, below 0 leaves as many out at the end.
std::string part(FuncContext& context, Str array, int32_t start, int32_t length) {
  const auto values = elements(context, array);
  if (!values || values->empty()) return array_of({});
  const auto size = static_cast<int64_t>(values->size());
  int64_t begin = start > 0 ? int64_t{start} - 1 : start;
  if (begin < 0) begin += size;
  int64_t end = size;
  if (length < 0) end = size + length;
  if (length > 0) end = begin + length;
  end = std::min(end, size);
  begin = std::max<int64_t>(begin, 0);
  if (begin >= end) return array_of({});
  return array_of({values->data() + begin, static_cast<size_t>(end - begin)});
}
std::string part_to_end(FuncContext& context, Str array, int32_t start) { return part(context, array, start, 0); }

std::string with_element(FuncContext& context, Str array, int32_t element) {
  auto values = elements(context, array);
  if (!values) return {};
  values->push_back(element);
  return array_of(*values);
}
std::string joined(FuncContext& context, Str left, Str right) {
  auto a = elements(context, left), b = a ? elements(context, right) : std::nullopt;
  if (!b) return {};
  a->insert(a->end(), b->begin(), b->end());
  return array_of(*a);
}
std::string without_element(FuncContext& context, Str array, int32_t element) {
  auto values = elements(context, array);
  if (!values) return {};
  values->erase(std::remove(values->begin(), values->end(), element), values->end());
  return replaced(array, *values);
}
std::string set_with_element(FuncContext& context, Str array, int32_t element) {
  auto values = elements(context, array);
  if (!values) return {};
  values->push_back(element);
  sort_up(*values), drop_repeated(*values);
  return array_of(*values);
}

// Two functions of SQL have one symbol, with and without a last argument.
template <auto kFew, auto kMany, size_t kManyArguments>
void by_count(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, Selection selection,
              Vector& out) {
  arguments.size() == kManyArguments ? kernel<kMany>(context, call, arguments, selection, out)
                                     : kernel<kFew>(context, call, arguments, selection, out);
}

const ScalarEntry kSetFunctions[] = {
    {"_int_contains", kernel<contains>},
    {"_int_contained", kernel<contained>},
    {"_int_overlap", kernel<overlaps>},
    {"_int_same", kernel<same>},
    {"_int_different", kernel<different>},
    {"_int_union", kernel<combined<unite>>},
    {"_int_inter", kernel<combined<intersect>>},
    {"intset_subtract", kernel<combined<subtract>>},
    {"intset", kernel<set_of_one>},
    {"icount", kernel<count>},
    {"sort", by_count<sort, sort_as, 2>},
    {"sort_asc", kernel<sort>},
    {"sort_desc", kernel<sort_down>},
    {"uniq", kernel<without_repeated>},
    {"idx", kernel<index_of>},
    {"subarray", by_count<part_to_end, part, 3>},
    {"intarray_push_elem", kernel<with_element>},
    {"intarray_push_array", kernel<joined>},
    {"intarray_del_elem", kernel<without_element>},
    {"intset_union_elem", kernel<set_with_element>},
};

}  // namespace

std::span<const ScalarEntry> set_functions() { return kSetFunctions; }

}  // namespace indigo::types::intarray
