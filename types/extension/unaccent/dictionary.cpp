// unaccent as a dictionary: a filter, whose words the next dictionaries see without their accents.
#include <algorithm>
#include <optional>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/unaccent/rules.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace unaccent {

const Replacements& builtin_replacements() {
  static const auto all = [] {
    Replacements out;
    for (const Rule& rule : rules()) {
      for (size_t at = 0; at < rule.characters.size();) {
        const size_t length = utf8_length(rule.characters[at]);
        out.add(rule.characters.substr(at, length), rule.replacement);
        at += length;
      }
    }
    return out;
  }();
  return all;
}

void Replacements::add(std::string_view from, std::string_view to) {
  all_.emplace(from, to);
  longest_ = std::max(longest_, from.size());
  begins_[static_cast<uint8_t>(from[0])] = true;
}

bool Replacements::replace(Str text, std::string& out) const {
  bool any = false;
  constexpr uint64_t kUnitsOfLookups = 200;
  for (size_t at = 0; at < text.size();) {
    auto found = all_.end();
    note_work(kUnitsOfLookups);
    if (begins_[static_cast<uint8_t>(text[at])]) {
      for (size_t length = std::min(longest_, text.size() - at); length > 0 && found == all_.end(); length--)
        found = all_.find(text.substr(at, length));
    }
    if (found == all_.end()) {
      const size_t length = std::min(utf8_length(text[at]), text.size() - at);
      out.append(text.substr(at, length));
      at += length;
      continue;
    }
    any = true;
    out.append(found->second);
    at += found->first.size();
  }
  return any;
}

namespace {

class UnaccentDictionary final : public Dictionary {
 public:
  explicit UnaccentDictionary(Replacements replacements) : replacements_(std::move(replacements)) {}

  Normals lexize(Str word, LexizeState&) const override {
    std::string out;
    if (!replacements_.replace(word, out)) return std::nullopt;
    return std::vector<Normal>{{.word = std::move(out), .filter = true}};
  }

 private:
  Replacements replacements_;
};

// "from to" or "from", which goes. Lines of more words are left out.
Replacements read_rules(const std::vector<std::string>& lines) {
  Replacements out;
  for (const std::string& line : lines) {
    std::vector<std::string> words(1);
    for (const char c : trim_blanks(line)) {
      if (!is_blank(c)) {
        words.back().push_back(c);
      } else if (!words.back().empty()) {
        words.emplace_back();
      }
    }
    if (!words[0].empty() && words.size() <= 2) out.add(words[0], words.size() == 2 ? words[1] : std::string());
  }
  return out;
}

}  // namespace

}  // namespace unaccent

Result<DictionaryPtr> make_unaccent_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> file;
  for (const DictionaryOption& option : options) {
    if (option.name != "rules")
      return Error(sqlstate::kInvalidParameterValue, "unrecognized Unaccent parameter: \"" + option.name + "\"");
    INDIGO_TRY(set_once(file, "Rules", option.value));
  }
  if (!file) return Error(sqlstate::kInvalidParameterValue, "missing Rules parameter");
  unaccent::Replacements replacements = unaccent::builtin_replacements();
  if (*file != "unaccent") {
    INDIGO_ASSIGN(const std::vector<std::string> lines, source.files.lines(*file, "rules", "unaccent file"));
    replacements = unaccent::read_rules(lines);
  }
  return DictionaryPtr(std::make_shared<unaccent::UnaccentDictionary>(std::move(replacements)));
}

}  // namespace indigo::types
