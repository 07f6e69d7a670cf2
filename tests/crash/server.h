// An instance in this process on a simulated directory (or in memory), and its clients.
// Thread safety: a Client belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/durability/data_directory.h"
#include "engine/instance.h"
#include "log/simulated_directory.h"

namespace indigo::crash {

using Disk = std::shared_ptr<log::SimulatedDirectory>;

struct Machine {
  log::Granularity granularity = log::Granularity::kPage;
  log::Durability level = log::Durability::kPower;
  log::Geometry geometry;
  unsigned recovery_threads = 1;
  std::string commit_clock = "counter";
};

// No disk: everything in memory.
Result<std::unique_ptr<engine::Instance>> start(const Machine& machine, const Disk& disk);

// A session; without one (no connection is accepted) every statement fails with the reason.
class Client {
 public:
  explicit Client(engine::Instance& instance, const std::string& database = "postgres");
  // Empty when all went well, else SQLSTATE and message.
  std::string run(std::string_view text);
  // Rows as text: values by '|', rows by '\n'. An error in its place, after "ERROR ".
  std::string ask(std::string_view text);

 private:
  std::unique_ptr<engine::Session> session_;
  std::string refusal_;
};

}  // namespace indigo::crash
