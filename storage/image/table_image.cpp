#include "storage/image/table_image.h"

#include <vector>

#include "log/file_error.h"
#include "storage/index/btree_index.h"
#include "storage/store_impl.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

Error damaged(const MappedBlocks& blocks) {
  return Error(sqlstate::kDataCorrupted, "\"" + blocks.path() + "\" is damaged");
}

// How many leaves, where the first is, and all low fences.
Status write_leaves(const Tree& tree, ImageWriter& writer, FieldWriter& contents) {
  const size_t stride = ImageWriter::block_stride(tree.node_bytes());
  std::string block(tree.node_bytes(), '\0'), fences;
  FieldWriter fence_fields(fences);
  uint64_t first = 0, count = 0;
  Status status;
  tree.for_each_leaf([&](Leaf* leaf) {
    if (!status.ok()) return;
    leaf->copy_detached(block.data(), CommitClock::kFirst);
    Result<uint64_t> place = writer.add(block);
    if (!place.ok()) {
      status = place.take_error();
      return;
    }
    if (count == 0) first = *place;
    if (*place != first + count * stride) {
      status = Error(sqlstate::kInternalError, "an image's leaves do not lie one behind the other");
      return;
    }
    count++;
    std::string low;
    leaf->low_fence(low);
    fence_fields.bytes(low);
  });
  INDIGO_TRY(std::move(status));
  contents.number(count);
  contents.number(first);
  contents.bytes(fences);
  return {};
}

Status write_index(const TableIndex& index, const BtreeIndex& tree, ImageWriter& writer, FieldWriter& contents) {
  std::string block, nodes;
  FieldWriter node_fields(nodes);
  uint64_t count = 0;
  Status status;
  tree.for_each_leaf([&](const BtreeNode& leaf, const BtreePlace& separator) {
    if (!status.ok()) return;
    block.resize(leaf.capacity);
    leaf.copy_detached(block.data());
    Result<uint64_t> place = writer.add(block);
    if (!place.ok()) {
      status = place.take_error();
      return;
    }
    node_fields.number(*place);
    node_fields.number(leaf.capacity);
    node_fields.bytes(separator.key);
    node_fields.bytes(separator.primary_key);
    count++;
  });
  INDIGO_TRY(std::move(status));
  contents.number(index.options.file);
  contents.number(static_cast<uint8_t>(tree.inverted() ? 1 : 0));
  contents.number(tree.entry_count());
  contents.number(tree.next_id());
  contents.number(count);
  contents.bytes(nodes);
  return {};
}

const BtreeIndex* tree_of(const TableIndex& index) {
  return index.options.file == 0 ? nullptr : dynamic_cast<const BtreeIndex*>(index.index.get());
}

// Is there room for a block at this place?
bool in_bounds(const MappedBlocks& blocks, uint64_t place, uint64_t bytes) {
  return place >= sizeof(BlockHead) && place % 64 == 0 && place <= blocks.size() && bytes <= blocks.size() - place;
}

bool read_leaves(const MappedBlocks& blocks, size_t node_bytes, FieldReader& contents, MappedLeaves& out) {
  const auto count = contents.number<uint64_t>(), first = contents.number<uint64_t>();
  FieldReader fences(contents.bytes());
  out.stride = ImageWriter::block_stride(node_bytes);
  if (!contents.sound() || count < 1 || count > blocks.size() / out.stride) return false;
  if (!in_bounds(blocks, first, (count - 1) * out.stride + node_bytes)) return false;
  out.first = reinterpret_cast<Leaf*>(const_cast<char*>(blocks.data() + first));
  out.low_fences.reserve(count);
  for (uint64_t i = 0; i < count; i++) out.low_fences.emplace_back(fences.bytes());
  return fences.sound() && fences.at_end();
}

