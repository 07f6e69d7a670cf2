#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/sqlstate.h"
#include "wire/messages/authentication.h"
#include "wire/messages/backend_key_data.h"
#include "wire/messages/bind.h"
#include "wire/messages/close.h"
#include "wire/messages/command_complete.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/messages/copy_fail.h"
#include "wire/messages/copy_response.h"
#include "wire/messages/data_row.h"
#include "wire/messages/describe.h"
#include "wire/messages/error_response.h"
#include "wire/messages/execute.h"
#include "wire/messages/frame.h"
#include "wire/messages/function_call.h"
#include "wire/messages/negotiate_protocol_version.h"
#include "wire/messages/notification_response.h"
#include "wire/messages/parameter_description.h"
#include "wire/messages/parameter_status.h"
#include "wire/messages/parse.h"
#include "wire/messages/password.h"
#include "wire/messages/query.h"
#include "wire/messages/ready_for_query.h"
#include "wire/messages/row_description.h"
#include "wire/messages/startup_packet.h"
#include "wire/messages/sync.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;

// The body of the one message in `out`.
std::string_view body_of(const OutputBuffer& out) {
  uint32_t length = big_endian(load_unaligned<uint32_t>(out.data() + 1));
  EXPECT_EQ(length + 1, out.size());
  return out.view().substr(5);
}

TEST(Messages, BindKeepsValuesNullsAndFormats) {
  Bind sent;
  sent.portal = "p";
  sent.statement = "s";
  sent.parameter_formats = {Format::kText, Format::kBinary, Format::kText};
  sent.values = {"abc", std::nullopt, ""};
  sent.result_formats = {Format::kBinary};
  OutputBuffer out;
  sent.encode(out);
  Bind got;
  ASSERT_TRUE(got.decode(body_of(out)).ok());
  EXPECT_EQ(got.portal, "p");
  EXPECT_EQ(got.statement, "s");
  EXPECT_EQ(got.parameter_formats, sent.parameter_formats);
  EXPECT_EQ(got.values, sent.values);
  EXPECT_EQ(got.result_formats, sent.result_formats);
}

TEST(Messages, BindRefusesWhatPostgresRefuses) {
  Bind bind;
  auto unknown_format = bind.decode("\0\0\0\1\0\7\0\1\0\0\0\1x\0\0"s);
  ASSERT_FALSE(unknown_format.ok());
  EXPECT_EQ(unknown_format.error().message, "unsupported format code: 7");
  EXPECT_EQ(unknown_format.error().state, sqlstate::kInvalidParameterValue);
  auto counts = bind.decode("\0\0\0\2\0\0\0\0\0\1\0\0\0\1x\0\0"s);
  ASSERT_FALSE(counts.ok());
  EXPECT_EQ(counts.error().message, "bind message has 2 parameter formats but 1 parameters");
  auto negative = bind.decode("\0\0\0\0\0\1\xff\xff\xff\xfe\0\0"s);
  ASSERT_FALSE(negative.ok());
  auto beyond = bind.decode("\0\0\0\0\0\1\x7f\xff\xff\xffx\0\0"s);
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().message, "insufficient data left in message");
}

