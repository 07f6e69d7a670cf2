// thesaurus: phrases that become other phrases, from a file of rules "sample words : substitute words". The sample's words
// are looked for as another dictionary makes them.
#include <algorithm>
#include <map>
#include <optional>

#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

struct SubstituteWord {
  std::string word;
  bool as_is = false;  // not normalised
};
struct Rule {
  std::vector<std::string> sample;
  std::vector<SubstituteWord> substitute;
};

Error bad_rule(std::string message) { return {kDictionaryFileError, std::move(message)}; }

// One line; none: a comment or nothing.
Result<std::optional<Rule>> read_rule(Str line) {
  Rule rule;
  size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < line.size() && is_blank(line[at])) at++;
  };
  skip_blanks();
  if (at == line.size() || line[at] == '#') return std::optional<Rule>();
  for (;;) {
    skip_blanks();
    if (at == line.size()) return bad_rule("unexpected end of line");
    if (line[at] == ':') {
      if (rule.sample.empty()) return bad_rule("unexpected delimiter");
      at++;
      break;
    }
    const size_t begin = at;
    while (at < line.size() && line[at] != ':' && !is_blank(line[at])) at++;
    if (at == line.size()) return bad_rule("unexpected end of line");
    rule.sample.emplace_back(line.substr(begin, at - begin));
  }
  for (skip_blanks(); at < line.size(); skip_blanks()) {
    const bool as_is = line[at] == '*';
    if (as_is || line[at] == '\\') at++;
    const size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) at++;
    if (at == begin) return bad_rule("unexpected end of line or lexeme");
    rule.substitute.push_back({std::string(line.substr(begin, at - begin)), as_is});
  }
  if (rule.substitute.empty()) return bad_rule("unexpected end of line");
  return std::optional<Rule>(std::move(rule));
}

// Where a lexeme stands in the rules' samples.
struct Entry {
  uint32_t rule;
  uint32_t position;
  uint32_t together;  // lexemes of the same variant, which must all be there
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
using Entries = std::vector<Entry>;

// The rules that fit the words so far, and the place of the last one.
struct Matching {
  std::vector<uint32_t> rules;
  uint32_t position = 0;
};

class ThesaurusDictionary final : public Dictionary {
 public:
  explicit ThesaurusDictionary(DictionaryPtr inner) : inner_(std::move(inner)) {}

  Status add(const Rule& rule) {
    const auto number = static_cast<uint32_t>(substitutes_.size());
    const std::string of_rule = "(rule " + std::to_string(number + 1) + ")";
    INDIGO_TRY(add_sample(rule, number, of_rule));
    std::vector<Normal> substitute;
    for (const SubstituteWord& word : rule.substitute) {
      if (word.as_is) {
        append(substitute, {{.word = word.word}});
        continue;
      }
      const Normals normals = normal_form(word.word);
      if (!normals || normals->empty()) {
        return bad_rule("thesaurus substitute word \"" + word.word +
                        (normals ? "\" is a stop word " : "\" isn't recognized by subdictionary ") + of_rule);
      }
      append(substitute, *normals);
    }
    substitutes_.push_back({std::move(substitute), static_cast<uint32_t>(rule.sample.size()) - 1});
    return {};
  }
  void finish() {
    for (auto& [word, entries] : words_) std::sort(entries.begin(), entries.end());
    std::sort(stop_.begin(), stop_.end());
  }

  Normals lexize(Str word, LexizeState& state) const override {
    if (state.at_end) {
      state.wants_next = false;
      return std::nullopt;
    }
    const auto before = std::static_pointer_cast<const Matching>(state.memory);
    auto now = std::make_shared<Matching>();
    now->position = before ? before->position + 1 : 0;
    LexizeState own;
    const Normals normals = inner_->lexize(word, own);
    if (normals && normals->empty()) {
      add_fitting(before.get(), {&stop_}, *now);
    } else if (normals) {
      for (size_t i = 0; i < normals->size();) add_variant(before.get(), *normals, i, *now);
    }
    state.wants_next = !now->rules.empty();
    if (now->rules.empty()) {
      state.memory = nullptr;
      return std::nullopt;
    }
    state.memory = now;
    bool more = false;
    for (size_t i = 0; i < now->rules.size(); i++) {
      more = more || i + 1 < now->rules.size();
      const Substitute& substitute = substitutes_[now->rules[i]];
      if (substitute.last_position != now->position) continue;
      state.wants_next = more;
      return substitute.words;
    }
    return std::nullopt;
  }

 private:
  struct Substitute {
    std::vector<Normal> words;
    uint32_t last_position;  // of the sample
  };

