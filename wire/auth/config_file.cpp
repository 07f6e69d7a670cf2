#include "wire/auth/config_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

constexpr int kDeepest = 10;  // files that include files

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Takes the next word; false at the field's end. `more`: a comma follows it.
bool take_word(std::string_view& rest, ConfigWord& word, bool& more) {
  while (!rest.empty() && (is_space(rest[0]) || rest[0] == ',')) rest.remove_prefix(1);
  word = {};
  more = false;
  bool in_quotes = false, was_quote = false, any = false;
  while (!rest.empty()) {
    const char c = rest[0];
    if (!in_quotes && (is_space(c) || c == ',')) {
      more = c == ',';
      break;
    }
    if (!in_quotes && c == '#') {
      rest = {};
      break;
    }
    rest.remove_prefix(1);
    if (c != '"' || was_quote) word.text += c;
    was_quote = c == '"' && in_quotes && !was_quote;
    if (c == '"') {
      in_quotes = !in_quotes;
      if (!any) word.quoted = true;
    }
    any = true;
  }
  if (more) rest.remove_prefix(1);
  return any;
}

std::vector<std::string_view> physical_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

class Parser {
 public:
  explicit Parser(int depth) : depth_(depth) {}

  std::vector<ConfigLine> parse(std::string_view text, const std::string& folder) {
    std::vector<ConfigLine> out;
    const auto lines = physical_lines(text);
    for (size_t i = 0; i < lines.size(); i++) {
      ConfigLine line;
      line.number = static_cast<int>(i) + 1;
      line.text = lines[i];
      while (line.text.ends_with('\\') && i + 1 < lines.size()) {
        line.text.pop_back();
        line.text += lines[++i];
      }
      split(line, folder);
      if (!line.fields.empty() || !line.error.empty()) out.push_back(std::move(line));
    }
    return out;
  }

 private:
  void split(ConfigLine& line, const std::string& folder) {
    std::string_view rest = line.text;
    ConfigField field;
    ConfigWord word;
    bool more = false;
    while (take_word(rest, word, more)) {
      if (!word.quoted && word.text.size() > 1 && word.text[0] == '@') {
        include(word.text.substr(1), folder, field, line.error);
      } else {
        field.push_back(std::move(word));
      }
      if (more) continue;
      line.fields.push_back(std::move(field));
      field.clear();
    }
    if (!field.empty()) line.fields.push_back(std::move(field));
  }

  void include(const std::string& name, const std::string& folder, ConfigField& field, std::string& error) {
    const std::string path = name.starts_with('/') ? name : folder + "/" + name;
    if (depth_ >= kDeepest) {
      error = "could not open file \"" + path + "\": maximum nesting depth exceeded";
      return;
    }
    Result<std::string> text = read_config_file(path);
    if (!text.ok()) {
      error = text.error().message;
      return;
    }
    for (auto& line : Parser(depth_ + 1).parse(*text, folder_of(path))) {
      if (!line.error.empty()) error = line.error;
      for (auto& words : line.fields) {
        for (auto& word : words) field.push_back(std::move(word));
      }
    }
  }

  int depth_;
};

}  // namespace

std::vector<ConfigLine> parse_config(std::string_view text, const std::string& folder) {
  return Parser(0).parse(text, folder);
}

Result<std::string> read_config_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    return Error(sqlstate::kInvalidParameterValue,
                 "could not open configuration file \"" + path + "\": " + strerror(errno));
  }
  return text.str();
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
}

}  // namespace indigo::wire
