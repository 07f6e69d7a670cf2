// LIKE and ILIKE. In C order ILIKE folds ASCII letters only; under other collations both sides become lower case first.
#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/utf8.h"
#include "types/function/collation.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/text/ascii.h"
#include "types/text/find.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

constexpr char kIlike[] = "ILIKE";

enum class Match : uint8_t { kYes, kNo, kBadEscape };

// Bytes of a pattern that stand for themselves, from `p` on.
size_t plain_bytes(Str pattern, size_t p) { return std::min(pattern.find_first_of("%_\\", p), pattern.size()) - p; }

// `%` remembers where it stood and takes one character more at each failure; only the last one needs to be remembered. What
// stands for itself behind it is searched for at once: a character's first byte is found nowhere within another character.
template <bool kFold, bool kBytes>
Match like(Str text, Str pattern) {
  size_t t = 0, p = 0, star_p = Str::npos, star_t = 0;
  size_t star_plain = 0;  // how much of the pattern behind `%` is searched for
  const auto same = [](char a, char b) { return kFold ? ascii_lower(a) == ascii_lower(b) : a == b; };
  while (true) {
    if (p < pattern.size()) {
      char c = pattern[p];
      if (c == '%') {
        star_p = ++p;
        star_t = t;
        if (p == pattern.size()) return Match::kYes;
        if constexpr (kFold) continue;
        star_plain = plain_bytes(pattern, p);
        if (star_plain == 0) continue;
        if (p + star_plain == pattern.size()) {
          const bool is_end = text.size() - t >= star_plain && text.ends_with(pattern.substr(p));
          return is_end ? Match::kYes : Match::kNo;
        }
        star_t = find_in(text, pattern.substr(p, star_plain), star_t);
        if (star_t == Str::npos) return Match::kNo;
        t = star_t + star_plain;
        p += star_plain;
        continue;
      }
      const bool escaped = c == '\\';
      if (escaped) {
        // Behind `%` and `%__` it is looked for first, wherever it could stand.
        const bool sought = star_p <= p && pattern.substr(star_p, p - star_p).find_first_not_of('_') == Str::npos;
        if (p + 1 == pattern.size()) return t < text.size() || sought ? Match::kBadEscape : Match::kNo;
        c = pattern[p + 1];
      }
      if (t < text.size()) {
        if (c == '_' && !escaped) {
          t += kBytes ? 1 : utf8_length(text[t]);
          p++;
          continue;
        }
        if (same(c, text[t])) {
          t++;
          p += escaped ? 2 : 1;
          continue;
        }
      }
    } else if (t >= text.size()) {
      return Match::kYes;
    }
    if (star_p == Str::npos || star_t >= text.size()) return Match::kNo;
    note_work(t - star_t + 4);
    star_t += kBytes ? 1 : utf8_length(text[star_t]);
    if (star_plain != 0) {
      star_t = find_in(text, pattern.substr(star_p, star_plain), star_t);
      if (star_t == Str::npos) return Match::kNo;
    }
    t = star_t + star_plain;
    p = star_p + star_plain;
  }
}

template <bool kFold, bool kBytes, bool kNegated>
bool matches(FuncContext& context, Str text, Str pattern) {
  const Match m = like<kFold, kBytes>(text, pattern);
  if (m == Match::kBadEscape)
    context.fail(sqlstate::kInvalidEscapeSequence, "LIKE pattern must not end with escape character");
  return (m == Match::kYes) != kNegated;
}

template <bool kNegated>
bool matches_folded(FuncContext& context, const CallInfo& call, Str text, Str pattern) {
  const Letters* letters = letters_of(context, call, "ILIKE");
  if (letters == nullptr || !check_deterministic(context, call, kIlike)) return false;
  return matches<false, false, kNegated>(context, letters->fold(text, Letters::Case::kLower),
                                         letters->fold(pattern, Letters::Case::kLower));
}

// LIKE ... ESCAPE: the pattern with backslash as its escape.
Str with_backslash(FuncContext& context, Str pattern, Str escape) {
  if (escape == "\\") return pattern;
  std::string out;
  if (escape.empty()) return context.arena().copy(replace_all(pattern, "\\", "\\\\"));
  if (utf8_length(escape[0]) != escape.size()) {
    context.fail(Error(sqlstate::kInvalidEscapeSequence, "invalid escape string")
                     .with_hint("Escape string must be empty or one character."));
    return {};
  }
  bool after_escape = false;
  for (size_t i = 0; i < pattern.size();) {
    const Str c = pattern.substr(i, utf8_length(pattern[i]));
    i += c.size();
    if (c == escape && !after_escape) {
      out.push_back('\\');
      after_escape = true;
    } else {
      if (c == "\\" && !after_escape) out.push_back('\\');
      out.append(c);
      after_escape = false;
    }
  }
  return context.arena().copy(out);
}

const ScalarEntry kLikeEntries[] = {
    {"textlike", deterministic_only<kernel<matches<false, false, false>>, kLike>},
    {"textnlike", deterministic_only<kernel<matches<false, false, true>>, kLike>},
    {"texticlike", by_letters<kernel<matches<true, false, false>>, kernel<matches_folded<false>>>},
    {"texticnlike", by_letters<kernel<matches<true, false, true>>, kernel<matches_folded<true>>>},
    {"namelike", deterministic_only<kernel<matches<false, false, false>>, kLike>},
    {"namenlike", deterministic_only<kernel<matches<false, false, true>>, kLike>},
    {"nameiclike", by_letters<kernel<matches<true, false, false>>, kernel<matches_folded<false>>>},
    {"nameicnlike", by_letters<kernel<matches<true, false, true>>, kernel<matches_folded<true>>>},
    {"bytealike", kernel<matches<false, true, false>>},
    {"byteanlike", kernel<matches<false, true, true>>},
    {"like_escape", kernel<with_backslash>},
    {"like_escape_bytea", kernel<with_backslash>},
};

}  // namespace

std::span<const ScalarEntry> like_functions() { return kLikeEntries; }

}  // namespace indigo::types
