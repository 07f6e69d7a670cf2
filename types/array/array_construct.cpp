// Arrays made from elements, arrays and strings; and back to strings.
#include <algorithm>

#include "base/fiber/turns.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/array/array_shape.h"
#include "types/function/collation.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/text/ascii.h"
#include "types/text/find.h"

namespace indigo::types {

namespace {

using OptionalArray = std::optional<Str>;

void append_elements(const ArrayView& a, std::vector<Datum>& out) {
  Turns turns;
  for (int32_t i = 0; i < a.count(); i++) {
    turns.work(8);
    out.push_back(a.element(i));
  }
}
OptionalArray fail(FuncContext& context, SqlState state, std::string message, std::string detail = {}) {
  Error error(state, std::move(message));
  error.detail = std::move(detail);
  context.fail(std::move(error));
  return {};
}

// A dimension ends before the last integer.
bool is_within_bounds(FuncContext& context, const ArrayDimension& d) {
  int32_t end = 0;
  if (!__builtin_add_overflow(d.lower, d.length, &end)) return true;
  fail(context, sqlstate::kProgramLimitExceeded, "array lower bound is too large: " + std::to_string(d.lower));
  return false;
}

OptionalArray add_element(FuncContext& context, const CallInfo& call, OptionalArray image, const Datum& v,
                          bool in_front) {
  ArrayDimensions dimensions = {{1, 1}};
  std::vector<Datum> elements;
  const auto array_type = context.session().catalog().type(call.result.oid);
  const Oid type = array_type ? array_type->element : kInvalidOid;
  if (image) {
    const ArrayView a(*image);
    if (a.dimensions() > 1)
      return fail(context, sqlstate::kDataException, "argument must be empty or one-dimensional array");
    append_elements(a, elements);
    if (a.dimensions() == 1) {
      if (in_front ? a.dimension(0).lower == INT32_MIN : a.upper(0) == INT32_MAX)
        return fail(context, sqlstate::kNumericValueOutOfRange, "integer out of range");
      dimensions[0] = {a.dimension(0).length + 1, a.dimension(0).lower};
      if (!is_within_bounds(context, dimensions[0])) return {};
    }
  }
  elements.insert(in_front ? elements.begin() : elements.end(), v);
  return build_array(context, type, phys_of(context, type), dimensions, elements);
}
OptionalArray append(FuncContext& context, const CallInfo& call, OptionalArray image, std::optional<Datum> v) {
  return add_element(context, call, image, v.value_or(Datum()), false);
}
OptionalArray prepend(FuncContext& context, const CallInfo& call, std::optional<Datum> v, OptionalArray image) {
  return add_element(context, call, image, v.value_or(Datum()), true);
}

OptionalArray concatenate(FuncContext& context, OptionalArray x, OptionalArray y) {
  if (!x) return y;
  if (!y) return x;
  const ArrayView a(*x), b(*y);
  if (a.dimensions() == 0) return y;
  if (b.dimensions() == 0) return x;
  const auto incompatible = [&](std::string detail) {
    return fail(context, sqlstate::kArraySubscriptError, "cannot concatenate incompatible arrays", std::move(detail));
  };
  const ArrayDimensions da = array_dimensions(a), db = array_dimensions(b);
  // One is longer along the first dimension, or the other is one of its elements.
  const ArrayDimensions& outer = da.size() >= db.size() ? da : db;
  const ArrayDimensions& inner = &outer == &da ? db : da;
  if (outer.size() - inner.size() > 1)
    return incompatible("Arrays of " + std::to_string(da.size()) + " and " + std::to_string(db.size()) +
                        " dimensions are not compatible for concatenation.");
  const size_t skip = outer.size() == inner.size() ? 1 : 0;
  for (size_t i = skip; i < inner.size(); i++)
    if (!(inner[i] == outer[i + 1 - skip]))
      return incompatible(skip == 1 ? "Arrays with differing element dimensions are not compatible for concatenation."
                                    : "Arrays with differing dimensions are not compatible for concatenation.");
  ArrayDimensions result = outer;
  result[0].length += skip == 1 ? inner[0].length : 1;
  if (skip == 1) result[0].lower = da[0].lower;
  if (!is_within_bounds(context, result[0])) return {};
  std::vector<Datum> elements;
  append_elements(a, elements);
  append_elements(b, elements);
  return build_array(context, a.element_type(), a.element_phys(), result, elements);
}

OptionalArray fill_with(FuncContext& context, const CallInfo& call, std::optional<Datum> v, OptionalArray lengths,
                        OptionalArray bounds) {
  const ArrayView n(*lengths);
  const auto check = [&context](const ArrayView& a) {
    if (a.dimensions() > 1) {
      fail(context, sqlstate::kArraySubscriptError, "wrong number of array subscripts",
           "Dimension array must be one dimensional.");
    } else if (a.has_nulls()) {
      fail(context, sqlstate::kNullValueNotAllowed, "dimension values cannot be null");
    }
    return !context.failed();
  };
  if (!check(n) || (bounds && !check(ArrayView(*bounds)))) return {};
  if (n.count() > kMaxArrayDimensions)
    return fail(context, sqlstate::kProgramLimitExceeded,
                "number of array dimensions (" + std::to_string(n.count()) + ") exceeds the maximum allowed (6)");
  if (bounds && ArrayView(*bounds).count() != n.count())
    return fail(context, sqlstate::kArraySubscriptError, "wrong number of array subscripts",
                "Low bound array has different size than dimensions array.");
  ArrayDimensions dimensions;
  int64_t count = n.count() == 0 ? 0 : 1;
  for (int32_t i = 0; i < n.count(); i++) {
    const int32_t length = n.element(i).i32;
    const int32_t lower = bounds ? ArrayView(*bounds).element(i).i32 : 1;
    dimensions.push_back({length, lower});
    if (length < 0 || (count *= length) > kMaxArrayElements)
      return fail(context, sqlstate::kProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)");
  }
  for (const ArrayDimension& d : dimensions) {
    if (!is_within_bounds(context, d)) return {};
  }
  const Oid type = call.arguments[0].oid;
  const Datum value = v.value_or(Datum::make_null(phys_of(context, type)));
  std::vector<Datum> elements;
  elements.reserve(static_cast<size_t>(count));
  Turns turns;
  for (int64_t i = 0; i < count; i++) {
    turns.work(8);
    elements.push_back(value);
  }
  return build_array(context, type, phys_of(context, type), dimensions, elements);
}
OptionalArray fill(FuncContext& context, const CallInfo& call, std::optional<Datum> v, OptionalArray lengths) {
  if (!lengths)
    return fail(context, sqlstate::kNullValueNotAllowed, "dimension array or low bound array cannot be null");
  return fill_with(context, call, v, lengths, {});
}
OptionalArray fill_bounds(FuncContext& context, const CallInfo& call, std::optional<Datum> v, OptionalArray lengths,
                          OptionalArray bounds) {
  if (!lengths || !bounds)
    return fail(context, sqlstate::kNullValueNotAllowed, "dimension array or low bound array cannot be null");
  return fill_with(context, call, v, lengths, bounds);
}

OptionalArray trim(FuncContext& context, Str image, int32_t n) {
  const ArrayView a(image);
  const int32_t length = a.dimensions() == 0 ? 0 : a.dimension(0).length;
  if (n < 0 || n > length)
    return fail(context, sqlstate::kArraySubscriptError,
                "number of elements to trim must be between 0 and " + std::to_string(length));
  if (length == 0) return image;
  std::vector<Datum> elements;
  append_elements(a, elements);
  elements.resize(elements.size() / static_cast<size_t>(length) * static_cast<size_t>(length - n));
  ArrayDimensions dimensions = array_dimensions(a);
  for (ArrayDimension& d : dimensions) d.lower = 1;
  dimensions[0].length = length - n;
  return build_array(context, a.element_type(), a.element_phys(), dimensions, elements);
}

// ---- to and from strings
std::string join(FuncContext& context, Str image, Str delimiter, std::optional<Str> null_text) {
  const ArrayView a(image);
  std::string out;
  bool first = true;
  Turns turns;
  for (int32_t i = 0; i < a.count(); i++) {
    turns.work(64 + delimiter.size() / 4);
    if (!check_text_bytes(context, out.size())) return {};
    if (a.is_null(i) && !null_text) continue;
    if (!first) out.append(delimiter);
    first = false;
    if (a.is_null(i)) {
      out.append(*null_text);
    } else {
      type_output(context, array_element_type(a), a.element(i), out);
    }
  }
  return out;
}
std::string to_text(FuncContext& context, Str image, Str delimiter) { return join(context, image, delimiter, {}); }
std::optional<std::string> to_text_null(FuncContext& context, OptionalArray image, std::optional<Str> delimiter,
                                        std::optional<Str> null_text) {
  if (!image || !delimiter) return {};
  return join(context, *image, *delimiter, null_text);
}

// No delimiter: characters; an empty one: the whole text.
std::vector<Datum> split(Str text, std::optional<Str> delimiter, std::optional<Str> null_text) {
  std::vector<Datum> parts;
  Turns turns;
  const auto add = [&](Str part) {
    turns.work(32);
    parts.push_back(null_text && part == *null_text ? Datum::make_null(Phys::kStr) : Datum::of(part));
  };
  if (text.empty()) return parts;
  if (!delimiter) {
    for (size_t i = 0; i < text.size(); i += utf8_length(text[i])) add(text.substr(i, utf8_length(text[i])));
  } else if (delimiter->empty()) {
    add(text);
  } else {
    size_t from = 0;
    for (size_t hit; (hit = find_in(text, *delimiter, from)) != Str::npos; from = hit + delimiter->size())
      add(text.substr(from, hit - from));
    add(text.substr(from));
  }
  return parts;
}
// The delimiter is looked for by its bytes.
bool may_split(FuncContext& context, const CallInfo& call, Str text, std::optional<Str> delimiter) {
  return text.empty() || !delimiter || delimiter->empty() || check_deterministic(context, call, kSubstringSearches);
}
OptionalArray from_text_null(FuncContext& context, const CallInfo& call, std::optional<Str> text,
                             std::optional<Str> delimiter, std::optional<Str> null_text) {
  if (!text || !may_split(context, call, *text, delimiter)) return {};
  return context.arena().copy(make_array(oid::kText, Phys::kStr, split(*text, delimiter, null_text)));
}
OptionalArray from_text(FuncContext& context, const CallInfo& call, std::optional<Str> text,
                        std::optional<Str> delimiter) {
  return from_text_null(context, call, text, delimiter, {});
}
std::unique_ptr<SetProducer> open_split(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  if (arguments[0].null) return empty_set();
  const auto optional = [&](size_t i) {
    return i < arguments.size() && !arguments[i].null ? std::optional<Str>(arguments[i].str) : std::nullopt;
  };
  if (!may_split(context, call, arguments[0].str, optional(1))) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const Datum& part : split(arguments[0].str, optional(1), optional(2))) rows->add_in_turn({rows->keep(part)});
  return rows;
}

const ScalarEntry kArrayConstructEntries[] = {
    {"array_append", kernel<append>},
    {"array_prepend", kernel<prepend>},
    {"array_cat", kernel<concatenate>},
    {"array_fill", kernel<fill>},
    {"array_fill_with_lower_bounds", kernel<fill_bounds>},
    {"trim_array", kernel<trim>},
    {"array_to_text", kernel<to_text>},
    {"array_to_text_null", kernel<to_text_null>},
    {"text_to_array", kernel<from_text>},
    {"text_to_array_null", kernel<from_text_null>},
};
const SetEntry kSets[] = {
    {"text_to_table", open_split},
    {"text_to_table_null", open_split},
};

}  // namespace

std::span<const ScalarEntry> array_construction() { return kArrayConstructEntries; }
std::span<const SetEntry> array_sets() { return kSets; }

}  // namespace indigo::types
