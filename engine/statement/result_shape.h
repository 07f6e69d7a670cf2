// From a plan's targets to what RowDescription says.
#pragma once

#include <memory>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "engine/row_sink.h"
#include "sql/plan.h"

namespace indigo::engine {

// With all columns as text. Null for a statement that returns no rows.
std::shared_ptr<const ResultShape> make_shape(catalog::CatalogView& catalog, const sql::PlannedStatement& plan);
// The same columns, all binary; null for null.
std::shared_ptr<const ResultShape> as_binary(const std::shared_ptr<const ResultShape>& shape);
// The same columns with formats as a Bind message gives them: none: all text; one: for all; else one for each.
// 08P01 when their number does not fit.
Result<std::shared_ptr<const ResultShape>> with_formats(const std::shared_ptr<const ResultShape>& text,
                                                        const std::shared_ptr<const ResultShape>& binary,
                                                        std::span<const Format> formats);
// What a client has been told of columns holds for others: their types, and their names. Null: no columns.
bool same_columns(const ResultShape* told, const ResultShape* now);
bool same_types(const ResultShape* told, const ResultShape* now);
// 0A000: the columns are others than the client has been told.
Error result_type_changed();
// A shape of text columns made by utility statements.
std::shared_ptr<const ResultShape> text_columns(std::initializer_list<std::pair<const char*, Oid>> columns);

}  // namespace indigo::engine
