// A sequence's counter. nextval is not transactional: numbers that a rolled back transaction took stay taken.
// ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY make a new counter behind a new file number, so they are transactional.
// Thread safety: all functions are safe from any thread.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/error.h"

namespace indigo::catalog {

struct SequenceOptions {  // a pg_sequence row
  int64_t start = 1, increment = 1, minimum = 1, maximum = INT64_MAX, cache = 1;
  bool cycle = false;
};

class Sequence {
 public:
  explicit Sequence(int64_t last_value, bool is_called = false) : last_value_(last_value), is_called_(is_called) {}

  struct State {
    int64_t last_value;
    bool is_called;
  };
  // 2200H with PostgreSQL's message when the end is reached and it does not cycle.
  Result<int64_t> next(const SequenceOptions& options, const std::string& name);
  // 22003 when out of bounds.
  Status set(int64_t value, bool is_called, const SequenceOptions& options, const std::string& name);
  State state() const;

 private:
  mutable std::mutex mutex_;  // guards both; held for a few instructions
  int64_t last_value_;
  bool is_called_;
};

}  // namespace indigo::catalog
