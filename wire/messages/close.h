// Close a prepared statement or a portal. From the client.
#pragma once

#include "wire/messages/statement_or_portal.h"

namespace indigo::wire {

struct Close : StatementOrPortal {
  static constexpr char kType = 'C';

  Status decode(std::string_view body) { return StatementOrPortal::decode(body, "CLOSE"); }
  void encode(OutputBuffer& out) const { StatementOrPortal::encode(out, kType); }
};

}  // namespace indigo::wire
