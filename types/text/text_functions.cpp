// Functions of text, varchar, bpchar and name. In C order (the database's own) upper, lower and initcap know ASCII letters
// only; ICU collations know them all.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/turns.h"
#include "base/name.h"
#include "base/utf8.h"
#include "types/function/collation.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/text/ascii.h"
#include "types/text/find.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

Str same(Str s) { return s; }
Str fail_length(FuncContext& context) {
  context.fail(sqlstate::kProgramLimitExceeded, "requested length too large");
  return {};
}

int32_t length(Str s) { return static_cast<int32_t>(utf8_count(s)); }
int32_t length_without_padding(Str s) { return length(without_trailing_blanks(s)); }
int32_t byte_length(Str s) { return static_cast<int32_t>(s.size()); }
int32_t bit_length(Str s) { return static_cast<int32_t>(s.size() * 8); }

template <char (*F)(char)>
Str map_case(FuncContext& context, Str s) {
  char* to = static_cast<char*>(context.arena().allocate(s.size(), 1));
  for (size_t i = 0; i < s.size(); i++) to[i] = F(s[i]);
  return {to, s.size()};
}
std::string capitalize(Str s) {
  std::string out(s);
  bool inside = false;
  for (char& c : out) {
    c = inside ? ascii_lower(c) : ascii_upper(c);
    inside = is_alnum(c);
  }
  return out;
}

template <Letters::Case kTo>
std::string fold(FuncContext& context, const CallInfo& call, Str s) {
  constexpr const char* kNames[] = {"upper() function", "lower() function", "initcap() function"};
  const Letters* letters = letters_of(context, call, kNames[static_cast<int>(kTo)]);
  return letters == nullptr ? std::string() : letters->fold(s, kTo);
}

Str substring_checked(FuncContext& context, Str s, int32_t start, int32_t count) {
  if (count < 0 && int64_t{start} + count < start) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return {};
  }
  return substring(s, start, count);
}
Str substring_to_end(Str s, int32_t start) { return substring_from(s, start); }

Str overlay_count(FuncContext& context, Str s, Str with, int32_t start, int32_t count) {
  if (start <= 0) {
    context.fail(sqlstate::kSubstringError, "negative substring length not allowed");
    return {};
  }
  int32_t end;
  if (__builtin_add_overflow(start, count, &end)) {
    fail_int4_range(context);
    return {};
  }
  return concatenate(context, concatenate(context, substring(s, 1, start - 1), with), substring_from(s, end));
}
Str overlay(FuncContext& context, Str s, Str with, int32_t start) {
  return overlay_count(context, s, with, start, length(with));
}

// ---- trimming by a set of characters
Str without_leading(Str s, const CharactersOf& set) {
  while (!s.empty()) {
    const size_t n = utf8_length(s[0]);
    if (!set.contains(s.substr(0, n))) break;
    s.remove_prefix(n);
  }
  return s;
}
Str without_trailing(Str s, const CharactersOf& set) {
  while (!s.empty()) {
    size_t at = s.size() - 1;
    while (at > 0 && utf8_continuation(s[at])) at--;
    if (!set.contains(s.substr(at))) break;
    s = s.substr(0, at);
  }
  return s;
}
Str trim_left(Str s, Str set) { return without_leading(s, CharactersOf(set)); }
Str trim_right(Str s, Str set) { return without_trailing(s, CharactersOf(set)); }
Str trim_both(Str s, Str set) {
  const CharactersOf characters(set);
  return without_trailing(without_leading(s, characters), characters);
}
Str trim_left_blanks(Str s) { return s.substr(std::min(s.find_first_not_of(' '), s.size())); }
Str trim_right_blanks(Str s) { return without_trailing_blanks(s); }
Str trim_blanks_both(Str s) { return without_trailing_blanks(trim_left_blanks(s)); }

// ---- padding
std::string padding(Str fill, int64_t characters) {
  std::string out;
  for (size_t i = 0; characters > 0 && !fill.empty(); characters--) {
    const size_t n = utf8_length(fill[i]);
    out.append(fill, i, n);
    i = i + n >= fill.size() ? 0 : i + n;
  }
  return out;
}
template <bool kLeft>
Str pad(FuncContext& context, Str s, int32_t width, Str fill) {
  width = std::max(width, 0);
  const int64_t have = utf8_count(s);
  if (fill.empty()) width = static_cast<int32_t>(std::min<int64_t>(width, have));
  if (static_cast<size_t>(width) * 4 > kMaxTextBytes) return fail_length(context);
  if (have >= width || fill.empty()) return substring(s, 1, std::min<int64_t>(width, have));
  const std::string extra = padding(fill, width - have);
  return kLeft ? concatenate(context, extra, s) : concatenate(context, s, extra);
}
template <bool kLeft>
Str pad_blank(FuncContext& context, Str s, int32_t width) {
  return pad<kLeft>(context, s, width, " ");
}

