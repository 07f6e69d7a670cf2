// The families of utility statements, one file each.
#pragma once

#include <span>

#include "engine/utility/utility.h"

namespace indigo::engine {

std::span<const UtilityStatement> transaction_utilities();
std::span<const UtilityStatement> constraint_utilities();
std::span<const UtilityStatement> setting_utilities();
std::span<const UtilityStatement> system_utilities();
std::span<const UtilityStatement> prepared_utilities();
std::span<const UtilityStatement> cursor_utilities();
std::span<const UtilityStatement> copy_utilities();
std::span<const UtilityStatement> explain_utilities();
std::span<const UtilityStatement> maintenance_utilities();
std::span<const UtilityStatement> program_utilities();
std::span<const UtilityStatement> notify_utilities();
std::span<const UtilityStatement> unsupported_utilities();

}  // namespace indigo::engine
