// The parse tree, as definition statements read it.
#pragma once

#include "sql/parse/node.h"

namespace indigo::engine::ddl {

using sql::is;
using sql::nodes;
using sql::string_of;

}  // namespace indigo::engine::ddl
