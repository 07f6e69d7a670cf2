// Text as the client has it (client_encoding), where that is another encoding than UTF-8: what arrives becomes UTF-8, what leaves
// becomes the client's. Text values, names, statements, messages. (Of values in binary form the send and receive functions do it:
// types/io/client_text.h.)
// Thread safety: none; the session's fiber.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/row_sink.h"
#include "types/text/encodings.h"

namespace indigo::wire {

class ClientText {
 public:
  // client_encoding's value.
  void use(std::string_view encoding);
  // Null: the client's text is UTF-8, or taken for it.
  const types::TextConverter* converter() const { return converter_.get(); }

  // ---- what arrives: checked; valid until forget()
  Result<std::string_view> in(std::string_view bytes);
  void forget() {
    if (!kept_.empty()) kept_.clear();
  }

  // ---- what leaves; what the client's encoding does not have is marked, for there is nobody to tell
  std::string out(std::string_view text) const;
  Error out(const Error& error) const;
  engine::ResultShape out(const engine::ResultShape& shape) const;

 private:
  std::unique_ptr<types::TextConverter> converter_;
  std::deque<std::string> kept_;
};

}  // namespace indigo::wire
