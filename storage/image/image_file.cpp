#include "storage/image/image_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "log/crc32c.h"
#include "log/file_error.h"
#include "storage/btree/leaf.h"
#include "storage/image/fields.h"
#include "storage/index/btree_node.h"

namespace indigo::storage {

namespace {

constexpr uint64_t kMagic = 0x31474d494f474e49;  // "INGOIMG1"
constexpr uint32_t kFormat = 1;                  // changes with the layout of leaves, nodes and contents
constexpr size_t kHeaderBytes = 4096;
constexpr size_t kBufferBytes = 1 << 20;

struct Header {
  uint64_t magic = kMagic;
  uint32_t format = kFormat;
  uint32_t crc = 0;  // of the header from here on
  uint64_t file_bytes = 0;
  uint64_t contents_place = 0, contents_bytes = 0;
  uint32_t contents_crc = 0;
  uint32_t leaf_header = Leaf::kHeaderBytes, record_meta = sizeof(RecordMeta), node_header = BtreeNode::header_bytes();
  char rest[kHeaderBytes - 56] = {};
};
static_assert(sizeof(Header) == kHeaderBytes);

uint32_t crc_of(const Header& header) {
  constexpr size_t kFrom = offsetof(Header, crc) + sizeof header.crc;
  return log::crc32c(reinterpret_cast<const char*>(&header) + kFrom, sizeof header - kFrom);
}

Error made_by_another(const std::string& path) {
  return Error(sqlstate::kFeatureNotSupported, "\"" + path + "\" was not made by this program");
}
Error damaged(const std::string& path) { return Error(sqlstate::kDataCorrupted, "\"" + path + "\" is damaged"); }

}  // namespace

Result<std::unique_ptr<ImageWriter>> ImageWriter::create(const std::string& path) {
  std::unique_ptr<ImageWriter> out(new ImageWriter(path));
  out->file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (out->file_ < 0) return log::file_error(path, "could not create", errno);
  const std::string nothing(kHeaderBytes, '\0');
  INDIGO_TRY(out->write(nothing));
  return out;
}

ImageWriter::~ImageWriter() {
  if (file_ < 0) return;
  close(file_);
  unlink(path_.c_str());
}

Status ImageWriter::write(Bytes bytes) {
  buffer_.append(bytes);
  place_ += bytes.size();
  return buffer_.size() < kBufferBytes ? Status() : flush();
}

Status ImageWriter::flush() {
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t n = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return log::file_error(path_, "could not write", errno);
    done += static_cast<size_t>(n);
  }
  buffer_.clear();
  return {};
}

Result<uint64_t> ImageWriter::add(Bytes block) {
  BlockHead head;
  head.bytes = static_cast<uint32_t>(block.size());
  const uint64_t place = place_ + sizeof head;
  head.crc = crc_of_block(head, block.data(), place);
  INDIGO_TRY(write({reinterpret_cast<const char*>(&head), sizeof head}));
  INDIGO_TRY(write(block));
  return place;
}

Status ImageWriter::finish(Bytes program, Bytes contents) {
  std::string all;
  FieldWriter fields(all);
  fields.bytes(program);
  all.append(contents);
  Header header;
  header.contents_place = place_;
  header.contents_bytes = all.size();
  header.contents_crc = log::crc32c(all.data(), all.size());
  header.file_bytes = place_ + all.size();
  header.crc = crc_of(header);
  INDIGO_TRY(write(all));
  INDIGO_TRY(flush());
  if (pwrite(file_, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header)) {
    return log::file_error(path_, "could not write", errno);
  }
  if (fdatasync(file_) != 0) return log::file_error(path_, "could not flush", errno);
  close(std::exchange(file_, -1));
  return {};
}

Result<Bytes> open_image(const std::string& path, Bytes program, MemoryAccount& account, MappedBlocks& blocks) {
  INDIGO_TRY(blocks.map(path, account));
  Header header;
  if (blocks.size() < sizeof header) return damaged(path);
  std::memcpy(&header, blocks.data(), sizeof header);
  if (header.magic != kMagic || header.format != kFormat) return made_by_another(path);
  if (header.crc != crc_of(header) || header.file_bytes != blocks.size()) return damaged(path);
  const Header own;
  if (header.leaf_header != own.leaf_header || header.record_meta != own.record_meta ||
      header.node_header != own.node_header) {
    return made_by_another(path);
  }
  if (header.contents_bytes > blocks.size() || header.contents_place > blocks.size() - header.contents_bytes)
    return damaged(path);
  Bytes contents(blocks.data() + header.contents_place, header.contents_bytes);
  if (log::crc32c(contents.data(), contents.size()) != header.contents_crc) return damaged(path);
  FieldReader fields(contents);
  const Bytes found = fields.bytes();
  if (!fields.sound()) return damaged(path);
  if (found != program) return made_by_another(path);
  contents.remove_prefix(sizeof(uint32_t) + found.size());
  return contents;
}

}  // namespace indigo::storage
