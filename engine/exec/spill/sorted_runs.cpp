#include "engine/exec/spill/sorted_runs.h"

#include <algorithm>
#include <cstring>

namespace indigo::engine::exec {

namespace {

constexpr size_t kReadBytes = size_t{32} << 10;
constexpr uint32_t kRowsBetweenChecks = 1024;

}  // namespace

// Of a record: the lengths of its key and its image, which follow.
struct SortedRuns::Head {
  uint32_t key_bytes, image_bytes;
};

class SortedRuns::Reader {
 public:
  Reader(const TemporaryFile& file, Run run) : file_(file), at_(run.begin), end_(run.end) {}

  // Makes the next record available; false at the end.
  Result<bool> advance() {
    if (Status got = have(sizeof(Head)); !got.ok()) return got.take_error();
    if (left() == 0) return false;
    std::memcpy(&head_, buffer_.data() + first_, sizeof head_);
    if (Status got = have(sizeof(Head) + head_.key_bytes + head_.image_bytes); !got.ok()) return got.take_error();
    record_ = first_ + sizeof(Head);
    first_ = record_ + head_.key_bytes + head_.image_bytes;
    return true;
  }
  Bytes key() const { return Bytes(buffer_).substr(record_, head_.key_bytes); }
  Bytes image() const { return Bytes(buffer_).substr(record_ + head_.key_bytes, head_.image_bytes); }

 private:
  size_t left() const { return buffer_.size() - first_; }
  // At least `bytes` in the buffer from first_ on, if the run has them.
  Status have(size_t bytes) {
    if (left() >= bytes || at_ == end_) return {};
    buffer_.erase(0, first_);
    first_ = 0;
    const size_t before = buffer_.size();
    const size_t count = std::min<uint64_t>(end_ - at_, std::max(kReadBytes, bytes - before));
    buffer_.resize(before + count);
    INDIGO_TRY(file_.read(at_, buffer_.data() + before, count));
    at_ += count;
    return {};
  }

  const TemporaryFile& file_;
  uint64_t at_;  // what of the run is in the buffer, or was, ends here
  const uint64_t end_;
  std::string buffer_;
  size_t first_ = 0;  // unread
  size_t record_ = 0;
  Head head_{};
};

// The runs, the earlier ones first.
class SortedRuns::Merge {
 public:
  Status add(const TemporaryFile& file, Run run) {
    readers_.push_back(std::make_unique<Reader>(file, run));
    return fill(readers_.size() - 1);
  }
  // The reader that stands on the least record; null: there is none.
  const Reader* least() const { return heap_.empty() ? nullptr : readers_[heap_.front()].get(); }
  Status advance() {
    std::pop_heap(heap_.begin(), heap_.end(), after());
    const size_t reader = heap_.back();
    heap_.pop_back();
    return fill(reader);
  }

 private:
  Status fill(size_t reader) {
    INDIGO_ASSIGN(const bool more, readers_[reader]->advance());
    if (!more) return {};
    heap_.push_back(reader);
    std::push_heap(heap_.begin(), heap_.end(), after());
    return {};
  }
  struct After {
    const std::vector<std::unique_ptr<Reader>>& readers;
    bool operator()(size_t a, size_t b) const {
      const int c = readers[a]->key().compare(readers[b]->key());
      return c != 0 ? c > 0 : a > b;
    }
  };
  After after() const { return {readers_}; }

  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<size_t> heap_;
};

SortedRuns::SortedRuns(SpillSpace& space, std::vector<Phys> columns, std::function<Status()> check)
    : space_(space), layout_(columns), check_(std::move(check)) {
  for (size_t c = 0; c < columns.size(); c++) {
    all_columns_.push_back(static_cast<uint16_t>(c));
    out_.columns.emplace_back(columns[c]);
  }
}

SortedRuns::~SortedRuns() = default;

Status SortedRuns::add_record(size_t level, Bytes key, Bytes image) {
  if (level == levels_.size()) {
    levels_.emplace_back();
    begun_.push_back(0);
    INDIGO_ASSIGN(levels_[level].file, TemporaryFile::make(space_));
  }
  const Head head{static_cast<uint32_t>(key.size()), static_cast<uint32_t>(image.size())};
  TemporaryFile& file = *levels_[level].file;
  INDIGO_TRY(file.append({reinterpret_cast<const char*>(&head), sizeof head}));
  INDIGO_TRY(file.append(key));
  return file.append(image);
}

Status SortedRuns::add(Bytes key, std::span<const Vector* const> columns, uint32_t row) {
  layout_.encode(columns, row, image_);
  return add_record(0, key, image_);
}

Status SortedRuns::end_run() { return end_run(0); }

Status SortedRuns::end_run(size_t level) {
  Level& l = levels_[level];
  INDIGO_TRY(l.file->flush());
  l.runs.push_back({begun_[level], l.file->size()});
  begun_[level] = l.file->size();
  return l.runs.size() < kFanIn ? Status() : merge_up(level);
}

Status SortedRuns::merge_up(size_t level) {
  Merge merge;
  for (const Run& run : levels_[level].runs) INDIGO_TRY(merge.add(*levels_[level].file, run));
  uint32_t rows = 0;
  while (const Reader* least = merge.least()) {
    INDIGO_TRY(add_record(level + 1, least->key(), least->image()));
    INDIGO_TRY(merge.advance());
    if (++rows % kRowsBetweenChecks == 0) INDIGO_TRY(check_());
  }
  levels_[level].runs.clear();
  begun_[level] = 0;
  INDIGO_TRY(levels_[level].file->clear());
  return end_run(level + 1);
}

uint64_t SortedRuns::bytes() const {
  uint64_t bytes = 0;
  for (const Level& level : levels_) bytes += level.file->size();
  return bytes;
}

Status SortedRuns::rewind() {
  merge_ = std::make_unique<Merge>();
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {  // the higher, the earlier
    for (const Run& run : level->runs) INDIGO_TRY(merge_->add(*level->file, run));
  }
  return {};
}

Result<Chunk*> SortedRuns::next(uint32_t rows_max) {
  rows_max = std::min(rows_max, kChunkRows);
  page_.clear();
  ends_.clear();
  while (ends_.size() < rows_max) {
    const Reader* least = merge_->least();
    if (least == nullptr) break;
    page_.append(least->image());
    ends_.push_back(page_.size());
    INDIGO_TRY(merge_->advance());
  }
  if (ends_.empty()) return nullptr;
  images_.clear();
  size_t begin = 0;
  for (const size_t end : ends_) {
    images_.push_back(Bytes(page_).substr(begin, end - begin));
    begin = end;
  }
  layout_.decode(images_, all_columns_, out_.columns);
  out_.selection = {nullptr, static_cast<uint32_t>(ends_.size())};
  return &out_;
}

}  // namespace indigo::engine::exec
