#include "sql/partition/bound.h"

#include <charconv>
#include <cstring>

#include <absl/strings/escaping.h>

#include "base/sqlstate.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql::partition {
namespace {

void store_value(const BoundValue& v, std::string& out) {
  switch (v.kind) {
    case BoundValue::Kind::kMin: out += '-'; return;
    case BoundValue::Kind::kMax: out += '+'; return;
    case BoundValue::Kind::kNull: out += 'n'; return;
    case BoundValue::Kind::kValue: break;
  }
  const Datum& d = v.value.get();
  const auto* block = reinterpret_cast<const char*>(&d.block);
  out += '#';
  out += absl::BytesToHexString(d.phys == Phys::kStr ? absl::string_view(d.str.data(), d.str.size())
                                                     : absl::string_view(block, phys_bytes(d.phys)));
}

void store_values(const std::vector<BoundValue>& values, std::string& out) {
  for (size_t i = 0; i < values.size(); i++) {
    if (i > 0) out += ',';
    store_value(values[i], out);
  }
}

Error damaged() { return Error(sqlstate::kInternalError, "a partition's bound cannot be read"); }

Result<BoundValue> read_value(types::FuncContext& context, const types::TypeRef& type, std::string_view text) {
  BoundValue out;
  if (text.empty()) return damaged();
  switch (text[0]) {
    case '-': out.kind = BoundValue::Kind::kMin; return out;
    case '+': out.kind = BoundValue::Kind::kMax; return out;
    case 'n': out.kind = BoundValue::Kind::kNull; return out;
    default: break;
  }
  const std::string bytes = absl::HexStringToBytes(absl::string_view(text.data() + 1, text.size() - 1));
  const auto info = context.session().catalog().type(type.oid);
  if (text[0] != '#' || info == nullptr) return damaged();
  if (info->phys == Phys::kStr) {
    out.value = OwnedDatum(Datum::of(Str(bytes)));
    return out;
  }
  if (bytes.size() != phys_bytes(info->phys)) return damaged();
  Datum value = Datum::make_null(info->phys);
  value.null = false;
  std::memcpy(&value.block, bytes.data(), bytes.size());
  if (info->phys == Phys::kBool) value.b = bytes[0] != 0;
  out.value = OwnedDatum(value);
  return out;
}

Result<std::vector<BoundValue>> read_values(types::FuncContext& context, const catalog::PartitionKey& key,
                                            std::string_view text) {
  std::vector<BoundValue> out;
  while (true) {
    const size_t end = std::min(text.find(','), text.size());
    const size_t column = key.strategy == 'l' ? 0 : out.size();
    if (column >= key.columns.size()) return damaged();
    INDIGO_ASSIGN(BoundValue v, read_value(context, key.columns[column].type, text.substr(0, end)));
    out.push_back(std::move(v));
    if (end == text.size()) return out;
    text.remove_prefix(end + 1);
  }
}

bool read_number(std::string_view& text, int32_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return true;
}

std::string values_text(types::FuncContext& context, const catalog::PartitionKey& key,
                        const std::vector<BoundValue>& values) {
  std::string out;
  for (size_t i = 0; i < values.size(); i++) {
    if (i > 0) out += ", ";
    out += bound_value_text(context, key.columns[key.strategy == 'l' ? 0 : i].type, values[i]);
  }
  return out;
}

}  // namespace

std::string store_bound(const Bound& bound) {
  if (bound.strategy == 'd') return "d";
  if (bound.strategy == 'h') return "h " + std::to_string(bound.modulus) + " " + std::to_string(bound.remainder);
  std::string out(1, bound.strategy);
  out += ' ';
  store_values(bound.lower, out);
  if (bound.strategy == 'r') {
    out += '|';
    store_values(bound.upper, out);
  }
  return out;
}

Result<Bound> read_bound(types::FuncContext& context, const catalog::PartitionKey& key, std::string_view stored) {
  Bound out;
  if (stored == "d") return out;
  if (stored.size() < 3 || stored[0] != key.strategy) return damaged();
  out.strategy = stored[0];
  stored.remove_prefix(2);
  switch (out.strategy) {
    case 'h':
      if (!read_number(stored, out.modulus) || !read_number(stored, out.remainder)) return damaged();
      return out;
    case 'l': {
      INDIGO_ASSIGN(out.lower, read_values(context, key, stored));
      return out;
    }
    case 'r': {
      const size_t bar = stored.find('|');
      if (bar == std::string_view::npos) return damaged();
      INDIGO_ASSIGN(out.lower, read_values(context, key, stored.substr(0, bar)));
      INDIGO_ASSIGN(out.upper, read_values(context, key, stored.substr(bar + 1)));
      return out;
    }
    default: return damaged();
  }
}

std::string bound_value_text(types::FuncContext& context, const types::TypeRef& type, const BoundValue& v) {
  switch (v.kind) {
    case BoundValue::Kind::kMin: return "MINVALUE";
    case BoundValue::Kind::kMax: return "MAXVALUE";
    case BoundValue::Kind::kNull: return "NULL";
    case BoundValue::Kind::kValue: break;
  }
  std::string text;
  type_output(context, type, v.value.get(), text);
  if (type.oid == oid::kBool) return text == "t" ? "true" : "false";
  // What would be read as a number of another type is quoted.
  const bool number = type.oid == oid::kInt4 || (type.oid == oid::kNumeric && text.find('.') != std::string::npos);
  if (number && !text.empty() && text[0] >= '0' && text[0] <= '9') return text;
  std::string out = "'";
  for (const char ch : text) {
    if (ch == '\'') out += '\'';
    out += ch;
  }
  return out + "'";
}

std::string bound_text(types::FuncContext& context, const catalog::PartitionKey& key, const Bound& bound) {
  switch (bound.strategy) {
    case 'h':
      return "FOR VALUES WITH (modulus " + std::to_string(bound.modulus) + ", remainder " +
             std::to_string(bound.remainder) + ")";
    case 'l': return "FOR VALUES IN (" + values_text(context, key, bound.lower) + ")";
    case 'r':
      return "FOR VALUES FROM (" + values_text(context, key, bound.lower) + ") TO (" +
             values_text(context, key, bound.upper) + ")";
    default: return "DEFAULT";
  }
}

}  // namespace indigo::sql::partition
