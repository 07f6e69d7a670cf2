// What the workloads over layouts have for options in common.
#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "storage/transaction.h"
#include "storage/txn/clock_source.h"

namespace indigo::bench {

struct LayoutOptions {
  std::string layout = "index-organized";
  std::string isolation = "repeatable-read";
  std::string beside;             // a level to measure in turn with the other (bench/level_slices.h), or empty
  std::string clock = "counter";  // of the index-organized layout
  bool row_store_prefetch = false;

  storage::Isolation isolation_level() const { return isolations().at(isolation); }
  storage::Isolation beside_level() const { return isolations().at(beside.empty() ? isolation : beside); }
  storage::ClockSource clock_source() const {
    return clock == "tsc" ? storage::ClockSource::kTsc : storage::ClockSource::kCounter;
  }
  void add_to(CLI::App& command) {
    command.add_option("--layout", layout)->check(CLI::IsMember({"index-organized", "row-store"}));
    command.add_option("--isolation", isolation)->check(CLI::IsMember(isolations()));
    command.add_option("--beside", beside, "A level to measure in turn with --isolation, and what it costs over that")
        ->check(CLI::IsMember(isolations()));
    command.add_option("--clock", clock, "Where the index-organized layout's stamps come from")
        ->check(CLI::IsMember({"counter", "tsc"}))
        ->check([](const std::string& name) {
          const bool usable = name != "tsc" || storage::clock_source_usable(storage::ClockSource::kTsc);
          return std::string(usable ? "" : "this machine has no such clock");
        });
    command.add_flag("--row-store-prefetch", row_store_prefetch,
                     "Let the row-store's scans and reads of many keys prefetch");
  }

 private:
  static const std::map<std::string, storage::Isolation>& isolations() {
    static const std::map<std::string, storage::Isolation> names = {
        {"read-committed", storage::Isolation::kReadCommitted},
        {"repeatable-read", storage::Isolation::kRepeatableRead},
        {"serializable", storage::Isolation::kSerializable}};
    return names;
  }
};

}  // namespace indigo::bench
