// A statement ready to run: parsed, analyzed, planned. Immutable and shared; what one run needs is in a Portal.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/change_log.h"
#include "engine/row_sink.h"
#include "engine/session/required_privileges.h"
#include "sql/analyze/variables.h"
#include "sql/parse/parser.h"
#include "sql/parse/tree_names.h"
#include "sql/plan.h"
#include "sql/query.h"

namespace indigo::sql {
struct Fingerprint;  // sql/parse/fingerprint.h
}

namespace indigo::engine {

struct OwnNames;  // engine/statement/own_names.h

// A text may have many statements, and each may be kept: they share it.
using SharedText = std::shared_ptr<const std::string>;
inline SharedText share_text(std::string_view text) { return std::make_shared<const std::string>(text); }

// One statement of a text, parsed.
struct ParsedStatement {
  std::shared_ptr<const sql::ParsedText> tree;  // owns `node`
  const PgQuery__Node* node = nullptr;          // null: an empty statement
  SharedText whole_text;                        // that locations refer to; null: empty
  int location = 0, length = 0;                 // this statement's part of it
  std::shared_ptr<const sql::VariableScope>
      variables;  // of the program that it is a statement of; they are its parameters

  std::string_view text() const { return whole_text == nullptr ? std::string_view() : *whole_text; }
};

struct Prepared {
  std::shared_ptr<const ParsedStatement> parsed;
  // Null for utility statements, and when `unplanned`.
  std::shared_ptr<const sql::PlannedStatement> plan;
  std::vector<types::TypeRef> parameter_types;  // declared or inferred $n
  std::vector<types::TypeRef> lifted_types;     // of literals that became parameters, in the order of the text
  std::vector<bool> lifted_used;                // by lifted literal; false: part of the plan
  std::shared_ptr<const OwnNames> own_names;    // of a plan for texts with others; null: for those with the same
  std::shared_ptr<const ResultShape> text_shape, binary_shape;  // null: no result columns
  std::vector<RequiredPrivilege> privileges;
  std::vector<RequiredFunction> functions;
  // For whom, and in which state of the catalog, `privileges` were last found: a note of the session that owns this.
  struct Allowed {
    Oid user = kInvalidOid;
    uint64_t catalog_version = 0, shared_version = 0;
    friend bool operator==(const Allowed&, const Allowed&) = default;
  };
  mutable Allowed allowed;
  mutable bool has_run = false;                                 // another note of that session
  mutable std::shared_ptr<const sql::Fingerprint> fingerprint;  // another; null until it is asked for
  uint64_t only_for = 0;            // not 0: SessionCatalog::partitions_of the snapshots that it holds for
  catalog::CatalogState made_in;    // before its making
  catalog::Dependences depends;     // of the catalog, that its making has looked up
  mutable uint64_t current_at = 0;  // the last version that was found to leave it as it is: a note of the session, too
  // Another note: a table was found to have outgrown the plan where nobody could make it again for good.
  mutable bool outgrown = false;
  uint64_t plan_settings = 0;  // SessionSettings::plan_generation at planning
  bool for_cursor = false;     // planned so that rows tell where they come from
  bool unplanned = false;      // its plan was discarded: Preparation::refresh makes it again
  // Running it costs so much more than planning that each text is planned with its own literals: statistics then see them.
  bool custom = false;
  // What rules have made of the statement: queries that run before and after `plan`. See sql/rule/rewritten.h.
  std::vector<std::shared_ptr<const Prepared>> before, after;
  bool rewritten = false;
  bool notifies = false;  // NOTIFY of a rule
  // One row that immutable functions alone compute: PostgreSQL computes it while planning, so fails before it describes it.
  bool computed_first = false;
  int behind = 0;                      // characters of the client's text before the statement's own: PREPARE ... AS
  std::shared_ptr<const void> origin;  // what it shares with other sessions' (shared_plans.h); null: nothing
  bool is_utility() const { return plan == nullptr && !unplanned; }
};
using PreparedPtr = std::shared_ptr<const Prepared>;

}  // namespace indigo::engine
