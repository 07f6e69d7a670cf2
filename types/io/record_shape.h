// Whether a composite value has the columns that a query expects of it: a column definition list, a composite type, what the
// analyzer knew of a record. A value of another shape is an error (42804), never read as what it is not.
// Thread safety: one call belongs to one session.
#pragma once

#include <span>
#include <vector>

#include "types/function/context.h"
#include "types/io/record.h"

namespace indigo::types {

// Whether a value of type `from` can stand for one of `to` as it is, byte by byte.
bool stands_for(CatalogContext& catalog, Oid from, Oid to);

// The row that a function in FROM returned, as columns: `expected` are the query's columns (type 0: a dropped one), out[i]
// their values or nulls, of `phys`[i]. `named`: the function returns a composite type, which may have got further attributes
// since the query was kept. False: the context has the error.
bool expand_row(FuncContext& context, Str image, bool named, std::span<const types::TypeRef> expected,
                std::span<const Phys> phys, std::vector<Datum>& out);
// The same check without values: `types` are those of the row that a function would return.
bool check_row_shape(FuncContext& context, std::span<const types::TypeRef> types,
                     std::span<const types::TypeRef> expected);
// Whether the fields of two rows have the same types. Rows of one function must.
bool same_shape(CatalogContext& catalog, Str a, Str b);

// (composite).field, by number with dropped ones counted, as a value of `expected`. A null when the field is null or was
// added to the type after the value was made.
Datum read_field(FuncContext& context, Str image, size_t field, const types::TypeRef& expected, Phys phys);

}  // namespace indigo::types
