// The text and binary forms of values of any type: built-in ones by their definitions, arrays, records, enums and domains
// through the catalog.
#include "base/fiber/stack_exhausted.h"
#include "base/sqlstate.h"
#include "types/builtin/builtins.h"
#include "types/function/errors.h"
#include "types/io/client_text.h"
#include "types/io/container_io.h"
#include "types/oids.h"
#include "types/range/range.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// How the types that need the catalog are handled.
// kDomain: also base types like a built-in one. kOwn: base types whose forms an extension has.
enum class Shape : uint8_t { kNone, kArray, kRecord, kEnum, kDomain, kOwn, kRange, kMultirange };
struct Resolved {
  Shape shape = Shape::kNone;
  std::shared_ptr<const TypeInfo> info;
};
Resolved resolve(FuncContext& context, Oid type) {
  require_stack();  // for what is inside of it
  if (type == oid::kRecord) return {Shape::kRecord, nullptr};
  Resolved r;
  r.info = context.session().catalog().type(type);
  if (r.info == nullptr) return r;
  if (r.info->is_array()) {
    r.shape = Shape::kArray;
  } else if (r.info->kind == 'c') {
    r.shape = Shape::kRecord;
  } else if (r.info->kind == 'e') {
    r.shape = Shape::kEnum;
  } else if (r.info->kind == 'd' || r.info->like != kInvalidOid) {
    r.shape = Shape::kDomain;
  } else if (r.info->definition != nullptr) {
    r.shape = Shape::kOwn;
  } else if (r.info->kind == 'r') {
    r.shape = Shape::kRange;
  } else if (r.info->kind == 'm') {
    r.shape = Shape::kMultirange;
  }
  return r;
}

TypeRef base_of(const TypeInfo& domain, const TypeRef& type) {
  if (domain.like != kInvalidOid) return {domain.like, type.typmod, type.collation};
  return {domain.base, domain.base_typmod, type.collation};
}
TypeRef element_of(const TypeInfo& array, const TypeRef& type) { return {array.element, type.typmod, type.collation}; }
char delimiter_of(FuncContext& context, const TypeInfo& array) {
  const auto element = context.session().catalog().type(array.element);
  return element ? element->delimiter : ',';
}

Datum fail_unsupported(FuncContext& context, Oid type) {
  const auto info = context.session().catalog().type(type);
  if (info == nullptr) {
    context.fail(sqlstate::kUndefinedObject, "type with OID " + std::to_string(type) + " does not exist");
    return Datum::make_null(Phys::kStr);
  }
  const bool pseudo = info->kind == 'p';
  const std::string& name = info->name;
  context.fail(sqlstate::kFeatureNotSupported,
               pseudo ? "cannot accept a value of type " + name : "type " + name + " is not supported");
  return Datum::make_null(Phys::kStr);
}

// An open cursor's, whose type went after it was planned.
void fail_dropped(FuncContext& context, Oid type) {
  context.fail(sqlstate::kUndefinedObject, "type with OID " + std::to_string(type) + " does not exist");
}

void fail_no_binary(FuncContext& context, Oid type, const char* direction) {
  const auto info = context.session().catalog().type(type);
  context.fail(sqlstate::kUndefinedFunction, std::string("no binary ") + direction + " function available for type " +
                                                 (info ? info->name : std::to_string(type)));
}

Datum receive_by(FuncContext& context, const TypeDefinition& io, const TypeRef& type, Str bytes) {
  if (io.input == nullptr) return fail_unsupported(context, type.oid);
  if (io.receive != nullptr) return io.receive(context, type, bytes);
  fail_no_binary(context, type.oid, "input");
  return Datum::make_null(Phys::kStr);
}

void send_by(FuncContext& context, const TypeDefinition& io, const TypeRef& type, const Datum& value,
             std::string& out) {
  if (io.send != nullptr) return io.send(context, type, value, out);
  fail_no_binary(context, type.oid, "output");
}

}  // namespace

