#include "types/json/jsonb.h"

#include <algorithm>

#include <absl/hash/hash.h>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/numeric/numeric.h"

namespace indigo::types {

namespace {

constexpr char kNullTag = 0, kStringTag = 1, kNumberTag = 2, kFalseTag = 3, kTrueTag = 4, kArrayTag = 5, kObjectTag = 6;

uint32_t load_at(const char* p, size_t index) { return load_unaligned<uint32_t>(p + index * sizeof(uint32_t)); }
void append_word(uint32_t v, std::string& out) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }

}  // namespace

JsonKind JsonbView::kind() const {
  switch (image_[0]) {
    case kNullTag: return JsonKind::kNull;
    case kStringTag: return JsonKind::kString;
    case kNumberTag: return JsonKind::kNumber;
    case kArrayTag: return JsonKind::kArray;
    case kObjectTag: return JsonKind::kObject;
    default: return JsonKind::kBool;
  }
}

JsonbView JsonbView::value(int32_t i) const {
  note_work(8);
  const char* table = image_.data() + 5;
  const auto n = static_cast<size_t>(count()), k = static_cast<size_t>(i);
  if (image_[0] == kArrayTag) {
    const uint32_t begin = k == 0 ? 0 : load_at(table, k - 1);
    return JsonbView(Str(table + n * 4 + begin, load_at(table, k) - begin));
  }
  const uint32_t keys = n == 0 ? 0 : load_at(table, 2 * n - 2);
  const uint32_t begin = k == 0 ? 0 : load_at(table, 2 * k - 1);
  return JsonbView(Str(table + n * 8 + keys + begin, load_at(table, 2 * k + 1) - begin));
}

Str JsonbView::key(int32_t i) const {
  note_work(4);
  const char* table = image_.data() + 5;
  const auto n = static_cast<size_t>(count()), k = static_cast<size_t>(i);
  const uint32_t begin = k == 0 ? 0 : load_at(table, 2 * k - 2);
  return {table + n * 8 + begin, load_at(table, 2 * k) - begin};
}

