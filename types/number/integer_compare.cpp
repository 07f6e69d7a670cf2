// Comparisons of integers, oids, booleans and "char".
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

// btint2cmp answers how far apart the values are, the other sizes only the sign.
int difference(int16_t a, int16_t b) { return a - b; }
int compare_oid(int32_t a, int32_t b) { return three_way(static_cast<uint32_t>(a), static_cast<uint32_t>(b)); }
int compare_unsigned(int64_t a, int64_t b) { return three_way(static_cast<uint64_t>(a), static_cast<uint64_t>(b)); }
// "char" as an unsigned byte; its empty form is zero.
int compare_char(Str a, Str b) {
  const auto byte = [](Str s) { return s.empty() ? uint8_t{0} : static_cast<uint8_t>(s[0]); };
  return byte(a) - byte(b);
}
bool bool_and(bool a, bool b) { return a && b; }
bool bool_or(bool a, bool b) { return a || b; }

// RANGE frames' test: is `v` within `offset` of `base`, on the side that `before` and `less` say?
template <class T, class Offset>
bool in_range(FuncContext& context, T v, T base, Offset offset, bool before, bool less) {
  if (offset < 0) {
    context.fail(SqlState("22013"), "invalid preceding or following size in window function");
    return false;
  }
  int64_t bound = 0;
  const bool overflow = before ? __builtin_sub_overflow(int64_t{base}, int64_t{offset}, &bound)
                               : __builtin_add_overflow(int64_t{base}, int64_t{offset}, &bound);
  if (overflow) return before ? !less : less;
  return less ? v <= bound : v >= bound;
}