Str left(Str s, int32_t n) { return substring(s, 1, n >= 0 ? n : std::max<int64_t>(utf8_count(s) + n, 0)); }
Str right(Str s, int32_t n) {
  const int64_t have = utf8_count(s);
  // The negation of the smallest integer is itself, in PostgreSQL: nothing is skipped.
  const int64_t skip = n >= 0           ? std::max<int64_t>(have - n, 0)
                       : n == INT32_MIN ? 0
                                        : std::min<int64_t>(-int64_t{n}, have);
  return substring_from(s, skip + 1);
}
Str reverse(FuncContext& context, Str s) {
  char* to = static_cast<char*>(context.arena().allocate(s.size(), 1));
  char* at = to + s.size();
  Turns turns;
  for (size_t i = 0; i < s.size();) {
    const size_t n = std::min(utf8_length(s[i]), s.size() - i);
    turns.work(4);
    at -= n;
    std::memcpy(at, s.data() + i, n);
    i += n;
  }
  return {to, s.size()};
}
Str repeat(FuncContext& context, Str s, int32_t count) {
  count = std::max(count, 0);
  if (s.size() * static_cast<uint64_t>(count) > kMaxTextBytes) return fail_length(context);
  const size_t total = s.size() * static_cast<size_t>(count);
  char* to = static_cast<char*>(context.arena().allocate(total, 1));
  if (total > 0) std::memcpy(to, s.data(), s.size());
  constexpr size_t kAtOnce = size_t{4} << 20;
  Turns turns;
  for (size_t done = s.size(); done < total;) {
    const size_t more = std::min({done, total - done, std::max(kAtOnce / s.size() * s.size(), s.size())});
    turns.work(more / 2);
    std::memcpy(to + done, to, more);
    done += more;
  }
  return {to, total};
}
Str replace(FuncContext& context, Str s, Str from, Str to) {
  if (from.empty() || find_in(s, from) == Str::npos) return s;
  std::string out;
  size_t at = 0, count = 0;
  for (size_t hit; (hit = find_in(s, from, at)) != Str::npos; at = hit + from.size()) {
    out.append(s, at, hit - at).append(to);
    if (!check_text_bytes(context, out.size()) || (++count % 4096 == 0 && interrupted(context))) return {};
  }
  return concatenate(context, out, s.substr(at));
}
std::string translate(Str s, Str from, Str to) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    const size_t n = utf8_length(s[i]);
    const Str character = s.substr(i, n);
    i += n;
    size_t f = 0, t = 0;
    note_work(from.size() + 4);
    while (f < from.size() && from.substr(f, utf8_length(from[f])) != character) {
      f += utf8_length(from[f]);
      if (t < to.size()) t += utf8_length(to[t]);
    }
    if (f >= from.size()) {
      out.append(character);
    } else if (t < to.size()) {
      out.append(to.substr(t, utf8_length(to[t])));
    }
  }
  return out;
}

Str split_part(FuncContext& context, Str s, Str separator, int32_t field) {
  if (field == 0) {
    context.fail(sqlstate::kInvalidParameterValue, "field position must not be zero");
    return {};
  }
  if (separator.empty()) return field == 1 || field == -1 ? s : Str();
  if (field < 0) {
    int64_t fields = 1;
    for (size_t at = 0; (at = find_in(s, separator, at)) != Str::npos; at += separator.size()) fields++;
    if (-int64_t{field} > fields) return {};
    field = static_cast<int32_t>(fields + field + 1);
  }
  size_t from = 0;
  for (; field > 1; field--) {
    const size_t hit = find_in(s, separator, from);
    if (hit == Str::npos) return {};
    from = hit + separator.size();
  }
  return s.substr(from, std::min(find_in(s, separator, from), s.size()) - from);
}

// What PostgreSQL answers before it searches, and so under any collation; else the search is refused.
template <class T>
T refuse_search(FuncContext& context) {
  context.fail(sqlstate::kFeatureNotSupported, "nondeterministic collations are not supported for substring searches");
  return {};
}
int32_t position_without_search(FuncContext& context, Str s, Str needle) {
  if (needle.empty()) return 1;
  return s.size() < needle.size() ? 0 : refuse_search<int32_t>(context);
}
Str replaced_without_search(FuncContext& context, Str s, Str from, Str) {
  return s.empty() || from.empty() ? s : refuse_search<Str>(context);
}
Str part_without_search(FuncContext& context, Str s, Str separator, int32_t field) {
  return field == 0 || s.empty() || separator.empty() ? split_part(context, s, separator, field)
                                                      : refuse_search<Str>(context);
}

