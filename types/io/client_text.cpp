#include "types/io/client_text.h"

#include "types/text/encodings.h"

namespace indigo::types {

void send_text(FuncContext& context, Str text, std::string& out) {
  const auto& converter = context.session().format().client_text;
  if (converter == nullptr) {
    out.append(text);
  } else if (Status status = converter->from_utf8(text, out); !status.ok()) {
    context.fail(status.error());
  }
}

Str receive_text(FuncContext& context, Str bytes) {
  const auto& converter = context.session().format().client_text;
  if (converter == nullptr) return bytes;
  std::string text;
  if (Status status = converter->to_utf8(bytes, text); !status.ok()) {
    context.fail(status.error());
    return {};
  }
  return context.arena().copy(text);
}

}  // namespace indigo::types
