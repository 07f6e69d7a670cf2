// JSON objects as rows: json_populate_record(set), json_to_record(set) and their jsonb twins, written once over both.
//
// The row's shape is that of the first argument: a composite type's, or the record's own. In FROM with a column definition list
// the analyzer adds a last argument: a record of nulls with the list's names and types. It is the shape for the to_ functions,
// and for the others when their first argument is null; otherwise both must agree.
#include <utility>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/phys_of.h"
#include "types/io/domain_check.h"
#include "types/io/record.h"
#include "types/io/record_shape.h"
#include "types/json/jsonb.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

struct RowShape {
  Oid type = oid::kRecord;
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  std::vector<Datum> defaults;  // empty: nulls
};

// The shape of `type`, or of the record `base`. False: the context has the error.
bool shape_of(FuncContext& context, Oid type, const Datum& base, const char* function, RowShape& out) {
  auto info = context.session().catalog().type(type);
  if (type != oid::kRecord && (info == nullptr || info->kind != 'c')) {
    context.fail(sqlstate::kDatatypeMismatch, std::string("first argument of ") + function + " must be a row type");
    return false;
  }
  if (!base.null) {
    const RecordFields fields = live_fields(context.session().catalog(), base.str);
    out.types = fields.types;
    out.defaults = fields.values;
    for (Str name : fields.names) out.names.emplace_back(name);
    if (type == oid::kRecord) info = context.session().catalog().type(type = fields.type);
  }
  out.type = type;
  if (type == oid::kRecord) {
    if (base.null) {
      context.fail(
          Error(sqlstate::kFeatureNotSupported, std::string("could not determine row type for result of ") + function)
              .with_hint("Provide a non-null record argument, or call the function in the FROM clause using a "
                         "column definition list."));
      return false;
    }
    for (size_t i = out.names.size(); i < out.types.size(); i++) out.names.push_back("f" + std::to_string(i + 1));
    return true;
  }
  const auto relation = context.session().catalog().row_shape(info->relation);
  out.types.clear();
  out.names.clear();
  if (relation != nullptr)
    for (const auto& column : relation->columns) {
      out.types.push_back(column.dropped ? TypeRef{} : column.type);
      out.names.push_back(column.dropped ? std::string() : column.name);
      // The base has no values of dropped columns.
      const auto at = static_cast<ptrdiff_t>(out.types.size()) - 1;
      if (column.dropped && !base.null && at <= std::ssize(out.defaults))
        out.defaults.insert(out.defaults.begin() + at, Datum::make_null(Phys::kI32));
    }
  if (out.defaults.size() != out.types.size()) out.defaults.clear();
  return true;
}

// What one of these functions was given.
struct RecordCall {
  const char* name;
  Datum document = Datum::make_null(Phys::kStr);
  Datum base = Datum::make_null(Phys::kStr);
  Oid base_type = oid::kRecord;
  Oid domain = kInvalidOid;                      // over base_type: the rows are its values
  Datum defined = Datum::make_null(Phys::kStr);  // the column definition list
};

template <class V, bool kTo>
RecordCall read_call(FuncContext& context, const char* name, const CallInfo& call, std::span<const Datum> arguments) {
  // Those of json have use_json_as_text beside.
  constexpr size_t kGiven = kTo ? 1 : std::is_same_v<V, JsonText> ? 3 : 2;
  RecordCall out;
  out.name = name;
  out.document = arguments[kTo ? 0 : 1];
  if (!kTo) {
    out.base = arguments[0];
    out.base_type = call.arguments[0].oid;
  }
  const Oid base = without_domain(context.session().catalog(), {out.base_type, -1, kInvalidOid}).oid;
  if (base != out.base_type) out.domain = std::exchange(out.base_type, base);
  if (arguments.size() > kGiven) out.defined = arguments[kGiven];
  return out;
}

// The shape of the rows. False: the context has the error.
bool shape_of(FuncContext& context, const RecordCall& call, RowShape& out) {
  const bool by_definition = call.base.null && call.base_type == oid::kRecord;
  if (!shape_of(context, call.base_type, by_definition ? call.defined : call.base, call.name, out)) return false;
  if (by_definition) out.defaults.clear();  // its nulls are none: each field is made
  if (by_definition || call.defined.null) return true;
  return check_row_shape(context, out.types, read_record(call.defined.str).types);
}

template <class V>
class Populator {
 public:
  Populator(FuncContext& context, const char* function) : context_(context), function_(function) {}

