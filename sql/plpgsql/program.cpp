#include "sql/plpgsql/program.h"

#include "base/fiber/long_work.h"
#include "sql/plpgsql/generated/condition_names.h"

namespace indigo::sql::plpgsql {

namespace {

// The variable of that name between `from` and the label that ends its level; `label` becomes the label's link.
int in_level(const Program& p, int from, std::string_view name, int* label) {
  constexpr uint64_t kUnitsOfName = 5;
  int found = -1, at = from;
  for (; at >= 0 && p.names[static_cast<size_t>(at)].kind == Name::Kind::kVariable;
       at = p.names[static_cast<size_t>(at)].previous) {
    note_work(kUnitsOfName);
    const Name& n = p.names[static_cast<size_t>(at)];
    if (found < 0 && n.name == name) found = n.variable;
  }
  *label = at;
  return found;
}

}  // namespace

NameFound find_name(const Program& p, int names, std::span<const std::string_view> name,
                    const std::function<bool(int)>& is_row) {
  for (int at = names; at >= 0;) {
    int label = -1;
    const int found = in_level(p, at, name[0], &label);
    if (found >= 0 && (name.size() == 1 || is_row == nullptr || is_row(found))) return {found, 1};
    if (label < 0) break;
    if (name.size() > 1 && p.names[static_cast<size_t>(label)].name == name[0] && !name[0].empty()) {
      int unused = -1;
      const int inside = in_level(p, at, name[1], &unused);
      if (inside >= 0) return {inside, 2};
    }
    at = p.names[static_cast<size_t>(label)].previous;
  }
  return {};
}

std::vector<std::string> states_of(std::string_view condition) {
  std::vector<std::string> out;
  for (const ConditionName& c : kConditionNames) {
    if (c.name == condition) out.emplace_back(c.state);
  }
  return out;
}

}  // namespace indigo::sql::plpgsql
