#include "bench/log_bench.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <CLI/CLI.hpp>

#include "bench/measurement.h"
#include "bench/random.h"
#include "bench/table_work.h"
#include "engine/durability/restorer.h"
#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/file_directory.h"
#include "log/recovery.h"
#include "log/write_ahead_log.h"
#include "storage/durability.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"

namespace indigo::bench {

namespace {

using namespace indigo::storage;
using log::Durability;

struct Options {
  std::string directory = "/tmp/indigo-bench-log";
  std::vector<int> threads = {1, 8, 32};
  double seconds = 1;
  uint64_t rows = 1'000'000;
  size_t row_bytes = 100;
};

void need(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.error().message.c_str());
  std::exit(1);
}
template <class T>
T need(Result<T> result) {
  if (!result.ok()) need(Status(result.take_error()));
  return std::move(*result);
}

class LogBench {
 public:
  explicit LogBench(const Options& options) : o_(options), row_(o_.row_bytes, 'r') {}

  void run() {
    device();
    for (int threads : o_.threads) {
      for (const Change change : {Change::kUpdate, Change::kInsert}) {
        for (const Durability level : {Durability::kNone, Durability::kProcess, Durability::kPower}) {
          commits(threads, change, level);
        }
      }
    }
    recovery_and_checkpoint();
    std::filesystem::remove_all(o_.directory);
  }

 private:
  std::unique_ptr<log::Directory> fresh() {
    std::filesystem::remove_all(o_.directory);
    return need(log::open_file_directory(o_.directory));
  }

  // What one writer can do that makes each write durable, and what the device takes in one stream.
  void device() {
    auto directory = fresh();
    const std::string path = directory->path("device");
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    const std::string megabyte(1 << 20, 'x');
    constexpr int kMegabytes = 256;
    auto stream = run_once([&] {
      for (int i = 0; i < kMegabytes; i++) {
        if (write(fd, megabyte.data(), megabyte.size()) < 0) std::exit(1);
      }
      fdatasync(fd);
      return uint64_t{kMegabytes};
    });
    print("device_stream", {{"unit", "MB"}}, stream);
    auto flushes = run_threads(1, o_.seconds, [&](int, const std::atomic<bool>& stop) {
      uint64_t n = 0;
      for (; !stop; n++) {
        const auto offset = static_cast<off_t>(n * 512 % (uint64_t{kMegabytes} << 20));
        if (pwrite(fd, megabyte.data(), 512, offset) < 0 || fdatasync(fd) != 0) break;
      }
      return n;
    });
    print("device_flushes", {{"bytes", "512"}}, flushes);
    close(fd);
  }

  enum class Change : uint8_t { kUpdate, kInsert };

  // Each thread changes rows of its own, one to a transaction.
  void commits(int threads, Change change, Durability level) {
    auto directory = fresh();
    std::unique_ptr<log::WriteAheadLog> log;
    StoreOptions options;
    if (level != Durability::kNone) {
      log = std::make_unique<log::WriteAheadLog>(*directory, level, log::Geometry());
      need(log->start({}));
      options.log = log.get();
    }
    {
      auto store = Store::create(options);
      auto table = create_durable_table(*store, log::DurableId{1});
      constexpr uint64_t kRowsOfEach = 100;
      load_rows(*store, *table, static_cast<uint64_t>(threads) * kRowsOfEach, row_);
      const auto before = log == nullptr ? log::WriteAheadLog::Statistics() : log->statistics();
      auto outcome = run_sampled(threads, o_.seconds, [&](int thread, const std::atomic<bool>& stop, Sample& sample) {
        Random random(static_cast<uint64_t>(thread) + 1);
        std::unique_ptr<Transaction> txn;
        uint64_t fresh_row = static_cast<uint64_t>(thread + 1) << 40;  // above all that were filled in
        while (!stop) {
          sample.run([&] {
            txn = store->begin(Isolation::kReadCommitted, 0, std::move(txn));
            txn->take_statement_snapshot();
            if (change == Change::kInsert) {
              return table->insert(*txn, Key(scatter(fresh_row++)), row_, nullptr) == StorageStatus::kOk &&
                     store->commit(*txn) == StorageStatus::kOk;
            }
            const Key key(static_cast<uint64_t>(thread) * kRowsOfEach + random.next() % kRowsOfEach);
            Claimed claimed;
            return table->claim(*txn, txn->view(), key, RowLockMode::kUpdate, LockWait::kWait, claimed) ==
                       StorageStatus::kOk &&
                   table->update(*txn, key, row_, nullptr) == StorageStatus::kOk &&
                   store->commit(*txn) == StorageStatus::kOk;
          });
        }
      });
      Parameters parameters = {{"change", change == Change::kInsert ? "insert" : "update"},
                               {"level", log::durability_name(level)},
                               {"threads", std::to_string(threads)}};
      if (log != nullptr) {
        const auto after = log->statistics();
        const bool lines = log->granularity() == log::Granularity::kCacheLine;
        parameters.emplace_back("device", lines ? "cacheline" : "page");
        if (after.flushes > before.flushes) {
          parameters.emplace_back("flushes", std::to_string(after.flushes - before.flushes));
          parameters.emplace_back("group", std::to_string((after.flushed_records - before.flushed_records) /
                                                          (after.flushes - before.flushes)));
        }
      }
      print("commit", parameters, outcome);
    }
    if (log != nullptr) log->stop();
  }

