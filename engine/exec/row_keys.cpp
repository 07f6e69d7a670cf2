#include "engine/exec/row_keys.h"

#include <cstring>
#include <random>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "engine/exec/builder.h"
#include "storage/store.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {
namespace {

// Another one in every process: nobody can choose keys beforehand that meet in one place of a table.
uint64_t make_seed() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}
const uint64_t kSeed = make_seed();

uint64_t mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93ull;
  h ^= h >> 32;
  return h;
}

// Long keys take long: whoever reads many of them looks at interrupts between two.
void note_long(Str s) {
  constexpr size_t kLongBytes = 4096;
  if (s.size() > kLongBytes) [[unlikely]]
    note_work(s.size());
}
void note_long(const Datum& d) {
  if (d.phys == Phys::kStr && !d.null) note_long(d.str);
}

uint64_t hash_str(Str s) {
  note_long(s);
  uint64_t h = s.size() * 0x9e3779b97f4a7c15ull ^ kSeed;
  const char* p = s.data();
  size_t n = s.size();
  for (; n >= 8; n -= 8, p += 8) {
    uint64_t w;
    std::memcpy(&w, p, 8);
    h = mix(h ^ w) * 0x9e3779b97f4a7c15ull;
  }
  if (n > 0) {
    uint64_t w = 0;
    std::memcpy(&w, p, n);
    h = mix(h ^ w) * 0x9e3779b97f4a7c15ull;
  }
  return mix(h);
}

bool bytes_equal(Oid type, Phys phys) {
  switch (phys) {
    case Phys::kBool:
    case Phys::kI16:
    case Phys::kI32:
    case Phys::kI64: return true;
    case Phys::kF32:
    case Phys::kF64: return false;
    case Phys::kB16: return type == oid::kUuid;
    case Phys::kStr:
      return type == oid::kText || type == oid::kVarchar || type == oid::kBytea || type == oid::kName ||
             type == oid::kChar || type == oid::kTid;
  }
  return false;
}

std::string type_name(Builder& b, Oid type) {
  auto info = b.state().session().catalog().type(type);
  return info != nullptr ? info->name : std::to_string(type);
}

// An order of users' own gets labels for these keys alone, in place of the collator; null: it is none.
const types::TypeOrder* take_labels(Builder& b, const types::Collator*& collator,
                                    std::vector<std::shared_ptr<const types::Collator>>& orders) {
  if (collator == nullptr || collator->values() == nullptr) return nullptr;
  collator = orders.emplace_back(collator->renewed()).get();
  b.state().keep_labels();
  return &types::labelled_order();
}

constexpr uint64_t kNullHash = 0x5bd1e9955bd1e995ull;

}  // namespace

Result<KeyOps> KeyOps::make(Builder& b, const std::vector<types::TypeRef>& types) {
  KeyOps ops;
  bool whole = true;  // every key is fixed bits
  size_t width = 0;
  for (const types::TypeRef& type : types) {
    Phys phys = b.phys_of(type);
    INDIGO_ASSIGN(const types::Collator* collator, b.collator_of(type));
    const types::TypeOrder* order = take_labels(b, collator, ops.orders_);
    bool bytes = bytes_equal(type.oid, phys) && (collator == nullptr || collator->deterministic());
    if (order == nullptr && !bytes) order = b.order_of(type);
    if (!bytes && (order == nullptr || order->equal == nullptr || order->hash == nullptr)) {
      return Error(sqlstate::kUndefinedFunction,
                   "could not identify an equality operator for type " + type_name(b, type.oid));
    }
    ops.columns_.push_back({phys, bytes, order, collator});
    whole = whole && bytes && phys != Phys::kStr && phys != Phys::kB16;
    width += phys_bytes(phys);
  }
  ops.packs_ = whole && width > 0 && width <= sizeof(uint64_t);
  return ops;
}

