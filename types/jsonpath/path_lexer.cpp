#include "types/jsonpath/path_lexer.h"

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

constexpr Str kSpecial = "?%$.[]{}()|&!=<>@#,*:-+/\\\"";
bool is_name_character(char c) { return !is_blank(c) && kSpecial.find(c) == Str::npos; }

}  // namespace

bool PathLexer::fail(const std::string& message, Str near) {
  if (near.empty()) {
    context_.fail(sqlstate::kSyntaxError, message + " at end of jsonpath input");
  } else {
    context_.fail(sqlstate::kSyntaxError, message + " at or near \"" + std::string(near) + "\" of jsonpath input");
  }
  return false;
}

bool PathLexer::comment() {
  const size_t end = in_.find("*/", at_ + 2);
  if (end == Str::npos) return fail("unexpected end of comment", {});
  at_ = end + 2;
  return true;
}

bool PathLexer::hex_unit(uint32_t& unit) {
  unit = 0;
  if (at_ < in_.size() && in_[at_] == '{') {
    size_t digits = 0;
    for (at_++; at_ < in_.size() && hex_value(in_[at_]) >= 0 && digits < 6; at_++, digits++)
      unit = unit * 16 + static_cast<uint32_t>(hex_value(in_[at_]));
    if (digits == 0 || at_ >= in_.size() || in_[at_] != '}')
      return fail("invalid unicode sequence", in_.substr(escapes_begin_, at_ - escapes_begin_));
    at_++;
    return true;
  }
  for (int i = 0; i < 4; i++, at_++) {
    if (at_ >= in_.size() || hex_value(in_[at_]) < 0)
      return fail("invalid unicode sequence", in_.substr(escapes_begin_, at_ - escapes_begin_));
    unit = unit * 16 + static_cast<uint32_t>(hex_value(in_[at_]));
  }
  return true;
}

// Behind \u.
bool PathLexer::unicode(std::string& out) {
  uint32_t code = 0;
  if (at_ - 2 != escapes_end_) escapes_begin_ = at_ - 2;
  if (!hex_unit(code)) return false;
  if (code >= 0xD800 && code <= 0xDBFF) {
    uint32_t low = 0;
    if (in_.substr(at_, 2) != "\\u") {
      context_.fail(Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type jsonpath")
                        .with_detail("Unicode low surrogate must follow a high surrogate."));
      return false;
    }
    at_ += 2;
    if (!hex_unit(low)) return false;
    if (low < 0xDC00 || low > 0xDFFF) {
      context_.fail(Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type jsonpath")
                        .with_detail(low >= 0xD800 && low <= 0xDBFF
                                         ? "Unicode high surrogate must not follow a high surrogate."
                                         : "Unicode low surrogate must follow a high surrogate."));
      return false;
    }
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code <= 0xDFFF) {
    context_.fail(Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type jsonpath")
                      .with_detail("Unicode low surrogate must follow a high surrogate."));
    return false;
  }
  if (code == 0) {
    context_.fail(Error(sqlstate::kUntranslatableCharacter, "unsupported Unicode escape sequence")
                      .with_detail("\\u0000 cannot be converted to text."));
    return false;
  }
  if (code > 0x10FFFF) {
    context_.fail(sqlstate::kSyntaxError, "invalid Unicode code point");
    return false;
  }
  utf8_append(code, out);
  escapes_end_ = at_;
  return true;
}

// At the backslash.
bool PathLexer::escape(std::string& out) {
  at_++;
  if (at_ >= in_.size()) return fail("unexpected end after backslash", "\\");
  const char c = in_[at_++];
  switch (c) {
    case 'b': out.push_back('\b'); return true;
    case 'f': out.push_back('\f'); return true;
    case 'n': out.push_back('\n'); return true;
    case 'r': out.push_back('\r'); return true;
    case 't': out.push_back('\t'); return true;
    case 'v': out.push_back('\v'); return true;
    case 'u': return unicode(out);
    case 'x': {
      if (at_ + 2 > in_.size() || hex_value(in_[at_]) < 0 || hex_value(in_[at_ + 1]) < 0)
        return fail("invalid hex character sequence",
                    in_.substr(at_ - 2, at_ < in_.size() && hex_value(in_[at_]) >= 0 ? 3 : 2));
      const auto code = static_cast<uint32_t>(hex_value(in_[at_]) * 16 + hex_value(in_[at_ + 1]));
      at_ += 2;
      if (code == 0) {
        context_.fail(Error(sqlstate::kUntranslatableCharacter, "unsupported Unicode escape sequence")
                          .with_detail("\\u0000 cannot be converted to text."));
        return false;
      }
      utf8_append(code, out);
      return true;
    }
    default: out.push_back(c); return true;
  }
}

