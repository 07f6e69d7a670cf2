// Where COPY ... TO's bytes go: the client, or a file or program on the server (server_copy.h).
// Thread safety: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "engine/row_sink.h"

namespace indigo::engine {

class CopyTarget {
 public:
  virtual ~CopyTarget() = default;
  virtual void begin(CopyFormat format, uint32_t column_count) = 0;
  virtual Status data(std::string_view bytes) = 0;  // one row, or a header or trailer
  virtual Status end() = 0;
};

class ClientCopyTarget final : public CopyTarget {
 public:
  explicit ClientCopyTarget(RowSink& sink) : sink_(sink) {}
  void begin(CopyFormat format, uint32_t column_count) override { sink_.copy_out(format, column_count); }
  Status data(std::string_view bytes) override { return sink_.copy_data(bytes); }
  Status end() override {
    sink_.copy_done();
    return {};
  }

 private:
  RowSink& sink_;
};

}  // namespace indigo::engine
