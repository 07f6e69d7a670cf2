// PostgreSQL's configuration files of one record a line (pg_hba.conf, pg_ident.conf) as fields of words.
//
// Fields are parted by white space, words of a field by commas. A word in double quotes keeps spaces, commas and # and loses
// its special meaning; "" inside is a quote. # begins a comment; a backslash at a line's end joins the next. A word @FILE
// that is not quoted stands for all words of that file, relative to the folder of the file that names it.
// Thread safety: all functions, from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace indigo::wire {

struct ConfigWord {
  std::string text;
  bool quoted = false;  // begins with a quote: no keyword
};
using ConfigField = std::vector<ConfigWord>;

struct ConfigLine {
  int number = 0;  // of its first line, from 1
  std::string text;
  std::vector<ConfigField> fields;
  std::string error;  // of a file that could not be included
};

// `folder`: where included files' relative paths begin. Lines without fields are left out.
std::vector<ConfigLine> parse_config(std::string_view text, const std::string& folder);

// The whole file. Errors (22023): cannot be read.
Result<std::string> read_config_file(const std::string& path);
std::string folder_of(const std::string& path);

}  // namespace indigo::wire
