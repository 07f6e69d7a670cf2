// Comparisons of the string types. All collations order by bytes so far (catalog/key_codec.h), which is the C collation.
#include "sql/func/compare.h"
#include "sql/func/families.h"
#include "sql/func/kernel.h"
#include "sql/func/text/strings.h"

namespace indigo::sql {

namespace {

int compare_bytes(Str a, Str b) { return a.compare(b); }
int compare_padded(Str a, Str b) { return without_trailing_blanks(a).compare(without_trailing_blanks(b)); }
// Lengths decide most inequalities.
bool equal_bytes(Str a, Str b) { return a == b; }
bool unequal_bytes(Str a, Str b) { return a != b; }

const ScalarEntry kEntries[] = {
    {"texteq", kernel<equal_bytes>},
    {"textne", kernel<unequal_bytes>},
    {"text_lt", kernel<Compare<compare_bytes>::lt>},
    {"text_le", kernel<Compare<compare_bytes>::le>},
    {"text_gt", kernel<Compare<compare_bytes>::gt>},
    {"text_ge", kernel<Compare<compare_bytes>::ge>},
    {"bttextcmp", kernel<Compare<compare_bytes>::cmp>},
    {"text_larger", kernel<Compare<compare_bytes>::larger>},
    {"text_smaller", kernel<Compare<compare_bytes>::smaller>},
    {"text_pattern_lt", kernel<Compare<compare_bytes>::lt>},
    {"text_pattern_le", kernel<Compare<compare_bytes>::le>},
    {"text_pattern_gt", kernel<Compare<compare_bytes>::gt>},
    {"text_pattern_ge", kernel<Compare<compare_bytes>::ge>},
    {"bttext_pattern_cmp", kernel<Compare<compare_bytes>::cmp>},
    {"nameeq", kernel<equal_bytes>},
    {"namene", kernel<unequal_bytes>},
    {"namelt", kernel<Compare<compare_bytes>::lt>},
    {"namele", kernel<Compare<compare_bytes>::le>},
    {"namegt", kernel<Compare<compare_bytes>::gt>},
    {"namege", kernel<Compare<compare_bytes>::ge>},
    {"btnamecmp", kernel<Compare<compare_bytes>::cmp>},
    {"nameeqtext", kernel<Compare<compare_bytes>::eq>},
    {"namenetext", kernel<Compare<compare_bytes>::ne>},
    {"namelttext", kernel<Compare<compare_bytes>::lt>},
    {"nameletext", kernel<Compare<compare_bytes>::le>},
    {"namegttext", kernel<Compare<compare_bytes>::gt>},
    {"namegetext", kernel<Compare<compare_bytes>::ge>},
    {"btnametextcmp", kernel<Compare<compare_bytes>::cmp>},
    {"texteqname", kernel<Compare<compare_bytes>::eq>},
    {"textnename", kernel<Compare<compare_bytes>::ne>},
    {"textltname", kernel<Compare<compare_bytes>::lt>},
    {"textlename", kernel<Compare<compare_bytes>::le>},
    {"textgtname", kernel<Compare<compare_bytes>::gt>},
    {"textgename", kernel<Compare<compare_bytes>::ge>},
    {"bttextnamecmp", kernel<Compare<compare_bytes>::cmp>},
    {"bpchareq", kernel<Compare<compare_padded>::eq>},
    {"bpcharne", kernel<Compare<compare_padded>::ne>},
    {"bpcharlt", kernel<Compare<compare_padded>::lt>},
    {"bpcharle", kernel<Compare<compare_padded>::le>},
    {"bpchargt", kernel<Compare<compare_padded>::gt>},
    {"bpcharge", kernel<Compare<compare_padded>::ge>},
    {"bpcharcmp", kernel<Compare<compare_padded>::cmp>},
    {"bpchar_larger", kernel<Compare<compare_padded>::larger>},
    {"bpchar_smaller", kernel<Compare<compare_padded>::smaller>},
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

std::span<const ScalarEntry> text_comparisons() { return kEntries; }

}  // namespace indigo::sql
