#include "types/textsearch/dictionary/dictionary_options.h"

#include <optional>

#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

class OptionReader {
 public:
  explicit OptionReader(Str text) : text_(text) {}

  Result<DictionaryOptions> read() {
    DictionaryOptions options;
    for (;;) {
      while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == ',')) at_++;
      if (at_ == text_.size()) return options;
      DictionaryOption option;
      if (!name(option.name) || !equals() || !value(option)) {
        return Error(sqlstate::kSyntaxError, "invalid parameter list format: \"" + std::string(text_) + "\"");
      }
      options.push_back(std::move(option));
    }
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  bool equals() {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != '=') return false;
    at_++;
    skip_blanks();
    return at_ < text_.size();
  }
  bool name(std::string& out) {
    if (text_[at_] == '"') return quoted('"', false, out);
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != '=') out.push_back(text_[at_++]);
    return true;
  }
  bool value(DictionaryOption& option) {
    if (text_[at_] == 'E' && at_ + 1 < text_.size() && text_[at_ + 1] == '\'') {
      at_++;
      return quoted('\'', true, option.value);
    }
    if (text_[at_] == '\'' || text_[at_] == '"') return quoted(text_[at_], false, option.value);
    option.quoted = false;
    while (at_ < text_.size() && !is_blank(text_[at_]) && text_[at_] != ',') option.value.push_back(text_[at_++]);
    return true;
  }
  // A doubled quote stands for one; with `escapes` so does a doubled backslash.
  bool quoted(char quote, bool escapes, std::string& out) {
    for (at_++; at_ < text_.size(); at_++) {
      const char c = text_[at_];
      const bool doubled = at_ + 1 < text_.size() && text_[at_ + 1] == c;
      if (c == quote && !doubled) {
        at_++;
        return true;
      }
      if ((c == quote || (escapes && c == '\\')) && doubled) at_++;
      out.push_back(c);
    }
    return false;
  }

  Str text_;
  size_t at_ = 0;
};

}  // namespace

Result<DictionaryOptions> read_dictionary_options(Str text) { return OptionReader(text).read(); }

std::string dictionary_options_text(const DictionaryOptions& options) {
  std::string out;
  for (const DictionaryOption& option : options) {
    if (!out.empty()) out.append(", ");
    out.append(quote_identifier(option.name)).append(" = ");
    if (!option.quoted) {
      out.append(option.value);
      continue;
    }
    if (option.value.find('\\') != std::string::npos) out.push_back('E');
    out.push_back('\'');
    for (const char c : option.value) {
      if (c == '\'' || c == '\\') out.push_back(c);
      out.push_back(c);
    }
    out.push_back('\'');
  }
  return out;
}

Result<bool> boolean_option(const DictionaryOption& option) {
  const std::string value = to_lower(option.value);
  if (value == "true" || value == "on" || value == "1" || value.empty()) return true;
  if (value == "false" || value == "off" || value == "0") return false;
  return Error(sqlstate::kSyntaxError, option.name + " requires a Boolean value");
}

Status set_once(std::optional<std::string>& target, const char* name, const std::string& value) {
  if (target) return Error(sqlstate::kInvalidParameterValue, std::string("multiple ") + name + " parameters");
  target = value;
  return {};
}

}  // namespace indigo::types
