// Tables in an image (storage/image/image_file.h): their leaves and those of their B+-trees as blocks, and in the contents what is
// needed to make tables over them.
//
// Thread safety: write_table: nobody else uses the table. map_table: before the store's first transaction.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "log/durable_id.h"
#include "storage/image/fields.h"
#include "storage/image/image_file.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::storage {

// Not those with rows outside of their leaves, nor those of one leaf, which are read as quickly.
bool can_be_mapped(Table& table);
// `name` is for messages: `table "t"`. Of the indexes those that have a file number (IndexOptions::file) and are trees.
Status write_table(Table& table, log::DurableId id, std::string_view name, ImageWriter& writer, FieldWriter& contents);

// open_image() for a store that has no table yet: the store keeps the mapping to its end.
Result<Bytes> open_image(Store& store, const std::string& path, Bytes program);
struct MappedTable {
  log::DurableId id;
  std::shared_ptr<Table> table;
};
// What write_table wrote. Its indexes come with create_index, from IndexOptions::file. XX001 when it cannot be.
Result<MappedTable> map_table(Store& store, FieldReader& contents);
// Will create_index find this one in the image?
bool index_is_mapped(Table& table, uint32_t file);

}  // namespace indigo::storage
