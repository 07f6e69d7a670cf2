// A policy of row security: a row of pg_policy.
// Thread safety: a value.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"

namespace indigo::catalog {

struct PolicyInfo {
  Oid oid = kInvalidOid;
  std::string name;
  char command = '*';            // polcmd: * all, r SELECT, a INSERT, w UPDATE, d DELETE
  bool permissive = true;        // one of the permissive ones must hold, and all of the others
  std::vector<Oid> roles;        // kInvalidOid among them: everybody
  std::string using_expression;  // stored trees; empty: none
  std::string with_check;
  bool everybody() const {
    for (const Oid role : roles) {
      if (role == kInvalidOid) return true;
    }
    return false;
  }
};

}  // namespace indigo::catalog