const ScalarEntry kIntegerCompareEntries[] = {
    {"in_range_int2_int2", kernel<in_range<int16_t, int16_t>>},
    {"in_range_int2_int4", kernel<in_range<int16_t, int32_t>>},
    {"in_range_int2_int8", kernel<in_range<int16_t, int64_t>>},
    {"in_range_int4_int2", kernel<in_range<int32_t, int16_t>>},
    {"in_range_int4_int4", kernel<in_range<int32_t, int32_t>>},
    {"in_range_int4_int8", kernel<in_range<int32_t, int64_t>>},
    {"in_range_int8_int8", kernel<in_range<int64_t, int64_t>>},
    {"int2eq", kernel<Compare<three_way<int16_t, int16_t>>::eq>},
    {"int2ne", kernel<Compare<three_way<int16_t, int16_t>>::ne>},
    {"int2lt", kernel<Compare<three_way<int16_t, int16_t>>::lt>},
    {"int2le", kernel<Compare<three_way<int16_t, int16_t>>::le>},
    {"int2gt", kernel<Compare<three_way<int16_t, int16_t>>::gt>},
    {"int2ge", kernel<Compare<three_way<int16_t, int16_t>>::ge>},
    {"btint2cmp", kernel<Compare<difference>::cmp>},
    {"int24eq", kernel<Compare<three_way<int16_t, int32_t>>::eq>},
    {"int24ne", kernel<Compare<three_way<int16_t, int32_t>>::ne>},
    {"int24lt", kernel<Compare<three_way<int16_t, int32_t>>::lt>},
    {"int24le", kernel<Compare<three_way<int16_t, int32_t>>::le>},
    {"int24gt", kernel<Compare<three_way<int16_t, int32_t>>::gt>},
    {"int24ge", kernel<Compare<three_way<int16_t, int32_t>>::ge>},
    {"btint24cmp", kernel<Compare<three_way<int16_t, int32_t>>::cmp>},
    {"int28eq", kernel<Compare<three_way<int16_t, int64_t>>::eq>},
    {"int28ne", kernel<Compare<three_way<int16_t, int64_t>>::ne>},
    {"int28lt", kernel<Compare<three_way<int16_t, int64_t>>::lt>},
    {"int28le", kernel<Compare<three_way<int16_t, int64_t>>::le>},
    {"int28gt", kernel<Compare<three_way<int16_t, int64_t>>::gt>},
    {"int28ge", kernel<Compare<three_way<int16_t, int64_t>>::ge>},
    {"btint28cmp", kernel<Compare<three_way<int16_t, int64_t>>::cmp>},
    {"int42eq", kernel<Compare<three_way<int32_t, int16_t>>::eq>},
    {"int42ne", kernel<Compare<three_way<int32_t, int16_t>>::ne>},
    {"int42lt", kernel<Compare<three_way<int32_t, int16_t>>::lt>},
    {"int42le", kernel<Compare<three_way<int32_t, int16_t>>::le>},
    {"int42gt", kernel<Compare<three_way<int32_t, int16_t>>::gt>},
    {"int42ge", kernel<Compare<three_way<int32_t, int16_t>>::ge>},
    {"btint42cmp", kernel<Compare<three_way<int32_t, int16_t>>::cmp>},
    {"int4eq", kernel<Compare<three_way<int32_t, int32_t>>::eq>},
    {"int4ne", kernel<Compare<three_way<int32_t, int32_t>>::ne>},
    {"int4lt", kernel<Compare<three_way<int32_t, int32_t>>::lt>},
    {"int4le", kernel<Compare<three_way<int32_t, int32_t>>::le>},
    {"int4gt", kernel<Compare<three_way<int32_t, int32_t>>::gt>},
    {"int4ge", kernel<Compare<three_way<int32_t, int32_t>>::ge>},
    {"btint4cmp", kernel<Compare<three_way<int32_t, int32_t>>::cmp>},
    {"int48eq", kernel<Compare<three_way<int32_t, int64_t>>::eq>},
    {"int48ne", kernel<Compare<three_way<int32_t, int64_t>>::ne>},
    {"int48lt", kernel<Compare<three_way<int32_t, int64_t>>::lt>},
    {"int48le", kernel<Compare<three_way<int32_t, int64_t>>::le>},
    {"int48gt", kernel<Compare<three_way<int32_t, int64_t>>::gt>},
    {"int48ge", kernel<Compare<three_way<int32_t, int64_t>>::ge>},
    {"btint48cmp", kernel<Compare<three_way<int32_t, int64_t>>::cmp>},
    {"int82eq", kernel<Compare<three_way<int64_t, int16_t>>::eq>},
    {"int82ne", kernel<Compare<three_way<int64_t, int16_t>>::ne>},
    {"int82lt", kernel<Compare<three_way<int64_t, int16_t>>::lt>},
    {"int82le", kernel<Compare<three_way<int64_t, int16_t>>::le>},
    {"int82gt", kernel<Compare<three_way<int64_t, int16_t>>::gt>},
    {"int82ge", kernel<Compare<three_way<int64_t, int16_t>>::ge>},
    {"btint82cmp", kernel<Compare<three_way<int64_t, int16_t>>::cmp>},
    {"int84eq", kernel<Compare<three_way<int64_t, int32_t>>::eq>},
    {"int84ne", kernel<Compare<three_way<int64_t, int32_t>>::ne>},
    {"int84lt", kernel<Compare<three_way<int64_t, int32_t>>::lt>},
    {"int84le", kernel<Compare<three_way<int64_t, int32_t>>::le>},
    {"int84gt", kernel<Compare<three_way<int64_t, int32_t>>::gt>},
    {"int84ge", kernel<Compare<three_way<int64_t, int32_t>>::ge>},
    {"btint84cmp", kernel<Compare<three_way<int64_t, int32_t>>::cmp>},
    {"int8eq", kernel<Compare<three_way<int64_t, int64_t>>::eq>},
    {"int8ne", kernel<Compare<three_way<int64_t, int64_t>>::ne>},
    {"int8lt", kernel<Compare<three_way<int64_t, int64_t>>::lt>},
    {"int8le", kernel<Compare<three_way<int64_t, int64_t>>::le>},
    {"int8gt", kernel<Compare<three_way<int64_t, int64_t>>::gt>},
    {"int8ge", kernel<Compare<three_way<int64_t, int64_t>>::ge>},
    {"btint8cmp", kernel<Compare<three_way<int64_t, int64_t>>::cmp>},
    {"oideq", kernel<Compare<compare_oid>::eq>},
    {"oidne", kernel<Compare<compare_oid>::ne>},
    {"oidlt", kernel<Compare<compare_oid>::lt>},
    {"oidle", kernel<Compare<compare_oid>::le>},
    {"oidgt", kernel<Compare<compare_oid>::gt>},
    {"oidge", kernel<Compare<compare_oid>::ge>},
    {"btoidcmp", kernel<Compare<compare_oid>::cmp>},
    {"oidlarger", kernel<Compare<compare_oid>::larger>},
    {"oidsmaller", kernel<Compare<compare_oid>::smaller>},
    {"booleq", kernel<Compare<three_way<bool>>::eq>},
    {"boolne", kernel<Compare<three_way<bool>>::ne>},
    {"boollt", kernel<Compare<three_way<bool>>::lt>},
    {"boolle", kernel<Compare<three_way<bool>>::le>},
    {"boolgt", kernel<Compare<three_way<bool>>::gt>},
    {"boolge", kernel<Compare<three_way<bool>>::ge>},
    {"btboolcmp", kernel<Compare<three_way<bool>>::cmp>},
    {"chareq", kernel<Compare<compare_char>::eq>},
    {"charne", kernel<Compare<compare_char>::ne>},
    {"charlt", kernel<Compare<compare_char>::lt>},
    {"charle", kernel<Compare<compare_char>::le>},
    {"chargt", kernel<Compare<compare_char>::gt>},
    {"charge", kernel<Compare<compare_char>::ge>},
    {"btcharcmp", kernel<Compare<compare_char>::cmp>},
    {"pg_lsn_eq", kernel<Compare<compare_unsigned>::eq>},
    {"pg_lsn_ne", kernel<Compare<compare_unsigned>::ne>},
    {"pg_lsn_lt", kernel<Compare<compare_unsigned>::lt>},
    {"pg_lsn_le", kernel<Compare<compare_unsigned>::le>},
    {"pg_lsn_gt", kernel<Compare<compare_unsigned>::gt>},
    {"pg_lsn_ge", kernel<Compare<compare_unsigned>::ge>},
    {"pg_lsn_cmp", kernel<Compare<compare_unsigned>::cmp>},
    {"pg_lsn_larger", kernel<Compare<compare_unsigned>::larger>},
    {"pg_lsn_smaller", kernel<Compare<compare_unsigned>::smaller>},
    {"xid8eq", kernel<Compare<compare_unsigned>::eq>},
    {"xid8ne", kernel<Compare<compare_unsigned>::ne>},
    {"xid8lt", kernel<Compare<compare_unsigned>::lt>},
    {"xid8le", kernel<Compare<compare_unsigned>::le>},
    {"xid8gt", kernel<Compare<compare_unsigned>::gt>},
    {"xid8ge", kernel<Compare<compare_unsigned>::ge>},
    {"xid8cmp", kernel<Compare<compare_unsigned>::cmp>},
    {"xid8_larger", kernel<Compare<compare_unsigned>::larger>},
    {"xid8_smaller", kernel<Compare<compare_unsigned>::smaller>},
    {"cash_eq", kernel<Compare<three_way<int64_t>>::eq>},
    {"cash_ne", kernel<Compare<three_way<int64_t>>::ne>},
    {"cash_lt", kernel<Compare<three_way<int64_t>>::lt>},
    {"cash_le", kernel<Compare<three_way<int64_t>>::le>},
    {"cash_gt", kernel<Compare<three_way<int64_t>>::gt>},
    {"cash_ge", kernel<Compare<three_way<int64_t>>::ge>},
    {"cash_cmp", kernel<Compare<three_way<int64_t>>::cmp>},
    {"cashlarger", kernel<Compare<three_way<int64_t>>::larger>},
    {"cashsmaller", kernel<Compare<three_way<int64_t>>::smaller>},
    {"xideq", kernel<Compare<compare_oid>::eq>},
    {"xidneq", kernel<Compare<compare_oid>::ne>},
    {"cideq", kernel<Compare<compare_oid>::eq>},
    {"booland_statefunc", kernel<bool_and>},
    {"boolor_statefunc", kernel<bool_or>},
};

}  // namespace

std::span<const ScalarEntry> integer_comparisons() { return kIntegerCompareEntries; }

}  // namespace indigo::types
