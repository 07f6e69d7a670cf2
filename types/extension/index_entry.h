// What the extensions' classes for gist and gin name and nothing here uses: types of entries in the index, whose values nobody
// can make, and functions that only PostgreSQL's index methods call.
// Thread safety: constants.
#pragma once

#include "types/extension/extension.h"
#include "types/io/type_definition.h"

namespace indigo::types {

// Refuses every text with 0A000.
extern const TypeDefinition kIndexEntryForms;

// 0A000: a function with arguments of type internal, which SQL cannot make.
void uncallable_kernel(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                       Selection selection, Vector& out);

}  // namespace indigo::types
