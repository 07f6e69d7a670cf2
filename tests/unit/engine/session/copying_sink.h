// TableSink of a client that also sends what COPY FROM STDIN asks for: two columns, a number and a word.
// Thread safety: one user at a time.
#pragma once

#include <string>

#include "tests/unit/engine/table_sink.h"

namespace indigo::engine {

class CopyingSink final : public TableSink, private CopySource {
 public:
  using TableSink::TableSink;

  Result<CopySource*> copy_in(CopyFormat, uint32_t) override {
    sent_ = 0;
    return this;
  }

 private:
  static constexpr int kRows = 40;

  Result<bool> read(std::string& out) override {
    if (sent_ == kRows) return false;
    for (int end = sent_ + 10; sent_ < end; sent_++) {
      out += std::to_string(1000 + sent_) + "\tcopied\\t" + std::to_string(sent_) + "\n";
    }
    return true;
  }

  int sent_ = 0;
};

}  // namespace indigo::engine
