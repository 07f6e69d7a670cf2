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

const absl::flat_hash_map<std::string_view, WordKind>& keyword_kinds() {
  static const auto* const kinds = [] {
    auto* made = new absl::flat_hash_map<std::string_view, WordKind>;
    for (const types::Keyword& keyword : types::keywords()) {
      made->emplace(keyword.word,
                    keyword.category == 'R' || keyword.category == 'T' ? WordKind::kReserved : WordKind::kKeyword);
    }
    return made;
  }();
  return *kinds;
}

bool begins_word(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }
bool continues_word(char c) { return begins_word(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '$'; }
bool is_literal(char c) { return c > 0 && c < kNameMarker && !absl::ascii_isspace(static_cast<unsigned char>(c)); }

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
    WordKind kind = WordKind::kName;
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
      if (absl::ascii_isspace(static_cast<unsigned char>(c))) {
        at++;
        continue;
      }
      size_t end = at + 1;
      if (begins_word(c)) {
        while (end < text_.size() && continues_word(text_[end])) end++;
        if (!add_word(at, end)) return false;
      } else if (c == '"') {
        end = text_.find('"', at + 1) + 1;
        if (end == 0 || (end < text_.size() && text_[end] == '"')) return false;
        add_quoted(at, end);
      } else {
        const std::string_view two = text_.substr(at, 2);
        if (two == "--" || two == "/*") return false;
        tokens_.push_back({c, static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      }
      if (words_.size() > kMostWords || tokens_.size() > kMostTokens) return false;
      at = end;
    }
    return true;
  }

  bool add_word(size_t begin, size_t end) {
    std::string_view text = text_.substr(begin, end - begin);
    bool plain = text.size() <= kNameBytes;
    for (const char c : text) plain = plain && !absl::ascii_isupper(static_cast<unsigned char>(c)) && (c & 0x80) == 0;
    if (!plain) {
      const size_t from = folded_.size();
      for (const char c : text) folded_.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
      text = std::string_view(folded_).substr(from);
    }
    const uint32_t number = word_of(text);
    Word& word = words_[number];
    if (!plain) word.lifts = false;
    word.times++;
    tokens_.push_back({'w', static_cast<uint32_t>(begin), static_cast<uint32_t>(end), number});
    return true;
  }

  // A quoted name that could be without its quotes is the same name.
  void add_quoted(size_t begin, size_t end) {
    const std::string_view text = text_.substr(begin + 1, end - begin - 2);
    bool plain = !text.empty() && text.size() <= kNameBytes && begins_word(text[0]);
    for (const char c : text)
      plain = plain && continues_word(c) && !absl::ascii_isupper(static_cast<unsigned char>(c)) && (c & 0x80) == 0;
    const uint32_t number = word_of(text);
    Word& word = words_[number];
    word.times++;
    if (!plain) word.lifts = false;
    const char kind = plain && word.kind == WordKind::kName ? 'w' : '"';
    tokens_.push_back({kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), number});
  }

  uint32_t word_of(std::string_view text) {
    for (size_t i = 0; i < words_.size(); i++) {
      const std::string_view known = words_[i].text;
      if (known.size() == text.size() && (text.empty() || (known.back() == text.back() && known == text)))
        return static_cast<uint32_t>(i);
    }
    Word& word = words_.emplace_back();
    word.text = text;
    const auto& kinds = keyword_kinds();
    if (const auto at = kinds.find(text); at != kinds.end()) word.kind = at->second;
    word.lifts = word.kind == WordKind::kName && text != "excluded";  // which ON CONFLICT calls so
    return static_cast<uint32_t>(words_.size() - 1);
  }

  // Whether a name behind it may be one that is given.
  static bool ends_name(const Word& word) {
    static constexpr std::array<std::string_view, 7> kBeforeNames = {"by",      "of",     "over",  "set",
                                                                     "between", "escape", "update"};
    return word.kind == WordKind::kName ||
           (word.kind == WordKind::kKeyword &&
            std::find(kBeforeNames.begin(), kBeforeNames.end(), word.text) == kBeforeNames.end());
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
    const bool behind_as = previous != nullptr && previous->text == "as";
    if (before == '.' || (after == '(' && !behind_as)) {
      word.lifts = false;
    } else if (after == '.') {
      const char part = kind(i + 2), next = kind(i + 3);
      word.lifts = (part == 'w' || part == '"' || part == '*') && next != '.' && next != '(';
    } else if (previous != nullptr) {
      word.given = word.given || behind_as || ends_name(*previous);
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
