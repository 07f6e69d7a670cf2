// Sorts keys by their bytes, by their prefixes first: most keys are decided without being looked at, and numbers move
// instead of strings.
#pragma once

#include <string>
#include <vector>

namespace indigo {

// As long_sort: looks at interrupts (InterruptedWork; the keys are as they were), and lets others run. Takes 16 bytes a
// key meanwhile, and the keys' own place again at the end.
void sort_keys(std::vector<std::string>& keys);

}  // namespace indigo
