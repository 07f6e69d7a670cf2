#include "engine/statement/own_names.h"

#include <algorithm>
#include <array>
#include <functional>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/ascii.h>

#include "sql/parse/name_roles.h"
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

const absl::flat_hash_map<std::string_view, KnownWord>& keywords_known() {
  static const auto* const known = [] {
    static constexpr std::array<std::string_view, 7> kBeforeNames = {"by",      "of",     "over",  "set",
                                                                     "between", "escape", "update"};
    auto* made = new absl::flat_hash_map<std::string_view, KnownWord>;
    for (const types::Keyword& keyword : types::keywords()) {
      const bool reserved = keyword.category == 'R' || keyword.category == 'T';
      const bool before = std::find(kBeforeNames.begin(), kBeforeNames.end(), keyword.word) != kBeforeNames.end();
      made->emplace(keyword.word, KnownWord{reserved ? WordKind::kReserved : WordKind::kKeyword, !reserved && !before});
    }
    return made;
  }();
  return *known;
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
    folded_.reserve(text_.size());  // words refer to it
    if (!scan()) return false;
    for (size_t i = 0; i < tokens_.size(); i++) judge(i);
    for (Word& word : words_) word.lifts = word.lifts && word.given;
    if (std::none_of(words_.begin(), words_.end(), [](const Word& word) { return word.lifts; })) return false;
    write();
    return true;
  }

 private:
  struct Word {
    std::string_view text;  // folded
    uint32_t hash = 0;
    WordKind kind = WordKind::kName;
    bool ends_name = true;
    bool is_as = false;
    bool lifts = false;
    bool given = false;  // stands where names are given
    uint32_t times = 0;
    int number = -1;
  };
  struct Token {
    char kind;  // 'w' a word, '"' a quoted name, or the character
    uint32_t begin, end;
    uint32_t word = 0;
  };

  // False for what is not followed here: comments, too many words.
  bool scan() {
    tokens_.reserve(128);
    words_.reserve(48);
    for (size_t at = 0; at < text_.size();) {
      const char c = text_[at];
      const uint8_t bits = bits_of(c);
      if (bits == kBlank) {
        at++;
        continue;
      }
      size_t end = at + 1;
      if ((bits & kBegins) != 0) {
        end = add_word(at);
      } else if (c == '"') {
        end = text_.find('"', at + 1) + 1;
        if (end == 0 || (end < text_.size() && text_[end] == '"')) return false;
        add_quoted(at, end);
      } else {
        if ((c == '-' || c == '/') && end < text_.size() && text_[end] == (c == '-' ? '-' : '*')) return false;
        tokens_.push_back({c, static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      }
      if (words_.size() > kMostWords || tokens_.size() > kMostTokens) return false;
      at = end;
    }
    return true;
  }

  static constexpr uint32_t kHashBegin = 2166136261, kHashTimes = 16777619;  // FNV-1a

  // Answers where it ends.
  size_t add_word(size_t begin) {
    size_t end = begin;
    uint32_t hash = kHashBegin;
    uint8_t all = 0;
    for (; end < text_.size(); end++) {
      const uint8_t bits = bits_of(text_[end]);
      if ((bits & kContinues) == 0) break;
      all |= bits;
      hash = (hash ^ static_cast<uint8_t>(text_[end])) * kHashTimes;
    }
    std::string_view text = text_.substr(begin, end - begin);
    const bool odd = (all & kOdd) != 0;
    if (odd) {
      const size_t from = folded_.size();
      for (const char c : text) folded_.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
      text = std::string_view(folded_).substr(from);
      hash = hash_of(text);
    }
    const uint32_t number = word_of(text, hash);
    Word& word = words_[number];
    if (odd || text.size() > kNameBytes) word.lifts = false;
    word.times++;
    tokens_.push_back({'w', static_cast<uint32_t>(begin), static_cast<uint32_t>(end), number});
    return end;
  }

  // A quoted name that could be without its quotes is the same name.
  void add_quoted(size_t begin, size_t end) {
    const std::string_view text = text_.substr(begin + 1, end - begin - 2);
    bool plain = !text.empty() && text.size() <= kNameBytes && (bits_of(text[0]) & kBegins) != 0;
    for (const char c : text) plain = plain && (bits_of(c) & (kContinues | kOdd)) == kContinues;
    const uint32_t number = word_of(text, hash_of(text));
    Word& word = words_[number];
    word.times++;
    if (!plain) word.lifts = false;
    const char kind = plain && word.kind == WordKind::kName ? 'w' : '"';
    tokens_.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), number});
  }

  static uint32_t hash_of(std::string_view text) {
    uint32_t hash = kHashBegin;
    for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * kHashTimes;
    return hash;
  }

  uint32_t word_of(std::string_view text, uint32_t hash) {
    size_t place = hash % kPlaces;
    for (; places_[place] != 0; place = (place + 1) % kPlaces) {
      const Word& known = words_[places_[place] - 1U];
      if (known.hash == hash && known.text == text) return places_[place] - 1U;
    }
    Word& word = words_.emplace_back();
    places_[place] = static_cast<uint8_t>(words_.size());
    word.text = text;
    word.hash = hash;
    word.is_as = text == "as";
    const auto& keywords = keywords_known();
    if (const auto at = keywords.find(text); at != keywords.end()) {
      word.kind = at->second.kind;
      word.ends_name = at->second.ends_name;
    }
    word.lifts = word.kind == WordKind::kName && text != "excluded";  // which ON CONFLICT calls so
    return static_cast<uint32_t>(words_.size() - 1);
  }

  char kind(size_t i) const { return i < tokens_.size() ? tokens_[i].kind : '\0'; }

  // Whether the word at `i` stands where a lifted one may.
  void judge(size_t i) {
    if (tokens_[i].kind != 'w') return;
    Word& word = words_[tokens_[i].word];
    if (!word.lifts) return;
    const char before = i == 0 ? '\0' : tokens_[i - 1].kind;
    const char after = kind(i + 1);
    const Word* previous = before == 'w' ? &words_[tokens_[i - 1].word] : nullptr;
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
    for (const Token& token : tokens_) {
      if (token.kind != 'w' || !words_[token.word].lifts) continue;
      Word& word = words_[token.word];
      if (word.number < 0) {
        word.number = static_cast<int>(out_.times.size());
        out_.times.push_back(word.times);
        scanned.raw.push_back({word.text});
      }
      scanned.key.append(text_, copied, token.begin - copied);
      scanned.key.push_back(kNameMarker);
      scanned.key.push_back(static_cast<char>(' ' + word.number));
      copied = token.end;
    }
    scanned.key.append(text_, copied);
  }

  const ScannedText& scanned_;
  std::string_view text_;
  LiftedNames& out_;
  // Places of words by their hashes, the number from 1; there is always an empty one: scan() ends at kMostWords.
  static constexpr size_t kPlaces = 128;
  static_assert(kMostWords + 1 < kPlaces);
  std::array<uint8_t, kPlaces> places_{};
  std::vector<Word> words_;
  std::vector<Token> tokens_;
  std::string folded_;
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
