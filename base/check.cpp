#include "base/check.h"

#include <cstdlib>
#include <string>

#include "base/server_log.h"

namespace indigo {

void check_failed(const char* condition, const char* file, int line) {
  log_message(LogLevel::kFatal,
              std::string("broken invariant: ") + condition + " at " + file + ":" + std::to_string(line));
  std::abort();
}

}  // namespace indigo
