// Which roles a system user (peer) or a certificate's name (cert) may be: PostgreSQL's pg_ident.conf.
//
//   MAP SYSTEM-NAME ROLE
//
// A system name /REGULAR EXPRESSION stands for those that it is found in; \1 in the role is what its first parentheses
// matched. Expressions are RE2's, whose time is linear.
// Immutable. Thread safety: all functions, from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/front_door.h"

namespace re2 {
class RE2;
}

namespace indigo::wire {

class IdentMap {
 public:
  // Errors (22023): the first line that is wrong.
  static Result<IdentMap> parse(std::string_view text, const std::string& folder);
  static std::vector<engine::IdentLine> describe(std::string_view text, const std::string& folder);

  // An empty map's name asks for the same name.
  bool allows(const std::string& map, const std::string& system_name, const std::string& role) const;

 private:
  struct Line {
    std::string map, system_name, role;
    std::shared_ptr<const re2::RE2> pattern;  // of a system name with a slash
  };
  std::vector<Line> lines_;
};

}  // namespace indigo::wire
