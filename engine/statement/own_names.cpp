#include "engine/statement/own_names.h"

#include <algorithm>
#include <array>
#include <functional>

#include <absl/strings/ascii.h>

#include "sql/parse/name_roles.h"
#include "types/text/keyword_table.h"
#include "types/text/keywords.h"

namespace indigo::engine {

namespace {

constexpr size_t kMostWords = 64, kMostTokens = 512;
constexpr size_t kNameBytes = 63;     // longer ones are cut
constexpr char kNameMarker = '\x10';  // before the name's number; no text that is cached has such bytes

enum class WordKind : uint8_t { kName, kReserved, kKeyword };

struct KnownWord {
  WordKind kind = WordKind::kName;
  bool ends_name = true;  // a name behind it may be one that is given
};

// By the keyword's number.
const std::vector<KnownWord>& keywords_known() {
  static const auto* const known = [] {
    static constexpr std::array<std::string_view, 7> kBeforeNames = {"by",      "of",     "over",  "set",
                                                                     "between", "escape", "update"};
    auto* made = new std::vector<KnownWord>;
    for (const types::Keyword& keyword : types::keywords()) {
      const bool reserved = keyword.category == 'R' || keyword.category == 'T';
      const bool before = std::find(kBeforeNames.begin(), kBeforeNames.end(), keyword.word) != kBeforeNames.end();
      made->push_back({reserved ? WordKind::kReserved : WordKind::kKeyword, !reserved && !before});
    }
    return made;
  }();
  return *known;
}

// What is no keyword is a name.
KnownWord known_word(std::string_view folded, uint32_t hash) {
  const int keyword = types::find_keyword(folded, hash);
  return keyword < 0 ? KnownWord() : keywords_known()[static_cast<size_t>(keyword)];
}

// What a character is to words: those that begin one are letters of some kind, those of which a name may not be lifted are odd.
enum CharBits : uint8_t { kBlank = 1, kBegins = 2, kContinues = 4, kOdd = 8 };

constexpr std::array<uint8_t, 256> make_char_bits() {
  std::array<uint8_t, 256> bits{};
  for (int c = 'a'; c <= 'z'; c++) bits[static_cast<size_t>(c)] = kBegins | kContinues;
  for (int c = 'A'; c <= 'Z'; c++) bits[static_cast<size_t>(c)] = kBegins | kContinues | kOdd;
  for (int c = 128; c < 256; c++) bits[static_cast<size_t>(c)] = kBegins | kContinues | kOdd;
  for (int c = '0'; c <= '9'; c++) bits[static_cast<size_t>(c)] = kContinues;
  bits['_'] = kBegins | kContinues;
  bits['$'] = kContinues;
  for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) bits[static_cast<uint8_t>(c)] = kBlank;
  return bits;
}
constexpr auto kCharBits = make_char_bits();

uint8_t bits_of(char c) { return kCharBits[static_cast<uint8_t>(c)]; }
bool is_literal(char c) { return c > 0 && c < kNameMarker && bits_of(c) != kBlank; }

class NameScanner {
 public:
  NameScanner(const ScannedText& scanned, LiftedNames& out) : scanned_(scanned), text_(scanned.key), out_(out) {}

  bool run() {
    if (!scan()) return false;
    for (size_t i = 0; i < tokens_; i++) judge(i);
    bool any = false;
    for (size_t i = 0; i < words_; i++) any |= word_[i].lifts = word_[i].lifts && word_[i].given;
    if (any) write();
    return any;
  }

 private:
  // Neither has initializers: the arrays are as long as they can get, and only what a text has is set.
  struct Word {
    const char* begin;  // folded
    uint32_t size;
    uint32_t hash;
    WordKind kind;
    bool ends_name;
    bool is_as;
    bool lifts;
    bool given;  // stands where names are given
    uint32_t times;
    int number;

    std::string_view text() const { return {begin, size}; }
  };
  struct Token {
    char kind;  // 'w' a word, '"' a quoted name, or the character
    uint32_t begin, end;
    uint32_t word;
  };

