// The regular expression operators and functions, SIMILAR TO, and the string_to_array family's splitting by pattern.
#include <algorithm>

#include "base/utf8.h"
#include "types/function/collation.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/oids.h"
#include "types/set/producer.h"
#include "types/text/ascii.h"
#include "types/text/regex.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

template <bool kFold, bool kNegated>
bool matches(FuncContext& context, Str text, Str pattern) {
  const Regex* re = Regex::compile(context, pattern, RegexFlags{.ignore_case = kFold});
  return re != nullptr && re->find(text, 0, {}) != kNegated;
}

// A match: the whole, then its groups.
struct Found {
  std::vector<Str> parts;
  size_t begin(Str text) const { return static_cast<size_t>(parts[0].data() - text.data()); }
  size_t end(Str text) const { return begin(text) + parts[0].size(); }
};

// Calls visit(found) for each match from byte `from` on until it returns false.
template <class Visit>
void for_each_match(FuncContext& context, const Regex& re, Str text, size_t from, const Visit& visit) {
  Found found{std::vector<Str>(static_cast<size_t>(re.groups()) + 1)};
  uint32_t count = 0;
  while (from <= text.size() && re.find(text, from, found.parts)) {
    if (!visit(found) || (++count % 256 == 0 && interrupted(context))) return;
    const size_t end = found.end(text);
    from = found.parts[0].empty() ? (end < text.size() ? end + utf8_length(text[end]) : text.size() + 1) : end;
  }
}

const Regex* compile(FuncContext& context, Str pattern, Str flag_text, RegexFlags& flags) {
  return parse_regex_flags(context, flag_text, flags) ? Regex::compile(context, pattern, flags) : nullptr;
}
// For functions where 'g' makes no sense.
bool refuse_global(FuncContext& context, const RegexFlags& flags, const char* function, const char* hint = nullptr) {
  if (!flags.global) return false;
  Error error(sqlstate::kInvalidParameterValue, std::string(function) + " does not support the \"global\" option");
  if (hint != nullptr) error.hint = hint;
  context.fail(std::move(error));
  return true;
}
bool check_positive(FuncContext& context, int32_t v, const char* name) {
  if (v > 0) return true;
  context.fail(sqlstate::kInvalidParameterValue,
               std::string("invalid value for parameter \"") + name + "\": " + std::to_string(v));
  return false;
}

// ---- regexp_replace
void append_replacement(Str replacement, const Found& found, std::string& out) {
  for (size_t i = 0; i < replacement.size(); i++) {
    const char c = replacement[i];
    if (c != '\\' || i + 1 == replacement.size()) {
      out.push_back(c);
      continue;
    }
    const char next = replacement[++i];
    if (next == '&') {
      out.append(found.parts[0]);
    } else if (next >= '1' && next <= '9') {
      const auto group = static_cast<size_t>(next - '0');
      if (group < found.parts.size()) out.append(found.parts[group]);
    } else if (next == '\\') {
      out.push_back('\\');
    } else {
      out.push_back('\\');
      out.push_back(next);
    }
  }
}
// Replaces the nth match from byte `from`, or all from there when n is 0.
Str replace_matches(FuncContext& context, const Regex& re, Str text, Str replacement, size_t from, int32_t n) {
  std::string out;
  size_t copied = 0;
  int32_t count = 0;
  bool any = false;
  for_each_match(context, re, text, from, [&](const Found& found) {
    if (++count < n) return true;
    out.append(text, copied, found.begin(text) - copied);
    append_replacement(replacement, found, out);
    copied = found.end(text);
    any = true;
    return check_text_bytes(context, out.size()) && n == 0;
  });
  if (!any) return text;
  return concatenate(context, out, text.substr(copied));
}
Str replace_first(FuncContext& context, Str text, Str pattern, Str replacement) {
  const Regex* re = Regex::compile(context, pattern, {});
  return re == nullptr ? Str() : replace_matches(context, *re, text, replacement, 0, 1);
}
Str replace_flags(FuncContext& context, Str text, Str pattern, Str replacement, Str flag_text) {
  if (!flag_text.empty() && is_digit(flag_text[0])) {
    context.fail(Error(sqlstate::kInvalidParameterValue,
                       "invalid regular expression option: \"" + std::string(flag_text.substr(0, 1)) + "\"")
                     .with_hint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument "
                                "to integer explicitly."));
    return {};
  }
  RegexFlags flags;
  const Regex* re = compile(context, pattern, flag_text, flags);
  return re == nullptr ? Str() : replace_matches(context, *re, text, replacement, 0, flags.global ? 0 : 1);
}
Str replace_extended(FuncContext& context, Str text, Str pattern, Str replacement, int32_t start, int32_t n,
                     Str flag_text) {
  if (!check_positive(context, start, "start")) return {};
  if (n < 0) {
    (void)check_positive(context, n, "n");
    return {};
  }
  RegexFlags flags;
  const Regex* re = compile(context, pattern, flag_text, flags);
  return re == nullptr ? Str() : replace_matches(context, *re, text, replacement, utf8_offset(text, start - 1), n);
}
Str replace_extended_no_flags(FuncContext& context, Str text, Str pattern, Str replacement, int32_t start, int32_t n) {
  return replace_extended(context, text, pattern, replacement, start, n, "");
}
Str replace_extended_no_n(FuncContext& context, Str text, Str pattern, Str replacement, int32_t start) {
  return replace_extended(context, text, pattern, replacement, start, 1, "");
}

