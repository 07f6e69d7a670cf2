// Completion scripts for shells, made of the command line's outline. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/command/outline.h"

namespace indigo::wire {

const std::vector<std::string>& completed_shells();  // bash, fish, zsh

// Nothing for another shell.
std::optional<std::string> completion_script(const Outline& outline, std::string_view shell);

}  // namespace indigo::wire