  // The fields of object `v` in the order of `shape`.
  bool fields(V v, const RowShape& shape, std::vector<Datum>& out) {
    for (size_t i = 0; i < shape.types.size(); i++) {
      if (shape.types[i].oid == kInvalidOid) {
        out.push_back(Datum::make_null(Phys::kI32));
        continue;
      }
      const auto found = v.field(context_, shape.names[i]);
      if (context_.failed()) return false;
      if (found) {
        const Datum base = shape.defaults.empty() ? Datum::make_null(Phys::kStr) : shape.defaults[i];
        out.push_back(value(*found, shape.types[i], shape.names[i], base));
      } else if (!shape.defaults.empty()) {
        out.push_back(shape.defaults[i]);
      } else {
        out.push_back(Datum::make_null(phys_of(context_, shape.types[i].oid)));
        if (!check_domain(context_, shape.types[i], out.back())) return false;
      }
      if (context_.failed()) return false;
    }
    return true;
  }

  Datum record(V v, const RowShape& shape) {
    const Datum null = Datum::make_null(Phys::kStr);
    if (v.kind() != JsonKind::kObject) {
      context_.fail(sqlstate::kInvalidParameterValue,
                    std::string("cannot call populate_composite") +
                        (v.kind() == JsonKind::kArray ? " on an array" : " on a scalar"));
      return null;
    }
    std::vector<Datum> values;
    if (!fields(v, shape, values)) return null;
    return Datum::of(context_.arena().copy(make_record(
        shape.type, shape.types, values,
        shape.type == oid::kRecord ? std::span<const std::string>(shape.names) : std::span<const std::string>())));
  }

 private:
  // `base`: what the field is so far, for the fields of a composite value that the document does not have.
  Datum value(V v, const TypeRef& type, const std::string& name, const Datum& base) {
    const Datum null = Datum::make_null(phys_of(context_, type.oid));
    const TypeRef base_type = without_domain(context_.session().catalog(), type);
    if (base_type.oid != type.oid) {
      const Datum made = value(v, base_type, name, base);
      return !context_.failed() && check_domain(context_, type, made) ? made : null;
    }
    if (v.kind() == JsonKind::kNull) return null;
    if (stack_remaining() == 0) {
      context_.fail(stack_depth_error());
      return null;
    }
    const auto info = context_.session().catalog().type(type.oid);
    // Strings go through the type's text form, whatever it is.
    if (v.kind() != JsonKind::kString && info != nullptr) {
      if (info->kind == 'c') {
        RowShape shape;
        if (!shape_of(context_, type.oid, base, function_, shape)) return null;
        return record(v, shape);
      }
      if (info->is_array()) return array(v, {info->element, type.typmod, type.collation}, name);
    }
    if (type.oid == oid::kJsonb || type.oid == oid::kJson) return document(v, type);
    return type_input(context_, type, v.text(context_));
  }

  Datum document(V v, const TypeRef& type) {
    std::string text;
    if constexpr (std::is_same_v<V, JsonbView>) {
      if (type.oid == oid::kJsonb) return Datum::of(context_.arena().copy(v.raw()));
      append_jsonb_text(v, text);
    } else {
      text = std::string(v.raw());
    }
    return type_input(context_, type, text);
  }

  // ---- arrays: nested JSON arrays are dimensions
  struct Building {
    TypeRef element;
    std::vector<ArrayDimension> dimensions;
    std::vector<Datum> values;
    std::vector<int32_t> path;  // where the walk is
    int dimension_count = -1;   // known once the first element that is no array is met
  };
  Datum array(V v, const TypeRef& element, const std::string& name) {
    Building b;
    b.element = element;
    const Datum null = Datum::make_null(Phys::kStr);
    if (!walk(v, b, name)) return null;
    const Phys phys = phys_of(context_, element.oid);
    if (b.values.empty()) b.dimensions.clear();
    for (ArrayDimension& d : b.dimensions) d.lower = 1;
    return Datum::of(context_.arena().copy(make_array(element.oid, phys, b.dimensions, b.values)));
  }
  bool expected_array(const Building& b, const std::string& name) {
    Error error(sqlstate::kInvalidTextRepresentation, "expected JSON array");
    if (b.path.empty()) {
      error.hint = "See the value of key \"" + name + "\".";
    } else {
      std::string place;
      for (int32_t i : b.path) place += "[" + std::to_string(i) + "]";
      error.hint = "See the array element " + place + " of key \"" + name + "\".";
    }
    context_.fail(std::move(error));
    return false;
  }
  bool malformed() {
    context_.fail(Error(sqlstate::kInvalidTextRepresentation, "malformed JSON array")
                      .with_detail("Multidimensional arrays must have sub-arrays with matching dimensions."));
    return false;
  }
  bool walk(V v, Building& b, const std::string& name) {
    if (stack_remaining() == 0) {
      context_.fail(stack_depth_error());
      return false;
    }
    if (v.kind() != JsonKind::kArray) return expected_array(b, name);
    const size_t level = b.path.size();
    int32_t count = 0;
    bool ok = true;
    if (level >= b.dimensions.size()) {
      if (level >= static_cast<size_t>(kMaxArrayDimensions)) {
        context_.fail(sqlstate::kProgramLimitExceeded, "number of array dimensions (" + std::to_string(level + 1) +
                                                           ") exceeds the maximum allowed (" +
                                                           std::to_string(kMaxArrayDimensions) + ")");
        return false;
      }
      b.dimensions.push_back({v.count(), 1});
    } else if (b.dimensions[level].length != v.count()) {
      return malformed();
    }
    b.path.push_back(0);
    v.for_each_element([&](V e) {
      b.path.back() = count++;
      if (b.dimension_count < 0 && e.kind() != JsonKind::kArray) b.dimension_count = static_cast<int>(level) + 1;
      if (b.dimension_count >= 0 && static_cast<int>(level) + 1 >= b.dimension_count) {
        b.values.push_back(value(e, b.element, name, Datum::make_null(Phys::kStr)));
        return ok = !context_.failed();
      }
      return ok = walk(e, b, name);
    });
    b.path.pop_back();
    return ok;
  }
  FuncContext& context_;
  const char* function_;
};

