#include "types/value/row_codec.h"

#include <algorithm>
#include <cstring>

#include "types/value/vector.h"

namespace indigo::types {

namespace {

bool is_variable(Phys p) { return p == Phys::kStr; }

bool bit(const char* bitmap, size_t i) { return (static_cast<uint8_t>(bitmap[i >> 3]) >> (i & 7)) & 1; }
void set_bit(char* bitmap, size_t i) { bitmap[i >> 3] = static_cast<char>(bitmap[i >> 3] | (1 << (i & 7))); }

// One fixed-width value: each width is a move or two.
void copy_fixed(Phys phys, const char* from, void* to) {
  switch (phys_bytes(phys)) {
    case 1: std::memcpy(to, from, 1); break;
    case 2: std::memcpy(to, from, 2); break;
    case 4: std::memcpy(to, from, 4); break;
    case 8: std::memcpy(to, from, 8); break;
    default: std::memcpy(to, from, 16);
  }
}

// Copies one fixed-width column of all rows; W is its width.
template <uint32_t W>
void gather(std::span<const Bytes> rows, uint32_t offset, void* to) {
  char* out = static_cast<char*>(to);
  for (size_t r = 0; r < rows.size(); r++) std::memcpy(out + r * W, rows[r].data() + offset, W);
}

}  // namespace

RowLayout::RowLayout(std::vector<Phys> columns) : columns_(std::move(columns)), position_(columns_.size()) {
  bitmap_offset_ = sizeof(uint16_t);
  fixed_offset_ = bitmap_offset_ + static_cast<uint32_t>((columns_.size() + 7) / 8);
  uint32_t offset = fixed_offset_;
  for (size_t i = 0; i < columns_.size(); i++) {
    if (is_variable(columns_[i])) {
      position_[i] = variable_count_++;
    } else {
      position_[i] = offset;
      offset += phys_bytes(columns_[i]);
    }
  }
  offsets_offset_ = offset;
}

struct RowLayout::Added {
  struct Part {
    size_t first = 0;     // column
    RowLayout layout;     // of its columns
    std::string missing;  // what rows have that end before it
  };
  std::vector<Part> parts;  // ascending

  size_t part_of(size_t column) const {
    size_t p = parts.size() - 1;
    while (parts[p].first > column) p--;
    return p;
  }
  // Overwrites a column of the part that begins at `at`.
  static void patch(const RowLayout& layout, std::string& row, size_t at, size_t column, const Datum& value);
  static void patch_variable(const RowLayout& layout, std::string& row, size_t at, uint32_t ordinal, Str value);
  // The bytes of a part that the row has.
  static size_t length(const RowLayout& layout, const char* part) {
    const size_t head = layout.offsets_offset_ + size_t{layout.variable_count_} * sizeof(uint32_t);
    if (layout.variable_count_ == 0) return head;
    return head + load_unaligned<uint32_t>(part + head - sizeof(uint32_t));
  }
  // Where the part begins; npos when the row ends before it.
  size_t begin(Bytes row, size_t part) const {
    size_t at = 0;
    for (size_t p = 0; p < part; p++) {
      at += length(parts[p].layout, row.data() + at);
      if (at >= row.size()) return Bytes::npos;
    }
    return at;
  }
  Bytes image(Bytes row, size_t part) const {
    const size_t at = begin(row, part);
    return at == Bytes::npos ? Bytes(parts[part].missing) : row.substr(at);
  }
};

RowLayout::RowLayout(std::vector<Phys> columns, std::span<const size_t> starts, std::vector<OwnedDatum> missing)
    : RowLayout(starts.empty()
                    ? columns
                    : std::vector<Phys>(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(starts[0]))) {
  if (starts.empty()) return;
  auto added = std::make_shared<Added>();
  added->parts.push_back({0, *this, {}});
  for (size_t i = 0; i < starts.size(); i++) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : columns.size();
    Added::Part part;
    part.first = starts[i];
    part.layout = RowLayout(std::vector<Phys>(columns.begin() + static_cast<std::ptrdiff_t>(starts[i]),
                                              columns.begin() + static_cast<std::ptrdiff_t>(end)));
    std::vector<Datum> values;
    for (size_t c = starts[i]; c < end; c++) values.push_back(missing[c].get());
    part.layout.encode(values, part.missing);
    added->parts.push_back(std::move(part));
  }
  added_ = std::move(added);
  columns_ = std::move(columns);
}

