// The support functions of an extension's operator classes, which only PostgreSQL's index methods call: definitions that name
// them, and entries that refuse calls.
// Thread safety: as any value.
#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

#include "types/extension/extension.h"

namespace indigo::types {

class IndexSupport {
 public:
  // "name(types)", immutable and strict; once for each name. Answers the signature.
  const std::string& function(const std::string& signature, std::string_view result, bool parallel_safe);
  // CREATE FUNCTION for each.
  const std::string& script() const { return script_; }
  // An uncallable entry for each; the names are this object's.
  std::vector<ScalarEntry> entries() const;

 private:
  std::deque<std::string> signatures_, names_;
  std::set<std::string> known_;
  std::string script_;
};

}  // namespace indigo::types
