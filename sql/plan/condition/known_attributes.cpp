#include "sql/plan/condition/known_attributes.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "catalog/catalog.h"
#include "catalog/descriptor/extended_statistics.h"
#include "sql/plan/condition/column_selectivity.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/condition/table_terms.h"
#include "sql/plan/condition/value_evaluation.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

using catalog::ExtendedStatistics;

double probability(double s) { return std::clamp(s, 0.0, 1.0); }

// Statistics of one table in the level's terms, made when first asked for.
const std::vector<KnownAttributes>& bound(const Level& level, int entry, const ScannedTable* table) {
  const RelationInfo& relation = table != nullptr ? *table->relation : *level.entry(entry).relation;
  auto [at, fresh] = level.known_attributes.try_emplace({entry, &relation});
  if (!fresh) return at->second;
  const TableTerms terms(level, entry, table);
  for (const ExtendedStatistics& s : *relation.extended_statistics) {
    KnownAttributes known{&s, {}};
    for (const int16_t column : s.columns) known.attributes.push_back(terms.column(column));
    for (const std::string& tree : s.expressions) {
      const Result<ExprPtr> e = terms.expression(tree);
      known.attributes.push_back(e.ok() ? *e : nullptr);
    }
    at->second.push_back(std::move(known));
  }
  return at->second;
}

// The table that is read in the place of the entry's just now; null: the entry's own.
const ScannedTable* leaf_of(const Level& level, int entry) {
  return level.leaf != nullptr && level.leaf->entry == entry ? level.leaf->table : nullptr;
}

// Those of the relation that the expressions are about; null: there are none.
const std::vector<KnownAttributes>* known_of(const Level& level, RelSet rels) {
  if (!knows_attributes(level, rels)) return nullptr;
  const int entry = level.rels[static_cast<size_t>(rels.first())].entry;
  return &bound(level, entry, leaf_of(level, entry));
}

// The number of the attribute that the expression is; -1: none.
int attribute_of(const KnownAttributes& known, const ExprPtr& e) {
  for (size_t i = 0; i < known.attributes.size(); i++) {
    if (known.attributes[i] != nullptr && (equal(known.attributes[i], e) || equal(known.attributes[i], stripped(e))))
      return static_cast<int>(i);
  }
  return -1;
}

bool is_fixed(const Level& level, const ExprPtr& e) { return level.rels_of(e).empty() && !contains_volatile(*e); }

// `x op value`, either way round: x; null: it is no such comparison.
ExprPtr compared(const Level& level, const CallExpr& call) {
  if (call.op == kInvalidOid || call.arguments.size() != 2) return nullptr;
  if (is_fixed(level, call.arguments[1])) return call.arguments[0];
  return is_fixed(level, call.arguments[0]) ? call.arguments[1] : nullptr;
}

// A set of attributes, as bits.
using Attributes = uint32_t;

// Whether common combinations can tell of the condition: all that it is about are attributes, which go into `used`.
bool is_told(Level& level, const KnownAttributes& known, const ExprPtr& e, Attributes& used) {
  const auto is_attribute = [&](const ExprPtr& x) {
    const int at = attribute_of(known, x);
    if (at >= 0) used |= Attributes{1} << at;
    return at >= 0;
  };
  switch (e->kind) {
    case ExprKind::kVar: return e->type.oid == oid::kBool && is_attribute(e);
    case ExprKind::kBool: {
      const auto& arguments = as<BoolExpr>(*e).arguments;
      return std::all_of(arguments.begin(), arguments.end(),
                         [&](const ExprPtr& a) { return is_told(level, known, a, used); });
    }
    case ExprKind::kNullTest: return !as<NullTestExpr>(*e).row && is_attribute(as<NullTestExpr>(*e).argument);
    case ExprKind::kArrayCompare: {
      const auto& list = as<ArrayCompareExpr>(*e);
      return is_fixed(level, list.array) && is_attribute(list.left);
    }
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(*e);
      const auto* op = level.s.catalog().operator_by_oid(call.op);
      const ExprPtr x = compared(level, call);
      if (op == nullptr || x == nullptr) return false;
      const bool compares = op->restriction == "eqsel" || op->restriction == "neqsel" ||
                            (op->restriction.starts_with("scalar") && op->restriction.ends_with("sel"));
      return compares && is_attribute(x);
    }
    default: return false;
  }
}

// What common combinations say of a set of conditions.
struct Choice {
  const KnownAttributes* known = nullptr;
  std::vector<size_t> conditions;
};

