#include "types/textsearch/dictionary/dictionary_files.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/textsearch/dictionary/stop_words.h"
#include "types/value/datum.h"

namespace indigo::types {

namespace {

std::vector<std::string> split_lines(Str text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    Str line = text.substr(at, end - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.emplace_back(line);
    at = end + 1;
  }
  return lines;
}

}  // namespace

Result<std::string> DictionaryFiles::path(const std::string& name, const char* kind) const {
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") != std::string::npos) {
    return Error(sqlstate::kInvalidParameterValue, "invalid text search configuration file name \"" + name + "\"");
  }
  return directory_ + "/" + name + "." + kind;
}

Result<std::vector<std::string>> DictionaryFiles::lines(const std::string& name, const char* kind,
                                                        const char* what) const {
  INDIGO_ASSIGN(const std::string file, path(name, kind));
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    const int reason = errno;
    if (std::strcmp(kind, "stop") == 0) {
      for (const BuiltinStopWords& list : builtin_stop_words())
        if (list.name == name) return split_lines(list.lines);
    }
    return Error(kDictionaryFileError,
                 std::string("could not open ") + what + " \"" + file + "\": " + std::strerror(reason));
  }
  std::ostringstream content;
  content << stream.rdbuf();
  std::vector<std::string> lines = split_lines(content.str());
  for (size_t i = 0; i < lines.size(); i++) {
    const size_t bad = find_invalid_text(lines[i]);
    if (bad == kAllValid) continue;
    Error error = invalid_utf8_error(lines[i], bad);
    error.add_context("line " + std::to_string(i + 1) + " of configuration file \"" + file + "\"");
    return error;
  }
  if (!lines.empty() && lines[0].starts_with("\xef\xbb\xbf")) lines[0].erase(0, 3);
  return lines;
}

}  // namespace indigo::types
