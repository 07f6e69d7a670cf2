#include "engine/session/portal/row_buffer.h"

#include <algorithm>

namespace indigo::engine {

RowBuffer::RowBuffer(std::vector<Phys> columns, exec::SpillSpace* space)
    : layout_(columns), bytes_max_(space != nullptr ? space->memory_bytes : UINT64_MAX) {
  rest_.init(columns, space);
  for (size_t i = 0; i < columns.size(); i++) {
    all_columns_.push_back(static_cast<uint16_t>(i));
    chunk_.columns.emplace_back(columns[i]);
  }
}

Status RowBuffer::append(const Chunk& chunk) {
  if (bytes_.size() > bytes_max_) return rest_.append(chunk);
  std::vector<const Vector*> columns;
  for (const Vector& v : chunk.columns) columns.push_back(&v);
  for (uint32_t i = 0; i < chunk.rows(); i++) {
    layout_.encode(columns, chunk.selection[i], scratch_);
    bytes_ += scratch_;
    offsets_.push_back(bytes_.size());
  }
  return {};
}

Result<const Chunk*> RowBuffer::chunk(uint64_t first, uint32_t count) {
  if (first >= offsets_.size() && first < row_count()) {
    INDIGO_TRY(reader_.view(rest_, first - offsets_.size(), std::min(count, kChunkRows), rest_chunk_));
    return &rest_chunk_;
  }
  count = static_cast<uint32_t>(
      std::min<uint64_t>({count, kChunkRows, offsets_.size() - std::min<uint64_t>(first, offsets_.size())}));
  images_.clear();
  for (uint64_t r = first; r < first + count; r++) {
    uint64_t begin = r == 0 ? 0 : offsets_[r - 1];
    images_.push_back(Bytes(bytes_).substr(begin, offsets_[r] - begin));
  }
  for (size_t c = 0; c < chunk_.columns.size(); c++) chunk_.columns[c].init(layout_.phys(c), kChunkRows);
  layout_.decode(images_, all_columns_, chunk_.columns);
  chunk_.selection = {nullptr, count};
  return &chunk_;
}

}  // namespace indigo::engine
