// Any bytes as a value of any built-in type, in text or binary form: never a crash, and what a type takes it gives back.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/unit/types/function/test_session.h"
#include "types/function/registry.h"

namespace {

constexpr indigo::Oid kTypes[] = {16,   17,   18,   19,   20,   21,   22,   23,   24,   25,   26,   27,
                                  28,   29,   30,   114,  650,  700,  701,  774,  790,  829,  869,  1000,
                                  1003, 1007, 1009, 1033, 1034, 1041, 1042, 1043, 1082, 1083, 1114, 1115,
                                  1184, 1186, 1187, 1231, 1266, 1560, 1562, 1700, 199,  2202, 2203, 2204,
                                  2205, 2206, 2950, 2951, 3220, 3802, 3807, 4072, 4089, 4096, 4191, 5069};
constexpr int32_t kModifiers[] = {-1, -1, -1, 0, 2, 6, 9, 20, 655366};

}  // namespace

// The first byte chooses the type, the second the form and the modifier.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace indigo;
  using namespace indigo::types;
  if (size < 2) return 0;
  static TestSession session;
  FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  const TypeRef type{kTypes[data[0] % std::size(kTypes)], kModifiers[(data[1] >> 1) % std::size(kModifiers)],
                     kInvalidOid};
  const std::string_view bytes(reinterpret_cast<const char*>(data + 2), size - 2);
  const bool binary = (data[1] & 1) != 0;
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
  if (again != text) abort();
  return 0;
}
