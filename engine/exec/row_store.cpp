#include "engine/exec/row_store.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "storage/store.h"

namespace indigo::engine::exec {
namespace {

constexpr uint32_t kFirstRows = 8;  // room of a store's first block
constexpr uint32_t kGrowth = 4;     // what it outgrows is a third of what it has, at most

template <class T>
void copy_fixed(Vector& to, uint32_t to_first, const Vector& from, Selection selection) {
  T* out = to.data<T>() + to_first;
  const T* in = from.data<T>();
  if (from.is_constant()) {
    std::fill_n(out, selection.count, in[0]);
  } else if (selection.rows == nullptr) {
    std::memcpy(out, in, sizeof(T) * selection.count);
  } else {
    for (uint32_t i = 0; i < selection.count; i++) out[i] = in[selection.rows[i]];
  }
}

void copy_strings(Vector& to, uint32_t to_first, const Vector& from, Selection selection, Arena& strings) {
  Str* out = to.data<Str>() + to_first;
  const Str* in = from.data<Str>();
  if (from.is_constant()) {
    Str one = from.is_null(0) ? Str() : strings.copy(in[0]);
    std::fill_n(out, selection.count, one);
    return;
  }
  const uint8_t* valid = from.validity();
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    out[i] = valid != nullptr && valid[r] == 0 ? Str() : strings.copy(in[r]);
  }
}

template <class T>
void gather_fixed(const RowStore& store, size_t column, std::span<const uint32_t> rows, Vector& out) {
  T* to = out.data<T>();
  for (size_t i = 0; i < rows.size(); i++) {
    uint32_t r = rows[i];
    if (r == RowStore::kNoRow) {
      to[i] = T{};
      out.set_null(static_cast<uint32_t>(i));
      continue;
    }
    const Vector& from = store.column(r / kChunkRows, column);
    to[i] = from.data<T>()[r % kChunkRows];
    if (from.is_null(r % kChunkRows)) out.set_null(static_cast<uint32_t>(i));
  }
}

}  // namespace

void copy_rows(Vector& to, uint32_t to_first, const Vector& from, Selection selection, Arena* strings) {
  switch (to.phys()) {
    case Phys::kBool: copy_fixed<uint8_t>(to, to_first, from, selection); break;
    case Phys::kI16: copy_fixed<uint16_t>(to, to_first, from, selection); break;
    case Phys::kI32:
    case Phys::kF32: copy_fixed<uint32_t>(to, to_first, from, selection); break;
    case Phys::kI64:
    case Phys::kF64: copy_fixed<uint64_t>(to, to_first, from, selection); break;
    case Phys::kB16: copy_fixed<Block16>(to, to_first, from, selection); break;
    case Phys::kStr:
      if (strings != nullptr) {
        copy_strings(to, to_first, from, selection, *strings);
      } else {
        copy_fixed<Str>(to, to_first, from, selection);
      }
      break;
  }
  if (!from.all_valid()) {
    for (uint32_t i = 0; i < selection.count; i++) {
      if (from.is_null(selection[i])) {
        to.set_null(to_first + i);
      } else {
        to.set_valid(to_first + i);
      }
    }
  } else if (!to.all_valid()) {
    for (uint32_t i = 0; i < selection.count; i++) to.set_valid(to_first + i);
  }
}

void RowStore::init(std::vector<Phys> columns) {
  if (columns != columns_) {
    blocks_.clear();
    columns_ = std::move(columns);
    row_bytes_ = 0;
    for (Phys p : columns_) row_bytes_ += phys_bytes(p) + 1;
  }
  clear();
}

void RowStore::release() {
  rows_ = 0;
  strings_.reset();
  blocks_.clear();
}

void RowStore::clear() {
  rows_ = 0;
  strings_.reset();
  if (blocks_.size() > 1) blocks_.resize(1);
  for (auto& block : blocks_) {
    block->outgrown.clear();
    for (size_t c = 0; c < columns_.size(); c++) block->columns[c].init(columns_[c], block->capacity);
  }
}

uint64_t RowStore::bytes() const {
  if (rows_ == 0) return strings_.allocated_bytes();
  const uint64_t first = blocks_[0]->capacity * kGrowth / (kGrowth - 1);  // with what it has outgrown
  return strings_.allocated_bytes() + row_bytes_ * (first + uint64_t{block_count() - 1} * kChunkRows);
}

void RowStore::widen(Block& block, uint32_t used, uint32_t capacity) {
  for (size_t c = 0; c < columns_.size(); c++) {
    Vector wider(columns_[c], capacity);
    if (used > 0) {
      copy_rows(wider, 0, block.columns[c], {nullptr, used}, nullptr);
      block.outgrown.push_back(std::move(block.columns[c]));
    }
    block.columns[c] = std::move(wider);
  }
  block.capacity = capacity;
}

