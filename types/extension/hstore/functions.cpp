// hstore's functions over its own values, texts and arrays of texts, and as JSON.
#include <algorithm>
#include <cctype>

#include "base/fiber/long_sort.h"
#include "types/bytes/jenkins_hash.h"
#include "types/extension/hstore/hstore.h"
#include "types/extension/index_entry.h"
#include "types/function/kernel.h"
#include "types/json/json_parser.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types::hstore {

namespace {

Str copied(FuncContext& context, const std::string& bytes) { return context.arena().copy(bytes); }

Datum text_datum(const std::optional<Str>& text) { return text ? Datum::of(*text) : Datum::make_null(Phys::kStr); }

Str text_array(FuncContext& context, const std::vector<Datum>& elements) {
  return copied(context, make_array(oid::kText, Phys::kStr, elements));
}

// The elements that are no nulls.
std::vector<Str> texts_of(Str array) {
  const ArrayView view(array);
  std::vector<Str> out;
  for (int32_t i = 0; i < view.count(); i++) {
    if (!view.is_null(i)) out.push_back(view.element(i).str);
  }
  return out;
}

std::nullopt_t refuse(FuncContext& context, SqlState state, const char* message) {
  context.fail(state, message);
  return std::nullopt;
}

// ---- building

std::optional<Str> from_text(FuncContext& context, std::optional<Str> key, std::optional<Str> value) {
  if (!key) return std::nullopt;
  return copied(context, make_image({{*key, value}}));
}

std::optional<Str> from_pairs(FuncContext& context, const std::vector<Datum>& keys, const std::vector<Datum>& values) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < keys.size(); i++) {
    if (keys[i].null) return refuse(context, sqlstate::kNullValueNotAllowed, "null value not allowed for hstore key");
    pairs.push_back({keys[i].str, values[i].null ? std::optional<Str>() : std::optional<Str>(values[i].str)});
  }
  return copied(context, make_image(std::move(pairs)));
}

std::vector<Datum> elements_of(const ArrayView& array, int32_t first, int32_t step) {
  std::vector<Datum> out;
  for (int32_t i = first; i < array.count(); i += step) out.push_back(array.element(i));
  return out;
}

std::optional<Str> from_arrays(FuncContext& context, std::optional<Str> keys, std::optional<Str> values) {
  if (!keys) return std::nullopt;
  const ArrayView k(*keys);
  const auto wrong = [&] {
    return refuse(context, sqlstate::kArraySubscriptError, "wrong number of array subscripts");
  };
  if (k.dimensions() > 1) return wrong();
  if (!values) {
    return from_pairs(context, elements_of(k, 0, 1),
                      std::vector<Datum>(static_cast<size_t>(k.count()), Datum::make_null(Phys::kStr)));
  }
  const ArrayView v(*values);
  if (v.dimensions() > 1) return wrong();
  const bool alike = k.dimensions() == v.dimensions() && (k.dimensions() == 0 || k.dimension(0) == v.dimension(0));
  if (!alike) return refuse(context, sqlstate::kArraySubscriptError, "arrays must have same bounds");
  return from_pairs(context, elements_of(k, 0, 1), elements_of(v, 0, 1));
}

std::optional<Str> from_array(FuncContext& context, std::optional<Str> array) {
  if (!array) return std::nullopt;
  const ArrayView a(*array);
  const auto wrong = [&](const char* message) { return refuse(context, sqlstate::kArraySubscriptError, message); };
  if (a.dimensions() == 1 && a.count() % 2 != 0) return wrong("array must have even number of elements");
  if (a.dimensions() == 2 && a.dimension(1).length != 2) return wrong("array must have two columns");
  if (a.dimensions() > 2) return wrong("wrong number of array subscripts");
  return from_pairs(context, elements_of(a, 0, 2), elements_of(a, 1, 2));
}

// ---- looking

std::optional<Str> value_at(Str image, Str key) {
  const View view(image);
  const auto pair = view.find(key);
  return pair ? view.value(*pair) : std::nullopt;
}
std::optional<Str> fetch(FuncContext&, std::optional<Str> image, std::optional<Str> key) {
  return image && key ? value_at(*image, *key) : std::nullopt;
}
bool exists(Str image, Str key) { return View(image).find(key).has_value(); }
bool defined(Str image, Str key) {
  const View view(image);
  const auto pair = view.find(key);
  return pair && !view.is_null(*pair);
}
bool exists_any(Str image, Str keys) {
  const auto wanted = texts_of(keys);
  return std::any_of(wanted.begin(), wanted.end(), [&](Str key) { return exists(image, key); });
}
bool exists_all(Str image, Str keys) {
  const auto wanted = texts_of(keys);
  return std::all_of(wanted.begin(), wanted.end(), [&](Str key) { return exists(image, key); });
}
bool contains(Str image, Str part) {
  const View whole(image);
  const auto pairs = pairs_of(part);
  return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& p) {
    const auto found = whole.find(p.key);
    return found && whole.value(*found) == p.value;
  });
}
bool contained(Str part, Str image) { return contains(image, part); }