bool read_index(const MappedBlocks& blocks, FieldReader& contents, uint32_t& file, MappedEntries& out) {
  file = contents.number<uint32_t>();
  out.inverted = contents.number<uint8_t>() != 0;
  out.entries = contents.number<uint64_t>();
  out.next_id = contents.number<uint64_t>();
  const auto count = contents.number<uint64_t>();
  FieldReader nodes(contents.bytes());
  if (!contents.sound() || count < 1 || count > blocks.size() / BtreeNode::kDefaultBytes) return false;
  for (uint64_t i = 0; i < count; i++) {
    const auto place = nodes.number<uint64_t>();
    const auto capacity = nodes.number<uint32_t>();
    const Bytes key = nodes.bytes(), primary_key = nodes.bytes();
    if (!nodes.sound() || capacity < BtreeNode::kDefaultBytes || !in_bounds(blocks, place, capacity)) return false;
    out.leaves.push_back(reinterpret_cast<BtreeNode*>(const_cast<char*>(blocks.data() + place)));
    out.capacities.push_back(capacity);
    if (i > 0) out.separators.emplace_back().set({key, primary_key});
  }
  return nodes.at_end();
}

}  // namespace

bool can_be_mapped(Table& table) {
  const auto* own = dynamic_cast<TableImpl*>(&table);
  if (own == nullptr || own->tree().leaf_count() < 2 || own->tree().node_bytes() < MappedBlocks::kLeastBytes)
    return false;
  bool inside = true;
  own->tree().for_each_leaf([&](Leaf* leaf) { inside &= !leaf->may_overflow(); });
  return inside;
}

Status write_table(Table& table, log::DurableId id, std::string_view name, ImageWriter& writer, FieldWriter& contents) {
  auto& own = static_cast<TableImpl&>(table);
  contents.number(id.value);
  contents.bytes(name);
  contents.number(static_cast<uint32_t>(own.tree().node_bytes()));
  contents.number(static_cast<int64_t>(own.rows()));
  contents.number(own.newest_row_id());
  INDIGO_TRY(write_leaves(own.tree(), writer, contents));
  const auto indexes = own.index_list();
  uint32_t count = 0;
  for (const auto& index : *indexes) count += tree_of(*index) != nullptr ? 1 : 0;
  contents.number(count);
  for (const auto& index : *indexes) {
    if (const BtreeIndex* tree = tree_of(*index)) INDIGO_TRY(write_index(*index, *tree, writer, contents));
  }
  return {};
}

Result<Bytes> open_image(Store& store, const std::string& path, Bytes program) {
  return open_image(path, program, impl(store).memory(), impl(store).mapped());
}

Result<MappedTable> map_table(Store& store, FieldReader& contents) {
  StoreImpl& own = impl(store);
  MappedBlocks& blocks = own.mapped();
  const log::DurableId id(contents.number<uint64_t>());
  const std::string name(contents.bytes());
  const auto node_bytes = contents.number<uint32_t>();
  TableImpl::MappedRows rows;
  rows.rows = contents.number<int64_t>();
  rows.next_row_id = contents.number<uint64_t>();
  if (!contents.sound() || node_bytes < MappedBlocks::kLeastBytes ||
      !read_leaves(blocks, node_bytes, contents, rows.leaves)) {
    return damaged(blocks);
  }
  blocks.name(static_cast<uint64_t>(reinterpret_cast<const char*>(rows.leaves.first) - blocks.data()), name);
  auto table = std::make_unique<TableImpl>(own, own.next_id(), id, own.pages(node_bytes), rows);
  const auto indexes = contents.number<uint32_t>();
  for (uint32_t i = 0; i < indexes; i++) {
    uint32_t file = 0;
    MappedEntries entries;
    if (!read_index(blocks, contents, file, entries)) return damaged(blocks);
    blocks.name(static_cast<uint64_t>(reinterpret_cast<const char*>(entries.leaves.front()) - blocks.data()),
                "an index of " + name);
    table->add_mapped_index(
        file, std::make_unique<BtreeIndex>(own.epochs(), own.pauses(), blocks, entries, own.next_generation()));
  }
  return MappedTable{id, own.add_table(std::move(table))};
}

bool index_is_mapped(Table& table, uint32_t file) {
  const auto* own = dynamic_cast<TableImpl*>(&table);
  return own != nullptr && own->has_mapped_index(file);
}

}  // namespace indigo::storage
