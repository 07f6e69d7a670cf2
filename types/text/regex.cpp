#include "types/text/regex.h"

#include <algorithm>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/text/regex_steps.h"
#include "types/text/regex_translator.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

// RE2 has one code for [z-a] and [[:foo:]], and tells them apart by what it quotes.
const char* message_of(const re2::RE2& re) {
  const re2::RE2::ErrorCode code = re.error_code();
  if (code == re2::RE2::ErrorBadCharRange && re.error_arg().starts_with("[:")) return "invalid character class";
  switch (code) {
    case re2::RE2::ErrorMissingBracket: return "brackets [] not balanced";
    case re2::RE2::ErrorMissingParen:
    case re2::RE2::ErrorUnexpectedParen: return "parentheses () not balanced";
    case re2::RE2::ErrorRepeatArgument:
    case re2::RE2::ErrorRepeatOp: return "quantifier operand invalid";
    case re2::RE2::ErrorRepeatSize: return "invalid repetition count(s)";
    case re2::RE2::ErrorBadCharRange: return "invalid character range";
    case re2::RE2::ErrorBadCharClass: return "invalid character class";
    case re2::RE2::ErrorBadEscape:
    case re2::RE2::ErrorTrailingBackslash: return "invalid escape \\ sequence";
    case re2::RE2::ErrorPatternTooLarge: return "regular expression is too complex";
    default: return "invalid regular expression";
  }
}

// RE2's groups in a longest match are PostgreSQL's where there is no choice, and nothing in parentheses comes several times.
bool groups_may_differ(Str text) {
  for (size_t at = text.find_first_of("|)"); at != Str::npos; at = text.find_first_of("|)", at + 1))
    if (text[at] == '|' || (at + 1 < text.size() && Str("*+?{").find(text[at + 1]) != Str::npos)) return true;
  return false;
}

constexpr size_t kMaxPatternBytes = size_t{512} << 10;

std::string cache_key(Str pattern, const RegexFlags& f) {
  std::string key(1, static_cast<char>(f.ignore_case | f.literal << 1 | f.expanded << 2 | f.newline_stops << 3 |
                                       f.newline_anchors << 4 | f.unicode << 5));
  return key.append(pattern);
}

}  // namespace

struct RegexCache {
  static constexpr size_t kMaxPatterns = 100;
  std::unordered_map<std::string, Regex> patterns;
  std::string last_key;
  const Regex* last = nullptr;
  bool unicode = false;  // while a UnicodeRegexes lives

  const Regex* keep(FuncContext& context, std::string key, Regex regex) {
    if (patterns.size() >= kMaxPatterns) patterns.clear();
    Regex& made = patterns[key];
    made = std::move(regex);
    made.context_ = &context;
    last = &made;
    last_key = std::move(key);
    return last;
  }
};

UnicodeRegexes::UnicodeRegexes(FuncContext& context, bool wanted) {
  if (!wanted) return;
  flag_ = &context.cached<RegexCache>().unicode;
  before_ = std::exchange(*flag_, true);
}
UnicodeRegexes::~UnicodeRegexes() {
  if (flag_ != nullptr) *flag_ = before_;
}

bool parse_regex_flags(FuncContext& context, Str text, RegexFlags& flags) {
  for (size_t i = 0; i < text.size(); i++) {
    switch (text[i]) {
      case 'g': flags.global = true; break;
      case 'i': flags.ignore_case = true; break;
      case 'c': flags.ignore_case = false; break;
      case 'm':
      case 'n': flags.newline_stops = flags.newline_anchors = true; break;
      case 'p':
        flags.newline_stops = true;
        flags.newline_anchors = false;
        break;
      case 'w':
        flags.newline_stops = false;
        flags.newline_anchors = true;
        break;
      case 's': flags.newline_stops = flags.newline_anchors = false; break;
      case 'x': flags.expanded = true; break;
      case 't': flags.expanded = false; break;
      case 'q': flags.literal = true; break;
      case 'e':
      case 'b': break;
      default:
        context.fail(sqlstate::kInvalidParameterValue, "invalid regular expression option: \"" +
                                                           std::string(text.substr(i, utf8_length(text[i]))) + "\"");
        return false;
    }
  }
  return true;
}