template <class T>
void KeyOps::hash_fixed(const Vector& v, Selection selection, bool first, uint64_t* out) const {
  const T* data = v.data<T>();
  bool nulls = !v.all_valid();
  for (uint32_t i = 0; i < selection.count; i++) {
    uint32_t r = selection[i];
    uint64_t h;
    if (nulls && v.is_null(r)) {
      h = kNullHash;
    } else if constexpr (std::is_same_v<T, Str>) {
      h = hash_str(data[v.at(r)]);
    } else if constexpr (std::is_same_v<T, Block16>) {
      h = mix((data[v.at(r)].words[0] ^ mix(data[v.at(r)].words[1] ^ kSeed)) * 0x9e3779b97f4a7c15ull);
    } else {
      h = mix((static_cast<uint64_t>(data[v.at(r)]) ^ kSeed) * 0x9e3779b97f4a7c15ull);
    }
    out[r] = first ? h : mix(out[r] * 0x9e3779b97f4a7c15ull + h);
  }
}

void KeyOps::hash(std::span<const Vector* const> keys, Selection selection, uint64_t* out) const {
  if (columns_.empty()) {
    for (uint32_t i = 0; i < selection.count; i++) out[selection[i]] = 0;
    return;
  }
  for (size_t c = 0; c < columns_.size(); c++) {
    const Vector& v = *keys[c];
    const Column& column = columns_[c];
    if (!column.bytes) {
      for (uint32_t i = 0; i < selection.count; i++) {
        uint32_t r = selection[i];
        uint64_t h = kNullHash;
        if (!v.is_null(r)) {
          const Datum value = v.datum(r);
          note_long(value);
          h = mix(column.order->hash(value, column.collator));
        }
        out[r] = c == 0 ? h : mix(out[r] * 0x9e3779b97f4a7c15ull + h);
      }
      continue;
    }
    switch (column.phys) {
      case Phys::kBool: hash_fixed<uint8_t>(v, selection, c == 0, out); break;
      case Phys::kI16: hash_fixed<int16_t>(v, selection, c == 0, out); break;
      case Phys::kI32: hash_fixed<int32_t>(v, selection, c == 0, out); break;
      case Phys::kB16: hash_fixed<Block16>(v, selection, c == 0, out); break;
      case Phys::kStr: hash_fixed<Str>(v, selection, c == 0, out); break;
      default: hash_fixed<int64_t>(v, selection, c == 0, out); break;
    }
  }
}

template <class T>
void KeyOps::pack_fixed(const Vector& v, Selection selection, bool first, uint64_t* out) const {
  const T* data = v.data<T>();
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    const uint64_t bits = static_cast<uint64_t>(data[v.at(r)]);
    if constexpr (sizeof(T) == 8) {
      out[r] = bits;
    } else {
      const uint64_t low = bits & ((uint64_t{1} << (sizeof(T) * 8)) - 1);
      out[r] = first ? low : out[r] << (sizeof(T) * 8) | low;
    }
  }
}

void KeyOps::pack(std::span<const Vector* const> keys, Selection selection, uint64_t* out) const {
  for (size_t c = 0; c < columns_.size(); c++) {
    const Vector& v = *keys[c];
    switch (columns_[c].phys) {
      case Phys::kBool: pack_fixed<uint8_t>(v, selection, c == 0, out); break;
      case Phys::kI16: pack_fixed<int16_t>(v, selection, c == 0, out); break;
      case Phys::kI32: pack_fixed<int32_t>(v, selection, c == 0, out); break;
      default: pack_fixed<int64_t>(v, selection, c == 0, out); break;
    }
  }
}

bool KeyOps::equal_column(const Column& c, const Vector& a, uint32_t row_a, const Vector& b, uint32_t row_b) const {
  bool x = a.is_null(row_a), y = b.is_null(row_b);
  if (x || y) return x && y;
  if (!c.bytes) {
    const Datum left = a.datum(row_a), right = b.datum(row_b);
    note_long(left);
    note_long(right);
    return c.order->equal(left, right, c.collator);
  }
  switch (c.phys) {
    case Phys::kBool: return a.get<uint8_t>(row_a) == b.get<uint8_t>(row_b);
    case Phys::kI16: return a.get<int16_t>(row_a) == b.get<int16_t>(row_b);
    case Phys::kI32: return a.get<int32_t>(row_a) == b.get<int32_t>(row_b);
    case Phys::kB16: return std::memcmp(&a.get<Block16>(row_a), &b.get<Block16>(row_b), 16) == 0;
    case Phys::kStr: note_long(a.get<Str>(row_a)); return a.get<Str>(row_a) == b.get<Str>(row_b);
    default: return a.get<int64_t>(row_a) == b.get<int64_t>(row_b);
  }
}