int32_t ascii(Str s) { return s.empty() ? 0 : static_cast<int32_t>(utf8_decode(s, 0)); }
std::string chr(FuncContext& context, int32_t code) {
  if (code < 0) {
    context.fail(sqlstate::kInvalidParameterValue, "character number must be positive");
    return {};
  }
  if (code == 0) {
    context.fail(sqlstate::kProgramLimitExceeded, "null character not permitted");
    return {};
  }
  std::string out;
  if (code > 0x10FFFF) {
    context.fail(sqlstate::kProgramLimitExceeded,
                 "requested character too large for encoding: " + std::to_string(code));
    return {};
  }
  utf8_append(static_cast<uint32_t>(code), out);
  if (find_invalid_text(out) != std::string_view::npos)
    context.fail(sqlstate::kProgramLimitExceeded,
                 "requested character not valid for encoding: " + std::to_string(code));
  return out;
}

template <class T>
std::string to_hex(T v) {
  auto bits = static_cast<std::make_unsigned_t<T>>(v);
  std::string out;
  do {
    out.insert(out.begin(), "0123456789abcdef"[bits & 15]);
    bits >>= 4;
  } while (bits != 0);
  return out;
}

std::string quote_ident(Str s) { return quote_identifier(s); }
std::string quote_lit(Str s) { return quote_literal(s); }
std::string quote_nullable(std::optional<Str> s) { return s ? quote_literal(*s) : "NULL"; }
std::string as_text(FuncContext& context, const CallInfo& call, const Datum& v) {
  std::string text;
  type_output(context, call.arguments[0], v, text);
  return text;
}
std::string quote_any(FuncContext& context, const CallInfo& call, Datum v) {
  return quote_literal(as_text(context, call, v));
}
std::string quote_any_nullable(FuncContext& context, const CallInfo& call, std::optional<Datum> v) {
  return v ? quote_literal(as_text(context, call, *v)) : "NULL";
}

bool starts_with(Str s, Str prefix) { return s.starts_with(prefix); }
int32_t text_position(Str s, Str needle) { return position_of(s, needle); }

// ---- length coercions: varchar(n), bpchar(n), name
Str varchar_to_length(FuncContext& context, Str s, int32_t typmod, bool is_explicit) {
  const int64_t limit = int64_t{typmod} - 4;
  if (limit < 0 || static_cast<int64_t>(s.size()) <= limit) return s;
  const Str cut = s.substr(0, utf8_offset(s, limit));
  if (!is_explicit && s.find_first_not_of(' ', cut.size()) != Str::npos)
    context.fail(sqlstate::kStringDataRightTruncation,
                 "value too long for type character varying(" + std::to_string(limit) + ")");
  return cut;
}
Str bpchar_to_length(FuncContext& context, Str s, int32_t typmod, bool is_explicit) {
  if (typmod < 4) return s;
  const int64_t limit = typmod - 4;
  const int64_t have = utf8_count(s);
  if (limit > std::max<int64_t>(have, kMaxTextBytes)) {
    context.fail(sqlstate::kInternalError, "invalid memory alloc request size " + std::to_string(limit + 4));
    return s;
  }
  if (have < limit) return concatenate(context, s, std::string(static_cast<size_t>(limit - have), ' '));
  const Str cut = s.substr(0, utf8_offset(s, limit));
  if (!is_explicit && s.find_first_not_of(' ', cut.size()) != Str::npos)
    context.fail(sqlstate::kStringDataRightTruncation,
                 "value too long for type character(" + std::to_string(limit) + ")");
  return cut;
}
Str to_name(Str s) { return clip_name(s); }
Str padded_to_name(Str s) { return without_trailing_blanks(to_name(s)); }
Str to_char(FuncContext& context, Str s) {
  const char c = char_from_text(s);
  return context.arena().copy({&c, 1});
}
// Bytes beyond ASCII are no characters: \201.
std::string char_to_text(Str s) {
  if (s.empty() || s[0] == '\0') return {};
  return static_cast<uint8_t>(s[0]) < 0x80 ? std::string(s.substr(0, 1)) : encode_escape(s.substr(0, 1));
}
Str bool_to_text(bool v) { return v ? "true" : "false"; }
int32_t char_to_int4(Str s) { return s.empty() ? 0 : static_cast<int8_t>(s[0]); }
Str int4_to_char(FuncContext& context, int32_t v) {
  if (v < -128 || v > 127) context.fail(sqlstate::kNumericValueOutOfRange, "\"char\" out of range");
  const char c = static_cast<char>(v);
  return context.arena().copy({&c, 1});
}
std::string name_concat_oid(Str name, int32_t oid) {
  const std::string suffix = "_" + std::to_string(static_cast<uint32_t>(oid));
  return std::string(utf8_clip(name, kMaxNameBytes - suffix.size())) + suffix;
}

