// Catalog objects by name and names by OID, as the reg* types and the system information functions show them: qualified
// when search_path does not find them, quoted where needed.
// find_*: 42P01, 42704, 42883, 42725, 3F000 when there is none or more than one. *_name: empty when there is none.
// Thread safety: as the context's catalog view.
#pragma once

#include <string>

#include "types/function/registry.h"

namespace indigo::types {

Result<Oid> find_relation_oid(FuncContext& context, Str name);
Result<Oid> find_type_oid(FuncContext& context, Str name);
Result<Oid> find_function_oid(FuncContext& context, Str name);                 // name only, unique
Result<Oid> find_procedure_oid(FuncContext& context, Str signature);           // name(types)
Result<Oid> find_operator_oid(FuncContext& context, Str name);                 // name only, unique
Result<Oid> find_operator_signature_oid(FuncContext& context, Str signature);  // name(left, right), NONE for none
Result<Oid> find_schema_oid(FuncContext& context, Str name);
Result<Oid> find_role_oid(FuncContext& context, Str name);
Result<Oid> find_collation_oid(FuncContext& context, Str name);
Result<Oid> find_text_search_configuration_oid(FuncContext& context, Str name);
Result<Oid> find_text_search_dictionary_oid(FuncContext& context, Str name);
Result<Oid> find_text_search_parser_oid(FuncContext& context, Str name);

std::string relation_name(FuncContext& context, Oid oid);
std::string qualified_relation_name(FuncContext& context, Oid oid);  // always with its schema
std::string type_name(FuncContext& context, Oid oid);
std::string function_name(FuncContext& context, Oid oid);
std::string procedure_name(FuncContext& context, Oid oid);
std::string operator_name(FuncContext& context, Oid oid);
std::string operator_signature(FuncContext& context, Oid oid);
std::string schema_display_name(FuncContext& context, Oid oid);
std::string role_display_name(FuncContext& context, Oid oid);
std::string collation_display_name(FuncContext& context, Oid oid);
std::string text_search_configuration_name(FuncContext& context, Oid oid);
std::string text_search_dictionary_name(FuncContext& context, Oid oid);

}  // namespace indigo::types