// The statistics that tell of the most attributes, two at least; of equal ones those about the fewest.
Choice best_choice(Level& level, const std::vector<KnownAttributes>& all, const ExprList& conditions,
                   const std::vector<bool>& told) {
  Choice best;
  int most = 1;
  for (const KnownAttributes& known : all) {
    if (known.statistics->common.frequencies.empty()) continue;
    Choice choice{&known, {}};
    Attributes covered = 0;
    for (size_t i = 0; i < conditions.size(); i++) {
      Attributes used = 0;
      if (told[i] || !is_told(level, known, conditions[i], used)) continue;
      covered |= used;
      choice.conditions.push_back(i);
    }
    const int count = std::popcount(covered);
    const bool smaller = best.known != nullptr && known.attributes.size() < best.known->attributes.size();
    if (count < 2 || count < most || (count == most && best.known != nullptr && !smaller)) continue;
    most = count;
    best = std::move(choice);
  }
  return best;
}

// Which of the common combinations meet a condition; nothing when it cannot be evaluated now.
class CommonMatches {
 public:
  CommonMatches(Level& level, const KnownAttributes& known)
      : common_(known.statistics->common), evaluation_(level, common_.frequencies.size()) {
    for (size_t i = 0; i < known.attributes.size() && i < common_.values.size(); i++) {
      if (known.attributes[i] == nullptr) continue;
      std::vector<Datum> values;
      for (const OwnedDatum& d : common_.values[i]) values.push_back(d.get());
      evaluation_.bind(known.attributes[i], values);
    }
  }

  size_t size() const { return common_.frequencies.size(); }
  std::optional<std::vector<bool>> of(const ExprPtr& condition) {
    const Vector* found = evaluation_.run(condition);
    if (found == nullptr || found->phys() != Phys::kBool) return std::nullopt;
    std::vector<bool> out(size());
    for (uint32_t i = 0; i < out.size(); i++) {
      const Datum d = found->datum(i);
      out[i] = !d.null && d.b;
    }
    return out;
  }

  struct Sum {
    double frequency = 0, base = 0;
  };
  Sum sum(const std::vector<bool>& of) const {
    Sum out;
    for (size_t i = 0; i < of.size(); i++) {
      if (!of[i]) continue;
      out.frequency += common_.frequencies[i];
      out.base += common_.base_frequencies[i];
    }
    return out;
  }
  double total() const {
    double out = 0;
    for (const double f : common_.frequencies) out += f;
    return out;
  }

 private:
  const catalog::CommonCombinations& common_;
  ValueEvaluation evaluation_;
};

// The common combinations are known; what is not among them is as if the attributes had nothing to do with each other.
double combined(double simple, const CommonMatches::Sum& matching, double total) {
  const double others = std::min(probability(simple - matching.base), 1 - total);
  return probability(matching.frequency + others);
}

double by_common_combinations(Level& level, const std::vector<KnownAttributes>& all, const ExprList& conditions,
                              std::vector<bool>& told) {
  double out = 1;
  while (true) {
    const Choice choice = best_choice(level, all, conditions, told);
    if (choice.known == nullptr) return out;
    CommonMatches matches(level, *choice.known);
    std::vector<bool> matching(matches.size(), true);
    ExprList here;
    for (const size_t i : choice.conditions) {
      told[i] = true;
      const auto of = matches.of(conditions[i]);
      if (!of) {  // a value that comes later: no combination is known to be out
        out *= selectivity(level, conditions[i]);
        continue;
      }
      here.push_back(conditions[i]);
      for (size_t k = 0; k < matching.size(); k++) matching[k] = matching[k] && (*of)[k];
    }
    if (!here.empty()) out *= combined(conjunction_selectivity(level, here), matches.sum(matching), matches.total());
  }
}

// ---- functional dependencies

// The one expression that a condition says equals a value; null: it says something else.
ExprPtr equated(Level& level, const ExprPtr& e) {
  switch (e->kind) {
    case ExprKind::kVar: return e->type.oid == oid::kBool ? e : nullptr;
    case ExprKind::kBool: {
      const auto& b = as<BoolExpr>(*e);
      if (b.op == BoolExpr::Op::kAnd) return nullptr;
      if (b.op == BoolExpr::Op::kNot)
        return b.arguments[0]->kind == ExprKind::kVar ? equated(level, b.arguments[0]) : nullptr;
      ExprPtr one;
      for (const ExprPtr& a : b.arguments) {
        const ExprPtr x = equated(level, a);
        if (x == nullptr || (one != nullptr && !equal(one, x))) return nullptr;
        one = x;
      }
      return one;
    }
    case ExprKind::kArrayCompare: {
      const auto& list = as<ArrayCompareExpr>(*e);
      const auto* op = level.s.catalog().operator_by_oid(list.op);
      return list.any && op != nullptr && op->restriction == "eqsel" && is_fixed(level, list.array)
                 ? stripped(list.left)
                 : nullptr;
    }
    case ExprKind::kCall: {
      const auto& call = as<CallExpr>(*e);
      const auto* op = level.s.catalog().operator_by_oid(call.op);
      const ExprPtr x = op != nullptr && op->restriction == "eqsel" ? compared(level, call) : nullptr;
      return x == nullptr ? nullptr : stripped(x);
    }
    default: return nullptr;
  }
}

