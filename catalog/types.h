// The names of types/ that the catalog's own code uses as its own.
#pragma once

#include "types/row_shape.h"
#include "types/type_info.h"
#include "types/value/key_codec.h"
#include "types/value/row_codec.h"

namespace indigo::types {
class Collator;
class Letters;
}  // namespace indigo::types

namespace indigo::catalog {

using types::AggregateInfo;

using types::CastContext;
using types::CastInfo;
using types::CastMethod;
using types::Collator;
using types::ColumnInfo;
using types::FunctionInfo;
using types::FunctionKind;
using types::KeyColumn;
using types::KeyLayout;
using types::Letters;
using types::OperatorInfo;
using types::RowLayout;
using types::RowShape;
using types::TypeInfo;
using types::TypeRef;
using types::Volatility;

}  // namespace indigo::catalog
