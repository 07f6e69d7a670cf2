#include "engine/copy/copy_options.h"

#include <strings.h>

#include <optional>

#include "base/sqlstate.h"
#include "sql/parse/node.h"
#include "sql/parse/option_value.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"
#include "types/text/encodings.h"

namespace indigo::engine {

namespace {

Error syntax(std::string message) { return Error(sqlstate::kSyntaxError, std::move(message)); }
Error unsupported(std::string message) { return Error(sqlstate::kFeatureNotSupported, std::move(message)); }
Error invalid(std::string message) { return Error(sqlstate::kInvalidParameterValue, std::move(message)); }

std::vector<std::string> names_of(const PgQuery__Node* node) {
  std::vector<std::string> names;
  if (node == nullptr || node->node_case != PG_QUERY__NODE__NODE_LIST) return names;
  for (size_t i = 0; i < node->list->n_items; i++) names.push_back(sql::option_text(node->list->items[i]));
  return names;
}

Status one_byte(const char* what, const std::string& text) {
  if (text.size() == 1) return {};
  return unsupported(std::string("COPY ") + what + " must be a single one-byte character");
}

// Options that may only come once, with what remains to be checked together.
struct Reader {
  explicit Reader(std::string_view statement) : text(statement) {}

  const std::string_view text;
  CopyOptions out;
  std::optional<std::string> delimiter, null_text, quote, escape;
  bool format_seen = false;

  int position(const PgQuery__DefElem& option) const { return sql::character_position(text, option.location); }

  Status read(const PgQuery__DefElem& option, bool is_from) {
    std::string name = option.defname;
    const PgQuery__Node* arg = option.arg;
    const bool one_value = name == "format" || name == "delimiter" || name == "null" || name == "quote" ||
                           name == "escape" || name == "encoding";
    if (one_value && sql::absent(arg)) return syntax(name + " requires a parameter");
    if (name == "force_quote" || name == "force_not_null" || name == "force_null") {
      const bool all = name == "force_quote" && arg != nullptr && arg->node_case == PG_QUERY__NODE__NODE_A_STAR;
      if (!all && (sql::absent(arg) || arg->node_case != PG_QUERY__NODE__NODE_LIST))
        return invalid("argument to option \"" + name + "\" must be a list of column names").at(position(option));
    }
    if (name == "format") {
      std::string format = sql::option_text(arg);
      format_seen = true;
      if (format == "text") {
        out.format = CopyFormat::kText;
      } else if (format == "csv") {
        out.format = CopyFormat::kCsv;
      } else if (format == "binary") {
        out.format = CopyFormat::kBinary;
      } else {
        return invalid("COPY format \"" + format + "\" not recognized").at(position(option));
      }
    } else if (name == "freeze") {
      INDIGO_ASSIGN(out.freeze, sql::option_boolean(option));
    } else if (name == "delimiter") {
      delimiter = sql::option_text(arg);
    } else if (name == "null") {
      null_text = sql::option_text(arg);
    } else if (name == "header") {
      if (arg != nullptr && strcasecmp(sql::option_text(arg).c_str(), "match") == 0) {
        if (!is_from) return unsupported("cannot use \"match\" with HEADER in COPY TO");
        out.header = out.header_match = true;
      } else {
        auto header = sql::option_boolean(option);
        if (!header.ok()) return syntax("header requires a Boolean value or \"match\"");
        out.header = *header;
      }
    } else if (name == "quote") {
      quote = sql::option_text(arg);
    } else if (name == "escape") {
      escape = sql::option_text(arg);
    } else if (name == "force_quote") {
      out.force_quote_all = arg != nullptr && arg->node_case == PG_QUERY__NODE__NODE_A_STAR;
      out.force_quote = names_of(arg);
    } else if (name == "force_not_null") {
      out.force_not_null = names_of(arg);
    } else if (name == "force_null") {
      out.force_null = names_of(arg);
    } else if (name == "encoding") {
      out.encoding = sql::option_text(arg);
      if (types::encoding_number(out.encoding) < 0) {
        return invalid("argument to option \"encoding\" must be a valid encoding name").at(position(option));
      }
    } else if (name == "convert_selectively") {
      if (arg != nullptr && arg->node_case != PG_QUERY__NODE__NODE_LIST) {
        return invalid("argument to option \"convert_selectively\" must be a list of column names")
            .at(position(option));
      }
      out.convert_selectively = true;
      out.converted = names_of(arg);
    } else {
      return syntax("option \"" + name + "\" not recognized").at(position(option));
    }
    return {};
  }