// A dependency between things that conditions fix, by their numbers; the last follows from the others.
struct Dependency {
  std::vector<size_t> of;
  double degree;
};

std::vector<Dependency> dependencies_among(const std::vector<KnownAttributes>& all, const ExprList& fixed) {
  std::vector<Dependency> out;
  for (const KnownAttributes& known : all) {
    for (const catalog::AttributeCombination& d : known.statistics->dependencies) {
      Dependency here{{}, d.value};
      for (const int16_t attribute : d.attributes) {
        for (size_t i = 0; i < known.attributes.size(); i++) {
          if (known.statistics->attribute(i) != attribute || known.attributes[i] == nullptr) continue;
          const auto at =
              std::find_if(fixed.begin(), fixed.end(), [&](const ExprPtr& x) { return equal(known.attributes[i], x); });
          if (at != fixed.end()) here.of.push_back(static_cast<size_t>(at - fixed.begin()));
        }
      }
      if (here.of.size() == d.attributes.size()) out.push_back(std::move(here));
    }
  }
  return out;
}

// Between what is left: of the most attributes, of these the strongest.
const Dependency* strongest(const std::vector<Dependency>& all, const std::vector<bool>& left) {
  const Dependency* best = nullptr;
  for (const Dependency& d : all) {
    if (!std::all_of(d.of.begin(), d.of.end(), [&](size_t i) { return left[i]; })) continue;
    if (best != nullptr &&
        (d.of.size() < best->of.size() || (d.of.size() == best->of.size() && d.degree < best->degree)))
      continue;
    best = &d;
  }
  return best;
}

double by_dependencies(Level& level, const std::vector<KnownAttributes>& all, const ExprList& conditions,
                       std::vector<bool>& told) {
  ExprList fixed;
  std::vector<std::vector<size_t>> conditions_on;
  for (size_t i = 0; i < conditions.size(); i++) {
    const ExprPtr x = told[i] ? nullptr : equated(level, conditions[i]);
    if (x == nullptr) continue;
    auto at = std::find_if(fixed.begin(), fixed.end(), [&](const ExprPtr& f) { return equal(f, x); });
    if (at == fixed.end()) {
      at = fixed.insert(fixed.end(), x);
      conditions_on.emplace_back();
    }
    conditions_on[static_cast<size_t>(at - fixed.begin())].push_back(i);
  }
  if (fixed.size() < 2) return 1;
  const std::vector<Dependency> known = dependencies_among(all, fixed);
  std::vector<bool> left(fixed.size(), true), used(fixed.size(), false);
  std::vector<const Dependency*> chosen;
  while (const Dependency* d = strongest(known, left)) {
    chosen.push_back(d);
    left[d->of.back()] = false;
    for (const size_t i : d->of) used[i] = true;
  }
  if (chosen.empty()) return 1;

  std::vector<double> part(fixed.size(), 1);
  for (size_t i = 0; i < fixed.size(); i++) {
    if (!used[i]) continue;
    ExprList here;
    for (const size_t c : conditions_on[i]) {
      here.push_back(conditions[c]);
      told[c] = true;
    }
    part[i] = conjunction_selectivity(level, here);
  }
  // P(a, b) = f * min(P(a), P(b)) + (1 - f) * P(a) * P(b), the last that was chosen first.
  for (size_t k = chosen.size(); k-- > 0;) {
    const Dependency& d = *chosen[k];
    double others = 1;
    for (size_t i = 0; i + 1 < d.of.size(); i++) others *= part[d.of[i]];
    double& last = part[d.of.back()];
    last = others <= last ? d.degree + (1 - d.degree) * last : d.degree * last / others + (1 - d.degree) * last;
  }
  double out = 1;
  for (const double p : part) out *= p;
  return probability(out);
}

// While it lives, estimates within estimates do not come here again.
class Ignoring {
 public:
  explicit Ignoring(Level& level) : level_(level), before_(std::exchange(level.ignores_known_attributes, true)) {}
  ~Ignoring() { level_.ignores_known_attributes = before_; }
  Ignoring(const Ignoring&) = delete;
  Ignoring& operator=(const Ignoring&) = delete;

 private:
  Level& level_;
  bool before_;
};

RelSet all_rels(const Level& level, const ExprList& conditions) {
  RelSet out;
  for (const ExprPtr& e : conditions) out |= level.rels_of(e);
  return out;
}

}  // namespace

