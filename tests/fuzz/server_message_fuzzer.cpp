// A server's message of any type with any body, as a client of this project decodes it: refused or decoded, never a crash.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "wire/messages/authentication.h"
#include "wire/messages/backend_key_data.h"
#include "wire/messages/command_complete.h"
#include "wire/messages/copy_response.h"
#include "wire/messages/data_row.h"
#include "wire/messages/error_response.h"
#include "wire/messages/negotiate_protocol_version.h"
#include "wire/messages/notification_response.h"
#include "wire/messages/parameter_description.h"
#include "wire/messages/parameter_status.h"
#include "wire/messages/ready_for_query.h"
#include "wire/messages/row_description.h"

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
  if (bytes.empty()) return 0;
  std::string_view body = bytes.substr(1);
  switch (bytes[0]) {
    case Authentication::kType: check<Authentication>(body); break;
    case BackendKeyData::kType: check<BackendKeyData>(body); break;
    case CommandComplete::kType: check<CommandComplete>(body); break;
    case CopyResponse::kIn: (void)CopyResponse().decode(body).ok(); break;
    case DataRow::kType: {
      std::vector<std::optional<std::string_view>> values;
      (void)DataRow::decode(body, values).ok();
      break;
    }
    case ErrorResponse::kError: (void)ErrorResponse().decode(body).ok(); break;
    case NegotiateProtocolVersion::kType: (void)NegotiateProtocolVersion().decode(body).ok(); break;
    case NotificationResponse::kType: check<NotificationResponse>(body); break;
    case ParameterDescription::kType: {
      std::vector<indigo::Oid> types;
      (void)ParameterDescription::decode(body, types).ok();
      break;
    }
    case ParameterStatus::kType: check<ParameterStatus>(body); break;
    case ReadyForQuery::kType: check<ReadyForQuery>(body); break;
    case RowDescription::kType: {
      std::vector<RowDescription::Column> columns;
      (void)RowDescription::decode(body, columns).ok();
      break;
    }
    default: break;
  }
  return 0;
}
