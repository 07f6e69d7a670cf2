#include "engine/session/portal/prepared_statements.h"

#include "base/memory/memory_account.h"
#include "base/memory/process_memory.h"
#include "base/sqlstate.h"
#include "engine/session/portal/preparation.h"

namespace indigo::engine {

namespace {

constexpr uint64_t kPartOfMachine = 4;

void discard_stale_plan(NamedStatement& statement, const Preparation& preparation) {
  const PreparedPtr& old = statement.prepared;
  if (old == nullptr || old->is_utility() || old->unplanned || preparation.is_current(*old)) return;
  auto unplanned = std::make_shared<Prepared>(*old);
  unplanned->plan = nullptr;
  unplanned->unplanned = true;
  unplanned->current_at = 0;  // of no state
  unplanned->depends = {};
  unplanned->origin = nullptr;
  statement.prepared = std::move(unplanned);
  statement.for_cursor = nullptr;
}

}  // namespace

Status check_room_to_keep() {
  const char* why = nullptr;
  if (MemoryAccount::over_limit()) {
    why = "The session holds more than session_memory_limit.";
  } else if (process_memory_is_short()) {
    why = "The machine's memory is used up.";
  } else if (MemoryAccount::held_bytes() > static_cast<int64_t>(machine_memory_bytes() / kPartOfMachine)) {
    why = "The session holds a quarter of the machine's memory.";
  }
  if (why == nullptr) return {};
  return Error(sqlstate::kOutOfMemory, "out of memory")
      .with_detail(why)
      .with_hint("Close prepared statements and cursors that are no longer needed.");
}

LiftedStatement::LiftedStatement(std::string_view whole, const ScannedText& found_by, ColumnLabels called)
    : text(whole), labels(std::move(called)) {
  scanned.literals = found_by.literals;
  scanned.raw = found_by.raw;
  for (ScannedText::Raw& raw : scanned.raw)
    raw.text = std::string_view(text).substr(static_cast<size_t>(raw.text.data() - whole.data()), raw.text.size());
}

NamedStatement* PreparedStatements::find(std::string_view name) {
  if (name.empty()) return unnamed_.parsed ? &unnamed_ : nullptr;
  const auto at = named_.find(name);
  return at == named_.end() ? nullptr : &at->second;
}

void PreparedStatements::add(std::string_view name, NamedStatement statement) {
  if (name.empty()) {
    unnamed_ = std::move(statement);
  } else {
    named_.emplace(name, std::move(statement));
  }
}

void PreparedStatements::erase(std::string_view name) {
  if (name.empty()) {
    unnamed_ = {};
  } else if (const auto at = named_.find(name); at != named_.end()) {
    named_.erase(at);
  }
}

void PreparedStatements::discard_stale_plans(const Preparation& preparation) {
  for (auto& [name, statement] : named_) discard_stale_plan(statement, preparation);
  discard_stale_plan(unnamed_, preparation);
}

}  // namespace indigo::engine
