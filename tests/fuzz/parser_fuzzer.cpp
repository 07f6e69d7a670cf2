// Any bytes as statement text: an error or a tree, never a crash; positions lie inside the text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/parse/text_position.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto parsed = indigo::sql::parse(text);
  if (!parsed.ok()) {
    const int end = indigo::sql::character_position(text, static_cast<int>(size));
    if (parsed.error().position < 0 || parsed.error().position > end) abort();
    return 0;
  }
  for (const auto& statement : (*parsed)->statements()) {
    indigo::sql::walk_tree(&statement.node->base, [](const ProtobufCMessage*) { return true; });
  }
  return 0;
}
