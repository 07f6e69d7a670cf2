#include "types/text/strings.h"

#include <algorithm>

#include <absl/strings/escaping.h>

#include "base/bytes.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/limits.h"
#include "types/text/ascii.h"
#include "types/text/find.h"
#include "types/text/keywords.h"

namespace indigo::types {

Str concatenate(FuncContext& context, Str a, Str b) {
  if (!check_text_bytes(context, a.size() + b.size())) return {};
  char* to = static_cast<char*>(context.arena().allocate(a.size() + b.size(), 1));
  if (!a.empty()) std::memcpy(to, a.data(), a.size());
  if (!b.empty()) std::memcpy(to + a.size(), b.data(), b.size());
  return {to, a.size() + b.size()};
}

Str substring_from(Str s, int64_t start) { return start <= 1 ? s : s.substr(utf8_offset(s, start - 1)); }

Str substring(Str s, int64_t start, int64_t length) {
  const int64_t end = start + length;  // first character not taken
  const Str tail = substring_from(s, start);
  return tail.substr(0, utf8_offset(tail, std::max<int64_t>(end - std::max<int64_t>(start, 1), 0)));
}

int32_t position_of(Str haystack, Str needle) {
  const size_t at = find_in(haystack, needle);
  return at == Str::npos ? 0 : static_cast<int32_t>(utf8_count(haystack.substr(0, at))) + 1;
}

std::string replace_all(Str s, Str from, Str to) {
  if (from.empty()) return std::string(s);
  std::string out;
  size_t at = 0;
  for (size_t hit; (hit = find_in(s, from, at)) != Str::npos; at = hit + from.size())
    out.append(s, at, hit - at).append(to);
  return out.append(s, at);
}

bool is_quoted_keyword(std::string_view word) {
  const auto all = keywords();
  const auto it = std::lower_bound(all.begin(), all.end(), word,
                                   [](const Keyword& k, std::string_view w) { return std::string_view(k.word) < w; });
  return it != all.end() && it->word == word && it->category != 'U';
}

std::string quote_identifier(Str name) {
  bool safe = !name.empty() && ((name[0] >= 'a' && name[0] <= 'z') || name[0] == '_');
  for (char c : name) safe = safe && ((c >= 'a' && c <= 'z') || is_digit(c) || c == '_');
  if (safe && !is_quoted_keyword(name)) return std::string(name);
  return "\"" + replace_all(name, "\"", "\"\"") + "\"";
}

std::string standard_literal(Str text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

std::string quote_literal(Str text) {
  std::string out = text.find('\\') == Str::npos ? "'" : "E'";
  for (char c : text) {
    if (c == '\'' || c == '\\') out.push_back(c);
    out.push_back(c);
  }
  return out + "'";
}

void append_hex(Str bytes, std::string& out) {
  out += absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size()));
}
std::string encode_hex(Str bytes) { return absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size())); }

namespace {
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// The character that is not accepted, whole.
std::string character_at(Str text, size_t at) { return std::string(text.substr(at, utf8_length(text[at]))); }
}  // namespace

std::string encode_base64(Str bytes, bool break_lines) {
  constexpr size_t kLine = 76;
  std::string whole = absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
  if (!break_lines) return whole;
  std::string out;
  for (size_t i = 0; i < whole.size(); i += kLine) {
    out.append(whole, i, kLine);
    if (i + kLine <= whole.size()) out.push_back('\n');
  }
  return out;
}

char char_from_text(Str text) {
  const auto octal = [&](size_t i, char high) { return text[i] >= '0' && text[i] <= high; };
  if (text.size() == 4 && text[0] == '\\' && octal(1, '3') && octal(2, '7') && octal(3, '7'))
    return static_cast<char>((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
  return text.empty() ? '\0' : text[0];
}

std::string encode_escape(Str bytes) {
  std::string out;
  for (char c : bytes) {
    const auto b = static_cast<uint8_t>(c);
    if (b == 0 || b >= 0x80) {
      const char octal[] = {'\\', static_cast<char>('0' + (b >> 6)), static_cast<char>('0' + ((b >> 3) & 7)),
                            static_cast<char>('0' + (b & 7))};
      out.append(octal, 4);
    } else if (c == '\\') {
      out.append("\\\\");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

Str decode_hex(FuncContext& context, Str text) {
  char* to = static_cast<char*>(context.arena().allocate(text.size() / 2 + 1, 1));
  size_t n = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
      i++;
      continue;
    }
    int value = 0;
    for (int half = 0; half < 2; half++, i++) {
      if (i >= text.size()) {
        context.fail(sqlstate::kInvalidParameterValue, "invalid hexadecimal data: odd number of digits");
        return {};
      }
      const int v = hex_value(text[i]);
      if (v < 0) {
        context.fail(sqlstate::kInvalidParameterValue, "invalid hexadecimal digit: \"" + character_at(text, i) + "\"");
        return {};
      }
      value = value * 16 + v;
    }
    to[n++] = static_cast<char>(value);
  }
  return {to, n};
}

Str decode_base64(FuncContext& context, Str text) {
  std::string out;
  uint32_t group = 0;
  int count = 0, end = 0;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') continue;
    uint32_t value = 0;
    if (c == '=') {
      if (end == 0) {
        if (count == 2) {
          end = 1;
        } else if (count == 3) {
          end = 2;
        } else {
          context.fail(sqlstate::kInvalidParameterValue, "unexpected \"=\" while decoding base64 sequence");
          return {};
        }
      }
    } else if (base64_value(c) >= 0) {
      value = static_cast<uint32_t>(base64_value(c));
    } else {
      context.fail(sqlstate::kInvalidParameterValue,
                   "invalid symbol \"" + character_at(text, i) + "\" found while decoding base64 sequence");
      return {};
    }
    group = group << 6 | value;
    if (++count == 4) {
      out.push_back(static_cast<char>(group >> 16));
      if (end == 0 || end > 1) out.push_back(static_cast<char>(group >> 8));
      if (end == 0 || end > 2) out.push_back(static_cast<char>(group));
      group = 0;
      count = 0;
    }
  }
  if (count != 0) {
    context.fail(Error(sqlstate::kInvalidParameterValue, "invalid base64 end sequence")
                     .with_hint("Input data is missing padding, is truncated, or is otherwise corrupted."));
    return {};
  }
  return context.arena().copy(out);
}

Str decode_escape(FuncContext& context, Str text) {
  char* to = static_cast<char*>(context.arena().allocate(text.size() + 1, 1));
  size_t n = 0;
  const auto octal = [&](size_t i, char low, char high) {
    return i < text.size() && text[i] >= low && text[i] <= high;
  };
  for (size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      to[n++] = text[i++];
    } else if (octal(i + 1, '0', '3') && octal(i + 2, '0', '7') && octal(i + 3, '0', '7')) {
      to[n++] = static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 4;
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      to[n++] = '\\';
      i += 2;
    } else {
      context.fail(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type bytea");
      return {};
    }
  }
  return {to, n};
}

}  // namespace indigo::types
