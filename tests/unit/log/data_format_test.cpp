#include "log/data_format.h"

#include <gtest/gtest.h>

#include "log/file_error.h"
#include "log/simulated_directory.h"

namespace indigo::log {
namespace {

class DataFormatTest : public testing::Test {
 protected:
  void write(Bytes text) {
    auto file = disk_.create_file(kFormatName);
    ASSERT_TRUE(file.ok() && (*file)->append(text).ok() && (*file)->sync().ok());
  }
  std::string refusal() {
    auto read = read_data_format(disk_);
    return read.ok() ? "" : std::string(read.error().state.text());
  }

  SimulatedDirectory disk_{Granularity::kPage};
};

TEST_F(DataFormatTest, WhatIsWrittenIsRead) {
  auto none = read_data_format(disk_);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  const DataFormat format{7312345678901234567, "9f3c21aa", "ICU 72.1"};
  ASSERT_TRUE(write_data_format(disk_, format).ok());
  EXPECT_EQ(**read_data_format(disk_), format);
  ASSERT_TRUE(write_data_format(disk_, {}).ok());
  EXPECT_EQ(**read_data_format(disk_), DataFormat());
}

TEST_F(DataFormatTest, TheFirstFormatSaysNothingMore) {
  write("Indigo data directory, format 1\n");
  EXPECT_EQ(**read_data_format(disk_), DataFormat());
}

TEST_F(DataFormatTest, OthersAreRefused) {
  write("Indigo data directory, format 3\n");
  EXPECT_EQ(refusal(), "0A000");
  for (const char* text : {"", "\n", "15\n", "Indigo data directory, format \n", "Indigo data directory, format x\n",
                           "Indigo data directory, format 2\nsystem identifier -1\n"}) {
    write(text);
    EXPECT_EQ(refusal(), "XX001") << text;
  }
  write(std::string(5000, 'x'));
  EXPECT_EQ(refusal(), "XX001");
}

}  // namespace
}  // namespace indigo::log
