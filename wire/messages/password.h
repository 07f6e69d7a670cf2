// PasswordMessage, and the two SASL messages that share its type byte. From the client.
#pragma once

#include <optional>

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Password {
  static constexpr char kType = 'p';
  std::string_view password;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    password = reader.string();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(password);
    out.end_message(length_at);
  }
};

struct SaslInitialResponse {
  static constexpr char kType = 'p';
  std::string_view mechanism;
  std::optional<std::string_view> response;

  Status decode(std::string_view body) {
    MessageReader reader(body);
    mechanism = reader.string();
    int32_t length = reader.int32();
    response.reset();
    if (length >= 0) {
      response = reader.bytes(static_cast<size_t>(length));
    } else if (length != -1) {
      reader.fail("insufficient data left in message");
    }
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_string(mechanism);
    out.put_int32(response ? static_cast<int32_t>(response->size()) : -1);
    if (response) out.put_bytes(*response);
    out.end_message(length_at);
  }
};

struct SaslResponse {
  static constexpr char kType = 'p';
  std::string_view response;

  Status decode(std::string_view body) {
    response = body;
    return {};
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_bytes(response);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
