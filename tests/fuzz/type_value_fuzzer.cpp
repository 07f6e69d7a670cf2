// Any bytes as a value of any type, in text or binary: refused, or a value that prints, sends, and reads back the same.
// The first byte chooses the type, the second the format and the modifier.
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "base/sqlstate.h"
#include "tests/unit/types/function/test_session.h"
#include "types/function/registry.h"

namespace {

using namespace indigo;

constexpr Oid kTypes[] = {16,   17,   18,   19,   20,   21,   22,   23,   25,   26,   27,   28,   29,   30,   114,
                          700,  701,  829,  774,  869,  650,  790,  1042, 1043, 1082, 1083, 1114, 1184, 1186, 1266,
                          1560, 1562, 1700, 2202, 2205, 2206, 2950, 3220, 3802, 1000, 1001, 1003, 1005, 1007, 1009,
                          1016, 1021, 1022, 1034, 1041, 1115, 1182, 1185, 1187, 1231, 2951, 3807, 199};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* session = new sql::TestSession;
  static Arena arena;
  if (size < 2) return 0;
  types::FuncContext context(*session);
  arena.reset();
  context.set_arena(&arena);
  const int32_t modifier = data[1] & 2 ? (data[1] >> 2) + 4 : -1;
  const types::TypeRef type{kTypes[data[0] % std::size(kTypes)], modifier, kInvalidOid};
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Datum value = data[1] & 1 ? types::type_receive(context, type, bytes) : types::type_input(context, type, bytes);
  if (context.take_error() != nullptr || value.null) return 0;
  std::string text, binary, again;
  types::type_output(context, type, value, text);
  types::type_send(context, type, value, binary);
  if (auto error = context.take_error(); error != nullptr) {
    if (error->state == sqlstate::kUndefinedFunction) return 0;  // a type without a binary form
    std::cerr << "type " << type.oid << ": " << error->message << "\n";
    abort();  // otherwise neither may refuse what was accepted
  }
  if (modifier >= 0) return 0;  // it may cut what comes back
  const Datum back = types::type_receive(context, type, binary);
  if (context.take_error() != nullptr || back.null) abort();
  types::type_output(context, type, back, again);
  if (text != again) {
    std::cerr << "type " << type.oid << ": " << text << " came back as " << again << "\n";
    abort();
  }
  return 0;
}
