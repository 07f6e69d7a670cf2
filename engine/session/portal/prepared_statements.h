// The statements that Parse and PREPARE have made, by name; Parse's unnamed one apart.
// Thread safety: none; belongs to a session.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/statement/own_names.h"
#include "engine/statement/plan_counts.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class Preparation;

// Of the unnamed statement, when its plan is for any literals and names, and of another text.
struct LiftedStatement {
  LiftedStatement(std::string_view whole, const ScannedText& found_by, ColumnLabels called);
  LiftedStatement(const LiftedStatement&) = delete;
  LiftedStatement& operator=(const LiftedStatement&) = delete;

  std::string text;
  ScannedText scanned;  // without the key; borrows from `text`
  ColumnLabels labels;
};

struct NamedStatement {
  std::shared_ptr<const ParsedStatement> parsed;
  std::vector<Oid> parameter_types;         // as declared; resolved ones in prepared
  PreparedPtr prepared;                     // null for an empty statement
  PreparedPtr for_cursor;                   // the same, for named portals that read; made when first needed
  std::unique_ptr<LiftedStatement> lifted;  // null: `prepared` and `parsed` are of this statement's text
  PlanCounts plans;
  SharedText source_text;  // of the PREPARE that named it; null: its own text
  bool from_sql = false;
  int64_t prepare_time = 0;
};

// 53200 when the process is near what the machine has: no session keeps more then, be each of its statements ever so small. And
// when the session holds a quarter of it alone.
Status check_room_to_keep();

class PreparedStatements {
 public:
  using Map = std::map<std::string, NamedStatement, std::less<>>;

  // Null when there is none. An empty name is the unnamed statement's.
  NamedStatement* find(std::string_view name);
  bool contains(std::string_view name) { return find(name) != nullptr; }
  // Replaces the unnamed one; a name must be free.
  void add(std::string_view name, NamedStatement statement);
  // Unknown names are no error.
  void erase(std::string_view name);
  // All that have names.
  void clear() { named_.clear(); }
  const Map& named() const { return named_; }

  // Plans that are outdated would keep tables that were dropped: they are planned again at their next run.
  void discard_stale_plans(const Preparation& preparation);

 private:
  Map named_;
  NamedStatement unnamed_;
};

}  // namespace indigo::engine
