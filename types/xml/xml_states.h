// The SQLSTATEs of XML.
#pragma once

#include "base/sqlstate.h"

namespace indigo::sqlstate {

inline constexpr SqlState kNotAnXmlDocument{"2200L"};
inline constexpr SqlState kInvalidXmlDocument{"2200M"};
inline constexpr SqlState kInvalidXmlContent{"2200N"};
inline constexpr SqlState kInvalidXmlComment{"2200S"};
inline constexpr SqlState kInvalidXmlProcessingInstruction{"2200T"};

}  // namespace indigo::sqlstate