Str slice_to_array(FuncContext& context, Str image, Str keys) {
  const View view(image);
  const ArrayView wanted(keys);
  std::vector<Datum> out;
  for (int32_t i = 0; i < wanted.count(); i++) {
    const auto pair = wanted.is_null(i) ? std::nullopt : view.find(wanted.element(i).str);
    out.push_back(text_datum(pair ? view.value(*pair) : std::nullopt));
  }
  std::vector<ArrayDimension> dimensions;
  for (int d = 0; d < wanted.dimensions(); d++) dimensions.push_back(wanted.dimension(d));
  return copied(context, make_array(oid::kText, Phys::kStr, dimensions, out));
}
Str slice(FuncContext& context, Str image, Str keys) {
  const View view(image);
  std::vector<Pair> out;
  for (const Str key : texts_of(keys)) {
    if (const auto pair = view.find(key)) out.push_back({key, view.value(*pair)});
  }
  return copied(context, make_image(std::move(out)));
}

// ---- changing

template <class Drop>
Str without(FuncContext& context, Str image, Drop drop) {
  std::vector<Pair> pairs = pairs_of(image);
  std::erase_if(pairs, drop);
  return copied(context, make_image(std::move(pairs)));
}
Str delete_key(FuncContext& context, Str image, Str key) {
  return without(context, image, [&](const Pair& p) { return p.key == key; });
}
Str delete_keys(FuncContext& context, Str image, Str keys) {
  std::vector<Str> gone = texts_of(keys);
  std::sort(gone.begin(), gone.end(), noted_order());
  return without(context, image, [&](const Pair& p) { return std::binary_search(gone.begin(), gone.end(), p.key); });
}
Str delete_pairs(FuncContext& context, Str image, Str other) {
  const View gone(other);
  return without(context, image, [&](const Pair& p) {
    const auto found = gone.find(p.key);
    return found && gone.value(*found) == p.value;
  });
}
Str concat(FuncContext& context, Str left, Str right) {
  std::vector<Pair> pairs = pairs_of(right);  // first: they count
  for (const Pair& p : pairs_of(left)) pairs.push_back(p);
  return copied(context, make_image(std::move(pairs)));
}

// ---- as arrays

std::vector<Datum> flat(Str image) {
  std::vector<Datum> out;
  for (const Pair& p : pairs_of(image)) {
    out.push_back(Datum::of(p.key));
    out.push_back(text_datum(p.value));
  }
  return out;
}
Str keys(FuncContext& context, Str image) {
  std::vector<Datum> out;
  for (const Pair& p : pairs_of(image)) out.push_back(Datum::of(p.key));
  return text_array(context, out);
}
Str values(FuncContext& context, Str image) {
  std::vector<Datum> out;
  for (const Pair& p : pairs_of(image)) out.push_back(text_datum(p.value));
  return text_array(context, out);
}
Str to_array(FuncContext& context, Str image) { return text_array(context, flat(image)); }
Str to_matrix(FuncContext& context, Str image) {
  const std::vector<Datum> elements = flat(image);
  const ArrayDimension dimensions[] = {{static_cast<int32_t>(elements.size() / 2), 1}, {2, 1}};
  return elements.empty() ? text_array(context, elements)
                          : copied(context, make_array(oid::kText, Phys::kStr, dimensions, elements));
}

// ---- as JSON

// A number as JSON writes it: no sign but -, no leading zeros.
bool is_json_number(Str text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') at++;
    return at - begin;
  };
  if (at < text.size() && text[at] == '-') at++;
  const bool zero = at < text.size() && text[at] == '0';
  const size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at < text.size() && text[at] == '.') {
    at++;
    if (digits() == 0) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) at++;
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::string json_text(Str image, bool loose) {
  std::string out = "{";
  for (const Pair& p : pairs_of(image)) {
    if (out.size() > 1) out += ", ";
    append_json_string(p.key, out);
    out += ": ";
    if (!p.value) {
      out += "null";
    } else if (loose && (*p.value == "t" || *p.value == "f")) {
      out += *p.value == "t" ? "true" : "false";
    } else if (loose && is_json_number(*p.value)) {
      out += *p.value;
    } else {
      append_json_string(*p.value, out);
    }
  }
  return out + "}";
}
std::string to_json(Str image) { return json_text(image, false); }
std::string to_json_loose(Str image) { return json_text(image, true); }
Datum jsonb(FuncContext& context, Str image, bool loose) {
  return type_input(context, {oid::kJsonb, -1, kInvalidOid}, copied(context, json_text(image, loose)));
}
Str to_jsonb(FuncContext& context, Str image) { return jsonb(context, image, false).str; }
Str to_jsonb_loose(FuncContext& context, Str image) { return jsonb(context, image, true).str; }

