// What runs around a place in a program: the lines of an error's context that its callers will add, for those who ask before it
// leaves them (PG_CONTEXT, PG_EXCEPTION_CONTEXT).
// Thread safety: none; belongs to a session. Each is destroyed before the one that was there when it was made.
#pragma once

#include <functional>
#include <string>
#include <utility>

namespace indigo::engine::programs {

class CallContext {
 public:
  using Line = std::function<std::string()>;

  // `innermost`: of the session.
  CallContext(const CallContext*& innermost, Line line)
      : innermost_(innermost), outer_(innermost), line_(std::move(line)) {
    innermost_ = this;
  }
  ~CallContext() { innermost_ = outer_; }
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  // The lines around this one, each behind a newline.
  std::string around() const {
    std::string out;
    for (const CallContext* c = outer_; c != nullptr; c = c->outer_) out += "\n" + c->line_();
    return out;
  }
  // This line, and those around it.
  std::string lines() const { return line_() + around(); }

 private:
  const CallContext*& innermost_;
  const CallContext* const outer_;
  const Line line_;
};

}  // namespace indigo::engine::programs
