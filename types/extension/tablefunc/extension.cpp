// tablefunc 1.0. What runs queries of the caller's is in engine/system/tablefunc.cpp.
#include "types/extension/extension.h"

#include <cmath>

#include "base/sqlstate.h"
#include "types/extension/script.h"
#include "types/number/random.h"
#include "types/set/producer.h"
#include "types/system/delegate.h"

namespace indigo::types {

namespace {

// Source: G. Marsaglia, T. Bray: A Convenient Method for Generating Normal Variables (1964), the polar form.
class NormalNumbers final : public SetProducer {
 public:
  NormalNumbers(int32_t count, double mean, double deviation) : left_(count), mean_(mean), deviation_(deviation) {}
  uint32_t next(FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    for (; n < capacity && left_ > 0; n++, left_--) columns[0].set(n, mean_ + deviation_ * normal(context));
    return n;
  }

 private:
  double normal(FuncContext& context) {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    double x = 0, y = 0, square = 0;
    do {
      x = 2 * next_random_double(context.session().random) - 1;
      y = 2 * next_random_double(context.session().random) - 1;
      square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    second_ = y * scale;
    has_second_ = true;
    return x * scale;
  }

  int32_t left_;
  const double mean_, deviation_;
  double second_ = 0;
  bool has_second_ = false;
};

std::unique_ptr<SetProducer> open_normal(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  if (arguments[0].i32 < 0) {
    context.fail(sqlstate::kInvalidParameterValue, "number of rows cannot be negative");
    return empty_set();
  }
  return std::make_unique<NormalNumbers>(arguments[0].i32, arguments[1].f64, arguments[2].f64);
}

constexpr std::string_view kRowTypes = R"sql(
create type tablefunc_crosstab_2 as (row_name text, category_1 text, category_2 text);
create type tablefunc_crosstab_3 as (row_name text, category_1 text, category_2 text, category_3 text);
create type tablefunc_crosstab_4 as (row_name text, category_1 text, category_2 text, category_3 text, category_4 text);
)sql";

constexpr std::string_view kStable = "stable strict parallel unsafe";
constexpr ScriptFunction kFunctions[] = {
    {"normal_rand(int4, float8, float8)", "setof float8", {}, "volatile strict parallel unsafe"},
    {"crosstab(text)", "setof record", "crosstab", kStable},
    {"crosstab2(text)", "setof tablefunc_crosstab_2", "crosstab", kStable},
    {"crosstab3(text)", "setof tablefunc_crosstab_3", "crosstab", kStable},
    {"crosstab4(text)", "setof tablefunc_crosstab_4", "crosstab", kStable},
    {"crosstab(text, int)", "setof record", "crosstab", kStable},
    {"crosstab(text, text)", "setof record", "crosstab_hash", kStable},
    {"connectby(text, text, text, text, int, text)", "setof record", "connectby_text", kStable},
    {"connectby(text, text, text, text, int)", "setof record", "connectby_text", kStable},
    {"connectby(text, text, text, text, text, int, text)", "setof record", "connectby_text_serial", kStable},
    {"connectby(text, text, text, text, text, int)", "setof record", "connectby_text_serial", kStable},
};

constexpr SetEntry kSets[] = {
    {"normal_rand", open_normal},
    {"crosstab", system_rows<"tablefunc_crosstab">},
    {"crosstab_hash", system_rows<"tablefunc_crosstab_hash">},
    {"connectby_text", system_rows<"tablefunc_connectby">},
    {"connectby_text_serial", system_rows<"tablefunc_connectby_serial">},
};

}  // namespace

const Extension& tablefunc_extension() {
  static const std::string script = std::string(kRowTypes) + function_script(kFunctions);
  static const Extension extension{.name = "tablefunc",
                                   .version = "1.0",
                                   .comment = "functions that manipulate whole tables, including crosstab",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = {},
                                   .sets = kSets,
                                   .shaped_sets = true};
  return extension;
}

}  // namespace indigo::types
