#include "engine/ddl/table/kept_values.h"

#include <algorithm>
#include <array>

#include "base/fiber/stack.h"
#include "engine/ddl/tree.h"
#include "sql/parse/node.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::engine::ddl {

namespace {

// Whose offset from UTC is always zero.
bool is_universal(std::string_view zone) {
  constexpr std::array kZones = {"UTC", "UCT", "GMT", "GMT0", "GMT+0", "GMT-0", "Zulu", "Universal", "Greenwich"};
  if (zone.size() > 4 && types::equals_ignoring_case(zone.substr(0, 4), "Etc/")) zone.remove_prefix(4);
  return std::any_of(kZones.begin(), kZones.end(),
                     [&](const char* name) { return types::equals_ignoring_case(zone, name); });
}

// The least unit that an interval of this modifier has: 0 seconds, 1 minutes, ... 5 years.
int least_unit(int32_t typmod) {
  if (typmod < 0) return 0;
  const int range = (typmod >> 16) & 0x7fff;
  constexpr int kMonth = 1 << 1, kYear = 1 << 2, kDay = 1 << 3, kHour = 1 << 10, kMinute = 1 << 11, kSecond = 1 << 12;
  if ((range & kSecond) != 0) return 0;
  if ((range & kMinute) != 0) return 1;
  if ((range & kHour) != 0) return 2;
  if ((range & kDay) != 0) return 3;
  if ((range & kMonth) != 0) return 4;
  return (range & kYear) != 0 ? 5 : 0;
}

// Whether every value of the one modifier is one of the other.
bool keeps_all(Oid type, int32_t before, int32_t now) {
  if (now < 0 || now == before) return true;
  constexpr int32_t kMostDigits = 6;
  switch (type) {
    case oid::kVarchar:
    case oid::kVarbit: return before >= 0 && before <= now;
    case oid::kNumeric: {
      constexpr int32_t kHeader = 4;
      if (before < kHeader) return false;
      const auto scale = [](int32_t t) { return (t - kHeader) & 0x7ff; };
      const auto precision = [](int32_t t) { return ((t - kHeader) >> 16) & 0xffff; };
      return scale(now) == scale(before) && precision(now) >= precision(before);
    }
    case oid::kTime:
    case oid::kTimeTz:
    case oid::kTimestamp:
    case oid::kTimestampTz: return now == kMostDigits || (before >= 0 && now >= before);
    case oid::kInterval: {
      constexpr int kFull = 0xffff;
      const int precision_before = before < 0 ? kFull : before & 0xffff, precision_now = now & 0xffff;
      return least_unit(now) <= least_unit(before) &&
             (least_unit(before) > 0 || precision_now >= kMostDigits || precision_now >= precision_before);
    }
    default: return false;
  }
}

bool keeps_type(DdlContext& c, Oid from, Oid to) {
  if (from == to) return true;
  const bool zones =
      (from == oid::kTimestamp && to == oid::kTimestampTz) || (from == oid::kTimestampTz && to == oid::kTimestamp);
  if (zones) {
    std::string zone;
    return c.host.session().setting("TimeZone", zone) && is_universal(zone);
  }
  const types::CastInfo* cast = c.catalog.cast(from, to);
  return cast != nullptr && cast->method == types::CastMethod::kBinary;
}

bool keeps(DdlContext& c, TypeRef from, TypeRef to) {
  if (from.oid == to.oid && (to.typmod < 0 || from.typmod == to.typmod)) {
    return true;  // though a domain's: its checks have been passed
  }
  for (TypePtr info = c.catalog.type(from.oid); info->kind == 'd'; info = c.catalog.type(from.oid))
    from = {info->base, info->base_typmod, from.collation};
  for (TypePtr info = c.catalog.type(to.oid); info->kind == 'd'; info = c.catalog.type(to.oid)) {
    if (info->not_null || !info->checks.empty()) return false;
    to = {info->base, info->base_typmod, to.collation};
  }
  return keeps_type(c, from.oid, to.oid) && keeps_all(to.oid, from.oid == to.oid ? from.typmod : -1, to.typmod);
}

// The type of an expression that is the column, converted or not; nothing for what may be another value.
Result<std::optional<TypeRef>> kept(DdlContext& c, const ColumnInfo& column, const PgQuery__Node* e) {
  if (sql::absent(e)) return std::optional(column.type);
  switch (e->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: {
      const NodeList fields = nodes(e->column_ref->n_fields, e->column_ref->fields);
      const bool same =
          fields.back()->node_case == PG_QUERY__NODE__NODE_STRING && column.name == string_of(fields.back());
      return same ? std::optional(column.type) : std::nullopt;
    }
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return kept(c, column, e->collate_clause->arg);
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      INDIGO_TRY(check_stack_depth());
      INDIGO_ASSIGN(const auto from, kept(c, column, e->type_cast->arg));
      if (!from) return from;
      INDIGO_ASSIGN(const TypeRef to, usable_type(c, e->type_cast->type_name));
      return keeps(c, *from, to) ? std::optional(to) : std::nullopt;
    }
    default: return std::optional<TypeRef>();
  }
}

}  // namespace

Result<bool> keeps_values(DdlContext& c, const ColumnInfo& column, const PgQuery__Node* expression,
                          const TypeRef& type) {
  INDIGO_ASSIGN(const auto from, kept(c, column, expression));
  return from && keeps(c, *from, type);
}

}  // namespace indigo::engine::ddl
