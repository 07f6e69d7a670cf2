// Comparisons of composite values and enums; enum's range functions.
#include <algorithm>

#include "base/sqlstate.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/container_io.h"
#include "types/io/held_order.h"
#include "types/io/order_of.h"
#include "types/io/record_compare.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

int compare_record_values(FuncContext& context, Str x, Str y, bool equality = false) {
  return compare_fields(context, x, y, [&](const Datum& a, const Datum& b, Oid type) {
    if (order_of(context, type) == nullptr) {
      equality ? fail_no_equality(context, type) : fail_no_comparison(context, type);
      return 0;
    }
    const HeldOrder held = order_of_member(type, a.phys, context.session().catalog().member_orders());
    return held.order->compare(a, b, held.collator);
  });
}
bool record_eq(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b, true) == 0; }
bool record_ne(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b, true) != 0; }
bool record_lt(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b) < 0; }
bool record_le(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b) <= 0; }
bool record_gt(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b) > 0; }
bool record_ge(FuncContext& c, Str a, Str b) { return compare_record_values(c, a, b) >= 0; }
int32_t record_cmp(FuncContext& c, Str a, Str b) { return three_way(compare_record_values(c, a, b), 0); }

// ---- enums, in the order of their labels
int compare_enums(FuncContext& context, const CallInfo& call, int32_t a, int32_t b) {
  if (a == b) return 0;
  const auto type = context.session().catalog().type(call.arguments[0].oid);
  if (type == nullptr) return three_way(static_cast<uint32_t>(a), static_cast<uint32_t>(b));
  const auto place = [&](int32_t label) {
    return std::find(type->enum_label_oids.begin(), type->enum_label_oids.end(), static_cast<Oid>(label)) -
           type->enum_label_oids.begin();
  };
  return three_way(place(a), place(b));
}
bool enum_eq(int32_t a, int32_t b) { return a == b; }
bool enum_ne(int32_t a, int32_t b) { return a != b; }
bool enum_lt(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) { return compare_enums(c, i, a, b) < 0; }
bool enum_le(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) { return compare_enums(c, i, a, b) <= 0; }
bool enum_gt(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) { return compare_enums(c, i, a, b) > 0; }
bool enum_ge(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) { return compare_enums(c, i, a, b) >= 0; }
int32_t enum_cmp(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) { return compare_enums(c, i, a, b); }
int32_t enum_larger(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) {
  return compare_enums(c, i, a, b) > 0 ? a : b;
}
int32_t enum_smaller(FuncContext& c, const CallInfo& i, int32_t a, int32_t b) {
  return compare_enums(c, i, a, b) < 0 ? a : b;
}

std::shared_ptr<const TypeInfo> enum_type(FuncContext& context, const CallInfo& call) {
  auto type = context.session().catalog().type(call.arguments[0].oid);
  if (type == nullptr || type->kind != 'e') {
    context.fail(sqlstate::kFeatureNotSupported, "could not determine actual enum type");
    return nullptr;
  }
  if (type->enum_labels.empty()) {
    context.fail(sqlstate::kObjectNotInPrerequisiteState, "enum " + type->name + " contains no values");
    return nullptr;
  }
  return type;
}
int32_t end_label(FuncContext& context, const TypeInfo& type, Oid label) {
  return check_committed_label(context, type, label) ? static_cast<int32_t>(label) : 0;
}
int32_t enum_first(FuncContext& context, const CallInfo& call, std::optional<Datum>) {
  const auto type = enum_type(context, call);
  return type ? end_label(context, *type, type->enum_label_oids.front()) : 0;
}
int32_t enum_last(FuncContext& context, const CallInfo& call, std::optional<Datum>) {
  const auto type = enum_type(context, call);
  return type ? end_label(context, *type, type->enum_label_oids.back()) : 0;
}
Str labels_between(FuncContext& context, const CallInfo& call, std::optional<int32_t> from, std::optional<int32_t> to) {
  const auto type = enum_type(context, call);
  if (type == nullptr) return {};
  std::vector<Datum> labels;
  bool inside = !from;
  for (Oid label : type->enum_label_oids) {
    inside = inside || label == static_cast<Oid>(*from);
    if (inside) {
      if (!check_committed_label(context, *type, label)) return {};
      labels.push_back(Datum::of_oid(label));
    }
    if (inside && to && label == static_cast<Oid>(*to))
      return context.arena().copy(make_array(type->oid, Phys::kI32, labels));
  }
  if (to) labels.clear();  // `to` stands before `from`
  return context.arena().copy(make_array(type->oid, Phys::kI32, labels));
}
Str enum_range(FuncContext& context, const CallInfo& call, std::optional<int32_t> from, std::optional<int32_t> to) {
  return labels_between(context, call, from, to);
}
Str enum_range_all(FuncContext& context, const CallInfo& call, std::optional<Datum>) {
  return labels_between(context, call, {}, {});
}

const ScalarEntry kRecordEntries[] = {
    {"record_eq", kernel<record_eq>},
    {"record_ne", kernel<record_ne>},
    {"record_lt", kernel<record_lt>},
    {"record_le", kernel<record_le>},
    {"record_gt", kernel<record_gt>},
    {"record_ge", kernel<record_ge>},
    {"btrecordcmp", kernel<record_cmp>},
    {"enum_eq", kernel<enum_eq>},
    {"enum_ne", kernel<enum_ne>},
    {"enum_lt", kernel<enum_lt>},
    {"enum_le", kernel<enum_le>},
    {"enum_gt", kernel<enum_gt>},
    {"enum_ge", kernel<enum_ge>},
    {"enum_cmp", kernel<enum_cmp>},
    {"enum_larger", kernel<enum_larger>},
    {"enum_smaller", kernel<enum_smaller>},
    {"enum_first", kernel<enum_first>},
    {"enum_last", kernel<enum_last>},
    {"enum_range_bounds", kernel<enum_range>},
    {"enum_range_all", kernel<enum_range_all>},
};

}  // namespace

std::span<const ScalarEntry> record_functions() { return kRecordEntries; }

}  // namespace indigo::types
