// One line of an hba file: its fields become a rule, or an error in PostgreSQL's words.
// Thread safety: all functions, from any thread.
#pragma once

#include "wire/auth/hba.h"

namespace indigo::wire {

struct ParsedHbaLine {
  HbaRule rule;
  std::string error;      // the line is wrong
  std::string warning;    // the rule can never match
  engine::HbaLine shown;  // as pg_hba_file_rules has it
};

ParsedHbaLine parse_hba_line(const ConfigLine& line, bool tls_configured);

}  // namespace indigo::wire
