#include "engine/exec/spill/spilled_rows.h"

#include <algorithm>

#include "base/sqlstate.h"

namespace indigo::engine::exec {

namespace {

constexpr size_t kPageBytes = size_t{64} << 10;

// A row: its image's length, then the image.
using Length = uint32_t;
constexpr size_t kImageBytesMax = UINT32_MAX;

}  // namespace

SpilledRows::SpilledRows(std::unique_ptr<TemporaryFile> file, const std::vector<Phys>& columns)
    : file_(std::move(file)), layout_(columns) {
  for (size_t c = 0; c < columns.size(); c++) {
    all_columns_.push_back(static_cast<uint16_t>(c));
    out_.columns.emplace_back(columns[c]);
  }
}

Result<std::unique_ptr<SpilledRows>> SpilledRows::make(SpillSpace& space, const std::vector<Phys>& columns) {
  INDIGO_ASSIGN(auto file, TemporaryFile::make(space));
  return std::unique_ptr<SpilledRows>(new SpilledRows(std::move(file), columns));
}

Status SpilledRows::add(std::span<const Vector* const> columns, uint32_t row) {
  layout_.encode(columns, row, image_);
  if (image_.size() > kImageBytesMax)
    return Error(sqlstate::kProgramLimitExceeded, "row is too big for a temporary file");
  const auto length = static_cast<Length>(image_.size());
  INDIGO_TRY(file_->append({reinterpret_cast<const char*>(&length), sizeof length}));
  return file_->append(image_);
}

Result<Chunk*> SpilledRows::next() {
  if (at_ == 0) INDIGO_TRY(file_->flush());
  page_.erase(0, used_);
  used_ = 0;
  images_.clear();
  size_t wanted = kPageBytes;  // more when a row is longer
  while (images_.empty()) {
    if (const uint64_t left = file_->size() - at_; page_.size() < wanted && left > 0) {
      const size_t before = page_.size(), count = std::min<uint64_t>(left, wanted - before);
      page_.resize(before + count);
      INDIGO_TRY(file_->read(at_, page_.data() + before, count));
      at_ += count;
    }
    if (page_.empty()) return nullptr;
    while (images_.size() < kChunkRows && page_.size() - used_ >= sizeof(Length)) {
      const size_t length = load_unaligned<Length>(page_.data() + used_);
      if (page_.size() - used_ < sizeof(Length) + length) {
        wanted = std::max(wanted, used_ + sizeof(Length) + length);
        break;
      }
      images_.push_back(Bytes(page_).substr(used_ + sizeof(Length), length));
      used_ += sizeof(Length) + length;
    }
  }
  layout_.decode(images_, all_columns_, out_.columns);
  out_.selection = {nullptr, static_cast<uint32_t>(images_.size())};
  return &out_;
}

}  // namespace indigo::engine::exec
