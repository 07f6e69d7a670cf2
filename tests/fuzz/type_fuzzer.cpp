// Any bytes as a value of any built-in type, in text or binary form: never a crash, and what a type takes it gives back.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "tests/unit/types/function/test_session.h"
#include "types/function/registry.h"
#include "types/io/type_definition.h"

namespace {

// Arrays, beside every type that has a definition.
constexpr indigo::Oid kArrays[] = {199, 1000, 1003, 1007, 1009, 1034, 1041, 1115, 1187, 1231, 2951, 3807};

std::vector<indigo::Oid> all_types() {
  std::vector<indigo::Oid> out(std::begin(kArrays), std::end(kArrays));
  for (const indigo::types::TypeDefinition* definition : indigo::types::type_definitions()) {
    if (definition->input != nullptr && definition->output != nullptr) out.push_back(definition->type);
  }
  return out;
}

constexpr int32_t kModifiers[] = {-1, -1, -1, 0, 2, 6, 9, 20, 655366};

}  // namespace

// The first byte chooses the type, the second the form and the modifier.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace indigo;
  using namespace indigo::types;
  if (size < 2) return 0;
  static TestSession session;
  static const std::vector<Oid> types = all_types();
  FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  const TypeRef type{types[data[0] % types.size()], kModifiers[(data[1] >> 1) % std::size(kModifiers)], kInvalidOid};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const bool binary = (data[1] & 1) != 0;
  if (!binary && find_invalid_text(bytes) != kAllValid) return 0;  // nobody hands such a text on
  const Datum value = binary ? type_receive(context, type, bytes) : type_input(context, type, bytes);
  if (context.failed() || value.null) return 0;
  std::string text, sent;
  type_output(context, type, value, text);
  type_send(context, type, value, sent);
  if (type.typmod >= 0 || context.failed()) return 0;
  const Datum received = type_receive(context, type, sent);
  if (context.failed() || received.null) return 0;
  std::string again;
  type_output(context, type, received, again);
  // xml's output eats a newline at its beginning, each time, as PostgreSQL's does.
  if (again != text && !(type.oid == oid::kXml && "\n" + again == text)) abort();
  return 0;
}
