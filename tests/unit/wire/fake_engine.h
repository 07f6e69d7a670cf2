// An engine without SQL, for tests of the protocol: an Instance whose sessions answer a few fixed commands.
//
//   select N           one int4 column, one row N
//   rows N             N rows of (int4, text)
//   echo               (as a prepared statement with one parameter) one text row with the parameter
//   copy in            reads COPY data; its tag has the number of bytes
//   copy out N         N CopyData messages
//   sleep              until it is interrupted
//   notice X           a notice with text X
//   fail               an error
//   begin, commit      the transaction status only
//   set X              parameter_status("name", X) before its tag
//   several commands separated by ';' run one after the other; an error ends the text
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "engine/instance.h"

namespace indigo::wire {

class FakeInstance final : public engine::Instance {
 public:
  engine::RoleCredentials credentials(const std::string& user) override;
  Result<std::unique_ptr<engine::Session>> connect(const engine::ConnectOptions& options, Waiter& waiter) override;
  bool is_member(const std::string& user, const std::string& role) override { return user == role; }
  void set_front_door(engine::FrontDoor* door) override { front_door = door; }
  void set_workers(engine::WorkerStates* states) override { workers = states; }
  std::string statement_of(int32_t) override { return {}; }
  void cancel(int32_t pid, int32_t key) override;
  std::string setting(const std::string& name) override;
  bool shutdown(Deadline deadline) override;

  std::map<std::string, engine::RoleCredentials> roles{{"postgres", {true, true, ""}}};
  std::map<std::string, std::string> settings;
  std::atomic<int> sleeping{0};  // sessions inside `sleep`
  std::atomic<int> sessions_open{0};
  engine::FrontDoor* front_door = nullptr;
  engine::WorkerStates* workers = nullptr;
  std::atomic<int> thread_changes{0};   // how often a session's query ran on another thread than its last one
  engine::ConnectOptions last_connect;  // of the last session

 private:
  friend class FakeSession;
  std::mutex mutex_;  // guards waiters_
  std::map<int32_t, Waiter*> waiters_;
  std::atomic<int32_t> next_pid_{1000};
};

}  // namespace indigo::wire
