// The manual page indigo(1), made of the command line's outline. Thread safety: a pure function.
#pragma once

#include <string>

#include "wire/command/outline.h"

namespace indigo::wire {

// In troff's man macros.
std::string manual_page(const Outline& outline);

}  // namespace indigo::wire