// ---- regexp_match, regexp_matches: arrays of the groups, or of the whole match
Str groups_array(FuncContext& context, const Found& found) {
  std::vector<Datum> elements;
  for (size_t i = found.parts.size() > 1 ? 1 : 0; i < found.parts.size(); i++)
    elements.push_back(found.parts[i].data() == nullptr ? Datum::make_null(Phys::kStr) : Datum::of(found.parts[i]));
  return context.arena().copy(make_array(oid::kText, Phys::kStr, elements));
}
std::optional<Str> match_flags(FuncContext& context, Str text, Str pattern, Str flag_text) {
  RegexFlags flags;
  const Regex* re = compile(context, pattern, flag_text, flags);
  if (re == nullptr || refuse_global(context, flags, "regexp_match()", "Use the regexp_matches function instead."))
    return {};
  std::optional<Str> result;
  for_each_match(context, *re, text, 0, [&](const Found& found) {
    result = groups_array(context, found);
    return false;
  });
  return result;
}
std::optional<Str> match(FuncContext& context, Str text, Str pattern) {
  return match_flags(context, text, pattern, "");
}

std::unique_ptr<SetProducer> open_matches(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  RegexFlags flags;
  const Regex* re = compile(context, arguments[1].str, arguments.size() > 2 ? arguments[2].str : Str(), flags);
  if (re == nullptr) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for_each_match(context, *re, arguments[0].str, 0, [&](const Found& found) {
    rows->add_in_turn({rows->text(groups_array(context, found))});
    return flags.global;
  });
  return rows;
}

// ---- splitting: empty matches at the ends and right after a match do not split
std::vector<Str> split(FuncContext& context, const Regex& re, Str text) {
  std::vector<Str> pieces;
  size_t from = 0;
  for_each_match(context, re, text, 0, [&](const Found& found) {
    if (found.begin(text) < text.size() && found.end(text) > from) {
      pieces.push_back(text.substr(from, found.begin(text) - from));
      from = found.end(text);
    }
    return true;
  });
  pieces.push_back(text.substr(from));
  return pieces;
}
Str split_to_array_flags(FuncContext& context, Str text, Str pattern, Str flag_text) {
  RegexFlags flags;
  const Regex* re = compile(context, pattern, flag_text, flags);
  if (re == nullptr || refuse_global(context, flags, "regexp_split_to_array()")) return {};
  std::vector<Datum> elements;
  for (Str piece : split(context, *re, text)) elements.push_back(Datum::of(piece));
  return context.arena().copy(make_array(oid::kText, Phys::kStr, elements));
}
Str split_to_array(FuncContext& context, Str text, Str pattern) {
  return split_to_array_flags(context, text, pattern, "");
}
std::unique_ptr<SetProducer> open_split(FuncContext& context, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  RegexFlags flags;
  const Regex* re = compile(context, arguments[1].str, arguments.size() > 2 ? arguments[2].str : Str(), flags);
  if (re == nullptr || refuse_global(context, flags, "regexp_split_to_table()")) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (Str piece : split(context, *re, arguments[0].str)) rows->add_in_turn({rows->text(piece)});
  return rows;
}

