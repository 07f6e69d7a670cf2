// Comparisons of the string types, in C order and under other collations.
#include <algorithm>
#include <cstring>

#include "types/function/collation.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

// How far apart the first bytes are that differ; else which is longer.
int compare_bytes(Str a, Str b) {
  const size_t common = std::min(a.size(), b.size());
  const int c = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);  // an empty one may be at no address
  return c != 0 ? c : three_way(a.size(), b.size());
}
// Names end with a zero byte: an end differs from a letter by the letter.
int compare_names(Str a, Str b) {
  const size_t n = std::min(a.size(), b.size());
  const int c = std::memcmp(a.data(), b.data(), n);
  if (c != 0 || a.size() == b.size()) return c;
  return a.size() < b.size() ? -static_cast<uint8_t>(b[n]) : static_cast<uint8_t>(a[n]);
}
int compare_padded(Str a, Str b) { return compare_bytes(without_trailing_blanks(a), without_trailing_blanks(b)); }
// Lengths decide most inequalities.
bool equal_bytes(Str a, Str b) { return a == b; }
bool unequal_bytes(Str a, Str b) { return a != b; }

// Op is of Compare<>: what the sign of a comparison is asked for.
template <Str (*F)(Str)>
struct Collated {
  template <bool (*Op)(int)>
  static bool test(FuncContext& context, const CallInfo& call, Str a, Str b) {
    const Collator* c = collator_of(context, call);
    return c != nullptr && Op(c->compare(F(a), F(b)));
  }
  static int32_t cmp(FuncContext& context, const CallInfo& call, Str a, Str b) {
    const Collator* c = collator_of(context, call);
    return c == nullptr ? 0 : c->compare(F(a), F(b));
  }
  static Str larger(FuncContext& context, const CallInfo& call, Str a, Str b) {
    return cmp(context, call, a, b) > 0 ? a : b;
  }
  static Str smaller(FuncContext& context, const CallInfo& call, Str a, Str b) {
    return cmp(context, call, a, b) < 0 ? a : b;
  }
};
bool is_eq(int c) { return c == 0; }
bool is_ne(int c) { return c != 0; }
bool is_lt(int c) { return c < 0; }
bool is_le(int c) { return c <= 0; }
bool is_gt(int c) { return c > 0; }
bool is_ge(int c) { return c >= 0; }
Str whole(Str s) { return s; }
using Text = Collated<whole>;
using Padded = Collated<without_trailing_blanks>;

