// Changes to the image of an array where it stands, so that a program's loop over the elements of a variable costs what an element
// costs and not what the array does. Each function answers false, and changes nothing, where the image must be made anew (a null
// element, a new bitmap, more than one dimension): then the function of the same name in SQL does it, with its errors.
// Thread safety: none; the caller owns the image.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "types/value/datum.h"

namespace indigo::types {

// image || element. The element may lie in the image.
bool append_in_place(std::string& image, const Datum& element);
// image[subscripts] := element; one behind the last of an array of one dimension appends.
bool store_in_place(std::string& image, std::span<const int32_t> subscripts, const Datum& element);

}  // namespace indigo::types