bool knows_attributes(const Level& level, RelSet rels) {
  if (rels.count() != 1) return false;
  const Rel& rel = level.rels[static_cast<size_t>(rels.first())];
  if (rel.entry < 0 || level.entry(rel.entry).kind != EntryKind::kTable) return false;
  const ScannedTable* table = leaf_of(level, rel.entry);
  const RelationInfo& relation = table != nullptr ? *table->relation : *level.entry(rel.entry).relation;
  if (relation.extended_statistics == nullptr) return false;
  // Of a table with others below it they are about its own rows only.
  return table != nullptr || !rel.has_leaves || relation.is_partitioned();
}

double known_selectivity(Level& level, const ExprList& conditions, std::vector<bool>& told) {
  told.assign(conditions.size(), false);
  const auto* all = known_of(level, all_rels(level, conditions));
  if (all == nullptr || level.ignores_known_attributes) return 1;
  const Ignoring ignoring(level);
  const double common = by_common_combinations(level, *all, conditions, told);
  return common * by_dependencies(level, *all, conditions, told);
}

double known_alternatives(Level& level, const ExprList& conditions, std::vector<bool>& told) {
  told.assign(conditions.size(), false);
  const auto* all = known_of(level, all_rels(level, conditions));
  if (all == nullptr || level.ignores_known_attributes) return 0;
  const Ignoring ignoring(level);
  double out = 0;
  while (true) {
    const Choice choice = best_choice(level, *all, conditions, told);
    if (choice.known == nullptr) return out;
    CommonMatches matches(level, *choice.known);
    const double total = matches.total();
    std::vector<bool> any(matches.size(), false);
    double simple_any = 0, here = 0;
    for (const size_t i : choice.conditions) {
      told[i] = true;
      const double simple = selectivity(level, conditions[i]);
      const double simple_both = simple_any * simple;
      simple_any += simple - simple_both;
      auto of = matches.of(conditions[i]);
      if (!of) of.emplace(matches.size(), false);
      std::vector<bool> both(matches.size());
      for (size_t k = 0; k < both.size(); k++) {
        both[k] = any[k] && (*of)[k];
        any[k] = any[k] || (*of)[k];
      }
      here = probability(here + combined(simple, matches.sum(*of), total) -
                         combined(simple_both, matches.sum(both), total));
    }
    out = out + here - out * here;
  }
}

std::optional<double> known_combinations(Level& level, ExprList& attributes) {
  const auto* all = known_of(level, all_rels(level, attributes));
  if (all == nullptr) return std::nullopt;
  struct Found {
    const KnownAttributes* known = nullptr;
    std::vector<bool> of;  // `attributes`
    std::vector<int16_t> names;
    size_t columns = 0, expressions = 0;
  } best;
  for (const KnownAttributes& known : *all) {
    if (known.statistics->distinct.empty()) continue;
    Found found{&known, std::vector<bool>(attributes.size(), false), {}, 0, 0};
    for (size_t i = 0; i < attributes.size(); i++) {
      const int at = attribute_of(known, attributes[i]);
      if (at < 0) continue;
      found.of[i] = true;
      found.names.push_back(known.statistics->attribute(static_cast<size_t>(at)));
      (found.names.back() > 0 ? found.columns : found.expressions)++;
    }
    if (found.names.size() < 2) continue;
    if (std::pair(found.expressions, found.columns) > std::pair(best.expressions, best.columns))
      best = std::move(found);
  }
  if (best.known == nullptr) return std::nullopt;
  std::sort(best.names.begin(), best.names.end());
  for (const catalog::AttributeCombination& c : best.known->statistics->distinct) {
    std::vector<int16_t> names = c.attributes;
    std::sort(names.begin(), names.end());
    if (names != best.names) continue;
    ExprList rest;
    for (size_t i = 0; i < attributes.size(); i++) {
      if (!best.of[i]) rest.push_back(attributes[i]);
    }
    attributes = std::move(rest);
    return c.value;
  }
  return std::nullopt;
}

const catalog::ColumnStatistics* expression_statistics(const Level& level, const ExprPtr& e) {
  const auto* all = known_of(level, level.rels_of(e));
  if (all == nullptr) return nullptr;
  for (const KnownAttributes& known : *all) {
    const ExtendedStatistics& s = *known.statistics;
    for (size_t i = 0; i < s.expression_statistics.size() && i < s.expressions.size(); i++) {
      const ExprPtr& expression = known.attributes[s.columns.size() + i];
      if (expression != nullptr && equal(expression, e)) return &s.expression_statistics[i];
    }
  }
  return nullptr;
}

}  // namespace indigo::sql::planning
