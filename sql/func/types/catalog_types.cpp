// reg*: OIDs that read and print as names. "-" is 0; a number is taken as it is.
#include "catalog/oids.h"
#include "sql/func/errors.h"
#include "sql/func/number/integer_text.h"
#include "sql/func/system/object_name.h"
#include "sql/func/types/type_io.h"

namespace indigo::sql {

namespace {

Datum null_oid() { return Datum::make_null(Phys::kI32); }

// "-" and numbers; nullopt when it is a name.
std::optional<Oid> numeric_oid(Str text) {
  if (text == "-") return kInvalidOid;
  if (text.empty() || text.find_first_not_of("0123456789") != Str::npos) return std::nullopt;
  uint32_t v = 0;
  return parse_integer(text, v) == IntegerParse::kOk ? std::optional<Oid>(v) : std::nullopt;
}

template <Result<Oid> (*Find)(FuncContext&, Str)>
Datum reg_in(FuncContext& context, const TypeRef&, Str text) {
  if (const auto number = numeric_oid(text)) return Datum::of_oid(*number);
  Result<Oid> found = Find(context, text);
  if (found.ok()) return Datum::of_oid(*found);
  context.fail(std::move(*found.take_error()));
  return null_oid();
}

template <std::string (*Name)(FuncContext&, Oid)>
void reg_out(FuncContext& context, const TypeRef&, const Datum& d, std::string& out) {
  if (d.oid() == kInvalidOid) {
    out.push_back('-');
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

const TypeIo kTypes[] = {
    {oid::kRegClass, reg_in<find_relation_oid>, reg_out<relation_name>, reg_receive, reg_send},
    {oid::kRegType, reg_in<find_type_oid>, reg_out<type_name>, reg_receive, reg_send},
    {oid::kRegProc, reg_in<find_function_oid>, reg_out<function_name>, reg_receive, reg_send},
    {oid::kRegProcedure, reg_in<find_procedure_oid>, reg_out<procedure_name>, reg_receive, reg_send},
    {oid::kRegOper, reg_in<find_operator_oid>, reg_out<operator_name>, reg_receive, reg_send},
    {oid::kRegOperator, reg_in<find_operator_signature_oid>, reg_out<operator_signature>, reg_receive, reg_send},
    {oid::kRegNamespace, reg_in<find_schema_oid>, reg_out<schema_display_name>, reg_receive, reg_send},
    {oid::kRegRole, reg_in<find_role_oid>, reg_out<role_display_name>, reg_receive, reg_send},
    {oid::kRegCollation, reg_in<find_collation_oid>, reg_out<collation_display_name>, reg_receive, reg_send},
    {oid::kRegConfig, reg_in<find_text_search_oid>, reg_out<text_search_name>, reg_receive, reg_send},
    {oid::kRegDictionary, reg_in<find_text_search_oid>, reg_out<text_search_name>, reg_receive, reg_send},
};

}  // namespace

std::span<const TypeIo> catalog_types() { return kTypes; }

}  // namespace indigo::sql
