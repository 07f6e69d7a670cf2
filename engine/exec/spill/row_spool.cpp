#include "engine/exec/spill/row_spool.h"

#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "engine/exec/spill/temporary_file.h"

namespace indigo::engine::exec {

namespace {

constexpr uint64_t kBlockBytes = uint64_t{64} << 10;

// A row in the file: its image's length, then the image.
using Length = uint32_t;

// Selections of rows at..at+count.
constexpr auto kIdentity = [] {
  std::array<uint16_t, kChunkRows> rows{};
  for (uint32_t i = 0; i < kChunkRows; i++) rows[i] = static_cast<uint16_t>(i);
  return rows;
}();

}  // namespace

RowSpool::RowSpool() = default;
RowSpool::~RowSpool() = default;
RowSpool::RowSpool(RowSpool&&) noexcept = default;
RowSpool& RowSpool::operator=(RowSpool&&) noexcept = default;

void RowSpool::init(std::vector<Phys> columns, SpillSpace* space) {
  space_ = space != nullptr && space->may_spill() ? space->shared_from_this() : nullptr;
  // A block of the store is allocated whole: it does not count, so that there is always room for some rows.
  uint64_t block_bytes = 0;
  for (const Phys p : columns) block_bytes += kChunkRows * (phys_bytes(p) + 1);
  tail_bytes_max_ = space_ == nullptr ? UINT64_MAX : space_->memory_bytes + block_bytes;
  forget_file();
  if (tail_.use_count() > 1) tail_ = std::make_shared<RowStore>();  // readers look at it
  tail_->init(std::move(columns));
}

void RowSpool::clear() {
  forget_file();
  if (tail_.use_count() > 1) {
    auto fresh = std::make_shared<RowStore>();
    fresh->init(tail_->phys());
    tail_ = std::move(fresh);
  } else {
    tail_->clear();
  }
}

void RowSpool::forget_file() {
  tail_first_ = 0;
  file_ = nullptr;
  blocks_ = {};
}

uint64_t RowSpool::file_bytes() const { return file_ == nullptr ? 0 : file_->size(); }

Status RowSpool::append(const Chunk& chunk) {
  tail_->append(chunk);
  return spill_if_large();
}

Status RowSpool::append(std::span<const Vector* const> columns, Selection selection) {
  tail_->append(columns, selection);
  return spill_if_large();
}

Status RowSpool::append(std::span<const Datum> row) {
  tail_->append(row);
  return spill_if_large();
}

Status RowSpool::spill_if_large() { return tail_->bytes() > tail_bytes_max_ ? spill() : Status(); }

Status RowSpool::spill() {
  const std::vector<Phys>& columns = tail_->phys();
  if (file_ == nullptr) {
    INDIGO_ASSIGN(file_, TemporaryFile::make(*space_));
    layout_ = types::RowLayout(columns);
    all_columns_.clear();
    for (size_t c = 0; c < columns.size(); c++) all_columns_.push_back(static_cast<uint16_t>(c));
  }
  std::vector<const Vector*> vectors(columns.size());
  std::string image;
  for (uint32_t row = 0; row < tail_->rows(); row++) {
    if (row % kChunkRows == 0) {
      for (size_t c = 0; c < columns.size(); c++) vectors[c] = &tail_->column(row / kChunkRows, c);
    }
    layout_.encode(vectors, row % kChunkRows, image);
    if (image.size() > UINT32_MAX) {
      return Error(sqlstate::kProgramLimitExceeded, "row is too big for a temporary file");
    }
    const uint64_t number = tail_first_ + row;
    if (row == 0 || file_->size() - blocks_.back().offset >= kBlockBytes ||
        number - blocks_.back().first_row >= kChunkRows) {
      blocks_.push_back({number, file_->size()});
    }
    const auto length = static_cast<Length>(image.size());
    INDIGO_TRY(file_->append({reinterpret_cast<const char*>(&length), sizeof length}));
    INDIGO_TRY(file_->append(image));
  }
  INDIGO_TRY(file_->flush());
  tail_first_ += tail_->rows();
  auto fresh = std::make_shared<RowStore>();  // readers may look at the old one
  fresh->init(columns);
  tail_ = std::move(fresh);
  return {};
}

Status RowSpool::read(size_t block, std::string& page, Chunk& out) const {
  const bool last = block + 1 == blocks_.size();
  const uint64_t begin = blocks_[block].offset, end = last ? file_->size() : blocks_[block + 1].offset;
  page.resize(end - begin);
  INDIGO_TRY(file_->read(begin, page.data(), page.size()));
  std::array<Bytes, kChunkRows> images;
  uint32_t count = 0;
  for (size_t at = 0; at < page.size(); count++) {
    const size_t length = load_unaligned<Length>(page.data() + at);
    images[count] = Bytes(page).substr(at + sizeof(Length), length);
    at += sizeof(Length) + length;
  }
  out.columns.resize(phys().size());
  layout_.decode({images.data(), count}, all_columns_, out.columns);
  out.selection = {nullptr, count};
  return {};
}

Status RowSpool::Reader::view(const RowSpool& spool, uint64_t first, uint32_t count, Chunk& out) {
  if (first >= spool.tail_first_) {
    if (spool.space_ != nullptr && tail_ != spool.tail_) tail_ = spool.tail_;
    const auto row = static_cast<uint32_t>(first - spool.tail_first_);
    spool.tail_->view(row, std::min(count, spool.tail_->rows() - row), out);
    return {};
  }
  const auto after = std::upper_bound(spool.blocks_.begin(), spool.blocks_.end(), first,
                                      [](uint64_t row, const Block& b) { return row < b.first_row; });
  const auto block = static_cast<size_t>(after - spool.blocks_.begin()) - 1;
  if (block != block_) {
    block_ = SIZE_MAX;
    INDIGO_TRY(spool.read(block, page_, decoded_));
    block_ = block;
  }
  const auto at = static_cast<uint32_t>(first - spool.blocks_[block].first_row);
  out.columns.resize(decoded_.columns.size());
  for (size_t c = 0; c < out.columns.size(); c++) out.columns[c].reference(decoded_.columns[c]);
  out.selection = {kIdentity.data() + at, std::min(count, decoded_.selection.count - at)};
  tail_ = nullptr;
  return {};
}

void RowSpool::Reader::reset() {
  tail_ = nullptr;
  block_ = SIZE_MAX;
}

}  // namespace indigo::engine::exec