Datum type_input(FuncContext& context, const TypeRef& type, Str text) {
  if (const TypeDefinition* io = type_definition(type.oid)) {
    if (io->input == nullptr) return fail_unsupported(context, type.oid);
    return io->input(context, type, text);
  }
  const Resolved r = resolve(context, type.oid);
  switch (r.shape) {
    case Shape::kArray: return array_input(context, element_of(*r.info, type), delimiter_of(context, *r.info), text);
    case Shape::kRecord: return record_input(context, type.oid, text);
    case Shape::kEnum: return enum_input(context, *r.info, text);
    case Shape::kDomain: return type_input(context, base_of(*r.info, type), text);
    case Shape::kOwn: return r.info->definition->input(context, type, text);
    case Shape::kRange: return range_input(context, type, text);
    case Shape::kMultirange: return multirange_input(context, type, text);
    case Shape::kNone: break;
  }
  return fail_unsupported(context, type.oid);
}

Datum type_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  if (const TypeDefinition* io = type_definition(type.oid)) return receive_by(context, *io, type, bytes);
  const Resolved r = resolve(context, type.oid);
  switch (r.shape) {
    case Shape::kArray: return array_receive(context, element_of(*r.info, type), bytes);
    case Shape::kRecord: return record_receive(context, type.oid, bytes);
    case Shape::kEnum: {
      const Str label = receive_text(context, bytes);
      return context.failed() ? Datum::make_null(Phys::kI32) : enum_input(context, *r.info, label);
    }
    case Shape::kDomain: return type_receive(context, base_of(*r.info, type), bytes);
    case Shape::kOwn: return receive_by(context, *r.info->definition, type, bytes);
    case Shape::kRange: return range_receive(context, type, bytes);
    case Shape::kMultirange: return multirange_receive(context, type, bytes);
    case Shape::kNone: break;
  }
  return fail_unsupported(context, type.oid);
}

void type_output(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out) {
  if (const TypeDefinition* io = type_definition(type.oid)) return io->output(context, type, value, out);
  const Resolved r = resolve(context, type.oid);
  switch (r.shape) {
    case Shape::kArray: return array_output(context, value.str, delimiter_of(context, *r.info), out);
    case Shape::kRecord: return record_output(context, value.str, out);
    case Shape::kEnum: return enum_output(*r.info, value.oid(), out);
    case Shape::kDomain: return type_output(context, base_of(*r.info, type), value, out);
    case Shape::kOwn: return r.info->definition->output(context, type, value, out);
    case Shape::kRange: return range_output(context, type, value, out);
    case Shape::kMultirange: return multirange_output(context, type, value, out);
    case Shape::kNone: break;
  }
  // A pseudo-type's argument (anyarray columns of the statistics views): its image says what it is.
  if (type.oid == oid::kAnyArray || type.oid == oid::kAnyCompatibleArray)
    return array_output(context, value.str, ',', out);
  if (r.info == nullptr) fail_dropped(context, type.oid);
}

void type_send(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out) {
  if (const TypeDefinition* io = type_definition(type.oid)) return send_by(context, *io, type, value, out);
  const Resolved r = resolve(context, type.oid);
  switch (r.shape) {
    case Shape::kArray: return array_send(context, r.info->element, value.str, out);
    case Shape::kRecord: return record_send(context, value.str, out);
    case Shape::kEnum: {
      std::string label;
      enum_output(*r.info, value.oid(), label);
      return send_text(context, label, out);
    }
    case Shape::kDomain: return type_send(context, base_of(*r.info, type), value, out);
    case Shape::kOwn: return send_by(context, *r.info->definition, type, value, out);
    case Shape::kRange: return range_send(context, type, value, out);
    case Shape::kMultirange: return multirange_send(context, type, value, out);
    case Shape::kNone: break;
  }
  if (type.oid == oid::kAnyArray || type.oid == oid::kAnyCompatibleArray)
    return array_send(context, ArrayView(value.str).element_type(), value.str, out);
  if (r.info == nullptr) fail_dropped(context, type.oid);
}

bool type_has_io(FuncContext& context, Oid type) {
  if (const TypeDefinition* io = type_definition(type)) return io->input != nullptr;
  const Resolved r = resolve(context, type);
  switch (r.shape) {
    case Shape::kArray: return type_has_io(context, r.info->element);
    case Shape::kDomain: return type_has_io(context, base_of(*r.info, {}).oid);
    case Shape::kOwn: return true;
    case Shape::kRange:
    case Shape::kMultirange: return type_has_io(context, r.info->range_subtype);
    case Shape::kRecord:
    case Shape::kEnum: return true;
    case Shape::kNone: return false;
  }
  return false;
}

}  // namespace indigo::types
