// The families of utility statements, one file each.
#pragma once

#include <span>

#include "engine/utility/utility.h"

namespace indigo::engine {

std::span<const UtilityHandler> transaction_utilities();
std::span<const UtilityHandler> constraint_utilities();
std::span<const UtilityHandler> setting_utilities();
std::span<const UtilityHandler> prepared_utilities();
std::span<const UtilityHandler> cursor_utilities();
std::span<const UtilityHandler> copy_utilities();
std::span<const UtilityHandler> explain_utilities();
std::span<const UtilityHandler> maintenance_utilities();
std::span<const UtilityHandler> program_utilities();
// All of engine/ddl.
const UtilityHandler& definition_utility();

}  // namespace indigo::engine