// ---- one row
template <class V, bool kTo>
Datum populate(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  constexpr bool kText = std::is_same_v<V, JsonText>;
  const char* function =
      kTo ? (kText ? "json_to_record" : "jsonb_to_record") : (kText ? "json_populate_record" : "jsonb_populate_record");
  const Datum null = Datum::make_null(Phys::kStr);
  const RecordCall given = read_call<V, kTo>(context, function, call, arguments);
  if (kTo && given.document.null) return null;
  RowShape shape;
  if (!shape_of(context, given, shape)) return null;
  const Datum row =
      given.document.null ? given.base : Populator<V>(context, function).record(V(given.document.str), shape);
  return !context.failed() && check_domain(context, {given.domain, -1, kInvalidOid}, row) ? row : null;
}

// ---- a set of rows
template <class V, bool kTo>
std::unique_ptr<SetProducer> open_populate(FuncContext& context, const CallInfo& call,
                                           std::span<const Datum> arguments) {
  constexpr bool kText = std::is_same_v<V, JsonText>;
  const char* function = kTo ? (kText ? "json_to_recordset" : "jsonb_to_recordset")
                             : (kText ? "json_populate_recordset" : "jsonb_populate_recordset");
  const RecordCall given = read_call<V, kTo>(context, function, call, arguments);
  if (given.document.null) return empty_set();
  RowShape shape;
  if (!shape_of(context, given, shape)) return empty_set();
  const auto refuse = [&](std::string message) {
    context.fail(sqlstate::kInvalidParameterValue, std::move(message));
    return empty_set();
  };
  const V v(given.document.str);
  if (v.kind() != JsonKind::kArray) {
    const bool object = v.kind() == JsonKind::kObject;
    return refuse(std::string("cannot call ") + function +
                  (!kText   ? " on a non-array"
                   : object ? " on an object"
                            : " on a scalar"));
  }
  auto rows = std::make_unique<RowSet>();
  Populator<V> populator(context, function);
  bool objects = true;
  v.for_each_element([&](V e) {
    if (e.kind() != JsonKind::kObject) return objects = false;
    const Datum row = populator.record(e, shape);
    if (context.failed() || !check_domain(context, {given.domain, -1, kInvalidOid}, row)) return false;
    rows->add_in_turn({rows->keep(row)});
    return true;
  });
  if (!objects) return refuse(std::string("argument of ") + function + " must be an array of objects");
  return context.failed() ? empty_set() : std::move(rows);
}

const ScalarEntry kJsonRecordEntries[] = {
    {"json_populate_record", any_kernel<populate<JsonText, false>>},
    {"jsonb_populate_record", any_kernel<populate<JsonbView, false>>},
    {"json_to_record", any_kernel<populate<JsonText, true>>},
    {"jsonb_to_record", any_kernel<populate<JsonbView, true>>},
};
const SetEntry kSets[] = {
    {"json_populate_recordset", open_populate<JsonText, false>},
    {"jsonb_populate_recordset", open_populate<JsonbView, false>},
    {"json_to_recordset", open_populate<JsonText, true>},
    {"jsonb_to_recordset", open_populate<JsonbView, true>},
};

}  // namespace

std::span<const ScalarEntry> json_records() { return kJsonRecordEntries; }
std::span<const SetEntry> json_record_sets() { return kSets; }

}  // namespace indigo::types