template <class NullAt, class FixedAt, class StrAt>
void RowLayout::encode_with(const NullAt& null_at, const FixedAt& fixed_at, const StrAt& str_at,
                            std::string& out) const {
  // What is stored through `row` might be the layout, as far as the compiler knows: it would read that again each time.
  const std::span<const Phys> columns(columns_);
  const uint32_t* const position = position_.data();
  size_t variable_bytes = 0;
  for (size_t i = 0; variable_count_ != 0 && i < columns.size(); i++)
    if (is_variable(columns[i]) && !null_at(i)) variable_bytes += str_at(i).size();
  const uint32_t head = offsets_offset_ + variable_count_ * static_cast<uint32_t>(sizeof(uint32_t));
  out.assign(head + variable_bytes, '\0');
  char* row = out.data();
  store_unaligned(row, static_cast<uint16_t>(columns.size()));
  char* bitmap = row + bitmap_offset_;
  char* end_offsets = row + offsets_offset_;
  char* variable = row + head;
  uint32_t end = 0;
  for (size_t i = 0; i < columns.size(); i++) {
    const bool null = null_at(i);
    if (null) set_bit(bitmap, i);
    if (!is_variable(columns[i])) {
      if (!null) copy_fixed(columns[i], static_cast<const char*>(fixed_at(i)), row + position[i]);
      continue;
    }
    if (!null) {
      Str s = str_at(i);
      if (!s.empty()) std::memcpy(variable + end, s.data(), s.size());
      end += static_cast<uint32_t>(s.size());
    }
    store_unaligned(end_offsets + position[i] * sizeof(uint32_t), end);
  }
}

void RowLayout::encode(std::span<const Datum> values, std::string& out) const {
  if (added_ != nullptr) {
    std::string part;
    out.clear();
    for (const Added::Part& p : added_->parts) {
      p.layout.encode(values.subspan(p.first, p.layout.column_count()), part);
      out += part;
    }
    return;
  }
  encode_with([&](size_t i) { return values[i].null; },
              [&](size_t i) { return static_cast<const void*>(&values[i].block); },
              [&](size_t i) { return values[i].str; }, out);
}

void RowLayout::encode(std::span<const Vector* const> columns, uint32_t r, std::string& out) const {
  if (added_ != nullptr) {
    std::string part;
    out.clear();
    for (const Added::Part& p : added_->parts) {
      p.layout.encode(columns.subspan(p.first, p.layout.column_count()), r, part);
      out += part;
    }
    return;
  }
  encode_with(
      [&](size_t i) { return columns[i]->is_null(r); },
      [&](size_t i) {
        return static_cast<const void*>(columns[i]->data<char>() + size_t{columns[i]->at(r)} * phys_bytes(columns_[i]));
      },
      [&](size_t i) { return columns[i]->get<Str>(r); }, out);
}

Datum RowLayout::column(Bytes row, size_t column) const {
  if (added_ != nullptr) {
    const size_t part = added_->part_of(column);
    return added_->parts[part].layout.column(added_->image(row, part), column - added_->parts[part].first);
  }
  Datum d = Datum::make_null(columns_[column]);
  if (bit(row.data() + bitmap_offset_, column)) return d;
  d.null = false;
  if (is_variable(columns_[column])) {
    d.str = variable(row.data(), position_[column]);
  } else {
    copy_fixed(columns_[column], row.data() + position_[column], &d.block);
  }
  return d;
}

