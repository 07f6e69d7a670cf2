#include <string>

#include <gtest/gtest.h>

#include "wire/net/input_buffer.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {
namespace {

void receive(InputBuffer& in, std::string_view bytes) {
  while (!bytes.empty()) {
    auto space = in.prepare();
    size_t count = std::min(space.bytes, bytes.size());
    std::memcpy(space.at, bytes.data(), count);
    in.received(count);
    bytes.remove_prefix(count);
  }
}

TEST(InputBuffer, KeepsOrderWhileItGrowsAndMoves) {
  InputBuffer in;
  std::string all, taken;
  for (int i = 0; i < 2000; i++) {
    std::string piece(static_cast<size_t>(i % 97), static_cast<char>('a' + i % 26));
    all += piece;
    receive(in, piece);
    size_t count = in.unread().size() / (i % 5 + 1);
    taken += in.unread().substr(0, count);
    in.consume(count);
  }
  taken += in.unread();
  EXPECT_EQ(taken, all);
}

TEST(InputBuffer, GrowsWithWhatArrivesOnly) {
  InputBuffer in;
  receive(in, "Q\x3f\xff\xff\xfe");  // announces 1 GB
  EXPECT_LE(in.capacity(), 16u * 1024);
  receive(in, std::string(100'000, 'x'));
  EXPECT_LE(in.capacity(), 512u * 1024);
}

TEST(InputBuffer, PinnedBytesStay) {
  InputBuffer in;
  receive(in, "COPY t FROM STDIN;rest");
  std::string_view text = in.unread().substr(0, 18);
  in.consume(18);
  in.pin();
  receive(in, std::string(50'000, 'x'));
  EXPECT_EQ(text, "COPY t FROM STDIN;");
  EXPECT_EQ(in.unread().substr(0, 5), "restx");
  EXPECT_EQ(in.unread().size(), 50'004u);
  in.unpin();
}

TEST(InputBuffer, GivesMemoryBackWhenIdle) {
  InputBuffer in;
  receive(in, std::string(1'000'000, 'x'));
  in.release(true);
  EXPECT_GT(in.capacity(), 0u);  // there are unread bytes
  in.consume(1'000'000);
  in.release(false);
  EXPECT_EQ(in.capacity(), 0u);
}

TEST(OutputBuffer, WritesFieldsAndLengths) {
  OutputBuffer out;
  size_t at = out.begin_message('X');
  out.put_int16(-2);
  out.put_string("ab");
  out.put_int32(1);
  out.end_message(at);
  EXPECT_EQ(out.view(), std::string_view("X\0\0\0\x0d\xff\xfe"
                                         "ab\0\0\0\0\1",
                                         14));
  out.truncate(1);
  EXPECT_EQ(out.view(), "X");
  std::string big(1'000'000, 'y');
  out.put_bytes(big);
  EXPECT_EQ(out.view(), "X" + big);
}

}  // namespace
}  // namespace indigo::wire
