#include "types/system/type_name.h"

#include "base/name.h"
#include "base/sqlstate.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

struct SqlName {
  Oid type;
  const char* head;  // before the modifier
  const char* tail;  // after it
};
// Types that SQL names in its own way; the others go by pg_type.typname.
constexpr SqlName kSqlNames[] = {
    {oid::kBit, "bit", ""},
    {oid::kBool, "boolean", ""},
    {oid::kBpchar, "character", ""},
    {oid::kFloat4, "real", ""},
    {oid::kFloat8, "double precision", ""},
    {oid::kInt2, "smallint", ""},
    {oid::kInt4, "integer", ""},
    {oid::kInt8, "bigint", ""},
    {oid::kNumeric, "numeric", ""},
    {oid::kInterval, "interval", ""},
    {oid::kTime, "time", " without time zone"},
    {oid::kTimeTz, "time", " with time zone"},
    {oid::kTimestamp, "timestamp", " without time zone"},
    {oid::kTimestampTz, "timestamp", " with time zone"},
    {oid::kVarbit, "bit varying", ""},
    {oid::kVarchar, "character varying", ""},
};

struct Alias {
  const char* words;
  Oid type;
};
constexpr Alias kAliases[] = {
    {"int", oid::kInt4},
    {"integer", oid::kInt4},
    {"smallint", oid::kInt2},
    {"bigint", oid::kInt8},
    {"real", oid::kFloat4},
    {"float", oid::kFloat8},
    {"double precision", oid::kFloat8},
    {"boolean", oid::kBool},
    {"decimal", oid::kNumeric},
    {"dec", oid::kNumeric},
    {"character", oid::kBpchar},
    {"char", oid::kBpchar},
    {"nchar", oid::kBpchar},
    {"national character", oid::kBpchar},
    {"national char", oid::kBpchar},
    {"character varying", oid::kVarchar},
    {"char varying", oid::kVarchar},
    {"national character varying", oid::kVarchar},
    {"national char varying", oid::kVarchar},
    {"nchar varying", oid::kVarchar},
    {"bit varying", oid::kVarbit},
    {"time without time zone", oid::kTime},
    {"time with time zone", oid::kTimeTz},
    {"timestamp without time zone", oid::kTimestamp},
    {"timestamp with time zone", oid::kTimestampTz},
};

bool is_name_start(char c) { return is_alpha(c) || c == '_' || static_cast<uint8_t>(c) >= 0x80; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c) || c == '$'; }

// Reads a name part at `at`; quoted keeps its case.
bool read_identifier(Str text, size_t& at, std::string& out, bool& quoted) {
  out.clear();
  quoted = at < text.size() && text[at] == '"';
  if (quoted) {
    for (at++; at < text.size(); at++) {
      if (text[at] == '"') {
        if (at + 1 < text.size() && text[at + 1] == '"') {
          at++;
        } else {
          at++;
          return !out.empty();
        }
      }
      out.push_back(text[at]);
    }
    return false;
  }
  if (at >= text.size() || !is_name_start(text[at])) return false;
  while (at < text.size() && is_name_part(text[at])) out.push_back(ascii_lower(text[at++]));
  return true;
}

void skip_blanks(Str text, size_t& at) {
  while (at < text.size() && is_blank(text[at])) at++;
}

Error type_syntax_error(Str text) {
  return Error(sqlstate::kSyntaxError, "syntax error at or near \"" + std::string(text) + "\"");
}

// "(10, 2)" at `at`, if there.
Result<std::vector<std::string>> read_modifiers(Str text, size_t& at) {
  std::vector<std::string> modifiers;
  skip_blanks(text, at);
  if (at >= text.size() || text[at] != '(') return modifiers;
  const size_t close = text.find(')', at);
  if (close == Str::npos) return type_syntax_error(text);
  Str inside = text.substr(at + 1, close - at - 1);
  at = close + 1;
  while (true) {
    const size_t comma = std::min(inside.find(','), inside.size());
    modifiers.emplace_back(trim_blanks(inside.substr(0, comma)));
    if (comma == inside.size()) break;
    inside.remove_prefix(comma + 1);
  }
  return modifiers;
}

}  // namespace

Result<std::vector<std::string>> parse_qualified_name(Str text) {
  std::vector<std::string> parts;
  size_t at = 0;
  skip_blanks(text, at);
  while (true) {
    std::string part;
    bool quoted = false;
    // Unlike the grammar, PostgreSQL takes anything but dots, quotes and blanks here.
    if (at < text.size() && text[at] == '"') {
      if (!read_identifier(text, at, part, quoted)) return Error(sqlstate::kInvalidName, "invalid name syntax");
    } else {
      while (at < text.size() && text[at] != '.' && !is_blank(text[at])) part.push_back(ascii_lower(text[at++]));
      if (part.empty()) return Error(sqlstate::kInvalidName, "invalid name syntax");
    }
    parts.emplace_back(clip_name(part));
    skip_blanks(text, at);
    if (at >= text.size()) return parts;
    if (text[at] != '.') return Error(sqlstate::kInvalidName, "invalid name syntax");
    at++;
    skip_blanks(text, at);
  }
}

