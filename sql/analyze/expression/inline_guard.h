// Which functions' bodies stand around what a session analyzes just now, and how many it has taken in for one call: a function
// that calls itself twice, or functions that call others twice, which do the same, would grow without end.
// Thread safety: any number of sessions at once; a session analyzes one statement at a time.
#pragma once

#include "catalog/descriptor/session_context.h"

namespace indigo::sql {

class InlineGuard {
 public:
  // False from allowed(): the call stays a call.
  InlineGuard(catalog::SessionContext& session, Oid function);
  ~InlineGuard();
  InlineGuard(const InlineGuard&) = delete;
  InlineGuard& operator=(const InlineGuard&) = delete;

  bool allowed() const { return allowed_; }

 private:
  catalog::SessionContext& session_;
  bool allowed_ = false;
};

}  // namespace indigo::sql