TEST(Messages, ParseKeepsTypes) {
  Parse sent;
  sent.statement = "name";
  sent.text = "select $1";
  sent.parameter_types = {23, 0, 4'000'000'000u};
  OutputBuffer out;
  sent.encode(out);
  Parse got;
  ASSERT_TRUE(got.decode(body_of(out)).ok());
  EXPECT_EQ(got.statement, "name");
  EXPECT_EQ(got.text, "select $1");
  EXPECT_EQ(got.parameter_types, sent.parameter_types);
}

TEST(Messages, ErrorsNamePostgresWords) {
  Query query;
  EXPECT_EQ(query.decode("select 1").error().message, "invalid string in message");
  EXPECT_EQ(query.decode("select 1\0\0"s).error().message, "invalid message format");
  Execute execute;
  EXPECT_EQ(execute.decode("\0\0"s).error().message, "insufficient data left in message");
  Describe describe;
  EXPECT_EQ(describe.decode("Zx\0"s).error().message, "invalid DESCRIBE message subtype 90");
  Close close;
  EXPECT_EQ(close.decode("Zx\0"s).error().message, "invalid CLOSE message subtype 90");
  EXPECT_EQ(Sync::decode("x").error().message, "invalid message format");
}

TEST(Messages, ErrorResponseCarriesEveryField) {
  Error error(sqlstate::kUniqueViolation, "duplicate");
  error.detail = "d";
  error.hint = "h";
  error.position = 17;
  error.schema = "s";
  error.table = "t";
  error.column = "c";
  error.data_type = "y";
  error.constraint = "n";
  error.where = "w";
  OutputBuffer out;
  ErrorResponse::encode(ErrorResponse::kError, "FATAL", error, out);
  ErrorResponse got;
  ASSERT_TRUE(got.decode(body_of(out)).ok());
  EXPECT_EQ(got.severity, "FATAL");
  EXPECT_EQ(got.error.state, sqlstate::kUniqueViolation);
  EXPECT_EQ(got.error.message, "duplicate");
  EXPECT_EQ(got.error.detail + got.error.hint + got.error.schema + got.error.table + got.error.column +
                got.error.data_type + got.error.constraint + got.error.where,
            "dhstcynw");
  EXPECT_EQ(got.error.position, 17);
}

TEST(Messages, ErrorResponseCutsAtNul) {
  OutputBuffer out;
  ErrorResponse::encode(ErrorResponse::kError, "ERROR", Error(sqlstate::kInternalError, "a\0b"s), out);
  ErrorResponse got;
  ASSERT_TRUE(got.decode(body_of(out)).ok());
  EXPECT_EQ(got.error.message, "a");
}

TEST(Messages, StartupPackets) {
  StartupPacket sent;
  sent.parameters = {{"user", "u"}, {"database", ""}};
  OutputBuffer out;
  sent.encode(out);
  StartupPacket got;
  ASSERT_TRUE(got.decode(out.view().substr(4)).ok());
  EXPECT_EQ(got.code, StartupPacket::kProtocol3);
  EXPECT_EQ(got.parameters, sent.parameters);

  OutputBuffer cancel_out;
  StartupPacket cancel;
  cancel.code = StartupPacket::kCancelRequest;
  cancel.cancel_pid = 7;
  cancel.cancel_key = -9;
  cancel.encode(cancel_out);
  ASSERT_TRUE(got.decode(cancel_out.view().substr(4)).ok());
  EXPECT_EQ(got.cancel_pid, 7);
  EXPECT_EQ(got.cancel_key, -9);

  for (std::string bad :
       {"\0\3\0\0user\0u\0"s, "\0\3\0\0user\0u"s, "\0\3\0\0user\0u\0\0x"s, "\0\3\0\0\0\0"s, "\0\3\0\0"s}) {
    EXPECT_FALSE(got.decode(bad).ok()) << testing::PrintToString(bad);
  }
}

TEST(Messages, SaslInitialResponse) {
  SaslInitialResponse sent, got;
  sent.mechanism = "SCRAM-SHA-256";
  sent.response = "n,,n=,r=x";
  OutputBuffer out;
  sent.encode(out);
  ASSERT_TRUE(got.decode(body_of(out)).ok());
  EXPECT_EQ(got.mechanism, sent.mechanism);
  EXPECT_EQ(got.response, sent.response);
  EXPECT_FALSE(got.decode("M\0\0\0\0\7x"s).ok());
}

TEST(Frames, AreCutOutOfTheStream) {
  OutputBuffer out;
  Query{"select 1"}.encode(out);
  Frame frame{};
  for (size_t size = 0; size < out.size(); size++) {
    EXPECT_EQ(next_frame(out.view().substr(0, size), frame), FrameState::kIncomplete);
  }
  EXPECT_EQ(next_frame(out.view(), frame), FrameState::kComplete);
  EXPECT_EQ(frame.type, 'Q');
  EXPECT_EQ(frame.body, "select 1\0"s);
  EXPECT_EQ(next_frame("y\0\0\0\4"s, frame), FrameState::kBadType);
  EXPECT_EQ(next_frame("p\0\0\0\4"s, frame), FrameState::kBadType);
  EXPECT_EQ(next_frame("p\0\0\0\4"s, frame, true), FrameState::kComplete);
  EXPECT_EQ(next_frame("Q\0\0\0\3"s, frame), FrameState::kBadLength);
  EXPECT_EQ(next_frame("Q\x7f\xff\xff\xff"s, frame), FrameState::kBadLength);
  EXPECT_EQ(next_frame("Q\x3f\xff\xff\xff"s, frame), FrameState::kBadLength);
  EXPECT_EQ(next_frame("Q\x3f\xff\xff\xfe"s, frame), FrameState::kIncomplete);
  EXPECT_EQ(next_frame("S\0\0\x27\x11"s, frame), FrameState::kBadLength);
}

// Every decoder, for the tests that feed rubbish.
std::vector<std::function<bool(std::string_view)>> decoders() {
  return {
      [](std::string_view b) { return Query().decode(b).ok(); },
      [](std::string_view b) { return Parse().decode(b).ok(); },
      [](std::string_view b) { return Bind().decode(b).ok(); },
      [](std::string_view b) { return Describe().decode(b).ok(); },
      [](std::string_view b) { return Execute().decode(b).ok(); },
      [](std::string_view b) { return Close().decode(b).ok(); },
      [](std::string_view b) { return CopyFail().decode(b).ok(); },
      [](std::string_view b) { return FunctionCall().decode(b).ok(); },
      [](std::string_view b) { return Password().decode(b).ok(); },
      [](std::string_view b) { return SaslInitialResponse().decode(b).ok(); },
      [](std::string_view b) { return StartupPacket().decode(b).ok(); },
      [](std::string_view b) { return Authentication().decode(b).ok(); },
      [](std::string_view b) { return BackendKeyData().decode(b).ok(); },
      [](std::string_view b) { return ParameterStatus().decode(b).ok(); },
      [](std::string_view b) { return ReadyForQuery().decode(b).ok(); },
      [](std::string_view b) { return CommandComplete().decode(b).ok(); },
      [](std::string_view b) { return CopyResponse().decode(b).ok(); },
      [](std::string_view b) { return NotificationResponse().decode(b).ok(); },
      [](std::string_view b) { return NegotiateProtocolVersion().decode(b).ok(); },
      [](std::string_view b) { return ErrorResponse().decode(b).ok(); },
      [](std::string_view b) {
        std::vector<RowDescription::Column> columns;
        return RowDescription::decode(b, columns).ok();
      },
      [](std::string_view b) {
        std::vector<Oid> types;
        return ParameterDescription::decode(b, types).ok();
      },
      [](std::string_view b) {
        std::vector<std::optional<std::string_view>> values;
        return DataRow::decode(b, values).ok();
      },
  };
}

TEST(Messages, RubbishIsRefusedByEveryDecoder) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto all = decoders();
  for (int round = 0; round < 20'000; round++) {
    // A copy of exact size, so that a read beyond it is seen by the sanitizer.
    std::vector<char> bytes(random() % 24);
    for (char& byte : bytes) byte = random() % 3 ? static_cast<char>(random() % 4) : static_cast<char>(random());
    all[static_cast<size_t>(round) % all.size()]({bytes.data(), bytes.size()});
  }
  for (auto& decode : all) {
    EXPECT_FALSE(decode("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff") &&
                 decode("\xff"));
  }
}

}  // namespace
}  // namespace indigo::wire
