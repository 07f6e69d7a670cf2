#include "sql/partition/constraint_text.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "sql/stored/print.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::sql::partition {
namespace {

class Writer {
 public:
  Writer(catalog::SessionContext& session, const RelationInfo& parent)
      : session_(session), parent_(parent), key_(*parent.partition_key), context_(session) {
    context_.set_arena(&arena_);
  }

  // Conjuncts.
  Result<std::vector<std::string>> condition(const Bound& bound) {
    switch (bound.strategy) {
      case 'h': return std::vector<std::string>{hash(bound)};
      case 'l': return list(bound);
      case 'r': return range(bound, false);
      default: return of_default();
    }
  }

  static std::string all(const std::vector<std::string>& parts, const char* word) {
    if (parts.size() == 1) return parts[0];
    std::string out;
    for (const std::string& p : parts) {
      if (!out.empty()) out += word;
      out += "(" + p + ")";
    }
    return out;
  }

 private:
  std::string column(size_t i) const {
    const catalog::PartitionKeyColumn& k = key_.columns[i];
    if (k.column > 0) return types::quote_identifier(parent_.columns[static_cast<size_t>(k.column) - 1].name);
    return "(" + print_stored(session_, k.expression, parent_) + ")";
  }

  std::string constant(size_t i, const BoundValue& v) {
    const types::TypeRef& type = key_.columns[i].type;
    const std::string text = bound_value_text(context_, type, v);
    const bool cast = text[0] == '\'' || type.typmod >= 0;
    return cast ? text + "::" + format_type(session_.catalog(), type.oid, type.typmod) : text;
  }

  std::string hash(const Bound& bound) {
    std::string out = "pg_catalog.satisfies_hash_partition('" + std::to_string(parent_.oid) + "'::pg_catalog.oid, " +
                      std::to_string(bound.modulus) + ", " + std::to_string(bound.remainder);
    for (size_t i = 0; i < key_.columns.size(); i++) out += ", " + column(i);
    return out + ")";
  }

  std::vector<std::string> list(const Bound& bound) {
    bool null = false;
    std::vector<std::string> values;
    for (const BoundValue& v : bound.lower) {
      if (v.kind == BoundValue::Kind::kNull) {
        null = true;
      } else {
        values.push_back(constant(0, v));
      }
    }
    const std::string k = column(0);
    if (values.empty()) return {k + " IS NULL"};
    std::string equal = k + " = " + values[0];
    if (values.size() > 1) {
      equal = k + " = ANY (ARRAY[";
      for (size_t i = 0; i < values.size(); i++) equal += (i > 0 ? ", " : "") + values[i];
      equal += "])";
    }
    if (null) return {"(" + k + " IS NULL) OR (" + equal + ")"};
    return {k + " IS NOT NULL", equal};
  }

  bool same(size_t i, const BoundValue& a, const BoundValue& b) {
    if (a.kind != BoundValue::Kind::kValue || b.kind != BoundValue::Kind::kValue) return false;
    std::string x, y;
    key_.layout.append_column(i, a.value.get(), x);
    key_.layout.append_column(i, b.value.get(), y);
    return x == y;
  }

  // One side of a range: (a > 1) OR ((a = 1) AND (b >= 2)); empty: no bound.
  std::string side(const std::vector<BoundValue>& values, size_t from, bool lower) {
    std::vector<std::string> arms;
    std::vector<std::string> equal;
    for (size_t i = from; i < values.size(); i++) {
      if (values[i].kind != BoundValue::Kind::kValue) break;
      const bool last = i + 1 == values.size();
      const auto next = last ? BoundValue::Kind::kValue : values[i + 1].kind;
      const bool inclusive = lower ? last || next == BoundValue::Kind::kMin : next == BoundValue::Kind::kMax;
      std::vector<std::string> arm = equal;
      const std::string value = constant(i, values[i]);
      arm.push_back(column(i) + (lower ? " >" : " <") + (inclusive ? "= " : " ") + value);
      arms.push_back(all(arm, " AND "));
      if (!last && next != BoundValue::Kind::kValue) break;
      equal.push_back(column(i) + " = " + value);
    }
    return arms.empty() ? std::string() : all(arms, " OR ");
  }

  std::vector<std::string> range(const Bound& bound, bool for_default) {
    std::vector<std::string> parts;
    if (!for_default) {
      for (size_t i = 0; i < key_.columns.size(); i++) parts.push_back(column(i) + " IS NOT NULL");
    }
    size_t from = 0;
    while (from + 1 < bound.lower.size() && same(from, bound.lower[from], bound.upper[from])) {
      parts.push_back(column(from) + " = " + constant(from, bound.lower[from]));
      from++;
    }
    for (const bool lower : {true, false}) {
      std::string text = side(lower ? bound.lower : bound.upper, from, lower);
      if (!text.empty()) parts.push_back(std::move(text));
    }
    if (parts.empty()) parts.emplace_back("true");
    return parts;
  }

  Result<std::vector<std::string>> of_default() {
    INDIGO_ASSIGN(const auto map, PartitionMap::of(session_, parent_));
    if (parent_.children.empty() || (parent_.children.size() == 1 && map->default_partition() == 0))
      return std::vector<std::string>();
    if (key_.strategy == 'l') {
      Bound joined;
      joined.strategy = 'l';
      for (const int p : map->in_order()) {
        if (p == map->default_partition()) continue;
        for (const BoundValue& v : map->bound(p).lower) joined.lower.push_back(v);
      }
      return std::vector<std::string>{"NOT (" + all(list(joined), " AND ") + ")"};
    }
    std::vector<std::string> ranges;
    for (const int p : map->in_order()) {
      if (p != map->default_partition()) ranges.push_back(all(range(map->bound(p), true), " AND "));
    }
    std::vector<std::string> present;
    for (size_t i = 0; i < key_.columns.size(); i++) present.push_back(column(i) + " IS NOT NULL");
    present.push_back(all(ranges, " OR "));
    return std::vector<std::string>{"NOT (" + all(present, " AND ") + ")"};
  }

  catalog::SessionContext& session_;
  const RelationInfo& parent_;
  const catalog::PartitionKey& key_;
  Arena arena_;
  types::FuncContext context_;
};

Status add_conditions(catalog::SessionContext& session, const RelationInfo& partition, std::vector<std::string>& out) {
  if (!partition.is_partition || partition.parents.empty()) return {};
  const auto parent = session.catalog().relation(partition.parents[0]);
  if (parent == nullptr || parent->partition_key == nullptr) return {};
  INDIGO_TRY(add_conditions(session, *parent, out));
  types::FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  INDIGO_ASSIGN(const Bound bound, read_bound(context, *parent->partition_key, partition.partition_bound));
  INDIGO_ASSIGN(const std::vector<std::string> own, Writer(session, *parent).condition(bound));
  out.insert(out.end(), own.begin(), own.end());
  return {};
}

}  // namespace

Result<std::string> bound_condition(catalog::SessionContext& session, const RelationInfo& parent, const Bound& bound) {
  INDIGO_ASSIGN(const std::vector<std::string> parts, Writer(session, parent).condition(bound));
  return parts.empty() ? std::string() : Writer::all(parts, " AND ");
}

Result<std::string> partition_condition(catalog::SessionContext& session, const RelationInfo& partition) {
  std::vector<std::string> parts;
  INDIGO_TRY(add_conditions(session, partition, parts));
  return parts.empty() ? std::string() : Writer::all(parts, " AND ");
}

}  // namespace indigo::sql::partition
