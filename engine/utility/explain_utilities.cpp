// EXPLAIN: see engine/exec/explain.h for the text.
#include "engine/utility/families.h"

namespace indigo::engine {

std::span<const UtilityHandler> explain_utilities() { return {}; }

}  // namespace indigo::engine
