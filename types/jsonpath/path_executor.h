// Runs a jsonpath over a jsonb document. The semantics are those of SQL:2016's path language as PostgreSQL has it: lax mode
// unwraps and wraps arrays and forgives missing members, predicates are three-valued, errors in them are Unknown.
//
// What is found borrows from the document and from the context's arena.
// Thread safety: an executor belongs to its caller.
#pragma once

#include <vector>

#include "types/json/jsonb.h"
#include "types/jsonpath/path.h"
#include "types/jsonpath/path_value.h"

namespace indigo::types {

class PathExecutor {
 public:
  enum class Outcome : uint8_t { kOk, kNotFound, kError };
  // `variables`: an object, or null: every variable is null.
  // `silent`: errors of the data are outcomes, not failures of the context. `with_zone`: the _tz functions.
  PathExecutor(FuncContext& context, const JsonPath& path, JsonbView document, JsonbView variables, bool silent,
               bool with_zone)
      : context_(context),
        path_(path),
        document_(document),
        variables_(variables),
        throws_(!silent),
        with_zone_(with_zone),
        forgiving_(!path.strict),
        current_(PathValue::of(document)) {}

  // `found` null: only whether there is something.
  Outcome run(std::vector<PathValue>* found);

 private:
  enum class Truth : uint8_t { kFalse, kTrue, kUnknown };
  using Found = std::vector<PathValue>;

  bool lax() const { return !path_.strict; }
  Outcome fail(SqlState state, std::string message, std::string hint = {});
  bool numeric_failed();

  // items
  Outcome item(int32_t at, const PathValue& v, Found* found) { return item(at, v, found, lax()); }
  Outcome item(int32_t at, const PathValue& v, Found* found, bool unwrap);
  Outcome next(const PathItem& p, const PathValue& v, Found* found);
  Outcome number(const PathItem& p, Str image, Found* found);
  Outcome unwrapped_result(int32_t at, const PathValue& v, bool unwrap, Found& found);
  Outcome quiet_result(int32_t at, const PathValue& v, bool unwrap, Found* found);
  // Each member of an array (or object, for **): item `at`, or the members themselves when `at` is -1.
  Outcome members(int32_t at, JsonbView container, Found* found, uint32_t level, uint32_t first, uint32_t last,
                  bool forgive, bool unwrap_next);
  Outcome member(int32_t at, JsonbView m, Found* found, bool forgive, bool unwrap_next);
  Outcome unwrap_array(int32_t at, const PathValue& v, Found* found, bool unwrap_elements) {
    return members(at, v.json, found, 1, 1, 1, false, unwrap_elements);
  }

  // accessors
  Outcome key(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap);
  Outcome any_key(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap);
  Outcome any_array(const PathItem& p, const PathValue& v, Found* found);
  Outcome index_array(const PathItem& p, const PathValue& v, Found* found);
  Outcome array_index(int32_t at, const PathValue& v, int32_t& index);
  Outcome any_level(const PathItem& p, const PathValue& v, Found* found);
  Outcome filter(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap);
  Outcome variable(const PathItem& p, Found* found);

  // methods and arithmetic
  Outcome method(const PathItem& p, int32_t at, const PathValue& v, Found* found, bool unwrap);
  Outcome size(const PathItem& p, const PathValue& v, Found* found);
  Outcome rounded(const PathItem& p, const PathValue& v, Found* found);
  Outcome to_double(const PathItem& p, const PathValue& v, Found* found);
  Outcome datetime(const PathItem& p, const PathValue& v, Found* found);
  Outcome key_value(const PathItem& p, const PathValue& v, Found* found);
  Outcome binary_arithmetic(const PathItem& p, const PathValue& v, Found* found);
  Outcome unary_arithmetic(const PathItem& p, const PathValue& v, Found* found);

  // predicates
  Truth truth(int32_t at, const PathValue& v);
  Truth nested_truth(int32_t at, const PathValue& v);
  Truth exists(const PathItem& p, const PathValue& v);
  Truth over_pairs(const PathItem& p, const PathValue& v);
  Truth pair_truth(const PathItem& p, const PathValue& a, const PathValue* b);
  Truth compare_values(PathOp op, const PathValue& a, const PathValue& b);

  FuncContext& context_;
  const JsonPath& path_;
  const JsonbView document_, variables_;
  bool throws_;
  const bool with_zone_;
  bool forgiving_;  // structural errors are nothing found
  PathValue current_;
  int32_t array_size_ = -1;  // of the innermost array whose subscripts are computed
};

}  // namespace indigo::types
