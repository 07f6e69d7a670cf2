// SQL values and names as XML has them (SQL/XML, part 14: mappings of names and values).
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "types/function/context.h"
#include "types/type_info.h"
#include "types/value/datum.h"

namespace indigo::types {

void append_xml_escaped(std::string_view text, std::string& out);
// Between quotes; what is beyond ASCII as references, as libxml2 writes attributes of a text without an encoding.
void append_attribute_escaped(std::string_view text, std::string& out);
// `fully`: a colon anywhere, and a beginning "xml", are escaped, too. `period`: and periods.
std::string xml_name_of(std::string_view identifier, bool fully, bool period);
// What an XML name stands for.
std::string identifier_of_xml_name(std::string_view name);
// The value's text; `escaped` unless it is XML itself. An array's elements are in <element>. On failure the context has the error.
void append_xml_value(FuncContext& context, const TypeRef& type, const Datum& value, bool escaped, std::string& out);

}  // namespace indigo::types