// ---- order

bool equal(Str a, Str b) { return a == b; }
bool not_equal(Str a, Str b) { return a != b; }
bool less(Str a, Str b) { return a < b; }
bool less_or_equal(Str a, Str b) { return a <= b; }
bool greater(Str a, Str b) { return a > b; }
bool greater_or_equal(Str a, Str b) { return a >= b; }
int32_t compare(Str a, Str b) {
  const int order = a.compare(b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}
int32_t hash(Str image) { return static_cast<int32_t>(hash_bytes(image, 0).c); }
int64_t hash_extended(Str image, int64_t seed) {
  const JenkinsHash h = hash_bytes(image, static_cast<uint64_t>(seed));
  return static_cast<int64_t>(static_cast<uint64_t>(h.b) << 32 | h.c);
}
int32_t version(Str) { return 2; }  // the newer of PostgreSQL's two formats

const ScalarEntry kFunctions[] = {
    {"hstore_version_diag", kernel<version>},
    {"hstore_fetchval", kernel<fetch>},
    {"hstore_slice_to_array", kernel<slice_to_array>},
    {"hstore_slice_to_hstore", kernel<slice>},
    {"hstore_exists", kernel<exists>},
    {"hstore_exists_any", kernel<exists_any>},
    {"hstore_exists_all", kernel<exists_all>},
    {"hstore_defined", kernel<defined>},
    {"hstore_delete", kernel<delete_key>},
    {"hstore_delete_array", kernel<delete_keys>},
    {"hstore_delete_hstore", kernel<delete_pairs>},
    {"hstore_concat", kernel<concat>},
    {"hstore_contains", kernel<contains>},
    {"hstore_contained", kernel<contained>},
    {"hstore_from_text", kernel<from_text>},
    {"hstore_from_arrays", kernel<from_arrays>},
    {"hstore_from_array", kernel<from_array>},
    {"hstore_to_json", kernel<to_json>},
    {"hstore_to_json_loose", kernel<to_json_loose>},
    {"hstore_to_jsonb", kernel<to_jsonb>},
    {"hstore_to_jsonb_loose", kernel<to_jsonb_loose>},
    {"hstore_to_array", kernel<to_array>},
    {"hstore_to_matrix", kernel<to_matrix>},
    {"hstore_akeys", kernel<keys>},
    {"hstore_avals", kernel<values>},
    {"hstore_eq", kernel<equal>},
    {"hstore_ne", kernel<not_equal>},
    {"hstore_gt", kernel<greater>},
    {"hstore_ge", kernel<greater_or_equal>},
    {"hstore_lt", kernel<less>},
    {"hstore_le", kernel<less_or_equal>},
    {"hstore_cmp", kernel<compare>},
    {"hstore_hash", kernel<hash>},
    {"hstore_hash_extended", kernel<hash_extended>},
    {"gin_extract_hstore", uncallable_kernel},
    {"gin_extract_hstore_query", uncallable_kernel},
    {"gin_consistent_hstore", uncallable_kernel},
    {"ghstore_compress", uncallable_kernel},
    {"ghstore_decompress", uncallable_kernel},
    {"ghstore_penalty", uncallable_kernel},
    {"ghstore_picksplit", uncallable_kernel},
    {"ghstore_union", uncallable_kernel},
    {"ghstore_same", uncallable_kernel},
    {"ghstore_consistent", uncallable_kernel},
    {"ghstore_options", uncallable_kernel},
};

std::string with_value(std::optional<Str> image, Str key, std::optional<Str> value) {
  std::vector<Pair> pairs = image ? pairs_of(*image) : std::vector<Pair>();
  pairs.insert(pairs.begin(), {key, value});  // of two with one key the first counts
  return make_image(std::move(pairs));
}

}  // namespace

const KeyedSubscripts kSubscripts = {"hstore", value_at, with_value};

std::span<const ScalarEntry> functions() { return kFunctions; }

}  // namespace indigo::types::hstore