const Regex* Regex::compile(FuncContext& context, Str pattern, const RegexFlags& wanted) {
  auto& cache = context.cached<RegexCache>();
  RegexFlags flags = wanted;
  flags.unicode = cache.unicode;
  std::string key = cache_key(pattern, flags);
  if (cache.last != nullptr && cache.last_key == key) return cache.last;
  const auto it = cache.patterns.find(key);
  if (it != cache.patterns.end()) {
    cache.last = &it->second;
    cache.last_key = std::move(key);
    return cache.last;
  }
  // What is longer would not fit into a machine either, and only reading it would take seconds.
  if (pattern.size() > kMaxPatternBytes) {
    context.fail(sqlstate::kInvalidRegularExpression, "invalid regular expression: regular expression is too complex");
    return nullptr;
  }
  const TranslatedRegex translated = translate_regex(pattern, flags);
  using Outcome = TranslatedRegex::Outcome;
  switch (translated.outcome) {
    case Outcome::kOk: break;
    case Outcome::kBadEscape:
      context.fail(sqlstate::kInvalidRegularExpression, "invalid regular expression: invalid escape \\ sequence");
      return nullptr;
    case Outcome::kBadRepeat:
      context.fail(sqlstate::kInvalidRegularExpression, "invalid regular expression: quantifier operand invalid");
      return nullptr;
  }
  if (translated.beyond_re2) {
    const char* error = nullptr;
    auto slow = BacktrackRegex::compile(
        translated.text,
        {flags.ignore_case, !flags.newline_stops, flags.newline_anchors, !translated.lazy, flags.unicode}, error);
    if (slow == nullptr) {
      context.fail(sqlstate::kInvalidRegularExpression, std::string("invalid regular expression: ") + error);
      return nullptr;
    }
    Regex made;
    made.slow_ = std::move(slow);
    return cache.keep(context, std::move(key), std::move(made));
  }
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_longest_match(!translated.lazy);
  options.set_dot_nl(!flags.newline_stops);
  const std::string prefix = flags.newline_anchors ? "(?m)" : "";
  Regex made;
  made.re_ = std::make_unique<re2::RE2>(prefix + translated.text, options);
  if (!made.re_->ok()) {
    context.fail(sqlstate::kInvalidRegularExpression,
                 std::string("invalid regular expression: ") + message_of(*made.re_));
    return nullptr;
  }
  if (translated.lazy || (made.groups() > 0 && groups_may_differ(translated.text)))
    made.parts_ = RegexParts::read(translated.text, prefix, options);
  if (made.parts_ != nullptr && made.parts_->prefers_shortest() == options.longest_match()) {
    options.set_longest_match(!options.longest_match());
    made.re_ = std::make_unique<re2::RE2>(prefix + translated.text, options);
  }
  return cache.keep(context, std::move(key), std::move(made));
}

bool Regex::find(Str text, size_t from, std::span<Str> found) const {
  if (slow_ != nullptr) {
    const BacktrackRegex::Outcome o = slow_->find(text, from, found);
    if (o == BacktrackRegex::Outcome::kTooComplex)
      context_->fail(sqlstate::kProgramLimitExceeded, "regular expression search is too complex");
    return o == BacktrackRegex::Outcome::kMatch;
  }
  note_work(text.size() - from);
  std::vector<re2::StringPiece> pieces(parts_ == nullptr ? found.size() : std::min<size_t>(found.size(), 1));
  const RegexSteps steps(re_->ProgramSize());
  if (!re_->Match(re2::StringPiece(text.data(), text.size()), from, text.size(), re2::RE2::UNANCHORED, pieces.data(),
                  static_cast<int>(pieces.size())))
    return false;
  if (parts_ == nullptr) {
    for (size_t i = 0; i < found.size(); i++) found[i] = Str(pieces[i].data(), pieces[i].size());
    return true;
  }
  if (found.empty()) return true;
  const auto begin = static_cast<size_t>(pieces[0].data() - text.data());
  size_t end = begin + pieces[0].size();
  if (parts_->prefers_shortest()) end = parts_->shortest(text, begin, end);
  found[0] = text.substr(begin, end - begin);
  if (found.size() > 1) parts_->find_groups(text, begin, end, found);
  return true;
}

std::string similar_to_regex(FuncContext& context, Str pattern, Str escape) {
  std::string out = "^(?:";
  bool after_escape = false;
  int bracket_depth = 0, quotes = 0;
  bool bracket_start = false;
  for (size_t i = 0; i < pattern.size();) {
    const Str c = pattern.substr(i, utf8_length(pattern[i]));
    i += c.size();
    note_work(16);
    if (after_escape) {
      if (c == "\"" && bracket_depth == 0) {
        // #" ... #" marks what substring() returns.
        if (quotes == 0) {
          out.append("){1,1}?(");
        } else if (quotes == 1) {
          out.append("){1,1}(?:");
        } else {
          context.fail(SqlState("2200C"),
                       "SQL regular expression may not contain more than two escape-double-quote separators");
          return out;
        }
        quotes++;
      } else {
        out.push_back('\\');
        out.append(c);
      }
      after_escape = false;
    } else if (!escape.empty() && c == escape) {
      after_escape = true;
    } else if (bracket_depth > 0) {
      if (c == "\\") out.push_back('\\');
      out.append(c);
      if (c == "]" && !bracket_start) bracket_depth--;
      if (c != "^") bracket_start = false;
    } else if (c == "[") {
      out.append(c);
      bracket_depth++;
      bracket_start = true;
    } else if (c == "%") {
      out.append(".*");
    } else if (c == "_") {
      out.push_back('.');
    } else if (c == "(") {
      out.append("(?:");
    } else if (c == "\\" || c == "." || c == "^" || c == "$") {
      out.push_back('\\');
      out.append(c);
    } else {
      out.append(c);
    }
  }
  return out.append(")$");
}

}  // namespace indigo::types