Result<TypeRef> parse_type_name(FuncContext& context, Str text) {
  size_t at = 0;
  skip_blanks(text, at);
  std::string first;
  bool quoted = false;
  if (!read_identifier(text, at, first, quoted)) return type_syntax_error(text);
  std::string words = quoted ? std::string() : first, schema, name = first;
  std::vector<std::string> modifiers;
  skip_blanks(text, at);
  if (at < text.size() && text[at] == '.') {
    at++;
    skip_blanks(text, at);
    bool second_quoted = false;
    schema = first;
    if (!read_identifier(text, at, name, second_quoted)) return type_syntax_error(text);
    words.clear();
  }
  // Further words of the SQL names, with a modifier anywhere between them: timestamp(3) with time zone.
  while (true) {
    skip_blanks(text, at);
    if (at < text.size() && text[at] == '(') {
      if (!modifiers.empty()) return type_syntax_error(text);
      INDIGO_ASSIGN(modifiers, read_modifiers(text, at));
      continue;
    }
    std::string word;
    bool word_quoted = false;
    if (at >= text.size() || !is_name_start(text[at]) || words.empty()) break;
    if (!read_identifier(text, at, word, word_quoted)) break;
    words.append(" ").append(word);
  }
  TypeRef type;
  for (const Alias& alias : kAliases)
    if (words == alias.words) type.oid = alias.type;
  if (type.oid == kInvalidOid) {
    if (words.find(' ') != std::string::npos && !words.starts_with("interval ")) return type_syntax_error(text);
    if (words.starts_with("interval ")) {
      // interval year to month and the like: the fields are the modifier's first argument.
      name = "interval";
    }
    const auto info = context.session().catalog().find_type(schema, name);
    if (info == nullptr && !schema.empty() && context.session().catalog().schema_named(schema) == kInvalidOid) {
      return Error(sqlstate::kInvalidSchemaName, "schema \"" + schema + "\" does not exist");
    }
    if (info == nullptr)
      return Error(sqlstate::kUndefinedObject,
                   "type \"" + (schema.empty() ? name : schema + "." + name) + "\" does not exist");
    type.oid = info->oid;
  }
  if (type.oid == oid::kBpchar && modifiers.empty() && words != "bpchar" && !words.empty()) modifiers.push_back("1");
  if (type.oid == oid::kFloat8 && words == "float" && !modifiers.empty()) {
    int32_t bits = 0;
    if (parse_integer(modifiers[0], bits) != IntegerParse::kOk || bits < 1)
      return Error(sqlstate::kInvalidParameterValue, "precision for type float must be at least 1 bit");
    if (bits > 53) return Error(sqlstate::kInvalidParameterValue, "precision for type float must be less than 54 bits");
    if (bits <= 24) type.oid = oid::kFloat4;
    modifiers.clear();
  }
  if (type.oid == oid::kInterval && modifiers.size() == 1) modifiers.insert(modifiers.begin(), "32767");
  if (!modifiers.empty()) {
    const auto info = context.session().catalog().type(type.oid);
    INDIGO_ASSIGN(type.typmod, info != nullptr ? typmod_input(*info, modifiers) : typmod_input(type.oid, modifiers));
  }
  bool array = false;
  skip_blanks(text, at);
  while (at < text.size() && text[at] == '[') {
    array = true;
    for (at++; at < text.size() && (is_digit(text[at]) || is_blank(text[at])); at++) {
    }
    if (at >= text.size() || text[at] != ']') return type_syntax_error(text);
    at++;
    skip_blanks(text, at);
  }
  if (at < text.size()) return type_syntax_error(text);
  if (array) {
    const auto info = context.session().catalog().type(type.oid);
    if (info == nullptr || info->array == kInvalidOid)
      return Error(sqlstate::kUndefinedObject,
                   "could not find array type for data type " + format_type(context, type.oid));
    type.oid = info->array;
  }
  return type;
}

std::string format_type(CatalogContext& view, Oid type, std::optional<int32_t> typmod) {
  if (type == kInvalidOid) return "-";
  const auto info = view.type(type);
  if (info == nullptr) return "???";
  const bool vector = type == oid::kInt2Vector || type == oid::kOidVector;
  if (info->is_array() && !vector) return format_type(view, info->element, typmod) + "[]";
  const std::string modifier = typmod && *typmod >= 0 ? typmod_output(*info, *typmod) : std::string();
  for (const SqlName& n : kSqlNames) {
    if (n.type != type) continue;
    if (typmod && *typmod < 0 && (type == oid::kBpchar || type == oid::kBit)) break;
    return n.head + modifier + n.tail;
  }
  std::string name = type == oid::kChar ? "\"char\"" : quote_identifier(info->name);
  const auto visible = view.find_type("", info->name);
  if (visible == nullptr || visible->oid != type) name = quote_identifier(view.schema_name(info->schema)) + "." + name;
  // A modifier of a type that has none is shown as it is.
  return typmod && *typmod >= 0 ? name + "(" + std::to_string(*typmod) + ")" : name;
}

}  // namespace indigo::types