// ---- regexp_count, _instr, _like, _substr
int32_t count_flags(FuncContext& context, Str text, Str pattern, int32_t start, Str flag_text) {
  RegexFlags flags;
  if (!check_positive(context, start, "start")) return 0;
  const Regex* re = compile(context, pattern, flag_text, flags);
  if (re == nullptr || refuse_global(context, flags, "regexp_count()")) return 0;
  int32_t count = 0;
  if (start - 1 > utf8_count(text)) return 0;
  for_each_match(context, *re, text, utf8_offset(text, start - 1), [&](const Found&) { return ++count > 0; });
  return count;
}
int32_t count_from(FuncContext& context, Str text, Str pattern, int32_t start) {
  return count_flags(context, text, pattern, start, "");
}
int32_t count_all(FuncContext& context, Str text, Str pattern) { return count_flags(context, text, pattern, 1, ""); }

// The nth match from `start` and its part `group`; false when there is none or that part took none.
bool nth_match(FuncContext& context, Str text, Str pattern, int32_t start, int32_t n, Str flag_text, int32_t group,
               const char* function, Str& out) {
  RegexFlags flags;
  if (!check_positive(context, start, "start") || !check_positive(context, n, "n")) return false;
  if (group < 0) {
    (void)check_positive(context, group, "subexpr");
    return false;
  }
  const Regex* re = compile(context, pattern, flag_text, flags);
  if (re == nullptr || refuse_global(context, flags, function) || group > re->groups()) return false;
  if (start - 1 > utf8_count(text)) return false;
  bool any = false;
  for_each_match(context, *re, text, utf8_offset(text, start - 1), [&](const Found& found) {
    if (--n > 0) return true;
    out = found.parts[static_cast<size_t>(group)];
    any = out.data() != nullptr;
    return false;
  });
  return any;
}
int32_t instr_full(FuncContext& context, Str text, Str pattern, int32_t start, int32_t n, int32_t end_option,
                   Str flag_text, int32_t group) {
  if (start <= 0 || n <= 0) {
    (void)(check_positive(context, start, "start") && check_positive(context, n, "n"));
    return 0;
  }
  if (end_option != 0 && end_option != 1) {
    context.fail(sqlstate::kInvalidParameterValue,
                 "invalid value for parameter \"endoption\": " + std::to_string(end_option));
    return 0;
  }
  Str found;
  if (!nth_match(context, text, pattern, start, n, flag_text, group, "regexp_instr()", found)) return 0;
  const size_t at = static_cast<size_t>(found.data() - text.data()) + (end_option == 1 ? found.size() : 0);
  return static_cast<int32_t>(utf8_count(text.substr(0, at))) + 1;
}
int32_t instr2(FuncContext& c, Str t, Str p) { return instr_full(c, t, p, 1, 1, 0, "", 0); }
int32_t instr3(FuncContext& c, Str t, Str p, int32_t s) { return instr_full(c, t, p, s, 1, 0, "", 0); }
int32_t instr4(FuncContext& c, Str t, Str p, int32_t s, int32_t n) { return instr_full(c, t, p, s, n, 0, "", 0); }
int32_t instr5(FuncContext& c, Str t, Str p, int32_t s, int32_t n, int32_t e) {
  return instr_full(c, t, p, s, n, e, "", 0);
}
int32_t instr6(FuncContext& c, Str t, Str p, int32_t s, int32_t n, int32_t e, Str f) {
  return instr_full(c, t, p, s, n, e, f, 0);
}