const ScalarEntry kTextCompareEntries[] = {
    {"texteq", by_equality<kernel<equal_bytes>, kernel<Text::test<is_eq>>>},
    {"textne", by_equality<kernel<unequal_bytes>, kernel<Text::test<is_ne>>>},
    {"text_lt", by_collation<kernel<Compare<compare_bytes>::lt>, kernel<Text::test<is_lt>>>},
    {"text_le", by_collation<kernel<Compare<compare_bytes>::le>, kernel<Text::test<is_le>>>},
    {"text_gt", by_collation<kernel<Compare<compare_bytes>::gt>, kernel<Text::test<is_gt>>>},
    {"text_ge", by_collation<kernel<Compare<compare_bytes>::ge>, kernel<Text::test<is_ge>>>},
    {"bttextcmp", by_collation<kernel<Compare<compare_bytes>::cmp>, kernel<Text::cmp>>},
    {"text_larger", by_collation<kernel<Compare<compare_bytes>::larger>, kernel<Text::larger>>},
    {"text_smaller", by_collation<kernel<Compare<compare_bytes>::smaller>, kernel<Text::smaller>>},
    {"text_pattern_lt", kernel<Compare<compare_bytes>::lt>},
    {"text_pattern_le", kernel<Compare<compare_bytes>::le>},
    {"text_pattern_gt", kernel<Compare<compare_bytes>::gt>},
    {"text_pattern_ge", kernel<Compare<compare_bytes>::ge>},
    {"bttext_pattern_cmp", kernel<Compare<compare_bytes>::cmp>},
    {"nameeq", by_equality<kernel<equal_bytes>, kernel<Text::test<is_eq>>>},
    {"namene", by_equality<kernel<unequal_bytes>, kernel<Text::test<is_ne>>>},
    {"namelt", by_collation<kernel<Compare<compare_bytes>::lt>, kernel<Text::test<is_lt>>>},
    {"namele", by_collation<kernel<Compare<compare_bytes>::le>, kernel<Text::test<is_le>>>},
    {"namegt", by_collation<kernel<Compare<compare_bytes>::gt>, kernel<Text::test<is_gt>>>},
    {"namege", by_collation<kernel<Compare<compare_bytes>::ge>, kernel<Text::test<is_ge>>>},
    {"btnamecmp", by_collation<kernel<Compare<compare_names>::cmp>, kernel<Text::cmp>>},
    {"nameeqtext", by_equality<kernel<Compare<compare_bytes>::eq>, kernel<Text::test<is_eq>>>},
    {"namenetext", by_equality<kernel<Compare<compare_bytes>::ne>, kernel<Text::test<is_ne>>>},
    {"namelttext", by_collation<kernel<Compare<compare_bytes>::lt>, kernel<Text::test<is_lt>>>},
    {"nameletext", by_collation<kernel<Compare<compare_bytes>::le>, kernel<Text::test<is_le>>>},
    {"namegttext", by_collation<kernel<Compare<compare_bytes>::gt>, kernel<Text::test<is_gt>>>},
    {"namegetext", by_collation<kernel<Compare<compare_bytes>::ge>, kernel<Text::test<is_ge>>>},
    {"btnametextcmp", by_collation<kernel<Compare<compare_bytes>::cmp>, kernel<Text::cmp>>},
    {"texteqname", by_equality<kernel<Compare<compare_bytes>::eq>, kernel<Text::test<is_eq>>>},
    {"textnename", by_equality<kernel<Compare<compare_bytes>::ne>, kernel<Text::test<is_ne>>>},
    {"textltname", by_collation<kernel<Compare<compare_bytes>::lt>, kernel<Text::test<is_lt>>>},
    {"textlename", by_collation<kernel<Compare<compare_bytes>::le>, kernel<Text::test<is_le>>>},
    {"textgtname", by_collation<kernel<Compare<compare_bytes>::gt>, kernel<Text::test<is_gt>>>},
    {"textgename", by_collation<kernel<Compare<compare_bytes>::ge>, kernel<Text::test<is_ge>>>},
    {"bttextnamecmp", by_collation<kernel<Compare<compare_bytes>::cmp>, kernel<Text::cmp>>},
    {"bpchareq", by_equality<kernel<Compare<compare_padded>::eq>, kernel<Padded::test<is_eq>>>},
    {"bpcharne", by_equality<kernel<Compare<compare_padded>::ne>, kernel<Padded::test<is_ne>>>},
    {"bpcharlt", by_collation<kernel<Compare<compare_padded>::lt>, kernel<Padded::test<is_lt>>>},
    {"bpcharle", by_collation<kernel<Compare<compare_padded>::le>, kernel<Padded::test<is_le>>>},
    {"bpchargt", by_collation<kernel<Compare<compare_padded>::gt>, kernel<Padded::test<is_gt>>>},
    {"bpcharge", by_collation<kernel<Compare<compare_padded>::ge>, kernel<Padded::test<is_ge>>>},
    {"bpcharcmp", by_collation<kernel<Compare<compare_padded>::cmp>, kernel<Padded::cmp>>},
    {"bpchar_larger", by_collation<kernel<Compare<compare_padded>::larger>, kernel<Padded::larger>>},
    {"bpchar_smaller", by_collation<kernel<Compare<compare_padded>::smaller>, kernel<Padded::smaller>>},
    {"bpchar_pattern_lt", kernel<Compare<compare_padded>::lt>},
    {"bpchar_pattern_le", kernel<Compare<compare_padded>::le>},
    {"bpchar_pattern_gt", kernel<Compare<compare_padded>::gt>},
    {"bpchar_pattern_ge", kernel<Compare<compare_padded>::ge>},
    {"btbpchar_pattern_cmp", kernel<Compare<compare_padded>::cmp>},
    {"byteaeq", kernel<equal_bytes>},
    {"byteane", kernel<unequal_bytes>},
    {"bytealt", kernel<Compare<compare_bytes>::lt>},
    {"byteale", kernel<Compare<compare_bytes>::le>},
    {"byteagt", kernel<Compare<compare_bytes>::gt>},
    {"byteage", kernel<Compare<compare_bytes>::ge>},
    {"byteacmp", kernel<Compare<compare_bytes>::cmp>},
};

}  // namespace

std::span<const ScalarEntry> text_comparisons() { return kTextCompareEntries; }

}  // namespace indigo::types