  Status finish(bool is_from) {
    const bool csv = out.format == CopyFormat::kCsv;
    if (out.format == CopyFormat::kBinary) {
      if (delimiter) return syntax("cannot specify DELIMITER in BINARY mode");
      if (null_text) return syntax("cannot specify NULL in BINARY mode");
      if (out.header) return unsupported("cannot specify HEADER in BINARY mode");
    }
    if (csv) {
      out.delimiter = ',';
      out.null_text.clear();
    }
    if (delimiter) {
      INDIGO_TRY(one_byte("delimiter", *delimiter));
      out.delimiter = (*delimiter)[0];
      if (out.delimiter == '\n' || out.delimiter == '\r') {
        return invalid("COPY delimiter cannot be newline or carriage return");
      }
      if (!csv &&
          std::string_view("\\.abcdefghijklmnopqrstuvwxyz0123456789").find(out.delimiter) != std::string_view::npos) {
        return invalid("COPY delimiter cannot be \"" + *delimiter + "\"");
      }
    }
    if (null_text) {
      if (null_text->find_first_of("\r\n") != std::string::npos) {
        return invalid("COPY null representation cannot use newline or carriage return");
      }
      out.null_text = *null_text;
    }
    if (quote) {
      if (!csv) return unsupported("COPY quote available only in CSV mode");
      INDIGO_TRY(one_byte("quote", *quote));
      out.quote = out.escape = (*quote)[0];
      if (out.quote == out.delimiter) return invalid("COPY delimiter and quote must be different");
    }
    if (escape) {
      if (!csv) return unsupported("COPY escape available only in CSV mode");
      INDIGO_TRY(one_byte("escape", *escape));
      out.escape = (*escape)[0];
    }
    if (!csv && (out.force_quote_all || !out.force_quote.empty()))
      return unsupported("COPY force quote available only in CSV mode");
    if (!csv && !out.force_not_null.empty()) return unsupported("COPY force not null available only in CSV mode");
    if (!csv && !out.force_null.empty()) return unsupported("COPY force null available only in CSV mode");
    const bool quotes = out.force_quote_all || !out.force_quote.empty();
    if (is_from && quotes) return unsupported("COPY force quote only available using COPY TO");
    if (!is_from && !out.force_not_null.empty()) {
      return unsupported("COPY force not null only available using COPY FROM");
    }
    if (!is_from && !out.force_null.empty()) return unsupported("COPY force null only available using COPY FROM");
    if (out.null_text.find(out.delimiter) != std::string::npos) {
      return unsupported("COPY delimiter must not appear in the NULL specification");
    }
    if (csv && out.null_text.find(out.quote) != std::string::npos)
      return unsupported("CSV quote character must not appear in the NULL specification");
    return {};
  }
};

}  // namespace

Result<CopyOptions> read_copy_options(std::string_view text, std::span<PgQuery__Node* const> options, bool is_from) {
  Reader reader(text);
  std::vector<std::string> seen;
  for (const PgQuery__Node* node : options) {
    if (node->node_case != PG_QUERY__NODE__NODE_DEF_ELEM) continue;
    for (const std::string& name : seen) {
      if (name == node->def_elem->defname)
        return syntax("conflicting or redundant options").at(reader.position(*node->def_elem));
    }
    seen.emplace_back(node->def_elem->defname);
    INDIGO_TRY(reader.read(*node->def_elem, is_from));
  }
  INDIGO_TRY(reader.finish(is_from));
  return reader.out;
}

}  // namespace indigo::engine
