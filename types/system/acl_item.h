// aclitem's text: [user|group] grantee=privileges[/grantor]. The value's bytes are types/value/acl.h's.
// Thread safety: as the context's catalog view.
#pragma once

#include "types/function/context.h"

namespace indigo::types {

// A null with the context's error when the text is wrong or names no role.
Datum acl_item_of_text(FuncContext& context, Str text);
// False, with the context's error, when the array is no list of aclitems: it has one dimension and no nulls.
bool check_acl_array(FuncContext& context, Str array);

}  // namespace indigo::types
