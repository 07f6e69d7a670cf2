// intarray: arrays of int4 without nulls as sets, and query_int, conditions on such a set.
//
// A query's image is its postfix form: five bytes for each item, 0 and an int4, or '!', '&' or '|' and four zeros. It is
// never empty, and each operator's arguments stand before it.
// Thread safety: pure functions and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/function/family.h"
#include "types/inverted/inverted_class.h"
#include "types/io/type_definition.h"

namespace indigo::types::intarray {

// The elements, in their order; fails with 22004 for a null among them.
std::optional<std::vector<int32_t>> elements(FuncContext& context, Str array);
// One dimension from 1.
std::string array_of(std::span<const int32_t> elements);

struct Item {
  char op = 0;  // 0: a value
  int32_t value = 0;
};
std::vector<Item> items_of(Str query);

extern const TypeDefinition kQueryForms;
extern const InvertedClass kIntKeys, kIntGist, kIntBigGist;

std::span<const ScalarEntry> set_functions();
std::span<const ScalarEntry> query_functions();

}  // namespace indigo::types::intarray
