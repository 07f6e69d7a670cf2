// vector and halfvec: their text and binary forms, their modifier, and their order.
#include <absl/hash/hash.h>

#include "base/sqlstate.h"
#include "types/extension/vector/reader.h"
#include "types/function/errors.h"
#include "types/function/kernel.h"
#include "types/io/typmod_arguments.h"
#include "types/number/float.h"

namespace indigo::types::vectors {

namespace {

template <class Type>
bool read_elements(FuncContext& context, Str text, std::string& image) {
  TextReader reader(context, Type::kName, text);
  if (!reader.skip('[')) return reader.fail("Vector contents must start with \"[\".");
  if (reader.next_is(']')) return check_dimensions(context, Type::kName, 0, Type::kMostDimensions);
  int32_t count = 0;
  do {
    if (count == Type::kMostDimensions) return check_dimensions(context, Type::kName, count + 1, count);
    float value = 0;
    if (!reader.number(value, false) || !check_dense_element<Type>(context, value)) return false;
    image.resize(image.size() + Type::kBytes);
    put_element<Type>(image, static_cast<size_t>(count++), value);
  } while (reader.skip(','));
  if (!reader.skip(']')) return reader.fail();
  return reader.ended() || reader.fail("Junk after closing right brace.");
}

template <class Type>
Datum made(FuncContext& context, const TypeRef& type, const std::string& image) {
  const auto dimensions = DenseView<Type>(image).dimensions();
  if (context.failed() || !check_expected(context, type.typmod, dimensions)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(image));
}

template <class Type>
Datum input(FuncContext& context, const TypeRef& type, Str text) {
  std::string image;
  read_elements<Type>(context, text, image);
  return made<Type>(context, type, image);
}

template <class Type>
void print(Str image, std::string& out) {
  const DenseView<Type> v(image);
  out += '[';
  for (size_t i = 0; i < static_cast<size_t>(v.dimensions()); i++) {
    if (i > 0) out += ',';
    append_float(v[i], 1, out);
  }
  out += ']';
}
template <class Type>
void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  print<Type>(value.str, out);
}

// int16 dimensions, int16 0, the elements.
template <class Type>
Datum receive(FuncContext& context, const TypeRef& type, Str bytes) {
  const Datum null = Datum::make_null(Phys::kStr);
  if (bytes.size() < 4) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return null;
  }
  const auto dimensions = static_cast<int16_t>(big_endian(load_unaligned<uint16_t>(bytes.data())));
  const auto unused = static_cast<int16_t>(big_endian(load_unaligned<uint16_t>(bytes.data() + 2)));
  if (!check_dimensions(context, Type::kName, dimensions, Type::kMostDimensions) ||
      !check_expected(context, type.typmod, dimensions)) {
    return null;
  }
  if (unused != 0) {
    context.fail(sqlstate::kDataException, "expected unused to be 0, not " + std::to_string(unused));
    return null;
  }
  const size_t count = static_cast<size_t>(dimensions), wanted = 4 + count * Type::kBytes;
  if (!check_message(context, bytes, wanted)) return null;
  using Bits = std::conditional_t<Type::kBytes == 2, uint16_t, uint32_t>;
  std::string image = dense_image<Type>(count);
  for (size_t i = 0; i < count; i++) {
    const size_t at = i * Type::kBytes;
    store_unaligned(image.data() + at, big_endian(load_unaligned<Bits>(bytes.data() + 4 + at)));
    if (!check_element(context, Type::kName, Type::get(image.data() + at))) return null;
  }
  return Datum::of(context.arena().copy(image));
}
template <class Type>
void send(Str image, std::string& out) {
  using Bits = std::conditional_t<Type::kBytes == 2, uint16_t, uint32_t>;
  send_integer(static_cast<uint16_t>(DenseView<Type>(image).dimensions()), out);
  send_integer(uint16_t{0}, out);
  for (size_t at = 0; at < image.size(); at += Type::kBytes) send_integer(load_unaligned<Bits>(image.data() + at), out);
}
template <class Type>
void send_value(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  send<Type>(value.str, out);
}

// Element by element, then by the number of dimensions: no key of one dimension less is longer.
template <class Type>
std::string key_of(Str image) {
  const DenseView<Type> v(image);
  std::string out;
  for (size_t i = 0; i < static_cast<size_t>(v.dimensions()); i++) append_ordered(v[i], out);
  return out;
}
template <class Type>
const Collator& order_of() {
  static const Collator kOrder(key_of<Type>, true);
  return kOrder;
}
template <class Type>
int by_order(const Datum& a, const Datum& b, const Collator*) {
  return order_of<Type>().compare(a.str, b.str);
}
template <class Type>
bool equal(const Datum& a, const Datum& b, const Collator* collator) {
  return by_order<Type>(a, b, collator) == 0;
}
template <class Type>
uint64_t hash(const Datum& value, const Collator*) {
  return absl::HashOf(key_of<Type>(value.str));
}
template <class Type>
constexpr TypeOrder kOrder = {by_order<Type>, equal<Type>, hash<Type>};

template <class Type>
Result<int32_t> modifier(std::span<const std::string> arguments) {
  return dimensions_modifier(Type::kName, arguments, Type::kMostDimensions);
}

// ---- called by name
template <class Type>
Datum read(FuncContext& context, Str text, std::optional<int32_t>, std::optional<int32_t> typmod) {
  return input<Type>(context, {kInvalidOid, typmod.value_or(-1), kInvalidOid}, text);
}
template <class Type>
std::string text_of(Str image) {
  std::string out;
  print<Type>(image, out);
  return out;
}
template <class Type>
std::string bytes_of(Str image) {
  std::string out;
  send<Type>(image, out);
  return out;
}

const ScalarEntry kDenseForms[] = {
    {"vector_in", kernel<read<Single>>},       {"vector_out", kernel<text_of<Single>>},
    {"vector_send", kernel<bytes_of<Single>>}, {"halfvec_in", kernel<read<Half>>},
    {"halfvec_out", kernel<text_of<Half>>},    {"halfvec_send", kernel<bytes_of<Half>>},
};

}  // namespace

Result<int32_t> dimensions_modifier(const char* type, std::span<const std::string> arguments, int32_t most) {
  INDIGO_ASSIGN(const std::vector<int32_t> values, integer_arguments(arguments));
  if (values.size() != 1) return Error(sqlstate::kInvalidParameterValue, "invalid type modifier");
  const std::string dimensions = std::string("dimensions for type ") + type;
  if (values[0] < 1) return Error(sqlstate::kInvalidParameterValue, dimensions + " must be at least 1");
  if (values[0] > most)
    return Error(sqlstate::kInvalidParameterValue, dimensions + " cannot exceed " + std::to_string(most));
  return values[0];
}

const Collator& vector_order() { return order_of<Single>(); }
const Collator& halfvec_order() { return order_of<Half>(); }

std::span<const ScalarEntry> dense_form_functions() { return kDenseForms; }

const TypeDefinition kVectorForms = {.type = kInvalidOid,
                                     .input = input<Single>,
                                     .output = output<Single>,
                                     .receive = receive<Single>,
                                     .send = send_value<Single>,
                                     .order = &kOrder<Single>,
                                     .modifier = modifier<Single>};
const TypeDefinition kHalfvecForms = {.type = kInvalidOid,
                                      .input = input<Half>,
                                      .output = output<Half>,
                                      .receive = receive<Half>,
                                      .send = send_value<Half>,
                                      .order = &kOrder<Half>,
                                      .modifier = modifier<Half>};

}  // namespace indigo::types::vectors
