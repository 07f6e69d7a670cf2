#include "types/textsearch/dictionary/ispell/affix_file.h"

#include <algorithm>
#include <map>
#include <optional>

#include <re2/re2.h>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types::ispell {

namespace {

// What stands between blanks; nothing after #.
std::string take_field(Str& line) {
  while (!line.empty() && is_blank(line[0])) line.remove_prefix(1);
  if (!line.empty() && line[0] == '#') line = {};
  const auto end = std::find_if(line.begin(), line.end(), is_blank);
  std::string field(line.begin(), end);
  line.remove_prefix(field.size());
  return field;
}

class AffixReader {
 public:
  explicit AffixReader(const std::vector<std::string>& lines) : lines_(lines) {}

  Result<AffixFile> read() {
    bool old_form = false;
    for (const std::string& line : lines_) {
      INDIGO_ASSIGN(const Form form, read_old_line(line));
      if (form == Form::kOld) old_form = true;
      if (form != Form::kNew) continue;
      if (old_form) return bad_file("affix file contains both old-style and new-style commands");
      file_ = {};
      INDIGO_TRY(read_new_flags());
      INDIGO_TRY(read_new_affixes());
      break;
    }
    return std::move(file_);
  }

 private:
  enum class Form : uint8_t { kEither, kOld, kNew };

  Status add(Affix affix, const std::string& mask) {
    if (!mask.empty() && mask != ".") {
      const std::string pattern = affix.suffix ? mask + "$" : "^" + mask;
      std::shared_ptr<const re2::RE2>& compiled = masks_[pattern];
      if (compiled == nullptr) {
        re2::RE2::Options options;
        options.set_log_errors(false);
        compiled = std::make_shared<const re2::RE2>(pattern, options);
      }
      if (!compiled->ok()) {
        return Error(SqlState("2201B"), "invalid regular expression: " + compiled->error());
      }
      affix.mask = compiled;
    }
    if ((affix.compound & (kCompoundOnly | kCompoundPermit)) != 0 && (affix.compound & kCompoundAnywhere) == 0)
      affix.compound |= kCompoundAnywhere;
    file_.affixes.push_back(std::move(affix));
    return {};
  }

  // ---- ispell's form

  Result<Form> read_old_line(const std::string& line) {
    const std::string lower = to_lower(line);
    if (lower.empty() || lower[0] == '#') return Form::kEither;
    if (lower.starts_with("compoundwords")) {
      const size_t l = lower.find('l');
      if (l != std::string::npos) {
        Str rest = Str(line).substr(l);
        rest.remove_prefix(static_cast<size_t>(std::find_if(rest.begin(), rest.end(), is_blank) - rest.begin()));
        rest = trim_blanks(rest);
        if (!rest.empty() && utf8_length(rest[0]) == 1) INDIGO_TRY(file_.flags.add_meaning(rest, kCompoundAnywhere));
        return Form::kOld;
      }
    }
    if (lower.starts_with("suffixes") || lower.starts_with("prefixes")) {
      section_ = lower[0];
      return Form::kOld;
    }
    if (lower.starts_with("flag")) return read_old_flag(Str(line).substr(4));
    for (const char* word : {"COMPOUNDFLAG", "COMPOUNDMIN", "PFX", "SFX"})
      if (line.starts_with(word)) return Form::kNew;
    if (section_ == 0) return Form::kEither;
    Affix affix{
        .suffix = section_ == 's', .flag = flag_, .compound = compound_, .find = {}, .replacement = {}, .mask = {}};
    std::string mask;
    INDIGO_ASSIGN(const bool whole, read_old_affix(lower, mask, affix));
    if (whole) INDIGO_TRY(add(std::move(affix), mask));
    return Form::kEither;
  }

  Form read_old_flag(Str text) {
    while (!text.empty() && is_blank(text[0])) text.remove_prefix(1);
    compound_ = 0;
    if (!text.empty() && (text[0] == '*' || text[0] == '~')) {
      compound_ = text[0] == '*' ? kCrossProduct : kCompoundOnly;
      text.remove_prefix(1);
    }
    if (!text.empty() && text[0] == '\\') text.remove_prefix(1);
    if (text.empty() || utf8_length(text[0]) != 1) return Form::kNew;
    flag_ = text.substr(0, 1);
    text.remove_prefix(1);
    return text.empty() || text[0] == '#' || text[0] == ':' || is_blank(text[0]) ? Form::kOld : Form::kNew;
  }

