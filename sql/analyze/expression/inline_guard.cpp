#include "sql/analyze/expression/inline_guard.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace indigo::sql {

namespace {

constexpr size_t kMaxBodies = 1000;  // for one call that is nowhere inside another's body

struct Around {
  std::vector<Oid> functions;
  size_t bodies = 0;
};

struct Guards {
  std::mutex mutex;
  std::unordered_map<const catalog::SessionContext*, Around> sessions;
};

Guards& guards() {
  static Guards all;
  return all;
}

}  // namespace

InlineGuard::InlineGuard(catalog::SessionContext& session, Oid function) : session_(session) {
  const std::lock_guard lock(guards().mutex);
  Around& around = guards().sessions[&session];
  allowed_ = around.bodies < kMaxBodies &&
             std::find(around.functions.begin(), around.functions.end(), function) == around.functions.end();
  around.bodies++;
  around.functions.push_back(function);
}

InlineGuard::~InlineGuard() {
  const std::lock_guard lock(guards().mutex);
  const auto at = guards().sessions.find(&session_);
  at->second.functions.pop_back();
  if (at->second.functions.empty()) guards().sessions.erase(at);
}

}  // namespace indigo::sql
