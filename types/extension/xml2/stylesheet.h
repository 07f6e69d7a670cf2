// XSLT 1.0 by libxslt. A stylesheet reads and writes no file and no address; templates call each other 3,000 deep at most, and a
// transformation takes 1 GB at most (53200). It looks at interrupts whenever it asks for memory, as every template's instantiation
// does; one comparison of two sets of nodes does not.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"

namespace indigo::types::xml2 {

// The document as the stylesheet transforms it. `parameters`: "name=value,name=value", where values are XPath expressions. Null
// when the result cannot be written. 38000 when one of them is not well-formed or the stylesheet fails; 0A000 without libxslt.
Result<std::optional<std::string>> transform(const std::string& document, const std::string& stylesheet,
                                             const std::string& parameters);

}  // namespace indigo::types::xml2