  // mask > -find,replacement
  static Result<bool> read_old_affix(Str text, std::string& mask, Affix& affix) {
    size_t at = 0;
    const auto skip = [&] {
      while (at < text.size() && is_blank(text[at])) at++;
    };
    const auto take_letters = [&](std::string& out, Str ends) -> Status {
      for (; at < text.size() && ends.find(text[at]) == Str::npos; at++) {
        if (is_blank(text[at])) continue;
        if (!is_alpha(text[at]) && !(out.empty() && text[at] == '\'' && ends == "#")) return bad_file("syntax error");
        out.push_back(text[at]);
      }
      return {};
    };
    skip();
    if (at == text.size() || text[at] == '#') return false;
    for (; at < text.size() && text[at] != '>'; at++)
      if (!is_blank(text[at])) mask.push_back(text[at]);
    if (at++ >= text.size()) return false;
    skip();
    if (at < text.size() && text[at] == '-') {
      at++;
      INDIGO_TRY(take_letters(affix.find, ","));
      at++;
      skip();
      if (at < text.size() && text[at] == '-') return !mask.empty() && !affix.find.empty();
    }
    INDIGO_TRY(take_letters(affix.replacement, "#"));
    return !mask.empty() && !(affix.find.empty() && affix.replacement.empty());
  }

  // ---- hunspell's form

  Status read_new_flags() {
    static const std::pair<Str, Compound> kMeanings[] = {
        {"COMPOUNDFLAG", kCompoundAnywhere},     {"COMPOUNDBEGIN", kCompoundBegin},
        {"COMPOUNDLAST", kCompoundLast},         {"COMPOUNDEND", kCompoundLast},
        {"COMPOUNDMIDDLE", kCompoundMiddle},     {"ONLYINCOMPOUND", kCompoundOnly},
        {"COMPOUNDPERMITFLAG", kCompoundPermit}, {"COMPOUNDFORBIDFLAG", kCompoundForbid}};
    for (const Str line : lines_) {
      if (line.empty() || is_blank(line[0]) || line[0] == '#') continue;
      const auto* meaning = std::find_if(std::begin(kMeanings), std::end(kMeanings),
                                         [line](const auto& m) { return line.starts_with(m.first); });
      if (meaning != std::end(kMeanings)) {
        INDIGO_TRY(file_.flags.add_meaning(line.substr(meaning->first.size()), meaning->second));
      } else if (line.starts_with("FLAG")) {
        INDIGO_TRY(set_mode(trim_blanks(line.substr(4))));
      }
    }
    return {};
  }
  Status set_mode(Str name) {
    if (name.starts_with("long")) {
      file_.flags.mode = Flags::Mode::kLong;
    } else if (name.starts_with("num")) {
      file_.flags.mode = Flags::Mode::kNumber;
    } else if (!name.empty() && !name.starts_with("default")) {
      return bad_file("Ispell dictionary supports only \"default\", \"long\", and \"num\" flag values");
    }
    return {};
  }

  Status read_new_affixes() {
    Compound cross = 0;
    bool suffix = false;
    for (Str line : lines_) {
      if (line.empty() || is_blank(line[0]) || line[0] == '#') continue;
      const std::string type = to_lower(take_field(line)), flag = take_field(line), find = take_field(line),
                        replacement = take_field(line), mask = take_field(line);
      if (type.starts_with("af")) {
        INDIGO_TRY(file_.flags.add_alias(flag));
        continue;
      }
      const bool is_affix = type.starts_with("sfx") || type.starts_with("pfx");
      const size_t most = file_.flags.mode == Flags::Mode::kCharacter ? 1
                          : file_.flags.mode == Flags::Mode::kLong    ? 2
                                                                      : 64;
      if (!is_affix || replacement.empty() || flag.size() > most) continue;
      if (mask.empty()) {
        suffix = type.starts_with("sfx");
        cross = ascii_lower(find[0]) == 'y' ? kCrossProduct : 0;
        continue;
      }
      INDIGO_TRY(add_new_affix(suffix, flag, cross, find, replacement, mask));
    }
    return {};
  }
  Status add_new_affix(bool suffix, const std::string& flag, Compound cross, const std::string& find,
                       const std::string& replacement, const std::string& mask) {
    const size_t slash = replacement.find('/');
    Compound compound = cross;
    if (slash != std::string::npos) {
      INDIGO_ASSIGN(const std::string set, file_.flags.set_of(Str(replacement).substr(slash + 1)));
      INDIGO_ASSIGN(const Compound meaning, file_.flags.meaning_of(set));
      compound |= meaning;
    }
    Affix affix{.suffix = suffix, .flag = flag, .compound = compound, .find = {}, .replacement = {}, .mask = {}};
    if (!find.starts_with("0")) affix.find = to_lower(find);
    if (!replacement.starts_with("0")) affix.replacement = to_lower(replacement.substr(0, slash));
    return add(std::move(affix), to_lower(mask));
  }

  const std::vector<std::string>& lines_;
  AffixFile file_;
  std::map<std::string, std::shared_ptr<const re2::RE2>> masks_;
  char section_ = 0;  // of ispell's form: s suffixes, p prefixes
  std::string flag_;
  Compound compound_ = 0;
};

}  // namespace

Result<AffixFile> read_affix_file(const DictionaryFiles& files, const std::string& name) {
  INDIGO_ASSIGN(const std::vector<std::string> lines, files.lines(name, "affix", "affix file"));
  return AffixReader(lines).read();
}

}  // namespace indigo::types::ispell
