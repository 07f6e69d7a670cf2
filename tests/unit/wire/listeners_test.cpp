#include "wire/net/listeners.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/temporary_directory.h"

namespace indigo::wire {
namespace {

class ListenersTest : public testing::Test {
 protected:
  bool exists(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0;
  }
  TemporaryDirectory temporary_;
  const std::string& directory_ = temporary_.path();
};

TEST_F(ListenersTest, PortZeroIsAFreeOneForEverySocket) {
  auto first = Listeners::open({"localhost", 0, directory_});
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_GT(first->port(), 0);
  EXPECT_EQ(first->socket_directory(), directory_);
  EXPECT_TRUE(exists(directory_ + "/.s.PGSQL." + std::to_string(first->port())));
  auto second = Listeners::open({"localhost", 0, directory_});
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_NE(first->port(), second->port());
}

TEST_F(ListenersTest, ATakenPortIsAnError) {
  auto first = Listeners::open({"127.0.0.1", 0, ""});
  ASSERT_TRUE(first.ok());
  auto second = Listeners::open({"127.0.0.1", first->port(), ""});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("Address already in use"), std::string::npos) << second.error().message;
}

TEST_F(ListenersTest, ALivingServersSocketIsNotTouched) {
  auto first = Listeners::open({"", 5432, directory_});
  ASSERT_TRUE(first.ok());
  auto second = Listeners::open({"", 5432, directory_});
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another server listens"), std::string::npos) << second.error().message;
  EXPECT_TRUE(exists(directory_ + "/.s.PGSQL.5432"));
}

TEST_F(ListenersTest, WhatADeadServerLeftIsReplaced) {
  std::string path = directory_ + "/.s.PGSQL.5432";
  {
    Socket dead(socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    ASSERT_EQ(bind(dead.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }
  FILE* lock = fopen((path + ".lock").c_str(), "w");
  fputs("12345\n", lock);
  fclose(lock);
  auto listeners = Listeners::open({"", 5432, directory_});
  EXPECT_TRUE(listeners.ok()) << listeners.error().message;
}

TEST_F(ListenersTest, NoAddressAndBadAddressesAreErrors) {
  EXPECT_FALSE(Listeners::open({"", 5432, ""}).ok());
  EXPECT_FALSE(Listeners::open({"no.such.host.invalid", 0, ""}).ok());
  EXPECT_FALSE(Listeners::open({"", 5432, directory_ + "/none"}).ok());
  EXPECT_FALSE(Listeners::open({"", 5432, std::string(200, 'x')}).ok());
}

}  // namespace
}  // namespace indigo::wire
