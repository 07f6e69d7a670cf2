// sparsevec: its forms, and what its functions do.
#include <algorithm>
#include <cmath>

#include <absl/hash/hash.h>

#include "base/sqlstate.h"
#include "types/extension/vector/reader.h"
#include "types/function/errors.h"
#include "types/function/kernel.h"
#include "types/number/float.h"

namespace indigo::types::vectors {

namespace {

constexpr const char* kName = "sparsevec";
using Elements = std::vector<SparseElement>;

// ---- forms
bool read_element(FuncContext& context, TextReader& reader, Elements& out) {
  int32_t place = 0;
  float value = 0;
  if (reader.ended() || !reader.integer(place)) return !context.failed() && reader.fail();
  if (!reader.skip(':')) return reader.fail();
  if (!reader.number(value, true)) return false;
  if (value != 0) out.push_back({place - 1, value});
  return true;
}

// {place:value, ...}/dimensions, with places from 1.
bool read_sparse(FuncContext& context, Str text, Elements& elements, int32_t& dimensions) {
  if (std::count(text.begin(), text.end(), ',') >= kMostSparseElements)
    return check_sparse_count(context, kMostSparseElements + 1, 0);
  TextReader reader(context, kName, text);
  if (!reader.skip('{')) return reader.fail("Vector contents must start with \"{\".");
  if (!reader.skip('}')) {
    do {
      if (!read_element(context, reader, elements)) return false;
    } while (reader.skip(','));
    if (!reader.skip('}')) return reader.fail();
  }
  if (!reader.skip('/')) return reader.fail("Unexpected end of input.");
  if (!reader.integer(dimensions)) return false;
  return reader.ended() || reader.fail("Junk after closing.");
}

Datum sparse_input(FuncContext& context, const TypeRef& type, Str text) {
  Elements elements;
  int32_t dimensions = 0;
  const Datum null = Datum::make_null(Phys::kStr);
  if (!read_sparse(context, text, elements, dimensions) ||
      !check_dimensions(context, kName, dimensions, kMostSparseDimensions) ||
      !check_expected(context, type.typmod, dimensions)) {
    return null;
  }
  std::stable_sort(elements.begin(), elements.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
  if (!check_places(context, elements, dimensions)) return null;
  return Datum::of(context.arena().copy(sparse_image(dimensions, elements)));
}

void print_sparse(Str image, std::string& out) {
  const SparseView v(image);
  out += '{';
  for (int32_t i = 0; i < v.count(); i++) {
    if (i > 0) out += ',';
    out += std::to_string(v.place(i) + 1) + ":";
    append_float(v.value(i), 1, out);
  }
  out += "}/" + std::to_string(v.dimensions());
}
void sparse_output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { print_sparse(value.str, out); }

// int32 dimensions, int32 count, int32 0, the places from 0, the values.
Datum sparse_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const Datum null = Datum::make_null(Phys::kStr);
  const auto integer = [&](size_t at) {
    return static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data() + at)));
  };
  constexpr size_t kHead = 12;
  if (bytes.size() < kHead) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return null;
  }
  const int32_t dimensions = integer(0), count = integer(4), unused = integer(8);
  if (!check_dimensions(context, kName, dimensions, kMostSparseDimensions) ||
      !check_sparse_count(context, count, dimensions) || !check_expected(context, type.typmod, dimensions)) {
    return null;
  }
  if (unused != 0) {
    context.fail(sqlstate::kDataException, "expected unused to be 0, not " + std::to_string(unused));
    return null;
  }
  const size_t wanted = kHead + static_cast<size_t>(count) * 8;
  if (!check_message(context, bytes, wanted)) return null;
  Elements elements;
  for (size_t i = 0; i < static_cast<size_t>(count); i++) {
    const int32_t bits = integer(kHead + (static_cast<size_t>(count) + i) * 4);
    elements.push_back({integer(kHead + i * 4), load_unaligned<float>(&bits)});
  }
  if (!check_places(context, elements, dimensions)) return null;
  for (const SparseElement& e : elements) {
    if (!check_element(context, kName, e.value)) return null;
    if (e.value != 0) continue;
    context.fail(sqlstate::kDataException, "binary representation of sparsevec cannot contain zero values");
    return null;
  }
  return Datum::of(context.arena().copy(sparse_image(dimensions, elements)));
}
void send_sparse(Str image, std::string& out) {
  const SparseView v(image);
  send_integer(static_cast<uint32_t>(v.dimensions()), out);
  send_integer(static_cast<uint32_t>(v.count()), out);
  send_integer(uint32_t{0}, out);
  for (size_t at = 8; at < image.size(); at += 4) send_integer(load_unaligned<uint32_t>(image.data() + at), out);
}
void sparse_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { send_sparse(value.str, out); }

