#include "tests/crash/server.h"

#include "tests/unit/engine/table_sink.h"

namespace indigo::crash {

Result<std::unique_ptr<engine::Instance>> start(const Machine& machine, const Disk& disk) {
  engine::InstanceOptions options;
  options.settings["max_prepared_transactions"] = "20";
  if (disk != nullptr) {
    options.data_source = std::make_shared<engine::DataSource>(engine::DataSource{disk, machine.geometry});
    options.settings["recovery_threads"] = std::to_string(machine.recovery_threads);
    options.settings["commit_clock"] = machine.commit_clock;
    options.settings["durability"] = log::durability_name(machine.level);
  }
  return engine::Instance::open(options);
}

Client::Client(engine::Instance& instance, const std::string& database) {
  engine::ConnectOptions as;
  as.database = database;
  auto session = instance.connect(as, Waiter::current());
  if (session.ok()) {
    session_ = std::move(*session);
  } else {
    refusal_ = std::string(session.error().state.text()) + " " + session.error().message;
  }
}

std::string Client::run(std::string_view text) {
  if (session_ == nullptr) return refusal_;
  engine::TableSink sink(*session_);
  session_->query(text, sink);
  if (!sink.failure) return "";
  return std::string(sink.failure->state.text()) + " " + sink.failure->message;
}

std::string Client::ask(std::string_view text) {
  if (session_ == nullptr) return "ERROR " + refusal_;
  engine::TableSink sink(*session_);
  session_->query(text, sink);
  if (sink.failure) return "ERROR " + std::string(sink.failure->state.text()) + " " + sink.failure->message;
  std::string out;
  for (const auto& row : sink.table) {
    if (!out.empty()) out += '\n';
    for (size_t i = 0; i < row.size(); i++) out += (i == 0 ? "" : "|") + row[i];
  }
  return out;
}

}  // namespace indigo::crash