bool like_flags(FuncContext& context, Str text, Str pattern, Str flag_text) {
  RegexFlags flags;
  const Regex* re = compile(context, pattern, flag_text, flags);
  return re != nullptr && !refuse_global(context, flags, "regexp_like()") && re->find(text, 0, {});
}
bool matches_like(FuncContext& context, Str text, Str pattern) { return like_flags(context, text, pattern, ""); }

std::optional<Str> substr_full(FuncContext& context, Str text, Str pattern, int32_t start, int32_t n, Str flag_text,
                               int32_t group) {
  Str found;
  return nth_match(context, text, pattern, start, n, flag_text, group, "regexp_substr()", found)
             ? std::optional<Str>(found)
             : std::nullopt;
}
std::optional<Str> substr2(FuncContext& c, Str t, Str p) { return substr_full(c, t, p, 1, 1, "", 0); }
std::optional<Str> substr3(FuncContext& c, Str t, Str p, int32_t s) { return substr_full(c, t, p, s, 1, "", 0); }
std::optional<Str> substr4(FuncContext& c, Str t, Str p, int32_t s, int32_t n) {
  return substr_full(c, t, p, s, n, "", 0);
}
std::optional<Str> substr5(FuncContext& c, Str t, Str p, int32_t s, int32_t n, Str f) {
  return substr_full(c, t, p, s, n, f, 0);
}

// substring(text from pattern): the first group, else the whole match.
std::optional<Str> substring_pattern(FuncContext& context, Str text, Str pattern) {
  const Regex* re = Regex::compile(context, pattern, {});
  if (re == nullptr) return {};
  std::optional<Str> result;
  for_each_match(context, *re, text, 0, [&](const Found& found) {
    const Str part = found.parts[found.parts.size() > 1 ? 1 : 0];
    if (part.data() != nullptr) result = part;
    return false;
  });
  return result;
}

// ---- SIMILAR TO
std::string checked_similar(FuncContext& context, Str pattern, Str escape) {
  if (!escape.empty() && utf8_length(escape[0]) != escape.size()) {
    context.fail(Error(sqlstate::kInvalidEscapeSequence, "invalid escape string")
                     .with_hint("Escape string must be empty or one character."));
    return {};
  }
  return similar_to_regex(context, pattern, escape);
}
std::string similar_default(FuncContext& context, Str pattern) { return similar_to_regex(context, pattern, "\\"); }
std::optional<std::string> similar_escape_nullable(FuncContext& context, std::optional<Str> pattern,
                                                   std::optional<Str> escape) {
  if (!pattern) return {};
  return checked_similar(context, *pattern, escape.value_or("\\"));
}
std::optional<Str> substring_similar(FuncContext& context, Str text, Str pattern, Str escape) {
  const std::string regex = checked_similar(context, pattern, escape);
  return context.failed() ? std::nullopt : substring_pattern(context, text, regex);
}

// Under other collations than C letters are Unicode's.
bool has_text_beyond_ascii(std::span<const Vector* const> arguments, Selection selection) {
  for (const Vector* v : arguments) {
    if (v->phys() != Phys::kStr) continue;
    for (uint32_t i = 0; i < selection.count; i++)
      if (!v->is_null(selection[i]) && !is_ascii(v->datum(selection[i]).str)) return true;
  }
  return false;
}

template <ScalarKernel kKernel>
void under_collation(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                     Selection selection, Vector& out) {
  const Letters* const letters = letters_of(context, call, "regular expression");
  if (context.failed()) return;
  if (letters == nullptr) return kKernel(context, call, arguments, selection, out);
  if (!check_deterministic(context, call, kRegularExpressions)) return;
  const UnicodeRegexes unicode(context, has_text_beyond_ascii(arguments, selection));
  kKernel(context, call, arguments, selection, out);
}

