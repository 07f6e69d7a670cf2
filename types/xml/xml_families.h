// The tables of XML's families (types/function/families.cpp lists them).
#pragma once

#include "types/function/family.h"

namespace indigo::types {

struct TypeDefinition;

std::span<const TypeDefinition> xml_types();
std::span<const ScalarEntry> xml_functions();
std::span<const ScalarEntry> xml_syntax_functions();
std::span<const ScalarEntry> xpath_functions();
std::span<const AggregateEntry> xml_aggregates();
std::span<const SetEntry> xml_sets();

}  // namespace indigo::types
