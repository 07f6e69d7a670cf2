// A directory for one test, with a short name: socket paths have to fit into sockaddr_un. It must be empty in the end.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

namespace indigo {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    char name[] = "/tmp/indigo-test-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    path_ = name;
  }
  ~TemporaryDirectory() { EXPECT_EQ(rmdir(path_.c_str()), 0) << path_; }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace indigo
