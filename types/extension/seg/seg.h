// seg: an interval of floating point numbers, each end with the number of its significant digits and a sign of doubt.
//
// An image: the ends as floats, the digits of both (0 to 6) as bytes, and their signs: '\0' (exact), '~', '<', '>', or '-' where
// there is no end, which is then an infinity.
// Thread safety: values and pure functions.
#pragma once

#include <string>

#include "base/bytes.h"
#include "types/function/family.h"
#include "types/inverted/inverted_class.h"
#include "types/io/type_definition.h"
#include "types/value/collator.h"

namespace indigo::types::seg {

struct End {
  float place = 0;
  uint8_t digits = 0;
  char sign = '\0';
};
struct Segment {
  End lower, upper;
};

Segment segment_of(Str image);
std::string image_of(const Segment& segment);

int compare(const Segment& a, const Segment& b);
// As compare() does, by bytes.
const Collator& order();

std::span<const ScalarEntry> form_functions();
std::span<const ScalarEntry> segment_functions();
extern const TypeDefinition kSegmentForms;
extern const InvertedClass kSegmentGist;

}  // namespace indigo::types::seg