template <std::unique_ptr<SetProducer> (*kOpen)(FuncContext&, const CallInfo&, std::span<const Datum>)>
std::unique_ptr<SetProducer> set_under_collation(FuncContext& context, const CallInfo& call,
                                                 std::span<const Datum> arguments) {
  const Letters* const letters = letters_of(context, call, "regular expression");
  if (context.failed()) return empty_set();
  if (any_null(arguments) || letters == nullptr) return kOpen(context, call, arguments);
  if (!check_deterministic(context, call, kRegularExpressions)) return empty_set();
  const UnicodeRegexes unicode(context, !is_ascii(arguments[0].str) || !is_ascii(arguments[1].str));
  return kOpen(context, call, arguments);
}

const ScalarEntry kRegexEntries[] = {
    {"textregexeq", under_collation<kernel<matches<false, false>>>},
    {"textregexne", under_collation<kernel<matches<false, true>>>},
    {"texticregexeq", under_collation<kernel<matches<true, false>>>},
    {"texticregexne", under_collation<kernel<matches<true, true>>>},
    {"nameregexeq", under_collation<kernel<matches<false, false>>>},
    {"nameregexne", under_collation<kernel<matches<false, true>>>},
    {"nameicregexeq", under_collation<kernel<matches<true, false>>>},
    {"nameicregexne", under_collation<kernel<matches<true, true>>>},
    {"textregexreplace_noopt", under_collation<kernel<replace_first>>},
    {"textregexreplace", under_collation<kernel<replace_flags>>},
    {"textregexreplace_extended", under_collation<kernel<replace_extended>>},
    {"textregexreplace_extended_no_flags", under_collation<kernel<replace_extended_no_flags>>},
    {"textregexreplace_extended_no_n", under_collation<kernel<replace_extended_no_n>>},
    {"regexp_match", under_collation<kernel<match_flags>>},
    {"regexp_match_no_flags", under_collation<kernel<match>>},
    {"regexp_split_to_array", under_collation<kernel<split_to_array_flags>>},
    {"regexp_split_to_array_no_flags", under_collation<kernel<split_to_array>>},
    {"regexp_count", under_collation<kernel<count_flags>>},
    {"regexp_count_no_flags", under_collation<kernel<count_from>>},
    {"regexp_count_no_start", under_collation<kernel<count_all>>},
    {"regexp_instr", under_collation<kernel<instr_full>>},
    {"regexp_instr_no_start", under_collation<kernel<instr2>>},
    {"regexp_instr_no_n", under_collation<kernel<instr3>>},
    {"regexp_instr_no_endoption", under_collation<kernel<instr4>>},
    {"regexp_instr_no_flags", under_collation<kernel<instr5>>},
    {"regexp_instr_no_subexpr", under_collation<kernel<instr6>>},
    {"regexp_like", under_collation<kernel<like_flags>>},
    {"regexp_like_no_flags", under_collation<kernel<matches_like>>},
    {"regexp_substr", under_collation<kernel<substr_full>>},
    {"regexp_substr_no_start", under_collation<kernel<substr2>>},
    {"regexp_substr_no_n", under_collation<kernel<substr3>>},
    {"regexp_substr_no_flags", under_collation<kernel<substr4>>},
    {"regexp_substr_no_subexpr", under_collation<kernel<substr5>>},
    {"textregexsubstr", under_collation<kernel<substring_pattern>>},
    {"similar_to_escape_1", under_collation<kernel<similar_default>>},
    {"similar_to_escape_2", under_collation<kernel<checked_similar>>},
    {"similar_escape", under_collation<kernel<similar_escape_nullable>>},
    {"substring(text,text,text)", under_collation<kernel<substring_similar>>},
};
const SetEntry kSets[] = {
    {"regexp_matches", set_under_collation<open_matches>},
    {"regexp_matches_no_flags", set_under_collation<open_matches>},
    {"regexp_split_to_table", set_under_collation<open_split>},
    {"regexp_split_to_table_no_flags", set_under_collation<open_split>},
};

}  // namespace

std::span<const ScalarEntry> regex_functions() { return kRegexEntries; }
std::span<const SetEntry> regex_sets() { return kSets; }

}  // namespace indigo::types