bool KeyOps::equal(std::span<const Vector* const> keys, uint32_t row, const RowStore& store, uint32_t stored_row,
                   size_t first_column) const {
  for (size_t c = 0; c < columns_.size(); c++) {
    if (!equal_column(columns_[c], *keys[c], row, store.column(stored_row / kChunkRows, first_column + c),
                      stored_row % kChunkRows)) {
      return false;
    }
  }
  return true;
}

bool KeyOps::equal(std::span<const Vector* const> a, uint32_t row_a, std::span<const Vector* const> b,
                   uint32_t row_b) const {
  for (size_t c = 0; c < columns_.size(); c++) {
    if (!equal_column(columns_[c], *a[c], row_a, *b[c], row_b)) return false;
  }
  return true;
}

bool KeyOps::equal_values(size_t column, const Datum& a, const Datum& b) const {
  const Column& c = columns_[column];
  if (!c.bytes) return c.order->equal(a, b, c.collator);
  if (c.phys == Phys::kStr) return a.str == b.str;
  return std::memcmp(&a.block, &b.block, phys_bytes(c.phys)) == 0;
}

Result<SortOps> SortOps::make(Builder& b, const std::vector<types::TypeRef>& types,
                              const std::vector<Direction>& directions) {
  SortOps ops;
  std::vector<types::KeyColumn> layout;
  for (size_t i = 0; i < types.size(); i++) {
    const types::TypeOrder* order = b.order_of(types[i]);
    if (order == nullptr || order->compare == nullptr) {
      return Error(sqlstate::kUndefinedFunction,
                   "could not identify an ordering operator for type " + type_name(b, types[i].oid))
          .with_hint("Use an explicit ordering operator or modify the query.");
    }
    INDIGO_ASSIGN(const types::Collator* collator, b.collator_of(types[i]));
    const types::TypeOrder* labelled = take_labels(b, collator, ops.orders_);
    if (labelled != nullptr) order = labelled;
    ops.columns_.push_back({order, collator, directions[i]});
    Phys phys = b.phys_of(types[i]);
    if (labelled == nullptr && (types[i].oid >= oid::kFirstUserOid || !types::KeyLayout::encodable(types[i].oid)))
      ops.encodable_ = false;
    layout.push_back(
        {types[i].oid, phys, types[i].collation, directions[i].descending, directions[i].nulls_first, true, collator});
  }
  if (ops.encodable_) ops.layout_ = types::KeyLayout(std::move(layout));
  return ops;
}

void SortOps::append(std::span<const Vector* const> keys, uint32_t row, std::string& out) const {
  for (size_t c = 0; c < columns_.size(); c++) layout_.append_column(c, keys[c]->datum(row), out);
}

int SortOps::compare_values(size_t column, const Datum& a, const Datum& b) const {
  const Column& c = columns_[column];
  if (a.null || b.null) {
    if (a.null && b.null) return 0;
    return a.null == c.direction.nulls_first ? -1 : 1;
  }
  int r = c.order->compare(a, b, c.collator);
  return c.direction.descending ? -r : r;
}

int SortOps::compare(const RowStore& store, uint32_t a, uint32_t b, size_t first_column) const {
  for (size_t c = 0; c < columns_.size(); c++) {
    if (int r = compare_values(c, store.datum(a, first_column + c), store.datum(b, first_column + c)); r != 0) return r;
  }
  return 0;
}

int SortOps::compare(std::span<const Vector* const> keys, uint32_t row, const RowStore& store, uint32_t stored_row,
                     size_t first_column) const {
  for (size_t c = 0; c < columns_.size(); c++) {
    if (int r = compare_values(c, keys[c]->datum(row), store.datum(stored_row, first_column + c)); r != 0) return r;
  }
  return 0;
}

}  // namespace indigo::engine::exec
