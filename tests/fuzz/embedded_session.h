// A session without a socket for fuzzers: its answers are thrown away, its COPY input comes from the fuzzer.
// One instance serves all inputs; what an input changes is rolled back by the caller. Thread safety: none.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include "base/sqlstate.h"
#include "engine/instance.h"

namespace indigo::fuzz {

class DiscardingSink final : public engine::RowSink, private engine::CopySource {
 public:
  // The input of the next COPY FROM STDIN, handed out in pieces of this size.
  void set_copy_input(std::string_view bytes, size_t piece) {
    input_ = bytes;
    piece_ = piece;
  }
  uint64_t errors() const { return errors_; }

  void row_description(const engine::ResultShape&) override {}
  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  Status rows(const engine::ResultShape&, const Chunk&) override { return {}; }
  void command_complete(std::string_view) override {}
  void empty_query() override {}
  void portal_suspended() override {}
  void error(const Error& error) override {
    errors_++;
    // XX000 is what must not happen, whatever a client sends; but PostgreSQL, too, says it of a version that it does not know.
    if (error.state == sqlstate::kInternalError && !error.message.starts_with("unsupported json")) {
      std::cerr << "internal error: " << error.message << "\n";
      abort();
    }
  }
  void notice(engine::Severity, const Error&) override {}
  void parameter_status(std::string_view, std::string_view) override {}
  Result<engine::CopySource*> copy_in(engine::CopyFormat, uint32_t) override { return this; }
  void copy_out(engine::CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view) override { return {}; }
  void copy_done() override {}

 private:
  Result<bool> read(std::string& out) override {
    if (input_.empty()) return false;
    out += input_.substr(0, piece_);
    input_.remove_prefix(std::min(piece_, input_.size()));
    return true;
  }

  std::string_view input_;
  size_t piece_ = 1;
  uint64_t errors_ = 0;
};

class EmbeddedSession {
 public:
  explicit EmbeddedSession(std::string_view setup) {
    auto instance = engine::Instance::open({});
    if (!instance.ok()) abort();
    instance_ = std::move(*instance);
    auto session = instance_->connect({}, Waiter::current());
    if (!session.ok()) abort();
    session_ = std::move(*session);
    run(setup);
    if (sink_.errors() > 0) abort();
  }

  engine::Session& session() { return *session_; }
  DiscardingSink& sink() { return sink_; }
  void run(std::string_view text) { session_->query(text, sink_); }

 private:
  std::unique_ptr<engine::Instance> instance_;
  std::unique_ptr<engine::Session> session_;
  DiscardingSink sink_;
};

}  // namespace indigo::fuzz
