// One client of the table of registers, through whichever interface. A call that answers kFailed has failed the
// transaction: the caller rolls back.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "storage/index/index_factory.h"
#include "storage/txn/clock_source.h"
#include "tests/history/history.h"

namespace indigo::history {

enum class Answer : uint8_t { kOk, kFailed };

class Client {
 public:
  virtual ~Client() = default;
  virtual void begin(Level level) = 0;
  virtual Answer commit() = 0;
  virtual void rollback() = 0;
  virtual Answer savepoint() = 0;  // one at a time
  virtual Answer rollback_to() = 0;

  virtual Answer read_key(int64_t k, std::vector<Row>& rows) = 0;
  virtual Answer lock_key(int64_t k, std::vector<Row>& rows) = 0;  // FOR UPDATE
  virtual Answer read_range(int64_t low, int64_t high, bool backward, std::vector<Row>& rows) = 0;
  virtual Answer read_group(int64_t g, std::vector<Row>& rows) = 0;
  // What was there before; nothing when no row was changed.
  virtual Answer update(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) = 0;
  virtual Answer erase(int64_t k, std::optional<int64_t>& before) = 0;
  // ON CONFLICT DO NOTHING: `inserted` is false when the key was taken.
  virtual Answer insert(int64_t k, int64_t v, int64_t g, bool& inserted) = 0;
  // ON CONFLICT DO UPDATE.
  virtual Answer upsert(int64_t k, int64_t v, int64_t g, std::optional<int64_t>& before) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::unique_ptr<Client> connect() = 0;
};

// A Store in this process, with an empty table.
std::unique_ptr<Backend> store_backend(storage::ClockSource clock, bool locking, storage::IndexFactory structure);
// A server: HOST_DIRECTORY:PORT, over its Unix socket, user and database postgres. Makes the table again.
std::unique_ptr<Backend> wire_backend(const std::string& address, const std::string& index_method);

}  // namespace indigo::history
