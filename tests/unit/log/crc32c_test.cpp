#include "log/crc32c.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace indigo::log {
namespace {

TEST(Crc32c, KnownValues) {  // RFC 3720, appendix B.4
  EXPECT_EQ(crc32c(std::string(32, '\0').data(), 32), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff').data(), 32), 0x62a8ab43U);
  EXPECT_EQ(crc32c("123456789", 9), 0xe3069283U);
  EXPECT_EQ(crc32c_portable("123456789", 9), 0xe3069283U);
}

TEST(Crc32c, PortableAndInstructionAgreeAndContinue) {
  std::mt19937 random(7);
  std::string data(300, '\0');
  for (char& c : data) c = static_cast<char>(random());
  for (size_t size = 0; size < data.size(); size++) {
    uint32_t whole = crc32c(data.data(), size);
    EXPECT_EQ(whole, crc32c_portable(data.data(), size));
    size_t cut = size / 3;
    EXPECT_EQ(whole, crc32c(data.data() + cut, size - cut, crc32c(data.data(), cut)));
  }
}

}  // namespace
}  // namespace indigo::log