bool jsonb_key_less(Str a, Str b) {
  note_work(4);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

int32_t JsonbView::find(Str wanted) const {
  int32_t low = 0, high = count();
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (jsonb_key_less(key(middle), wanted)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count() && key(low) == wanted ? low : -1;
}

std::optional<JsonbView> JsonbView::field(FuncContext&, Str name) const {
  const int32_t i = find(name);
  return i < 0 ? std::nullopt : std::optional<JsonbView>(value(i));
}
std::optional<JsonbView> JsonbView::element(int64_t index) const {
  if (index < 0) index += count();
  return index < 0 || index >= count() ? std::nullopt : std::optional<JsonbView>(value(static_cast<int32_t>(index)));
}
void JsonbView::for_each_element(const std::function<bool(JsonbView)>& visit) const {
  for (int32_t i = 0; i < count(); i++)
    if (!visit(value(i))) return;
}
void JsonbView::for_each_field(FuncContext&, const std::function<bool(Str, JsonbView)>& visit) const {
  for (int32_t i = 0; i < count(); i++)
    if (!visit(key(i), value(i))) return;
}
std::string JsonbView::text(FuncContext&) const {
  if (kind() == JsonKind::kString) return std::string(string());
  std::string out;
  append_jsonb_text(*this, out);
  return out;
}

// ---- building
std::string jsonb_null() { return std::string(1, kNullTag); }
std::string jsonb_bool(bool v) { return std::string(1, v ? kTrueTag : kFalseTag); }
std::string jsonb_string(Str s) { return std::string(1, kStringTag).append(s); }
std::string jsonb_number(Str image) { return std::string(1, kNumberTag).append(image); }
std::string jsonb_array(std::span<const std::string> values) {
  std::string out(1, kArrayTag);
  append_word(static_cast<uint32_t>(values.size()), out);
  uint32_t end = 0;
  note_work(16 * values.size());
  for (const std::string& v : values) append_word(end += static_cast<uint32_t>(v.size()), out);
  for (const std::string& v : values) out.append(v);
  return out;
}
std::string jsonb_object(std::vector<JsonbField> fields) {
  std::stable_sort(fields.begin(), fields.end(),
                   noted_order([](const JsonbField& a, const JsonbField& b) { return jsonb_key_less(a.key, b.key); }));
  // Of equal keys the last stays.
  size_t kept = 0;
  for (size_t i = 0; i < fields.size(); i++) {
    if (i + 1 < fields.size() && fields[i].key == fields[i + 1].key) continue;
    if (kept != i) fields[kept] = std::move(fields[i]);
    kept++;
  }
  fields.resize(kept);
  std::string out(1, kObjectTag);
  append_word(static_cast<uint32_t>(fields.size()), out);
  uint32_t key_end = 0, value_end = 0;
  for (const JsonbField& f : fields) {
    append_word(key_end += static_cast<uint32_t>(f.key.size()), out);
    append_word(value_end += static_cast<uint32_t>(f.value.size()), out);
  }
  for (const JsonbField& f : fields) out.append(f.key);
  for (const JsonbField& f : fields) out.append(f.value);
  return out;
}

void JsonbBuilder::add(std::string image) {
  if (stack_.empty()) {
    result_ = std::move(image);
  } else if (stack_.back().object) {
    stack_.back().fields.push_back({std::move(stack_.back().key), std::move(image)});
  } else {
    stack_.back().values.push_back(std::move(image));
  }
}
void JsonbBuilder::end_object() {
  std::string image = jsonb_object(std::move(stack_.back().fields));
  stack_.pop_back();
  add(std::move(image));
}
void JsonbBuilder::end_array() {
  std::string image = jsonb_array(stack_.back().values);
  stack_.pop_back();
  add(std::move(image));
}
void JsonbBuilder::number(Str text) {
  Numeric n;
  if (parse_numeric(text, n) != NumericParse::kOk) {
    context_.fail(sqlstate::kNumericValueOutOfRange, "value overflows numeric format");
    return;
  }
  add(jsonb_number(n.image()));
}

std::string parse_jsonb(FuncContext& context, Str text) {
  JsonbBuilder builder(context);
  if (!parse_json(context, text, &builder) || context.failed()) return {};
  return builder.take();
}

// ---- text
namespace {

void append_scalar(JsonbView v, std::string& out) {
  switch (v.kind()) {
    case JsonKind::kNull: out.append("null"); break;
    case JsonKind::kBool: out.append(v.boolean() ? "true" : "false"); break;
    case JsonKind::kNumber: append_numeric_text(v.number(), out); break;
    case JsonKind::kString: append_json_string(v.string(), out); break;
    default: break;
  }
}

}  // namespace

void append_jsonb_text(JsonbView v, std::string& out) {
  if (stack_remaining() == 0) return;  // deeper than any text that was read
  const JsonKind kind = v.kind();
  if (!is_container(kind)) return append_scalar(v, out);
  out.push_back(kind == JsonKind::kArray ? '[' : '{');
  for (int32_t i = 0; i < v.count(); i++) {
    if (i > 0) out.append(", ");
    if (kind == JsonKind::kObject) {
      append_json_string(v.key(i), out);
      out.append(": ");
    }
    append_jsonb_text(v.value(i), out);
  }
  out.push_back(kind == JsonKind::kArray ? ']' : '}');
}

void append_jsonb_pretty(JsonbView v, int level, std::string& out) {
  if (stack_remaining() == 0) return;  // deeper than any text that was read
  const JsonKind kind = v.kind();
  if (!is_container(kind)) return append_scalar(v, out);
  const auto line = [&out](int depth) { out.append("\n").append(static_cast<size_t>(depth) * 4, ' '); };
  out.push_back(kind == JsonKind::kArray ? '[' : '{');
  for (int32_t i = 0; i < v.count(); i++) {
    if (i > 0) out.push_back(',');
    line(level + 1);
    if (kind == JsonKind::kObject) {
      append_json_string(v.key(i), out);
      out.append(": ");
    }
    append_jsonb_pretty(v.value(i), level + 1, out);
  }
  line(level);
  out.push_back(kind == JsonKind::kArray ? ']' : '}');
}

// ---- order
namespace {

int compare_values(JsonbView a, JsonbView b) {
  if (stack_remaining() == 0) return 0;
  const JsonKind ka = a.kind(), kb = b.kind();
  if (ka != kb) return ka < kb ? -1 : 1;
  switch (ka) {
    case JsonKind::kNull: return 0;
    case JsonKind::kString: return a.string().compare(b.string());
    case JsonKind::kNumber: return numeric_compare(a.number(), b.number());
    case JsonKind::kBool: return three_way(a.boolean(), b.boolean());
    case JsonKind::kArray:
    case JsonKind::kObject: break;
  }
  if (const int c = three_way(a.count(), b.count())) return c;
  for (int32_t i = 0; i < a.count(); i++) {
    if (ka == JsonKind::kObject)
      if (const int c = a.key(i).compare(b.key(i))) return c;
    if (const int c = compare_values(a.value(i), b.value(i))) return c;
  }
  return 0;
}

}  // namespace

int compare_jsonb(JsonbView a, JsonbView b) {
  // A scalar document counts as an array of one there, below other arrays of one but above the empty one.
  const JsonKind ka = a.kind(), kb = b.kind();
  if (!is_container(ka) && kb == JsonKind::kArray) return b.count() == 0 ? 1 : -1;
  if (ka == JsonKind::kArray && !is_container(kb)) return a.count() == 0 ? -1 : 1;
  return compare_values(a, b);
}

uint64_t hash_jsonb(JsonbView v) {
  if (stack_remaining() == 0) return 0;
  const JsonKind kind = v.kind();
  switch (kind) {
    case JsonKind::kNumber: return numeric_hash(v.number());
    case JsonKind::kArray:
    case JsonKind::kObject: {
      uint64_t hash = absl::HashOf(static_cast<int>(kind), v.count());
      for (int32_t i = 0; i < v.count(); i++) {
        if (kind == JsonKind::kObject) hash = absl::HashOf(hash, absl::string_view(v.key(i).data(), v.key(i).size()));
        hash = absl::HashOf(hash, hash_jsonb(v.value(i)));
      }
      return hash;
    }
    default: return absl::HashOf(absl::string_view(v.raw().data(), v.raw().size()));
  }
}

}  // namespace indigo::types
