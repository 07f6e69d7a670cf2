// The tables of range types and their functions, for the registry's lists.
#pragma once

#include "types/function/family.h"
#include "types/io/type_definition.h"

namespace indigo::types {

std::span<const TypeDefinition> range_types();
std::span<const ScalarEntry> range_functions();
std::span<const ScalarEntry> multirange_functions();
std::span<const AggregateEntry> range_aggregates();
std::span<const SetEntry> multirange_sets();

}  // namespace indigo::types