  void recovery_and_checkpoint() {
    auto directory = fresh();
    log::WriteAheadLog log(*directory, Durability::kPower, log::Geometry());
    need(log.start({}));
    need(log::write_data_format(*directory, {}));
    {
      auto store = Store::create({.log = &log});
      auto table = create_durable_table(*store, log::DurableId{1});
      load_rows(*store, *table, o_.rows, row_);
      log.stop();
      recover("recovery_log", *directory);
      log::CheckpointHeader header{.number = 1, .epoch = 1};
      header.horizon = log.horizon_candidate();
      uint64_t bytes = 0;
      auto outcome = run_once([&] {
        bytes = write_checkpoint(*directory, header, *store, *table);
        return o_.rows;
      });
      print("checkpoint",
            {{"MB_per_second",
              std::to_string(static_cast<uint64_t>(static_cast<double>(bytes) / 1e6 / outcome.seconds))}},
            outcome);
    }
    recover("recovery_checkpoint", *directory);
  }

  uint64_t write_checkpoint(log::Directory& directory, log::CheckpointHeader header, Store& store, Table& table) {
    auto txn = store.begin(Isolation::kRepeatableRead, 0);
    txn->take_statement_snapshot();
    header.stamp = txn->view().stamp.value;
    auto writer = need(log::CheckpointWriter::create(directory, header));
    const auto cursor = table.scan(*txn, txn->view(), KeyRange::all(), Direction::kForward);
    std::array<RowRef, 256> rows;
    for (size_t count = 1; count > 0;) {
      if (cursor->next(rows, count) != StorageStatus::kOk) std::exit(1);
      for (size_t i = 0; i < count; i++) need(writer->put(log::DurableId{1}, rows[i].key, rows[i].row));
    }
    need(writer->finish());
    return writer->bytes();
  }

  void recover(const char* name, log::Directory& directory) {
    for (const unsigned threads : {1U, 2U, 4U}) {
      auto store = Store::create({});
      auto outcome = run_once([&] {
        engine::Restorer restorer(*store, threads);
        need(log::recover(directory, restorer));
        need(restorer.finish());
        return o_.rows;
      });
      print(name, {{"threads", std::to_string(threads)}}, outcome);
    }
  }

  const Options o_;
  const std::string row_;
};

}  // namespace

void add_log_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  auto* command =
      app.add_subcommand("log", "Commits by level, recovery and checkpoints, beside the device's own limit");
  command->add_option("--directory", options->directory, "Is emptied before and after")->capture_default_str();
  command->add_option("--threads", options->threads, "Numbers of threads")->delimiter(',')->capture_default_str();
  command->add_option("--seconds", options->seconds, "Of each timed measurement")->capture_default_str();
  command->add_option("--rows", options->rows, "Of recovery and checkpoint")->capture_default_str();
  command->add_option("--row-bytes", options->row_bytes)->capture_default_str();
  command->callback([options] { LogBench(*options).run(); });
}

}  // namespace indigo::bench
