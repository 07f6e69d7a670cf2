// string_agg and array_agg.
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/aggregate/aggregate.h"
#include "types/function/families.h"
#include "types/function/phys_of.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// string_agg(value, delimiter): each value's own delimiter goes before it; the first one's is not used.
struct StringAggregate {
  struct State {
    std::string* text;
  };
  static void add(FuncContext& context, State& s, std::optional<Str> value, std::optional<Str> delimiter) {
    if (!value) return;
    if (s.text == nullptr) {
      s.text = new std::string();
    } else if (delimiter) {
      s.text->append(*delimiter);
    }
    s.text->append(*value);
    if (s.text->size() > kMaxTextBytes) context.fail(sqlstate::kProgramLimitExceeded, "out of memory");
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    return s.text == nullptr ? put_null(out, row) : put(out, row, context.arena().copy(*s.text));
  }
  static void destroy(State& s) { delete s.text; }
};

struct Collected {
  Arena arena;
  std::vector<Datum> values;
};

// array_agg(element): nulls included.
struct ArrayAggregate {
  struct State {
    Collected* rows;
  };
  static void add(FuncContext&, State& s, std::optional<Datum> value) {
    if (s.rows == nullptr) s.rows = new Collected();
    Datum d = value.value_or(Datum());
    if (!d.null && d.phys == Phys::kStr) d.str = s.rows->arena.copy(d.str);
    s.rows->values.push_back(d);
  }
  static void finish(FuncContext& context, const CallInfo& call, State& s, Vector& out, uint32_t row) {
    if (s.rows == nullptr) return put_null(out, row);
    const Oid type = call.arguments[0].oid;
    put(out, row, context.arena().copy(make_array(type, phys_of(context, type), s.rows->values)));
  }
  static void destroy(State& s) { delete s.rows; }
};

// array_agg(array): one dimension more; all inputs alike and not empty.
struct NestedArrayAggregate : ArrayAggregate {
  static void add(FuncContext& context, State& s, std::optional<Datum> value) {
    if (!value) return context.fail(sqlstate::kNullValueNotAllowed, "cannot accumulate null arrays");
    const ArrayView array(value->str);
    if (s.rows == nullptr && array.dimensions() == 0)
      return context.fail(sqlstate::kArraySubscriptError, "cannot accumulate empty arrays");
    if (s.rows != nullptr) {
      const ArrayView first(s.rows->values[0].str);
      bool same = first.dimensions() == array.dimensions();
      for (int d = 0; same && d < array.dimensions(); d++) same = first.dimension(d) == array.dimension(d);
      if (!same)
        return context.fail(sqlstate::kArraySubscriptError, "cannot accumulate arrays of different dimensionality");
    } else if (array.dimensions() >= kMaxArrayDimensions) {
      return context.fail(sqlstate::kProgramLimitExceeded,
                          "number of array dimensions (7) exceeds the maximum allowed (6)");
    }
    ArrayAggregate::add(context, s, value);
  }
  static void finish(FuncContext& context, const CallInfo&, State& s, Vector& out, uint32_t row) {
    if (s.rows == nullptr) return put_null(out, row);
    const ArrayView first(s.rows->values[0].str);
    std::vector<ArrayDimension> dimensions = {{static_cast<int32_t>(s.rows->values.size()), 1}};
    for (int d = 0; d < first.dimensions(); d++) dimensions.push_back(first.dimension(d));
    constexpr uint64_t kUnitsOfElement = 20;
    std::vector<Datum> elements;
    for (const Datum& v : s.rows->values) {
      const ArrayView array(v.str);
      note_work(kUnitsOfElement * static_cast<uint64_t>(array.count()));
      for (int32_t i = 0; i < array.count(); i++) elements.push_back(array.element(i));
    }
    put(out, row, context.arena().copy(make_array(first.element_type(), first.element_phys(), dimensions, elements)));
  }
};

const AggregateEntry kCollectingEntries[] = {
    {"string_agg(text,text)", aggregate<StringAggregate>()},
    {"string_agg(bytea,bytea)", aggregate<StringAggregate>()},
    {"array_agg(anynonarray)", aggregate<ArrayAggregate>()},
    {"array_agg(anyarray)", aggregate<NestedArrayAggregate>()},
};

}  // namespace

std::span<const AggregateEntry> collecting_aggregates() { return kCollectingEntries; }

}  // namespace indigo::types
