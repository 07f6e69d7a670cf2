#include "engine/exec/scan/row_decoder.h"

#include "base/bytes.h"
#include "engine/exec/scan/entry_decoder.h"
#include "sql/expr.h"
#include "sql/plan.h"

namespace indigo::engine::exec {
namespace {

uint64_t hash_bytes(Bytes bytes) {
  uint64_t h = 0x9e3779b97f4a7c15ull ^ bytes.size();
  for (char c : bytes) h = (h ^ static_cast<uint8_t>(c)) * 0x100000001b3ull;
  return h ^ (h >> 29);
}

}  // namespace

Phys system_phys(int column) {
  return column == sql::kRowKeyColumn || column == sql::kCtidColumn ? Phys::kStr : Phys::kI32;
}

Datum system_value(const catalog::RelationInfo& relation, const storage::RowRef& row, int column, Arena& arena) {
  switch (column) {
    case sql::kRowKeyColumn: return Datum::of(Str(row.key));
    case sql::kTableOidColumn: return Datum::of_oid(relation.oid);
    case sql::kXminColumn: return Datum::of_oid(static_cast<Oid>(hash_bytes(row.row) | 4));
    case sql::kCtidColumn: {
      uint64_t id = relation.has_hidden_row_id() && row.key.size() == 8
                        ? big_endian(load_unaligned<uint64_t>(row.key.data()))
                        : hash_bytes(row.key);
      auto* p = static_cast<char*>(arena.allocate(6, 1));
      store_unaligned(p, big_endian(static_cast<uint32_t>(id >> 16)));
      store_unaligned(p + 4, big_endian(static_cast<uint16_t>(id)));
      return Datum::of(Str(p, 6));
    }
    default: return Datum::of_oid(0);
  }
}

RowDecoder::RowDecoder(const catalog::RelationInfo& relation, std::vector<int> columns)
    : relation_(&relation), columns_(std::move(columns)) {}

void RowDecoder::system_column(std::span<const storage::RowRef> rows, Selection selection, int column, Vector& out,
                               Arena& arena) const {
  if (column == sql::kTableOidColumn) {
    out.set_constant(Datum::of_oid(relation_->oid));
    return;
  }
  out.init(system_phys(column), static_cast<uint32_t>(rows.size()));
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    out.set_datum(r, system_value(*relation_, rows[r], column, arena));
  }
}

void RowDecoder::decode(std::span<const storage::RowRef> rows, Chunk& out, Arena& arena) {
  decode_some(rows, {}, true, out, arena);
}

void RowDecoder::decode_some(std::span<const storage::RowRef> rows, const std::vector<bool>& wanted, bool value,
                             Chunk& out, Arena& arena) {
  if (entries_ != nullptr) return entries_->decode(rows, wanted, value, out, arena);
  wanted_.clear();
  wanted_at_.clear();
  for (size_t i = 0; i < columns_.size(); i++) {
    if (!wanted.empty() && wanted[i] != value) continue;
    if (columns_[i] >= 0) {
      wanted_.push_back(static_cast<uint16_t>(columns_[i]));
      wanted_at_.push_back(i);
    } else {
      system_column(rows, {nullptr, static_cast<uint32_t>(rows.size())}, columns_[i], out.columns[i], arena);
    }
  }
  if (wanted_.empty()) return;
  images_.resize(rows.size());
  for (size_t r = 0; r < rows.size(); r++) images_[r] = rows[r].row;
  // The vectors travel through vectors_ so that a subset of the output's columns can be handed over as one span.
  vectors_.resize(wanted_.size());
  for (size_t i = 0; i < wanted_.size(); i++) std::swap(vectors_[i], out.columns[wanted_at_[i]]);
  relation_->layout.decode(images_, wanted_, vectors_);
  for (size_t i = 0; i < wanted_.size(); i++) std::swap(vectors_[i], out.columns[wanted_at_[i]]);
}

void RowDecoder::decode_selected(std::span<const storage::RowRef> rows, Selection selection,
                                 const std::vector<bool>& wanted, bool value, Chunk& out, Arena& arena) {
  if (entries_ != nullptr) return entries_->decode(rows, wanted, value, out, arena);
  for (size_t c = 0; c < columns_.size(); c++) {
    if (!wanted.empty() && wanted[c] != value) continue;
    Vector& column = out.columns[c];
    if (columns_[c] < 0) {
      system_column(rows, selection, columns_[c], column, arena);
      continue;
    }
    auto index = static_cast<size_t>(columns_[c]);
    column.init(relation_->layout.phys(index), static_cast<uint32_t>(rows.size()));
    for (uint32_t i = 0; i < selection.count; i++) {
      column.set_datum(selection[i], relation_->layout.column(rows[selection[i]].row, index));
    }
  }
}

}  // namespace indigo::engine::exec
