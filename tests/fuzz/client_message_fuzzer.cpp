// A client's message of any type with any body: refused, or decoded to something that encodes to the same bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/messages/bind.h"
#include "wire/messages/close.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_fail.h"
#include "wire/messages/describe.h"
#include "wire/messages/execute.h"
#include "wire/messages/frame.h"
#include "wire/messages/function_call.h"
#include "wire/messages/parse.h"
#include "wire/messages/password.h"
#include "wire/messages/query.h"
#include "wire/messages/sync.h"

namespace {

using namespace indigo::wire;

template <class Message>
void check(std::string_view body) {
  Message message;
  if (!message.decode(body).ok()) return;
  OutputBuffer out;
  message.encode(out);
  if (out.view().substr(5) != body) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Frame frame{};
  next_frame(bytes, frame);
  next_frame(bytes, frame, true);
  if (bytes.empty()) return 0;
  std::string_view body = bytes.substr(1);
  switch (bytes[0]) {
    case Query::kType: check<Query>(body); break;
    case Parse::kType: check<Parse>(body); break;
    case Bind::kType: check<Bind>(body); break;
    case Describe::kType: check<Describe>(body); break;
    case Execute::kType: check<Execute>(body); break;
    case Close::kType: check<Close>(body); break;
    case CopyData::kType: check<CopyData>(body); break;
    case CopyFail::kType: check<CopyFail>(body); break;
    case FunctionCall::kType: check<FunctionCall>(body); break;
    case Password::kType: check<Password>(body); break;
    case 'i': check<SaslInitialResponse>(body); break;
    case Sync::kType:
      if (Sync::decode(body).ok() != body.empty()) abort();
      break;
    default: break;
  }
  return 0;
}