  Normals normal_form(const std::string& word) const {
    LexizeState state;
    return inner_->lexize(word, state);
  }
  static void append(std::vector<Normal>& to, const std::vector<Normal>& words) {
    const size_t first = to.size();
    to.insert(to.end(), words.begin(), words.end());
    if (first > 0) to[first].add_position = true;
  }

  Status add_sample(const Rule& rule, uint32_t number, const std::string& of_rule) {
    for (uint32_t position = 0; position < rule.sample.size(); position++) {
      const std::string& word = rule.sample[position];
      if (word == "?") {
        stop_.push_back({number, position, 0});
        continue;
      }
      const Normals normals = normal_form(word);
      if (!normals) {
        return bad_rule("thesaurus sample word \"" + word + "\" isn't recognized by subdictionary " + of_rule);
      }
      if (normals->empty()) {
        return bad_rule("thesaurus sample word \"" + word + "\" is a stop word " + of_rule)
            .with_hint("Use \"?\" to represent a stop word within a sample phrase.");
      }
      for (size_t i = 0; i < normals->size();) {
        size_t end = i;
        while (end < normals->size() && (*normals)[end].variant == (*normals)[i].variant) end++;
        for (size_t n = i; n < end; n++)
          words_[(*normals)[n].word].push_back({number, position, static_cast<uint32_t>(end - i)});
        i = end;
      }
    }
    return {};
  }

  // The variant that begins at `i`, and `i` behind it.
  void add_variant(const Matching* before, const std::vector<Normal>& normals, size_t& i, Matching& now) const {
    std::vector<const Entries*> entries;
    bool known = true;
    const uint16_t variant = normals[i].variant;
    for (; i < normals.size() && normals[i].variant == variant; i++) {
      const auto found = words_.find(normals[i].word);
      known = known && found != words_.end();
      if (known) entries.push_back(&found->second);
    }
    if (known) add_fitting(before, entries, now);
  }

  // The rules in which all these lexemes stand at this position, the last rule first.
  void add_fitting(const Matching* before, const std::vector<const Entries*>& lexemes, Matching& now) const {
    const bool stop = lexemes[0] == &stop_;
    const auto together = static_cast<uint32_t>(stop ? 0 : lexemes.size());
    for (const Entry& entry : *lexemes[0]) {
      const Entry wanted{entry.rule, now.position, together};
      if (entry != wanted) continue;
      const bool all = std::all_of(lexemes.begin(), lexemes.end(), [&](const Entries* entries) {
        return std::binary_search(entries->begin(), entries->end(), wanted);
      });
      const auto has = [&](const std::vector<uint32_t>& rules) {
        return std::find(rules.begin(), rules.end(), entry.rule) != rules.end();
      };
      if (all && (before == nullptr || has(before->rules)) && !has(now.rules)) {
        now.rules.insert(now.rules.begin(), entry.rule);
      }
    }
  }

  DictionaryPtr inner_;
  std::map<std::string, Entries, std::less<>> words_;
  Entries stop_;  // places where any stop word may stand
  std::vector<Substitute> substitutes_;
};

}  // namespace

Result<DictionaryPtr> make_thesaurus_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> file, inner;
  std::vector<std::string> lines;
  for (const DictionaryOption& option : options) {
    if (option.name == "dictfile") {
      INDIGO_TRY(set_once(file, "DictFile", option.value));
      INDIGO_ASSIGN(lines, source.files.lines(*file, "ths", "thesaurus file"));
    } else if (option.name == "dictionary") {
      INDIGO_TRY(set_once(inner, "Dictionary", option.value));
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized Thesaurus parameter: \"" + option.name + "\"");
    }
  }
  if (!file) return Error(sqlstate::kInvalidParameterValue, "missing DictFile parameter");
  if (!inner) return Error(sqlstate::kInvalidParameterValue, "missing Dictionary parameter");
  INDIGO_ASSIGN(const DictionaryPtr dictionary, source.dictionary(*inner));
  auto thesaurus = std::make_shared<ThesaurusDictionary>(dictionary);
  for (size_t i = 0; i < lines.size(); i++) {
    auto rule = read_rule(lines[i]);
    if (!rule) {
      INDIGO_ASSIGN(const std::string path, source.files.path(*file, "ths"));
      rule.error().add_context("line " + std::to_string(i + 1) + " of configuration file \"" + path + "\": \"" +
                               lines[i] + "\"");
      return rule.take_error();
    }
    if (*rule) INDIGO_TRY(thesaurus->add(**rule));
  }
  thesaurus->finish();
  return DictionaryPtr(std::move(thesaurus));
}

}  // namespace indigo::types
