// reg*: OIDs that read and print as names. "-" is 0; a number is taken as it is.
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/system/object_name.h"

namespace indigo::types {

namespace {

Datum null_oid() { return Datum::make_null(Phys::kI32); }

bool is_number(Str text) { return !text.empty() && text.find_first_not_of("0123456789") == Str::npos; }

// What stands for 0: "-", but "0" for operators, of which one is named -.
constexpr char kDash[] = "-", kZero[] = "0";

template <Result<Oid> (*Find)(FuncContext&, Str), const auto& kNone = kDash>
Datum reg_in(FuncContext& context, const TypeRef&, Str text) {
  if (text == kNone) return Datum::of_oid(kInvalidOid);
  if (is_number(text)) {
    uint32_t v = 0;
    if (parse_integer(text, v) == IntegerParse::kOk) return Datum::of_oid(v);
    fail_value_range(context, "oid", text);
    return null_oid();
  }
  Result<Oid> found = Find(context, text);
  if (found.ok()) return Datum::of_oid(*found);
  context.fail(std::move(*found.take_error()));
  return null_oid();
}

template <std::string (*Name)(FuncContext&, Oid), const auto& kNone = kDash>
void reg_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  if (d.oid() == kInvalidOid) {
    out.append(kNone);
    return;
  }
  const std::string name = Name(context, d.oid());
  if (name.empty()) {
    append_integer(d.oid(), out);
  } else {
    out.append(name);
  }
}

Datum reg_receive(FuncContext& context, const TypeRef&, Str bytes) {
  uint32_t v = 0;
  if (!receive_integer(context, bytes, v)) return null_oid();
  return Datum::of_oid(v);
}
void reg_send(FuncContext&, const TypeRef&, const Datum& d, std::string& out) { send_integer(d.oid(), out); }

const TypeDefinition kCatalogTypes[] = {
    {oid::kRegClass, reg_in<find_relation_oid>, reg_out<relation_name>, reg_receive, reg_send, Phys::kI32, &kOidOrder,
     KeyForm::kU32},
    {oid::kRegType, reg_in<find_type_oid>, reg_out<type_name>, reg_receive, reg_send, Phys::kI32, &kOidOrder,
     KeyForm::kU32},
    {oid::kRegProc, reg_in<find_function_oid>, reg_out<function_name>, reg_receive, reg_send, Phys::kI32, &kOidOrder,
     KeyForm::kU32},
    {oid::kRegProcedure, reg_in<find_procedure_oid>, reg_out<procedure_name>, reg_receive, reg_send, Phys::kI32,
     &kOidOrder, KeyForm::kU32},
    {oid::kRegOper, reg_in<find_operator_oid, kZero>, reg_out<operator_name, kZero>, reg_receive, reg_send, Phys::kI32,
     &kOidOrder, KeyForm::kU32},
    {oid::kRegOperator, reg_in<find_operator_signature_oid, kZero>, reg_out<operator_signature, kZero>, reg_receive,
     reg_send, Phys::kI32, &kOidOrder, KeyForm::kU32},
    {oid::kRegNamespace, reg_in<find_schema_oid>, reg_out<schema_display_name>, reg_receive, reg_send, Phys::kI32,
     &kOidOrder, KeyForm::kU32},
    {oid::kRegRole, reg_in<find_role_oid>, reg_out<role_display_name>, reg_receive, reg_send, Phys::kI32, &kOidOrder,
     KeyForm::kU32},
    {oid::kRegCollation, reg_in<find_collation_oid>, reg_out<collation_display_name>, reg_receive, reg_send, Phys::kI32,
     &kOidOrder, KeyForm::kU32},
    {oid::kRegConfig, reg_in<find_text_search_configuration_oid>, reg_out<text_search_configuration_name>, reg_receive,
     reg_send, Phys::kI32, &kOidOrder, KeyForm::kU32},
    {oid::kRegDictionary, reg_in<find_text_search_dictionary_oid>, reg_out<text_search_dictionary_name>, reg_receive,
     reg_send, Phys::kI32, &kOidOrder, KeyForm::kU32},
};

}  // namespace

std::span<const TypeDefinition> catalog_types() { return kCatalogTypes; }

}  // namespace indigo::types
