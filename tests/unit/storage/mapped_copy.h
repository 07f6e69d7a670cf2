// Tables over the leaves of an image, for tests that want a table whose first generation is mapped.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "storage/image/table_image.h"
#include "storage/index/btree_index.h"
#include "storage/store_impl.h"
#include "tests/unit/storage/colon_extractor.h"

namespace indigo::storage {

// A file of its own, which goes with this.
class ImagePath {
 public:
  ImagePath() {
    static int number = 0;
    path_ = (std::filesystem::temp_directory_path() /
             ("indigo-image-" + std::to_string(getpid()) + "-" + std::to_string(number++)))
                .string();
  }
  ~ImagePath() { std::filesystem::remove(path_); }
  ImagePath(const ImagePath&) = delete;
  ImagePath& operator=(const ImagePath&) = delete;
  operator const std::string&() const { return path_; }  // NOLINT(google-explicit-constructor)

 private:
  std::string path_;
};

inline constexpr const char* kProgram = "test";
inline constexpr uint32_t kIndexFile = 7;  // of the index by ColonExtractor

inline Status write_image(Table& table, const std::string& path) {
  INDIGO_ASSIGN(const auto writer, ImageWriter::create(path));
  std::string contents;
  FieldWriter fields(contents);
  INDIGO_TRY(write_table(table, {}, "table \"t\"", *writer, fields));
  return writer->finish(kProgram, contents);
}

// The store has no other image. With an index by ColonExtractor, from the image if that has one.
inline Result<std::shared_ptr<Table>> map_image(Store& store, const std::string& path, IndexId index) {
  INDIGO_ASSIGN(const Bytes contents, open_image(store, path, kProgram));
  FieldReader fields(contents);
  INDIGO_ASSIGN(auto mapped, map_table(store, fields));
  auto txn = store.begin(Isolation::kReadCommitted, 0);
  IndexOptions options;
  options.file = kIndexFile;
  const StorageStatus made =
      mapped.table->create_index(*txn, index, options, std::make_shared<ColonExtractor>(), nullptr);
  const StorageStatus committed = store.commit(*txn);
  if (made != StorageStatus::kOk || committed != StorageStatus::kOk)
    return Error(SqlState("XX000"), "there is no index");
  return mapped.table;
}

inline void add_colon_index(Store& store, Table& table) {
  auto txn = store.begin(Isolation::kReadCommitted, 0);
  IndexOptions options;
  options.file = kIndexFile;
  const IndexId id(store.next_id().value);
  ASSERT_EQ(table.create_index(*txn, id, options, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
  ASSERT_EQ(store.commit(*txn), StorageStatus::kOk);
}

// The same rows over mapped leaves, in the same store, with an index by ColonExtractor over mapped leaves. `source` gets one, too.
inline std::shared_ptr<Table> mapped_copy(Store& store, Table& source, IndexId index) {
  add_colon_index(store, source);
  for (int i = 0; i < 8; i++) store.reclaim();  // what no snapshot sees
  EXPECT_TRUE(can_be_mapped(source));
  const ImagePath path;  // removed at once: the mapping stays
  Status written = write_image(source, path);
  EXPECT_TRUE(written.ok());
  auto out = map_image(store, path, index);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return *out;
}

}  // namespace indigo::storage
