// The constraints of domains where values are made inside of others, from text, a message or a document: fields of rows
// and elements of arrays. A value that stands alone is checked by the expression that casts it.
// Thread safety: as the context.
#pragma once

#include "types/function/context.h"
#include "types/type_info.h"

namespace indigo::types {

// Whether `value`, held as the base type's, may be one of `type`; all may when that is no domain. False: the context has the
// error (23502, 23514).
bool check_domain(FuncContext& context, const TypeRef& type, const Datum& value);
// What a domain is over, whatever lies between; with the modifier that its values have. Other types: themselves.
TypeRef without_domain(CatalogContext& catalog, TypeRef type);

}  // namespace indigo::types