  // False for what is not followed here: comments, too many words.
  bool scan() {
    const std::string_view text = text_;
    for (size_t at = 0; at < text.size();) {
      const char c = text[at];
      const uint8_t bits = bits_of(c);
      if (bits == kBlank) {
        at++;
        continue;
      }
      if ((bits & kBegins) != 0) {
        at = add_word(at);
      } else if (c == '"') {
        const size_t end = text.find('"', at + 1) + 1;
        if (end == 0 || (end < text.size() && text[end] == '"')) return false;
        add_quoted(at, end);
        at = end;
      } else {
        const char next = at + 1 < text.size() ? text[at + 1] : '\0';
        if ((c == '-' && next == '-') || (c == '/' && next == '*')) return false;
        add_token(c, at, at + 1, 0);
        at++;
      }
      if (words_ > kMostWords || tokens_ > kMostTokens) return false;
    }
    return true;
  }

  void add_token(char kind, size_t begin, size_t end, uint32_t word) {
    token_[tokens_++] = {kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), word};
  }

  // Answers where it ends.
  size_t add_word(size_t begin) {
    const std::string_view whole = text_;
    size_t end = begin;
    uint32_t hash = types::kWordHashBegin;
    uint8_t all = 0;
    for (; end < whole.size(); end++) {
      const uint8_t bits = bits_of(whole[end]);
      if ((bits & kContinues) == 0) break;
      all |= bits;
      hash = types::add_to_word_hash(hash, whole[end]);
    }
    std::string_view text = whole.substr(begin, end - begin);
    const bool odd = (all & kOdd) != 0;
    if (odd) text = fold(text, hash);
    const uint32_t number = word_of(text, hash);
    Word& word = word_[number];
    if (odd || text.size() > kNameBytes) word.lifts = false;
    word.times++;
    add_token('w', begin, end, number);
    return end;
  }

  // The hash becomes that of the answer.
  std::string_view fold(std::string_view text, uint32_t& hash) {
    if (folded_.empty()) folded_.resize(text_.size());  // words refer to it
    char* const to = folded_.data() + folds_;
    folds_ += text.size();
    hash = types::kWordHashBegin;
    for (size_t i = 0; i < text.size(); i++) {
      to[i] = absl::ascii_tolower(static_cast<unsigned char>(text[i]));
      hash = types::add_to_word_hash(hash, to[i]);
    }
    return {to, text.size()};
  }

  // A quoted name that could be without its quotes is the same name.
  void add_quoted(size_t begin, size_t end) {
    const std::string_view text = text_.substr(begin + 1, end - begin - 2);
    bool plain = !text.empty() && text.size() <= kNameBytes && (bits_of(text[0]) & kBegins) != 0;
    for (const char c : text) plain = plain && (bits_of(c) & (kContinues | kOdd)) == kContinues;
    const uint32_t number = word_of(text, types::word_hash(text));
    Word& word = word_[number];
    word.times++;
    if (!plain) word.lifts = false;
    add_token(plain && word.kind == WordKind::kName ? 'w' : '"', begin, end, number);
  }

  uint32_t word_of(std::string_view text, uint32_t hash) {
    size_t place = hash % kPlaces;
    for (; places_[place] != 0; place = (place + 1) % kPlaces) {
      const Word& known = word_[places_[place] - 1U];
      if (known.hash == hash && known.text() == text) return places_[place] - 1U;
    }
    const KnownWord known = known_word(text, hash);
    const bool lifts = known.kind == WordKind::kName && text != "excluded";  // which ON CONFLICT calls so
    const auto size = static_cast<uint32_t>(text.size());
    word_[words_] = {text.data(), size, hash, known.kind, known.ends_name, text == "as", lifts, false, 0, -1};
    places_[place] = static_cast<uint8_t>(++words_);
    return static_cast<uint32_t>(words_ - 1);
  }

  char kind(size_t i) const { return i < tokens_ ? token_[i].kind : '\0'; }

