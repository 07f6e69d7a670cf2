// citext's functions: comparisons under Collator::case_insensitive, which sorts and indexes use directly.
#include <algorithm>

#include "types/bytes/jenkins_hash.h"
#include "types/extension/citext/citext.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

int compare(Str a, Str b) { return Collator::case_insensitive().compare(a, b); }
int32_t sign(Str a, Str b) {
  const int order = compare(a, b);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}
bool equal(Str a, Str b) { return compare(a, b) == 0; }
bool not_equal(Str a, Str b) { return compare(a, b) != 0; }
bool less(Str a, Str b) { return compare(a, b) < 0; }
bool less_or_equal(Str a, Str b) { return compare(a, b) <= 0; }
bool greater(Str a, Str b) { return compare(a, b) > 0; }
bool greater_or_equal(Str a, Str b) { return compare(a, b) >= 0; }
Str smaller(Str a, Str b) { return compare(a, b) < 0 ? a : b; }
Str larger(Str a, Str b) { return compare(a, b) > 0 ? a : b; }

std::string small(Str text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}
int32_t hash(Str text) { return static_cast<int32_t>(hash_bytes(small(text), 0).c); }
int64_t hash_extended(Str text, int64_t seed) {
  const JenkinsHash h = hash_bytes(small(text), static_cast<uint64_t>(seed));
  return static_cast<int64_t>(static_cast<uint64_t>(h.b) << 32 | h.c);
}

const ScalarEntry kFunctions[] = {
    {"citext_eq", kernel<equal>},
    {"citext_ne", kernel<not_equal>},
    {"citext_lt", kernel<less>},
    {"citext_le", kernel<less_or_equal>},
    {"citext_gt", kernel<greater>},
    {"citext_ge", kernel<greater_or_equal>},
    {"citext_cmp", kernel<sign>},
    {"citext_hash", kernel<hash>},
    {"citext_hash_extended", kernel<hash_extended>},
    {"citext_smaller", kernel<smaller>},
    {"citext_larger", kernel<larger>},
    {"citext_pattern_lt", kernel<less>},
    {"citext_pattern_le", kernel<less_or_equal>},
    {"citext_pattern_gt", kernel<greater>},
    {"citext_pattern_ge", kernel<greater_or_equal>},
    {"citext_pattern_cmp", kernel<sign>},
};

}  // namespace

const Extension& citext_extension() {
  static const std::string definitions = citext_definitions();
  static const Extension extension{.name = "citext",
                                   .version = "1.6",
                                   .comment = "data type for case-insensitive character strings",
                                   .schema = {},
                                   .required = {},
                                   .definitions = definitions,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
