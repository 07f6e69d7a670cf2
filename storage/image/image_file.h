// The file with which a store begins instead of reading rows: blocks that are mapped (storage/image/mapped_blocks.h), and behind
// them its contents: everything that is read at the start.
//
//   header (4096 bytes) | block head, block | ... | contents
//
// Every byte of it lies under a checksum. The header is written last.
// Thread safety: one user at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/image/mapped_blocks.h"

namespace indigo::storage {

class ImageWriter {
 public:
  // Nothing may be there.
  static Result<std::unique_ptr<ImageWriter>> create(const std::string& path);
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;
  ~ImageWriter();  // without finish: nothing remains

  // Where the block will lie. Blocks of one size that are added one behind the other are block_stride(size) apart.
  Result<uint64_t> add(Bytes block);
  static size_t block_stride(size_t bytes) { return (bytes + 63) / 64 * 64 + sizeof(BlockHead); }
  // Durably. `program`: what open_image must be asked for.
  Status finish(Bytes program, Bytes contents);

 private:
  explicit ImageWriter(std::string path) : path_(std::move(path)) {}
  Status write(Bytes bytes);
  Status flush();

  std::string path_;
  int file_ = -1;
  uint64_t place_ = 0;  // of the next byte
  std::string buffer_;
};

// Maps the file, and answers its contents, which lie in it. 0A000 when it was made by another program, XX001 when it is cut off or
// damaged there; blocks are looked at later.
Result<Bytes> open_image(const std::string& path, Bytes program, MemoryAccount& account, MappedBlocks& blocks);

}  // namespace indigo::storage
