// vector: what a vector may be.
#include <cmath>
#include <optional>

#include "base/sqlstate.h"
#include "types/extension/vector/vector.h"
#include "types/function/errors.h"
#include "types/number/float.h"
#include "types/numeric/numeric.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::vectors {

bool check_dimensions(FuncContext& context, const char* type, int64_t dimensions, int32_t most) {
  if (dimensions < 1) {
    context.fail(sqlstate::kDataException, std::string(type) + " must have at least 1 dimension");
    return false;
  }
  if (dimensions <= most) return true;
  context.fail(sqlstate::kProgramLimitExceeded,
               std::string(type) + " cannot have more than " + std::to_string(most) + " dimensions");
  return false;
}

bool check_expected(FuncContext& context, int32_t modifier, int32_t dimensions) {
  if (modifier == -1 || modifier == dimensions) return true;
  context.fail(sqlstate::kDataException,
               "expected " + std::to_string(modifier) + " dimensions, not " + std::to_string(dimensions));
  return false;
}

bool check_same(FuncContext& context, const char* type, int32_t a, int32_t b) {
  if (a == b) return true;
  context.fail(sqlstate::kDataException,
               std::string("different ") + type + " dimensions " + std::to_string(a) + " and " + std::to_string(b));
  return false;
}

bool check_element(FuncContext& context, const char* type, float value) {
  if (std::isfinite(value)) return true;
  context.fail(sqlstate::kDataException,
               std::string(std::isnan(value) ? "NaN" : "infinite value") + " not allowed in " + type);
  return false;
}

bool check_half(FuncContext& context, float value) {
  if (!check_element(context, Half::kName, value)) return false;
  if (std::isfinite(half_to_float(float_to_half(value)))) return true;
  std::string text;
  append_float(value, 1, text);
  context.fail(sqlstate::kNumericValueOutOfRange, "\"" + text + "\" is out of range for type halfvec");
  return false;
}

bool check_message(FuncContext& context, Str bytes, size_t wanted) {
  if (bytes.size() < wanted) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
  } else if (bytes.size() > wanted) {
    fail_binary(context, "incorrect binary data format");
  }
  return bytes.size() == wanted;
}

bool check_sparse_count(FuncContext& context, int64_t count, int32_t dimensions) {
  if (count < 0) {
    context.fail(sqlstate::kDataException, "sparsevec cannot have negative number of elements");
    return false;
  }
  if (count > kMostSparseElements) {
    context.fail(sqlstate::kProgramLimitExceeded,
                 "sparsevec cannot have more than " + std::to_string(kMostSparseElements) + " non-zero elements");
    return false;
  }
  if (count <= dimensions) return true;
  context.fail(sqlstate::kProgramLimitExceeded, "sparsevec cannot have more elements than dimensions");
  return false;
}

bool check_places(FuncContext& context, std::span<const SparseElement> elements, int32_t dimensions) {
  for (size_t i = 0; i < elements.size(); i++) {
    const char* wrong = nullptr;
    if (elements[i].place < 0 || elements[i].place >= dimensions) {
      wrong = "sparsevec index out of bounds";
    } else if (i > 0 && elements[i].place < elements[i - 1].place) {
      wrong = "sparsevec indices must be in ascending order";
    } else if (i > 0 && elements[i].place == elements[i - 1].place) {
      wrong = "sparsevec indices must not contain duplicates";
    }
    if (wrong == nullptr) continue;
    context.fail(sqlstate::kDataException, wrong);
    return false;
  }
  return true;
}

std::optional<std::vector<float>> numbers_of_array(FuncContext& context, const char* type, Str image, int32_t most) {
  const ArrayView array(image);
  if (array.dimensions() > 1) {
    context.fail(sqlstate::kDataException, "array must be 1-D");
    return std::nullopt;
  }
  if (array.has_nulls()) {
    context.fail(sqlstate::kNullValueNotAllowed, "array must not contain nulls");
    return std::nullopt;
  }
  if (!check_dimensions(context, type, array.count(), most)) return std::nullopt;
  std::vector<float> out(static_cast<size_t>(array.count()));
  for (int32_t i = 0; i < array.count(); i++) {
    const Datum element = array.element(i);
    float& value = out[static_cast<size_t>(i)];
    switch (array.element_type()) {
      case oid::kInt4: value = static_cast<float>(element.i32); break;
      case oid::kFloat4: value = element.f32; break;
      case oid::kFloat8: value = static_cast<float>(element.f64); break;
      default: {  // numeric: as its text would be read
        std::string text;
        append_numeric_text(element.str, text);
        if (parse_float(text, value) == FloatParse::kRange) {
          context.fail(sqlstate::kNumericValueOutOfRange, "\"" + text + "\" is out of range for type real");
          return std::nullopt;
        }
      }
    }
  }
  return out;
}

}  // namespace indigo::types::vectors
