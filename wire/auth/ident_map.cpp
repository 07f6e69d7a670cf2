#include "wire/auth/ident_map.h"

#include <re2/re2.h>

#include "base/sqlstate.h"
#include "wire/auth/config_file.h"

namespace indigo::wire {

namespace {

// What is wrong, or nothing.
std::string read_fields(const ConfigLine& line, engine::IdentLine& out) {
  if (!line.error.empty()) return line.error;
  std::string* const places[] = {&out.map_name, &out.system_name, &out.user_name};
  for (size_t i = 0; i < std::size(places); i++) {
    if (i >= line.fields.size()) return "missing entry at end of line";
    if (line.fields[i].size() > 1) return "multiple values in ident field";
    *places[i] = line.fields[i][0].text;
  }
  return {};
}

std::shared_ptr<const re2::RE2> compile(const std::string& system_name) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return std::make_shared<const re2::RE2>(system_name.substr(1), options);
}

std::string read_line(const ConfigLine& line, engine::IdentLine& out, std::shared_ptr<const re2::RE2>& pattern) {
  std::string wrong = read_fields(line, out);
  if (!wrong.empty() || !out.system_name.starts_with('/')) return wrong;
  pattern = compile(out.system_name);
  if (pattern->ok()) return {};
  return "invalid regular expression \"" + out.system_name.substr(1) + "\": " + pattern->error();
}

}  // namespace

Result<IdentMap> IdentMap::parse(std::string_view text, const std::string& folder) {
  IdentMap map;
  for (const auto& line : parse_config(text, folder)) {
    engine::IdentLine fields;
    Line parsed;
    const std::string wrong = read_line(line, fields, parsed.pattern);
    if (!wrong.empty()) {
      return Error(sqlstate::kInvalidParameterValue, wrong)
          .with_detail("line " + std::to_string(line.number) + " of the ident file: \"" + line.text + "\"");
    }
    parsed.map = fields.map_name;
    parsed.system_name = fields.system_name;
    parsed.role = fields.user_name;
    map.lines_.push_back(std::move(parsed));
  }
  return map;
}

std::vector<engine::IdentLine> IdentMap::describe(std::string_view text, const std::string& folder) {
  std::vector<engine::IdentLine> lines;
  for (const auto& line : parse_config(text, folder)) {
    engine::IdentLine shown;
    std::shared_ptr<const re2::RE2> pattern;
    shown.error = read_line(line, shown, pattern);
    if (!shown.error.empty()) shown.map_name = shown.system_name = shown.user_name = "";
    shown.number = line.number;
    lines.push_back(std::move(shown));
  }
  return lines;
}

bool IdentMap::allows(const std::string& map, const std::string& system_name, const std::string& role) const {
  if (map.empty()) return system_name == role;
  for (const auto& line : lines_) {
    if (line.map != map) continue;
    std::string allowed = line.role;
    if (!line.pattern) {
      if (line.system_name != system_name) continue;
    } else {
      re2::StringPiece groups[2];
      if (!line.pattern->Match(system_name, 0, system_name.size(), re2::RE2::UNANCHORED, groups, 2)) continue;
      const size_t at = allowed.find("\\1");
      if (at != std::string::npos) allowed.replace(at, 2, groups[1].data() == nullptr ? "" : groups[1].as_string());
    }
    if (allowed == role) return true;
  }
  return false;
}

}  // namespace indigo::wire
