// What indigo_result points to: the answers to one statement as texts. Thread safety: one user at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"

struct indigo_result {
  struct Column {
    std::string name;
    uint32_t type = 0;
  };
  struct Cell {
    size_t begin = 0;
    int64_t size = -1;  // -1: null
  };

  std::vector<Column> columns;
  std::vector<Cell> cells;  // row by row
  std::string texts;        // of all cells, each ended by a zero byte
  std::string tag, copied, sqlstate = "00000";
  std::unique_ptr<indigo::Error> error;
  std::unique_ptr<indigo_result> next;

  indigo_result() = default;
  indigo_result(indigo_result&&) = default;
  ~indigo_result();  // of a chain of any length

  void fail(const indigo::Error& why);
};
