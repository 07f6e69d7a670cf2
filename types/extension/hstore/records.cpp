// hstore(record) and populate_record: a composite value's fields as pairs, and pairs as its fields.
#include "base/sqlstate.h"
#include "types/extension/hstore/hstore.h"
#include "types/function/kernel.h"
#include "types/function/phys_of.h"
#include "types/io/domain_check.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/row_shape.h"

namespace indigo::types::hstore {

namespace {

// The fields of a composite value or, where it is null, of its type; a field that is dropped has type 0.
struct Fields {
  Oid type = oid::kRecord;
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  std::vector<Datum> values;
};

// False: a null of a type that does not say what its fields are.
bool read_fields(FuncContext& context, Oid type, const Datum& value, Fields& out) {
  CatalogContext& catalog = context.session().catalog();
  out.type = type;
  if (!value.null) {
    RecordFields fields = numbered_fields(catalog, value.str);
    out.type = fields.type;
    out.types = std::move(fields.types);
    out.values = std::move(fields.values);
  }
  if (const auto relation = fields_relation(catalog, out.type)) {
    out.names.clear();
    for (const auto& column : relation->columns) {
      out.names.push_back(column.name);
      if (value.null) out.types.push_back(column.dropped ? TypeRef{} : column.type);
    }
  } else if (value.null) {
    return false;
  } else {
    for (const Str name : read_record(value.str).names) out.names.emplace_back(name);
  }
  for (size_t i = out.names.size(); i < out.types.size(); i++) out.names.push_back("f" + std::to_string(i + 1));
  for (size_t i = out.values.size(); i < out.types.size(); i++)
    out.values.push_back(
        Datum::make_null(out.types[i].oid == kInvalidOid ? Phys::kI32 : phys_of(context, out.types[i].oid)));
  return true;
}

std::optional<Str> from_record(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  Fields fields;
  if (!read_fields(context, call.arguments[0].oid, arguments[0], fields)) return std::nullopt;
  std::vector<Pair> pairs;
  std::vector<std::string> texts(fields.types.size());
  for (size_t i = 0; i < fields.types.size(); i++) {
    if (fields.types[i].oid == kInvalidOid) continue;
    Pair pair{fields.names[i], std::nullopt};
    if (!fields.values[i].null) {
      type_output(context, fields.types[i], fields.values[i], texts[i]);
      if (context.failed()) return std::nullopt;
      pair.value = texts[i];
    }
    pairs.push_back(pair);
  }
  return context.arena().copy(make_image(std::move(pairs)));
}

Datum populate(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments) {
  const Datum null = Datum::make_null(Phys::kStr);
  const Datum& base = arguments[0];
  const Datum& pairs = arguments[1];
  const TypeRef& type = call.arguments[0];
  const auto info = context.session().catalog().type(type.oid);
  if (type.oid != oid::kRecord && (info == nullptr || info->kind != 'c')) {
    context.fail(sqlstate::kDatatypeMismatch, "first argument must be a rowtype");
    return null;
  }
  if (pairs.null) return base;
  Fields fields;
  if (!read_fields(context, type.oid, base, fields)) return null;
  const View view(pairs.str);
  for (size_t i = 0; i < fields.types.size(); i++) {
    if (fields.types[i].oid == kInvalidOid) continue;
    const auto pair = view.find(fields.names[i]);
    if (!pair && !base.null) continue;
    const auto text = pair ? view.value(*pair) : std::nullopt;
    fields.values[i] =
        text ? type_input(context, fields.types[i], *text) : Datum::make_null(phys_of(context, fields.types[i].oid));
    if (context.failed() || !check_domain(context, fields.types[i], fields.values[i])) return null;
  }
  return Datum::of(context.arena().copy(make_record(
      fields.type, fields.types, fields.values,
      fields.type == oid::kRecord ? std::span<const std::string>(fields.names) : std::span<const std::string>())));
}

const ScalarEntry kRecordFunctions[] = {
    {"hstore_from_record", any_kernel<from_record>},
    {"hstore_populate_record", any_kernel<populate>},
};

}  // namespace

std::span<const ScalarEntry> record_functions() { return kRecordFunctions; }

}  // namespace indigo::types::hstore