  // Whether the word at `i` stands where a lifted one may.
  void judge(size_t i) {
    if (token_[i].kind != 'w') return;
    Word& word = word_[token_[i].word];
    if (!word.lifts) return;
    const char before = i == 0 ? '\0' : token_[i - 1].kind;
    const char after = kind(i + 1);
    const Word* previous = before == 'w' ? &word_[token_[i - 1].word] : nullptr;
    const bool behind_as = previous != nullptr && previous->is_as;
    if (before == '.' || (after == '(' && !behind_as)) {
      word.lifts = false;
    } else if (after == '.') {
      const char part = kind(i + 2), next = kind(i + 3);
      word.lifts = (part == 'w' || part == '"' || part == '*') && next != '.' && next != '(';
    } else if (previous != nullptr) {
      word.given = word.given || behind_as || previous->ends_name;
    } else {
      word.given = word.given || before == '"' || before == ')' || is_literal(before);
    }
  }

  void write() {
    ScannedText& scanned = out_.scanned;
    scanned.cacheable = scanned_.cacheable;
    scanned.lifts = scanned_.lifts;
    scanned.literals = scanned_.literals;
    scanned.raw = scanned_.raw;
    scanned.key.clear();
    out_.times.clear();
    size_t copied = 0;
    for (size_t i = 0; i < tokens_; i++) {
      const Token& token = token_[i];
      if (token.kind != 'w' || !word_[token.word].lifts) continue;
      Word& word = word_[token.word];
      if (word.number < 0) {
        word.number = static_cast<int>(out_.times.size());
        out_.times.push_back(word.times);
        scanned.raw.push_back({word.text()});
      }
      scanned.key.append(text_, copied, token.begin - copied);
      scanned.key.push_back(kNameMarker);
      scanned.key.push_back(static_cast<char>(' ' + word.number));
      copied = token.end;
    }
    scanned.key.append(text_, copied);
  }

  const ScannedText& scanned_;
  const std::string_view text_;
  LiftedNames& out_;
  // Places of words by their hashes, the number from 1; there is always an empty one: scan() ends at kMostWords.
  static constexpr size_t kPlaces = 128;
  static_assert(kMostWords + 1 < kPlaces);
  std::array<uint8_t, kPlaces> places_{};
  size_t words_ = 0, tokens_ = 0;
  std::array<Word, kMostWords + 1> word_;
  std::array<Token, kMostTokens + 1> token_;
  std::string folded_;
  size_t folds_ = 0;  // bytes of it that are in use
};

}  // namespace

bool lift_names(const ScannedText& scanned, LiftedNames& out) { return NameScanner(scanned, out).run(); }

std::shared_ptr<const OwnNames> own_names(const PgQuery__Node& statement, const ResultShape* shape,
                                          const LiftedNames& lifted) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < lifted.names(); i++) names.push_back(lifted.name(i));
  const sql::NameRoles roles = sql::name_roles(statement, names);
  auto own = std::make_shared<OwnNames>();
  for (size_t i = 0; i < names.size(); i++)
    own->free.push_back(roles.names[i].other == 0 && roles.names[i].own == lifted.times[i]);
  for (const auto& label : roles.labels) {
    const bool fits = shape != nullptr && shape->columns.size() == roles.columns &&
                      shape->columns[label.column].name == names[label.name];
    if (!fits) own->free[label.name] = false;
    if (own->free[label.name]) own->labels.emplace_back(label.column, label.name);
  }
  const bool any = std::find(own->free.begin(), own->free.end(), true) != own->free.end();
  return any ? own : nullptr;
}

void take_labels(const OwnNames& own, const LiftedNames& lifted, ColumnLabels& out) {
  out.clear();
  for (const auto& [column, name] : own.labels) out.emplace_back(column, lifted.name(name));
}

std::shared_ptr<const ResultShape> with_labels(const std::shared_ptr<const ResultShape>& shape,
                                               const ColumnLabels& labels) {
  if (labels.empty() || shape == nullptr) return shape;
  auto out = std::make_shared<ResultShape>(*shape);
  for (const auto& [column, label] : labels) {
    if (column < out->columns.size()) out->columns[column].name = label;
  }
  return out;
}

}  // namespace indigo::engine
