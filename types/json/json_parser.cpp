#include "types/json/json_parser.h"

#include <algorithm>

#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "base/fiber/turns.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// What continues a word that is no token.
bool is_word(char c) { return is_alnum(c) || c == '_' || static_cast<uint8_t>(c) >= 0x80; }

class Parser {
 public:
  Parser(FuncContext& context, Str text, JsonSink* sink) : context_(context), text_(text), sink_(sink) {}

  bool run() {
    if (!value()) return false;
    skip_spaces();
    if (at_ < text_.size()) return expected("end of input");
    return true;
  }
  bool decode(Str quoted, std::string& out) {
    at_ = 0;
    text_ = quoted;
    return string(&out);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) at_++;
  }

  // ---- errors
  // The lines up to the error, as PostgreSQL shows them: at most about 50 bytes of its line.
  std::string context_line(size_t end) const {
    size_t line = 1, start = 0;
    for (size_t i = 0; i < end && i < text_.size(); i++)
      if (text_[i] == '\n') {
        line++;
        start = i + 1;
      }
    size_t from = start;
    while (end - from >= 50) from += utf8_length(text_[from]);
    if (from - start <= 3) from = start;
    const bool more = end < text_.size() && text_[end] != '\n' && text_[end] != '\r';
    return "JSON data, line " + std::to_string(line) + ": " + (from > start ? "..." : "") +
           std::string(text_.substr(from, end - from)) + (more ? "..." : "");
  }
  bool fail(std::string detail, size_t end, SqlState state = sqlstate::kInvalidTextRepresentation,
            const char* message = "invalid input syntax for type json") {
    Error error(state, message);
    error.detail = std::move(detail);
    error.where = context_line(std::min(end, text_.size()));
    context_.fail(std::move(error));
    return false;
  }
  size_t token_end() const {
    if (at_ >= text_.size()) return at_;
    const char c = text_[at_];
    if (c == '"') {
      size_t i = at_ + 1;
      while (i < text_.size() && text_[i] != '"') i += text_[i] == '\\' ? 2 : 1;
      return std::min(i + 1, text_.size());
    }
    size_t end = at_;
    if (is_word(c) || c == '-') {
      end++;
      while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.' || text_[end] == '+' || text_[end] == '-'))
        end++;
      return end;
    }
    return at_ + 1;
  }
  // Could the text be a token at all?
  static bool is_token(Str token) {
    if (Str("{}[]:,\"").find(token[0]) != Str::npos) return true;
    if (token[0] != '-' && !is_digit(token[0])) return token == "true" || token == "false" || token == "null";
    const size_t first = token[0] == '-' ? 1 : 0;
    size_t at = first;
    const auto digits = [&] {
      const size_t from = at;
      while (at < token.size() && is_digit(token[at])) at++;
      return at > from;
    };
    if (!digits() || (token[first] == '0' && at > first + 1)) return false;
    if (at < token.size() && token[at] == '.' && (at++, !digits())) return false;
    if (at < token.size() && (token[at] == 'e' || token[at] == 'E')) {
      at++;
      if (at < token.size() && (token[at] == '+' || token[at] == '-')) at++;
      if (!digits()) return false;
    }
    return at == token.size();
  }
  bool expected(const std::string& what) {
    if (at_ >= text_.size()) return fail("The input string ended unexpectedly.", at_);
    const size_t end = token_end();
    if (!is_token(text_.substr(at_, end - at_))) return invalid_token();
    return fail("Expected " + what + ", but found \"" + std::string(text_.substr(at_, end - at_)) + "\".", end);
  }
  bool invalid_token() {
    const size_t end = std::max(token_end(), at_ + utf8_length(text_[at_]));
    return fail("Token \"" + std::string(text_.substr(at_, end - at_)) + "\" is invalid.", end);
  }

  // ---- grammar
  bool value() {
    turns_.work(32);
    if (stack_remaining() == 0) [[unlikely]] {
      context_.fail(stack_depth_error());
      return false;
    }
    skip_spaces();
    if (at_ >= text_.size()) return expected("JSON value");
    switch (text_[at_]) {
      case '{': return object();
      case '[': return array();
      case '"': {
        if (sink_ == nullptr) return string(nullptr);
        std::string decoded;
        if (!string(&decoded)) return false;
        sink_->string(decoded);
        return true;
      }
      case '}':
      case ']':
      case ',':
      case ':': return expected("JSON value");
      default: break;
    }
    if (text_[at_] == '-' || is_digit(text_[at_])) return number();
    return word();
  }

  bool object() {
    at_++;
    if (sink_ != nullptr) sink_->begin_object();
    skip_spaces();
    if (peek() == '}' && at_ < text_.size()) {
      at_++;
      if (sink_ != nullptr) sink_->end_object();
      return true;
    }
    for (bool first = true;; first = false) {
      skip_spaces();
      if (peek() != '"') return expected(first ? "string or \"}\"" : "string");
      std::string name;
      if (!string(sink_ == nullptr ? nullptr : &name)) return false;
      if (sink_ != nullptr) sink_->key(name);
      skip_spaces();
      if (peek() != ':') return expected("\":\"");
      at_++;
      if (!value()) return false;
      skip_spaces();
      if (peek() == ',') {
        at_++;
        continue;
      }
      if (peek() != '}' || at_ >= text_.size()) return expected("\",\" or \"}\"");
      at_++;
      if (sink_ != nullptr) sink_->end_object();
      return true;
    }
  }

  bool array() {
    at_++;
    if (sink_ != nullptr) sink_->begin_array();
    skip_spaces();
    if (peek() == ']') {
      at_++;
      if (sink_ != nullptr) sink_->end_array();
      return true;
    }
    while (true) {
      if (!value()) return false;
      skip_spaces();
      if (peek() == ',') {
        at_++;
        continue;
      }
      if (peek() != ']') return expected("\",\" or \"]\"");
      at_++;
      if (sink_ != nullptr) sink_->end_array();
      return true;
    }
  }

  bool word() {
    for (const char* known : {"true", "false", "null"}) {
      const Str k(known);
      if (text_.substr(at_, k.size()) != k || (at_ + k.size() < text_.size() && is_word(text_[at_ + k.size()])))
        continue;
      at_ += k.size();
      if (sink_ != nullptr) k == "null" ? sink_->null() : sink_->boolean(k == "true");
      return true;
    }
    return invalid_token();
  }

  bool number() {
    size_t i = at_;
    const auto digits = [&] {
      const size_t from = i;
      while (i < text_.size() && is_digit(text_[i])) i++;
      return i > from;
    };
    if (text_[i] == '-') i++;
    bool good = true;
    if (i < text_.size() && text_[i] == '0') {
      i++;
    } else {
      good = digits();
    }
    if (good && i < text_.size() && text_[i] == '.') {
      i++;
      good = digits();
    }
    if (good && i < text_.size() && (text_[i] == 'e' || text_[i] == 'E')) {
      i++;
      if (i < text_.size() && (text_[i] == '+' || text_[i] == '-')) i++;
      good = digits();
    }
    if (!good || (i < text_.size() && is_word(text_[i]))) return invalid_token();
    if (sink_ != nullptr) sink_->number(text_.substr(at_, i - at_));
    at_ = i;
    return true;
  }

  // `out` null: checks only.
  bool string(std::string* out) {
    const size_t from = at_++;
    uint32_t high = 0;  // of a surrogate pair
    const auto lone = [&](size_t end) { return fail("Unicode low surrogate must follow a high surrogate.", end); };
    while (true) {
      if (at_ >= text_.size()) {
        at_ = from;
        return fail("Token \"" + std::string(text_.substr(from)) + "\" is invalid.", text_.size());
      }
      const char c = text_[at_];
      if (c == '"') {
        if (high != 0) return lone(at_ + 1);
        at_++;
        return true;
      }
      if (static_cast<uint8_t>(c) < 0x20) {
        char code[8];
        std::snprintf(code, sizeof code, "0x%02x", static_cast<uint8_t>(c));
        return fail(std::string("Character with value ") + code + " must be escaped.", at_);
      }
      if (c != '\\') {
        if (high != 0) return lone(at_ + 1);
        if (out != nullptr) out->push_back(c);
        at_++;
        continue;
      }
      if (at_ + 1 >= text_.size()) {
        at_ = from;
        return fail("Token \"" + std::string(text_.substr(from)) + "\" is invalid.", text_.size());
      }
      const char e = text_[at_ + 1];
      if (e == 'u') {
        if (!unicode(out, high)) return false;
        continue;
      }
      if (high != 0) return lone(at_ + 2);
      static constexpr char kFrom[] = "\"\\/bfnrt", kTo[] = "\"\\/\b\f\n\r\t";
      const char* found = e == '\0' ? nullptr : std::strchr(kFrom, e);
      if (found == nullptr) {
        const size_t end = at_ + 1 + utf8_length(e);
        return fail("Escape sequence \"\\" + std::string(text_.substr(at_ + 1, end - at_ - 1)) + "\" is invalid.", end);
      }
      if (out != nullptr) out->push_back(kTo[found - kFrom]);
      at_ += 2;
    }
  }

  bool unicode(std::string* out, uint32_t& high) {
    uint32_t code = 0;
    for (size_t k = 0; k < 4; k++) {
      const size_t i = at_ + 2 + k;
      const int v = i < text_.size() ? hex_value(text_[i]) : -1;
      if (v < 0) return fail("\"\\u\" must be followed by four hexadecimal digits.", std::min(i + 1, text_.size()));
      code = code * 16 + static_cast<uint32_t>(v);
    }
    at_ += 6;
    if (out == nullptr) return true;
    if (code >= 0xD800 && code < 0xDC00) {
      if (high != 0) return fail("Unicode high surrogate must not follow a high surrogate.", at_);
      high = code;
      return true;
    }
    if (code >= 0xDC00 && code < 0xE000) {
      if (high == 0) return fail("Unicode low surrogate must follow a high surrogate.", at_);
      code = 0x10000 + ((high & 0x3ff) << 10) + (code & 0x3ff);
      high = 0;
    }
    if (high != 0) return fail("Unicode low surrogate must follow a high surrogate.", at_);
    if (code == 0)
      return fail("\\u0000 cannot be converted to text.", at_, sqlstate::kUntranslatableCharacter,
                  "unsupported Unicode escape sequence");
    utf8_append(code, *out);
    return true;
  }

  FuncContext& context_;
  Turns turns_;
  Str text_;
  JsonSink* sink_;
  size_t at_ = 0;
};

}  // namespace

bool parse_json(FuncContext& context, Str text, JsonSink* sink) { return Parser(context, text, sink).run(); }

bool decode_json_string(FuncContext& context, Str quoted, std::string& out) {
  return Parser(context, quoted, nullptr).decode(quoted, out);
}

void append_json_string(Str text, std::string& out) {
  out.push_back('"');
  size_t plain = 0;  // where what needs no escape begins
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (static_cast<uint8_t>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    note_work(16);
    switch (c) {
      case '"': out.append("\\\""); break;
      case '\\': out.append("\\\\"); break;
      case '\b': out.append("\\b"); break;
      case '\f': out.append("\\f"); break;
      case '\n': out.append("\\n"); break;
      case '\r': out.append("\\r"); break;
      case '\t': out.append("\\t"); break;
      default: {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", static_cast<uint8_t>(c));
        out.append(code);
      }
    }
  }
  note_work(2 * (text.size() - plain));
  out.append(text, plain);
  out.push_back('"');
}

}  // namespace indigo::types
