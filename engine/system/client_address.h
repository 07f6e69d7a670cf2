// A connection's address as an inet value.
#pragma once

#include <string>

#include "types/network/address.h"

namespace indigo::engine {

// Empty for an empty text: a unix socket has no address.
std::string address_image(const std::string& text);

}  // namespace indigo::engine