// ---- order: that of the vectors with their zeros, then the number of dimensions
// The end of a vector stands on one line with the negative elements: it is above those within its dimensions, and below those
// behind them. Positive elements are above both, the earlier the higher.
std::string key_of_sparse(Str image) {
  const SparseView v(image);
  std::string out;
  for (int32_t i = 0; i < v.count(); i++) {
    const auto place = static_cast<uint64_t>(v.place(i));
    const bool negative = v.value(i) < 0;
    out.push_back(negative ? '\0' : '\1');
    send_integer(negative ? 2 * place + 1 : ~place, out);
    append_ordered(v.value(i), out);
  }
  out.push_back('\0');
  send_integer(2 * static_cast<uint64_t>(v.dimensions()), out);
  return out;
}
int sparse_order(const Datum& a, const Datum& b, const Collator*) { return sparsevec_order().compare(a.str, b.str); }
bool sparse_equal(const Datum& a, const Datum& b, const Collator*) { return a.str == b.str; }
uint64_t sparse_hash(const Datum& value, const Collator*) { return absl::HashOf(value.str); }
constexpr TypeOrder kSparseOrder = {sparse_order, sparse_equal, sparse_hash};

int32_t compare_sparse(Str a, Str b) {
  const int c = a == b ? 0 : key_of_sparse(a).compare(key_of_sparse(b));
  return c == 0 ? 0 : c < 0 ? -1 : 1;
}
bool sparse_lt(Str a, Str b) { return compare_sparse(a, b) < 0; }
bool sparse_le(Str a, Str b) { return compare_sparse(a, b) <= 0; }
bool sparse_eq(Str a, Str b) { return a == b; }
bool sparse_ne(Str a, Str b) { return a != b; }
bool sparse_ge(Str a, Str b) { return compare_sparse(a, b) >= 0; }
bool sparse_gt(Str a, Str b) { return compare_sparse(a, b) > 0; }

// ---- distances
bool alike_sparse(FuncContext& context, Str a, Str b) {
  return check_same(context, kName, SparseView(a).dimensions(), SparseView(b).dimensions());
}
double sparse_squared(FuncContext& context, Str a, Str b) {
  return alike_sparse(context, a, b) ? double{sparse_squared_distance(a.data(), b.data())} : 0;
}
double sparse_euclidean(FuncContext& context, Str a, Str b) { return std::sqrt(sparse_squared(context, a, b)); }
double sparse_inner(FuncContext& context, Str a, Str b) {
  return alike_sparse(context, a, b) ? double{sparse_inner_product(a.data(), b.data())} : 0;
}
double sparse_negative_inner(FuncContext& context, Str a, Str b) { return -sparse_inner(context, a, b); }
double sparse_cosine(FuncContext& context, Str a, Str b) {
  if (!alike_sparse(context, a, b)) return 0;
  const double norms =
      std::sqrt(double{sparse_inner_product(a.data(), a.data())} * double{sparse_inner_product(b.data(), b.data())});
  const double similarity = double{sparse_inner_product(a.data(), b.data())} / norms;
  return 1 - (similarity > 1 ? 1 : similarity < -1 ? -1 : similarity);
}
double sparse_taxicab(FuncContext& context, Str a, Str b) {
  return alike_sparse(context, a, b) ? double{sparse_taxicab_distance(a.data(), b.data())} : 0;
}
double sparse_norm(Str image) {
  const SparseView v(image);
  double sum = 0;
  for (int32_t i = 0; i < v.count(); i++) sum += double{v.value(i)} * double{v.value(i)};
  return std::sqrt(sum);
}
std::string sparse_normalized(FuncContext& context, Str image) {
  const auto unit = unit_vector<SparseView>(image);
  const SparseView v(unit ? Str(*unit) : image);
  Elements out;
  for (int32_t i = 0; unit && i < v.count(); i++) {
    if (std::isinf(v.value(i))) fail_float_overflow(context);
    out.push_back({v.place(i), v.value(i)});
  }
  return sparse_image(v.dimensions(), out);
}

