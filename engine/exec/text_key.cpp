#include "engine/exec/text_key.h"

#include "base/bytes.h"
#include "types/oids.h"

namespace indigo::engine::exec {

uint64_t TextKey::head(Str text) const {
  constexpr size_t kBytes = sizeof(uint64_t);
  if (blank_ends) text = text.substr(0, text.find_last_not_of(' ') + 1);
  char bytes[kBytes + 2] = {1};  // not null
  size_t n = 1;
  for (size_t i = 0; i < text.size() && n < kBytes; i++) {
    bytes[n++] = text[i];
    if (text[i] == 0) bytes[n++] = '\xFF';
  }
  if (n < kBytes) {  // a text ends with 0, 1
    bytes[n + 1] = 1;
    n += 2;
  }
  for (size_t i = 1; descending && i < n; i++) bytes[i] = static_cast<char>(~bytes[i]);
  return big_endian(load_unaligned<uint64_t>(bytes));
}

std::optional<TextKey> TextKey::of(Builder& b, const sql::SortPlan& p) {
  if (p.keys.size() != 1) return std::nullopt;
  const sql::ExprPtr& key = p.keys[0].expr;
  const auto* column = sql::try_as<sql::ColumnExpr>(key);
  const Oid type = key->type.oid;
  if (column == nullptr || column->input != 0 || column->column < 0) return std::nullopt;
  if (static_cast<size_t>(column->column) >= p.columns.size()) return std::nullopt;
  if (type != oid::kText && type != oid::kVarchar && type != oid::kBpchar) return std::nullopt;
  const auto collator = b.collator_of(key->type);
  if (!collator.ok() || *collator != nullptr) return std::nullopt;
  return TextKey{static_cast<size_t>(column->column), type == oid::kBpchar, p.keys[0].descending};
}

}  // namespace indigo::engine::exec
