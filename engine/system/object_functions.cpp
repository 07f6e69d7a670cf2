// Objects' addresses, words and identities: pg_describe_object() and its kin.
#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/object_address.h"
#include "engine/system/object_description.h"
#include "engine/system/object_identity.h"
#include "engine/system/object_kinds.h"
#include "types/io/record.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

constexpr types::TypeRef kTextType{oid::kText, -1, oid::kDefaultCollation};
constexpr types::TypeRef kTextArrayType{oid::kTextArray, -1, oid::kDefaultCollation};
constexpr types::TypeRef kOidType{oid::kOid, -1, kInvalidOid};
constexpr types::TypeRef kInt4Type{oid::kInt4, -1, kInvalidOid};

// (class, object, sub): XX000 when there are no objects of that class, or none with parts.
Status check_address(std::span<const Datum> address) {
  const Oid class_id = address[0].oid();
  const int32_t sub = address[2].i32;
  if (class_words(class_id, sub).empty())
    return Error(sqlstate::kInternalError, "unrecognized object class: " + std::to_string(class_id));
  if (sub != 0 && class_id != catalog::pg_class::kOid) {
    return Error(sqlstate::kInternalError, "invalid non-zero objectSubId for object class " + std::to_string(class_id));
  }
  return {};
}

std::optional<ObjectIdentity> identity_of(SessionParts& session, std::span<const Datum> address) {
  return identify_object(session, address[0].oid(), address[1].oid(), address[2].i32);
}

std::string type_of(const std::optional<ObjectIdentity>& identity, std::span<const Datum> address) {
  return identity ? identity->type : std::string(class_words(address[0].oid(), address[2].i32));
}

Result<OwnedDatum> describe(SessionParts& session, std::span<const Datum> address) {
  if (address[0].oid() == kInvalidOid && address[1].oid() == kInvalidOid) return text_null();
  INDIGO_TRY(check_address(address));
  const std::string words = object_in_words(session, address[0].oid(), address[1].oid(), address[2].i32);
  return words.empty() ? text_null() : text_value(words);
}

// (type, schema, name, identity)
Result<OwnedDatum> identify(SessionParts& session, std::span<const Datum> address) {
  INDIGO_TRY(check_address(address));
  const auto found = identity_of(session, address);
  ObjectIdentity identity = found.value_or(ObjectIdentity{});
  // A column is named by its relation here, unlike in what event triggers tell.
  if (found && address[0].oid() == catalog::pg_class::kOid && address[2].i32 != 0) identity.name = identity.names[1];
  const auto text = [](const std::string& s) { return s.empty() ? null_text() : text_datum(s); };
  const auto quoted = [](const std::string& s) { return s.empty() ? s : types::quote_identifier(s); };
  const types::TypeRef types[] = {kTextType, kTextType, kTextType, kTextType};
  const std::string type = type_of(found, address), schema = quoted(identity.schema), name = quoted(identity.name);
  const Datum values[] = {text_datum(type), text(schema), text(name), text(identity.identity)};
  return text_value(types::make_record(oid::kRecord, types, values));
}

std::string text_array(const std::vector<std::string>& texts) {
  std::vector<Datum> values;
  for (const std::string& t : texts) values.push_back(text_datum(t));
  const ArrayDimension dimension{static_cast<int32_t>(values.size()), 1};
  return make_array(oid::kText, Phys::kStr, std::span(&dimension, values.empty() ? 0 : 1), values);
}

// (type, object_names, object_args)
Result<OwnedDatum> identify_as_address(SessionParts& session, std::span<const Datum> address) {
  INDIGO_TRY(check_address(address));
  const auto found = identity_of(session, address);
  const std::string type = type_of(found, address);
  std::string names, arguments;
  if (found) {
    names = text_array(found->names);
    arguments = text_array(found->arguments);
  }
  const types::TypeRef types[] = {kTextType, kTextArrayType, kTextArrayType};
  const Datum values[] = {text_datum(type), found ? text_datum(names) : null_text(),
                          found ? text_datum(arguments) : null_text()};
  return text_value(types::make_record(oid::kRecord, types, values));
}

ObjectNames texts_of(const Datum& array) {
  const ArrayView view(array.str);
  ObjectNames out;
  for (int32_t i = 0; i < view.count(); i++) {
    const Datum element = view.element(i);
    out.push_back(element.null ? std::nullopt : std::optional<std::string>(std::string(element.str)));
  }
  return out;
}

// (classid, objid, objsubid)
Result<OwnedDatum> address_of(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const ObjectAddress found,
                find_object_address(session, arguments[0].str, texts_of(arguments[1]), texts_of(arguments[2])));
  const types::TypeRef types[] = {kOidType, kOidType, kInt4Type};
  const Datum values[] = {Datum::of_oid(found.class_id), Datum::of_oid(found.object), Datum::of(found.sub)};
  return text_value(types::make_record(oid::kRecord, types, values));
}

constexpr SystemValue kObjectValues[] = {
    {"pg_describe_object", describe},
    {"pg_identify_object", identify},
    {"pg_identify_object_as_address", identify_as_address},
    {"pg_get_object_address", address_of},
};

}  // namespace

std::span<const SystemValue> object_values() { return kObjectValues; }

}  // namespace indigo::engine
