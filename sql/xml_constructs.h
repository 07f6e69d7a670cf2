// The functions that the XML constructs of the grammar are calls of (tools/own_catalog.py, types/xml/xml_syntax.cpp).
#pragma once

#include "base/ids.h"

namespace indigo::sql::xml_construct {

inline constexpr Oid kElement = 8050;      // name, names of attributes, their values, contents
inline constexpr Oid kForest = 8051;       // names, values
inline constexpr Oid kConcat = 8052;       // values
inline constexpr Oid kParse = 8053;        // text, document?, preserve whitespace?
inline constexpr Oid kInstruction = 8054;  // name [, contents]
inline constexpr Oid kRoot = 8055;         // value, version or null, standalone: 0 yes, 1 no, 2 no value, 3 omitted
inline constexpr Oid kIsDocument = 8056;   // value
inline constexpr Oid kSerialize = 8057;    // value, document?, null of the type that is wanted
inline constexpr Oid kTable = 8058;        // types/xml/xml_table.cpp

}  // namespace indigo::sql::xml_construct
