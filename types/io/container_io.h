// Text and binary forms of arrays, composite values and enums. See types/type_io.h for the conventions.
#pragma once

#include "types/io/type_definition.h"

namespace indigo::types {

Datum record_input(FuncContext& context, Oid type, Str text);
void record_output(FuncContext& context, Str image, std::string& out);
Datum record_receive(FuncContext& context, Oid type, Str bytes);
void record_send(FuncContext& context, Str image, std::string& out);

Datum enum_input(FuncContext& context, const TypeInfo& type, Str label);
void enum_output(const TypeInfo& type, Oid label, std::string& out);

}  // namespace indigo::types