bool PathLexer::quoted(std::string& out) {
  for (at_++; at_ < in_.size();) {
    if (in_[at_] == '"') {
      at_++;
      return true;
    }
    if (in_[at_] == '\\') {
      if (!escape(out)) return false;
    } else {
      out.push_back(in_[at_++]);
    }
  }
  return fail("unexpected end of quoted string", {});
}

bool PathLexer::name(std::string& out, bool& escaped) {
  while (at_ < in_.size()) {
    if (in_[at_] == '\\') {
      escaped = true;
      if (!escape(out)) return false;
    } else if (is_name_character(in_[at_])) {
      out.push_back(in_[at_++]);
    } else {
      break;
    }
  }
  return true;
}

bool PathLexer::number(PathToken& token) {
  const size_t from = at_;
  const auto digits = [this] {
    const size_t start = at_;
    while (at_ < in_.size() && is_digit(in_[at_])) at_++;
    return at_ > start;
  };
  token.kind = PathToken::Kind::kInteger;
  // No leading zeros: 01 is 0 and junk.
  if (at_ < in_.size() && in_[at_] == '0') {
    at_++;
  } else {
    digits();
  }
  if (at_ < in_.size() && in_[at_] == '.') {
    token.kind = PathToken::Kind::kNumber;
    at_++;
    digits();
  }
  if (at_ < in_.size() && (in_[at_] == 'e' || in_[at_] == 'E')) {
    token.kind = PathToken::Kind::kNumber;
    at_++;
    const bool sign = at_ < in_.size() && (in_[at_] == '+' || in_[at_] == '-');
    if (sign) at_++;
    if (!digits())
      return fail(sign ? "invalid numeric literal" : "trailing junk after numeric literal",
                  in_.substr(from, at_ - from));
  }
  if (at_ < in_.size() && (is_name_character(in_[at_]) || in_[at_] == '\\')) {
    return fail("trailing junk after numeric literal", in_.substr(from, at_ - from + utf8_length(in_[at_])));
  }
  token.text = std::string(in_.substr(from, at_ - from));
  return true;
}

bool PathLexer::next(PathToken& token) {
  token = PathToken();
  while (at_ < in_.size()) {
    if (is_blank(in_[at_])) {
      at_++;
    } else if (in_.substr(at_, 2) == "/*") {
      if (!comment()) return false;
    } else {
      break;
    }
  }
  if (at_ >= in_.size()) return true;
  const size_t from = at_;
  const char c = in_[at_];
  bool escaped = false;
  if (c == '"') {
    token.kind = PathToken::Kind::kString;
    if (!quoted(token.text)) return false;
  } else if (is_digit(c) || (c == '.' && at_ + 1 < in_.size() && is_digit(in_[at_ + 1]))) {
    if (!number(token)) return false;
  } else if (c == '$' && at_ + 1 < in_.size() &&
             (in_[at_ + 1] == '"' || in_[at_ + 1] == '\\' || is_name_character(in_[at_ + 1]))) {
    token.kind = PathToken::Kind::kVariable;
    at_++;
    if (!(in_[at_] == '"' ? quoted(token.text) : name(token.text, escaped))) return false;
  } else if (c == '\\' || is_name_character(c)) {
    token.kind = PathToken::Kind::kName;
    if (!name(token.text, escaped)) return false;
    token.keyword = !escaped;
  } else {
    token.kind = PathToken::Kind::kSymbol;
    constexpr Str kDouble[] = {"&&", "||", "**", "<=", "==", "<>", "!=", ">="};
    size_t length = 1;
    for (Str symbol : kDouble)
      if (in_.substr(at_, 2) == symbol) length = 2;
    token.text = std::string(in_.substr(at_, length));
    at_ += length;
  }
  token.source = in_.substr(from, at_ - from);
  // PostgreSQL's scanner stands behind a name when it tells where an error is.
  if (token.kind == PathToken::Kind::kName)
    token.source = at_ < in_.size() && is_blank(in_[at_]) ? in_.substr(at_, 1) : Str();
  return true;
}

}  // namespace indigo::types