RowStore::Block& RowStore::block_for_next(uint32_t count) {
  const uint32_t b = rows_ / kChunkRows, used = rows_ % kChunkRows;
  if (b == blocks_.size()) {
    auto block = std::make_unique<Block>();
    block->columns.resize(columns_.size());
    blocks_.push_back(std::move(block));
  }
  Block& block = *blocks_[b];
  if (used + count > block.capacity) {
    const uint32_t least = b > 0 ? kChunkRows : std::max({used + count, block.capacity * kGrowth, kFirstRows});
    widen(block, used, std::min(std::bit_ceil(least), kChunkRows));
  }
  return block;
}

uint32_t RowStore::append(std::span<const Vector* const> vectors, Selection selection) {
  uint32_t first = rows_;
  uint32_t done = 0;
  while (done < selection.count) {
    uint32_t at = rows_ % kChunkRows;
    uint32_t n = std::min(selection.count - done, kChunkRows - at);
    Block& block = block_for_next(n);
    if (done == 0 || selection.rows != nullptr) {
      Selection part{selection.rows == nullptr ? nullptr : selection.rows + done, n};
      for (size_t c = 0; c < columns_.size(); c++) copy_rows(block.columns[c], at, *vectors[c], part, &strings_);
    } else {
      uint16_t rest[kChunkRows];
      for (uint32_t i = 0; i < n; i++) rest[i] = static_cast<uint16_t>(done + i);
      for (size_t c = 0; c < columns_.size(); c++) copy_rows(block.columns[c], at, *vectors[c], {rest, n}, &strings_);
    }
    rows_ += n;
    done += n;
  }
  return first;
}

uint32_t RowStore::append(const Chunk& chunk) {
  const Vector* pointers[64];
  size_t n = columns_.size();
  if (n <= 64) {
    for (size_t c = 0; c < n; c++) pointers[c] = &chunk.columns[c];
    return append({pointers, n}, chunk.selection);
  }
  std::vector<const Vector*> many(n);
  for (size_t c = 0; c < n; c++) many[c] = &chunk.columns[c];
  return append(many, chunk.selection);
}

uint32_t RowStore::append(std::span<const Datum> row) {
  Block& block = block_for_next(1);
  uint32_t at = rows_ % kChunkRows;
  for (size_t c = 0; c < columns_.size(); c++) {
    Datum d = row[c];
    if (d.phys == Phys::kStr && !d.null) d.str = strings_.copy(d.str);
    block.columns[c].set_datum(at, d);
  }
  return rows_++;
}

void RowStore::view(uint32_t first, uint32_t count, Chunk& out) const {
  uint32_t b = first / kChunkRows, at = first % kChunkRows;
  count = std::min(count, block_rows(b) - at);
  out.columns.resize(columns_.size());
  for (size_t c = 0; c < columns_.size(); c++) out.columns[c].reference(blocks_[b]->columns[c]);
  if (at == 0) {
    out.selection = {nullptr, count};
  } else {
    static constexpr auto kIdentity = [] {
      std::array<uint16_t, kChunkRows> rows{};
      for (uint32_t i = 0; i < kChunkRows; i++) rows[i] = static_cast<uint16_t>(i);
      return rows;
    }();
    out.selection = {kIdentity.data() + at, count};
  }
}

void RowStore::gather(size_t column, std::span<const uint32_t> rows, Vector& out) const {
  out.init(columns_[column], static_cast<uint32_t>(std::max<size_t>(rows.size(), 1)));
  switch (columns_[column]) {
    case Phys::kBool: gather_fixed<uint8_t>(*this, column, rows, out); break;
    case Phys::kI16: gather_fixed<uint16_t>(*this, column, rows, out); break;
    case Phys::kI32:
    case Phys::kF32: gather_fixed<uint32_t>(*this, column, rows, out); break;
    case Phys::kI64:
    case Phys::kF64: gather_fixed<uint64_t>(*this, column, rows, out); break;
    case Phys::kB16: gather_fixed<Block16>(*this, column, rows, out); break;
    case Phys::kStr: gather_fixed<Str>(*this, column, rows, out); break;
  }
}

void RowStore::gather(std::span<const uint32_t> rows, Chunk& out) const {
  out.columns.resize(columns_.size());
  for (size_t c = 0; c < columns_.size(); c++) gather(c, rows, out.columns[c]);
  out.selection = {nullptr, static_cast<uint32_t>(rows.size())};
}

}  // namespace indigo::engine::exec
