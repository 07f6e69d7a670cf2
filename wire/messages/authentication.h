// Authentication requests and their completion. From the server.
#pragma once

#include "wire/messages/reader.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

struct Authentication {
  static constexpr char kType = 'R';
  enum class Request : int32_t {
    kOk = 0,
    kCleartextPassword = 3,
    kMd5Password = 5,
    kSasl = 10,
    kSaslContinue = 11,
    kSaslFinal = 12
  };
  Request request = Request::kOk;
  std::string_view
      data;  // md5: the 4 bytes of salt; SASL: mechanisms (NUL-terminated each, then a NUL) or the mechanism's data

  Status decode(std::string_view body) {
    MessageReader reader(body);
    request = static_cast<Request>(reader.int32());
    data = reader.rest();
    return reader.finish();
  }
  void encode(OutputBuffer& out) const {
    size_t length_at = out.begin_message(kType);
    out.put_int32(static_cast<int32_t>(request));
    out.put_bytes(data);
    out.end_message(length_at);
  }
};

}  // namespace indigo::wire
