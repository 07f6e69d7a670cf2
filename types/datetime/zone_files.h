// Where zones come from: the system's zone database, a file each; where that lacks one, the copy that some executables carry
// (cmake/zones.cmake). Thread safety: pure functions.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace indigo::types {

// "america/port_of_spain" -> "America/Port_of_Spain": as the database writes it. Empty: there is none.
std::string spelled_zone_name(std::string_view name);

// The names of all zones, in no order.
void visit_zone_names(const std::function<void(const std::string&)>& visit);

// The carried copy of a zone's file; empty: there is none.
std::string_view carried_zone(std::string_view name);

}  // namespace indigo::types
