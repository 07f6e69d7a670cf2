// The part of indigo.h that reads results.
#include <charconv>

#include "embedded/indigo.h"
#include "embedded/stored_result.h"

namespace {

const indigo_result::Cell* cell_at(const indigo_result* result, int64_t row, int column) {
  if (row < 0 || row >= indigo_rows(result) || column < 0 || column >= indigo_columns(result)) return nullptr;
  const indigo_result::Cell& cell =
      result->cells[static_cast<size_t>(row) * result->columns.size() + static_cast<size_t>(column)];
  return cell.size < 0 ? nullptr : &cell;
}

const indigo_result::Column* column_at(const indigo_result* result, int column) {
  return column < 0 || column >= indigo_columns(result) ? nullptr : &result->columns[static_cast<size_t>(column)];
}

}  // namespace

indigo_result* indigo_next(const indigo_result* result) { return result->next.get(); }

int indigo_ok(const indigo_result* result) { return result->error == nullptr; }
const char* indigo_sqlstate(const indigo_result* result) { return result->sqlstate.c_str(); }
const char* indigo_message(const indigo_result* result) { return result->error ? result->error->message.c_str() : ""; }
const char* indigo_detail(const indigo_result* result) { return result->error ? result->error->detail.c_str() : ""; }
const char* indigo_hint(const indigo_result* result) { return result->error ? result->error->hint.c_str() : ""; }
int indigo_position(const indigo_result* result) { return result->error ? result->error->position : 0; }

const char* indigo_tag(const indigo_result* result) { return result->tag.c_str(); }

int64_t indigo_affected(const indigo_result* result) {
  const size_t space = result->tag.rfind(' ');
  if (space == std::string::npos) return 0;
  int64_t count = 0;
  std::from_chars(result->tag.data() + space + 1, result->tag.data() + result->tag.size(), count);
  return count;
}

int indigo_columns(const indigo_result* result) { return static_cast<int>(result->columns.size()); }

int64_t indigo_rows(const indigo_result* result) {
  return result->columns.empty() ? 0 : static_cast<int64_t>(result->cells.size() / result->columns.size());
}

const char* indigo_column_name(const indigo_result* result, int column) {
  const indigo_result::Column* at = column_at(result, column);
  return at == nullptr ? nullptr : at->name.c_str();
}

uint32_t indigo_column_type(const indigo_result* result, int column) {
  const indigo_result::Column* at = column_at(result, column);
  return at == nullptr ? 0 : at->type;
}

const char* indigo_value(const indigo_result* result, int64_t row, int column) {
  const indigo_result::Cell* cell = cell_at(result, row, column);
  return cell == nullptr ? nullptr : result->texts.data() + cell->begin;
}

size_t indigo_value_size(const indigo_result* result, int64_t row, int column) {
  const indigo_result::Cell* cell = cell_at(result, row, column);
  return cell == nullptr ? 0 : static_cast<size_t>(cell->size);
}

const char* indigo_copied(const indigo_result* result, size_t* size) {
  *size = result->copied.size();
  return result->copied.data();
}
