// Statements that sessions share (statement/shared_plans.h).
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "catalog/descriptor/relation_info.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/session_settings.h"
#include "engine/statement/shared_plans.h"
#include "sql/plan/outgrown.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

// Longer texts are rarely prepared by several sessions.
constexpr size_t kSharedTextMax = 64 * 1024;

// Whether a literal of it may mean the time of its preparation: 'now', 'today' and so on, escaped ones included.
bool may_tell_time(std::string_view text) {
  if (text.find('\'') == std::string_view::npos && text.find('$') == std::string_view::npos) return false;
  if (text.find('\\') != std::string_view::npos) return true;
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array<std::string_view, 5> kWords = {"now", "today", "tomorrow", "yesterday", "uescape"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

void add_number(uint64_t number, std::string& key) { key.append(std::to_string(number)).push_back('\0'); }

bool about_as_many(double a, double b) {
  constexpr double kFew = 100;
  return a <= 2 * b + kFew && b <= 2 * a + kFew;
}

double rows_of(const catalog::RelationInfo& relation) {
  return relation.table == nullptr ? 0 : static_cast<double>(relation.table->rows());
}

}  // namespace

bool Preparation::keep_literals(std::string_view text, std::span<const Oid> parameter_types, ScannedText& scanned) {
  if (!scanned.literals.empty()) {
    if (may_tell_time(text)) return false;
    scanned.key = text;
    scanned.literals.clear();
    scanned.raw.clear();
  }
  for (const Oid type : parameter_types) {
    scanned.key.push_back('\x1d');
    scanned.key.append(std::to_string(type));
  }
  return true;
}

bool Preparation::shares(std::string_view text) const {
  return !ignores_row_security_ && catalog_.sees_what_all_see() && text.size() <= kSharedTextMax &&
         !may_tell_time(text);
}

std::string Preparation::shared_key(const SharedStatement& statement) {
  if (shared_settings_seen_ != settings_.plan_generation()) {
    shared_settings_seen_ = settings_.plan_generation();
    shared_settings_ = settings_.plan_values();
  }
  std::string key;
  add_number(catalog_.database(), key);
  add_number(catalog_.user(), key);
  for (const bool flag : {statement.whole_text, statement.variable_parameters, statement.for_cursor}) {
    key.push_back(flag ? 't' : 'f');
  }
  add_number(static_cast<uint64_t>(statement.location), key);
  add_number(static_cast<uint64_t>(statement.length), key);
  add_number(statement.parameter_types.size(), key);
  for (const Oid type : statement.parameter_types) add_number(type, key);
  add_number(shared_settings_.size(), key);
  key.append(shared_settings_).append(statement.text);
  return key;
}

// `current_at`: the version that it was compared with, or made in.
PreparedPtr Preparation::head_of(const SharedPlanPtr& plan, uint64_t current_at) const {
  auto head = std::make_shared<Prepared>(plan->prepared);
  head->current_at = current_at;
  head->plan_settings = generation();
  head->origin = plan;
  return head;
}

PreparedPtr Preparation::find_shared(const SharedStatement& statement) {
  if (!shares(statement.text)) return nullptr;
  const uint64_t version = catalog_.version();
  const SharedPlanPtr found = shared_.find(shared_key(statement));
  if (found == nullptr || !catalog_.unchanged_since(found->prepared.made_in, found->prepared.depends)) return nullptr;
  if (sql::outgrown(*found->prepared.plan)) return nullptr;  // a table may have grown while it was made
  for (const auto& [table, rows] : found->sizes) {
    const auto relation = catalog_.relation(table);
    if (relation == nullptr || !about_as_many(rows, rows_of(*relation))) return nullptr;
  }
  return head_of(found, version);
}

PreparedPtr Preparation::share(const SharedStatement& statement, const PreparedPtr& prepared) {
  if (prepared->plan == nullptr || prepared->rewritten || prepared->parsed->variables != nullptr ||
      prepared->made_in.of_own != 0 || !shares(statement.text)) {
    return prepared;
  }
  auto plan = std::make_shared<SharedPlan>(SharedPlan{*prepared, {}});
  for (const catalog::DependenceKey key : prepared->depends.keys()) {
    if (key < oid::kFirstUserOid || key > UINT32_MAX) continue;
    const auto relation = catalog_.relation(static_cast<Oid>(key));
    if (relation != nullptr && relation->table != nullptr) plan->sizes.emplace_back(relation->oid, rows_of(*relation));
  }
  shared_.add(shared_key(statement), plan);
  return head_of(plan, prepared->current_at);
}

Result<PreparedPtr> Preparation::prepare_shared(const std::shared_ptr<const ParsedStatement>& parsed,
                                                std::span<const Oid> parameter_types, bool variable_parameters,
                                                bool for_cursor) {
  const SharedStatement statement{.text = parsed->text(),
                                  .location = parsed->location,
                                  .length = parsed->length,
                                  .parameter_types = parameter_types,
                                  .variable_parameters = variable_parameters,
                                  .for_cursor = for_cursor};
  if (PreparedPtr found = find_shared(statement)) return found;
  INDIGO_ASSIGN(const PreparedPtr made, prepare(parsed, parameter_types, variable_parameters, {}, {}, for_cursor));
  return share(statement, made);
}

}  // namespace indigo::engine