// ---- casts
Str sparse_with_modifier(FuncContext& context, Str image, int32_t modifier, bool) {
  check_expected(context, modifier, SparseView(image).dimensions());
  return image;
}
template <class Number>
std::string of_numbers(FuncContext& context, int32_t dimensions, int32_t modifier, const Number& number) {
  if (!check_expected(context, modifier, dimensions)) return {};
  Elements elements;
  for (int32_t i = 0; i < dimensions; i++) {
    if (const float value = number(static_cast<size_t>(i)); value != 0) elements.push_back({i, value});
  }
  if (!check_sparse_count(context, static_cast<int64_t>(elements.size()), dimensions)) return {};
  for (const SparseElement& e : elements) {
    if (!check_element(context, kName, e.value)) return {};
  }
  return sparse_image(dimensions, elements);
}
template <class Type>
std::string sparse_of_dense(FuncContext& context, Str image, int32_t modifier, bool) {
  const DenseView<Type> v(image);
  return of_numbers(context, v.dimensions(), modifier, [&](size_t i) { return v[i]; });
}
std::string sparse_of_array(FuncContext& context, Str array, int32_t modifier, bool) {
  const auto numbers = numbers_of_array(context, kName, array, kMostSparseDimensions);
  if (!numbers) return {};
  return of_numbers(context, static_cast<int32_t>(numbers->size()), modifier, [&](size_t i) { return (*numbers)[i]; });
}

Result<int32_t> sparse_modifier(std::span<const std::string> arguments) {
  return dimensions_modifier(kName, arguments, kMostSparseDimensions);
}

// ---- called by name
Datum sparse_read(FuncContext& context, Str text, std::optional<int32_t>, std::optional<int32_t> typmod) {
  return sparse_input(context, {kInvalidOid, typmod.value_or(-1), kInvalidOid}, text);
}
std::string sparse_text(Str image) {
  std::string out;
  print_sparse(image, out);
  return out;
}
std::string sparse_bytes(Str image) {
  std::string out;
  send_sparse(image, out);
  return out;
}

const ScalarEntry kSparseFunctions[] = {
    {"sparsevec_in", kernel<sparse_read>},
    {"sparsevec_out", kernel<sparse_text>},
    {"sparsevec_send", kernel<sparse_bytes>},
    {"sparsevec_l2_distance", kernel<sparse_euclidean>},
    {"sparsevec_inner_product", kernel<sparse_inner>},
    {"sparsevec_cosine_distance", kernel<sparse_cosine>},
    {"sparsevec_l1_distance", kernel<sparse_taxicab>},
    {"sparsevec_l2_norm", kernel<sparse_norm>},
    {"sparsevec_l2_normalize", kernel<sparse_normalized>},
    {"sparsevec_lt", kernel<sparse_lt>},
    {"sparsevec_le", kernel<sparse_le>},
    {"sparsevec_eq", kernel<sparse_eq>},
    {"sparsevec_ne", kernel<sparse_ne>},
    {"sparsevec_ge", kernel<sparse_ge>},
    {"sparsevec_gt", kernel<sparse_gt>},
    {"sparsevec_cmp", kernel<compare_sparse>},
    {"sparsevec_l2_squared_distance", kernel<sparse_squared>},
    {"sparsevec_negative_inner_product", kernel<sparse_negative_inner>},
    {"sparsevec", kernel<sparse_with_modifier>},
    {"vector_to_sparsevec", kernel<sparse_of_dense<Single>>},
    {"halfvec_to_sparsevec", kernel<sparse_of_dense<Half>>},
    {"array_to_sparsevec", kernel<sparse_of_array>},
};

}  // namespace

std::string sparse_image(int32_t dimensions, std::span<const SparseElement> elements) {
  std::string out(8 + elements.size() * 8, '\0');
  store_unaligned(out.data(), dimensions);
  store_unaligned(out.data() + 4, static_cast<int32_t>(elements.size()));
  for (size_t i = 0; i < elements.size(); i++) {
    store_unaligned(out.data() + 8 + i * 4, elements[i].place);
    store_unaligned(out.data() + 8 + (elements.size() + i) * 4, elements[i].value);
  }
  return out;
}

template <>
std::optional<std::string> unit_vector<SparseView>(Str image) {
  const SparseView v(image);
  const double length = sparse_norm(image);
  if (length == 0) return std::nullopt;
  Elements out;
  for (int32_t i = 0; i < v.count(); i++) {
    const auto value = static_cast<float>(v.value(i) / length);
    if (value != 0) out.push_back({v.place(i), value});
  }
  return sparse_image(v.dimensions(), out);
}

const Collator& sparsevec_order() {
  static const Collator kOrder(key_of_sparse, true);
  return kOrder;
}

std::span<const ScalarEntry> sparse_functions() { return kSparseFunctions; }

const TypeDefinition kSparsevecForms = {.type = kInvalidOid,
                                        .input = sparse_input,
                                        .output = sparse_output,
                                        .receive = sparse_receive,
                                        .send = sparse_send,
                                        .order = &kSparseOrder,
                                        .modifier = sparse_modifier};

}  // namespace indigo::types::vectors