void RowLayout::decode(std::span<const Bytes> rows, std::span<const uint16_t> wanted, std::span<Vector> vectors) const {
  if (added_ != nullptr) {
    std::vector<Bytes> images(rows.size());
    size_t of_part = added_->parts.size();
    for (size_t w = 0; w < wanted.size(); w++) {
      const size_t number = added_->part_of(wanted[w]);
      const Added::Part& part = added_->parts[number];
      for (size_t r = 0; number != of_part && r < rows.size(); r++) images[r] = added_->image(rows[r], number);
      of_part = number;
      const auto column = static_cast<uint16_t>(wanted[w] - part.first);
      part.layout.decode(images, std::span(&column, 1), vectors.subspan(w, 1));
    }
    return;
  }
  const auto count = static_cast<uint32_t>(rows.size());
  for (size_t w = 0; w < wanted.size(); w++) {
    const size_t column = wanted[w];
    const Phys phys = columns_[column];
    Vector& vector = vectors[w];
    vector.init(phys, std::max(vector.capacity(), count));

    const uint32_t null_byte = bitmap_offset_ + static_cast<uint32_t>(column >> 3);
    const auto null_mask = static_cast<uint8_t>(1u << (column & 7));
    uint8_t any_null = 0;
    for (const Bytes& row : rows) any_null |= static_cast<uint8_t>(row[null_byte]);
    if (any_null & null_mask)
      for (uint32_t r = 0; r < count; r++)
        if (static_cast<uint8_t>(rows[r][null_byte]) & null_mask) vector.set_null(r);

    const uint32_t position = position_[column];
    switch (phys_bytes(phys)) {
      case 1: gather<1>(rows, position, vector.data<char>()); break;
      case 2: gather<2>(rows, position, vector.data<char>()); break;
      case 4: gather<4>(rows, position, vector.data<char>()); break;
      case 8: gather<8>(rows, position, vector.data<char>()); break;
      default:
        if (is_variable(phys)) {
          Str* out = vector.data<Str>();
          for (uint32_t r = 0; r < count; r++) out[r] = variable(rows[r].data(), position);
        } else {
          gather<16>(rows, position, vector.data<char>());
        }
    }
  }
}

void RowLayout::patch(std::string& row, size_t column, const Datum& value) const {
  if (added_ == nullptr) return Added::patch(*this, row, 0, column, value);
  const size_t part = added_->part_of(column);
  for (size_t p = 1; p <= part; p++) {
    if (added_->begin(row, p) == Bytes::npos) row += added_->parts[p].missing;
  }
  const Added::Part& at = added_->parts[part];
  Added::patch(at.layout, row, added_->begin(row, part), column - at.first, value);
}

void RowLayout::Added::patch(const RowLayout& layout, std::string& row, size_t at, size_t column, const Datum& value) {
  char* bitmap = row.data() + at + layout.bitmap_offset_;
  if (value.null) {
    set_bit(bitmap, column);
  } else {
    bitmap[column >> 3] = static_cast<char>(bitmap[column >> 3] & ~(1 << (column & 7)));
  }
  const Phys phys = layout.columns_[column];
  if (is_variable(phys))
    return patch_variable(layout, row, at, layout.position_[column], value.null ? Str() : value.str);
  char* to = row.data() + at + layout.position_[column];
  if (value.null) {
    std::memset(to, 0, phys_bytes(phys));
  } else {
    std::memcpy(to, &value.block, phys_bytes(phys));
  }
}

void RowLayout::Added::patch_variable(const RowLayout& layout, std::string& row, size_t at, uint32_t ordinal,
                                      Str value) {
  const Str old = layout.variable(row.data() + at, ordinal);
  const auto begin = static_cast<size_t>(old.data() - row.data());
  const auto longer = static_cast<uint32_t>(value.size() - old.size());  // modulo 2^32
  row.replace(begin, old.size(), value);
  if (longer == 0) return;
  char* ends = row.data() + at + layout.offsets_offset_;
  for (uint32_t i = ordinal; i < layout.variable_count_; i++) {
    char* const end = ends + i * sizeof(uint32_t);
    store_unaligned(end, load_unaligned<uint32_t>(end) + longer);
  }
}

}  // namespace indigo::types