std::string any_text(FuncContext& context, const TypeRef& type, const Datum& v) {
  std::string text;
  type_output(context, type, v, text);
  return text;
}
std::string any_then_text(FuncContext& context, const CallInfo& call, Datum a, Str b) {
  return any_text(context, call.arguments[0], a).append(b);
}
std::string text_then_any(FuncContext& context, const CallInfo& call, Str a, Datum b) {
  return std::string(a) + any_text(context, call.arguments[1], b);
}

const ScalarEntry kTextEntries[] = {
    {"textlen", kernel<length>},
    {"bpcharlen", kernel<length_without_padding>},
    {"textoctetlen", kernel<byte_length>},
    {"bpcharoctetlen", kernel<byte_length>},
    {"byteaoctetlen", kernel<byte_length>},
    {"bit_length(text)", kernel<bit_length>},
    {"bit_length(bytea)", kernel<bit_length>},
    {"lower", by_letters<kernel<map_case<ascii_lower>>, kernel<fold<Letters::Case::kLower>>>},
    {"upper", by_letters<kernel<map_case<ascii_upper>>, kernel<fold<Letters::Case::kUpper>>>},
    {"initcap", by_letters<kernel<capitalize>, kernel<fold<Letters::Case::kTitle>>>},
    {"textcat", kernel<concatenate>},
    {"byteacat", kernel<concatenate>},
    {"text_substr", kernel<substring_checked>},
    {"text_substr_no_len", kernel<substring_to_end>},
    {"textoverlay", kernel<overlay_count>},
    {"textoverlay_no_len", kernel<overlay>},
    {"textpos", by_determinism<kernel<text_position>, kernel<position_without_search>>},
    {"text_starts_with", deterministic_only<kernel<starts_with>, kSubstringSearches>},
    {"ltrim", kernel<trim_left>},
    {"ltrim1", kernel<trim_left_blanks>},
    {"rtrim", kernel<trim_right>},
    {"rtrim1", kernel<trim_right_blanks>},
    {"btrim", kernel<trim_both>},
    {"btrim1", kernel<trim_blanks_both>},
    {"lpad", kernel<pad<true>>},
    {"rpad", kernel<pad<false>>},
    {"lpad(text,int4)", kernel<pad_blank<true>>},
    {"rpad(text,int4)", kernel<pad_blank<false>>},
    {"text_left", kernel<left>},
    {"text_right", kernel<right>},
    {"text_reverse", kernel<reverse>},
    {"repeat", kernel<repeat>},
    {"replace_text", by_determinism<kernel<replace>, kernel<replaced_without_search>>},
    {"translate", kernel<translate>},
    {"split_part", by_determinism<kernel<split_part>, kernel<part_without_search>>},
    {"ascii", kernel<ascii>},
    {"chr", kernel<chr>},
    {"to_hex32", kernel<to_hex<int32_t>>},
    {"to_hex64", kernel<to_hex<int64_t>>},
    {"quote_ident", kernel<quote_ident>},
    {"quote_literal", kernel<quote_lit>},
    {"quote_nullable", kernel<quote_nullable>},
    {"quote_literal(anyelement)", kernel<quote_any>},
    {"quote_nullable(anyelement)", kernel<quote_any_nullable>},
    {"anytextcat(anynonarray,text)", kernel<any_then_text>},
    {"textanycat(text,anynonarray)", kernel<text_then_any>},
    {"varchar", kernel<varchar_to_length>},
    {"bpchar", kernel<bpchar_to_length>},
    {"name_text", kernel<same>},
    {"name_bpchar", kernel<same>},
    {"text_name", kernel<to_name>},
    {"bpchar_name", kernel<padded_to_name>},
    {"text_char", kernel<to_char>},
    {"char_text", kernel<char_to_text>},
    {"char_bpchar", kernel<char_to_text>},
    {"booltext", kernel<bool_to_text>},
    {"chartoi4", kernel<char_to_int4>},
    {"i4tochar", kernel<int4_to_char>},
    {"nameconcatoid", kernel<name_concat_oid>},
};

}  // namespace

std::span<const ScalarEntry> text_functions() { return kTextEntries; }

}  // namespace indigo::types
