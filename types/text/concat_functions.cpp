// concat, concat_ws, format, and the digests and encodings of bytes.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/fiber/long_work.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/oids.h"
#include "types/text/ascii.h"
#include "types/text/encodings.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// The arguments from `first` on as (type, value): one by one, or the VARIADIC array's elements. Nullopt: that array is null.
using Arguments = std::vector<std::pair<TypeRef, Datum>>;
std::optional<Arguments> spread(const CallInfo& call, std::span<const Datum> values, size_t first) {
  Arguments out;
  if (!call.variadic_array) {
    for (size_t i = first; i < values.size(); i++) out.emplace_back(call.arguments[i], values[i]);
    return out;
  }
  if (values[first].null) return {};
  const ArrayView array(values[first].str);
  const TypeRef element{array.element_type(), -1, kInvalidOid};
  for (int32_t i = 0; i < array.count(); i++) {
    note_work(16);
    out.emplace_back(element, array.element(i));
  }
  return out;
}

std::string joined(FuncContext& context, const Arguments& arguments, Str separator) {
  std::string out;
  bool first = true;
  for (const auto& [type, value] : arguments) {
    if (value.null) continue;
    if (!first) out.append(separator);
    first = false;
    type_output(context, type, value, out);
    note_work(32 + separator.size() / 4);
    if (!check_text_bytes(context, out.size())) return {};
  }
  return out;
}
std::optional<std::string> concat(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  const auto arguments = spread(call, values, 0);
  return arguments ? std::optional<std::string>(joined(context, *arguments, "")) : std::nullopt;
}
std::optional<std::string> concat_ws(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  if (values[0].null) return {};
  const auto arguments = spread(call, values, 1);
  return arguments ? std::optional<std::string>(joined(context, *arguments, values[0].str)) : std::nullopt;
}

// ---- format(): %[position$][-][width]{s|I|L}
class Formatter {
 public:
  Formatter(FuncContext& context, Str format, const Arguments& arguments)
      : context_(context), in_(format), arguments_(arguments) {}

  std::string run() {
    while (at_ < in_.size() && !context_.failed()) {
      note_work(4);
      if (in_[at_] != '%') {
        out_.push_back(in_[at_++]);
      } else if (++at_ >= in_.size()) {
        unterminated();
      } else if (in_[at_] == '%') {
        out_.push_back('%');
        at_++;
      } else {
        specifier();
      }
    }
    return std::move(out_);
  }

 private:
  void unterminated() {
    context_.fail(Error(sqlstate::kInvalidParameterValue, "unterminated format() type specifier")
                      .with_hint("For a single \"%\" use \"%%\"."));
  }
  // Digits at the cursor; -1 when there are none.
  int32_t number() {
    if (at_ >= in_.size() || !is_digit(in_[at_])) return -1;
    int64_t v = 0;
    while (at_ < in_.size() && is_digit(in_[at_])) {
      v = v * 10 + (in_[at_++] - '0');
      if (v > INT32_MAX) {
        context_.fail(sqlstate::kNumericValueOutOfRange, "number is out of range");
        return 0;
      }
    }
    return static_cast<int32_t>(v);
  }
  bool argument(int32_t position, std::pair<TypeRef, Datum>& out) {
    if (position == 0) {
      context_.fail(sqlstate::kInvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1");
      return false;
    }
    const size_t index = position > 0 ? static_cast<size_t>(position) - 1 : next_;
    next_ = index + 1;
    if (index >= arguments_.size()) {
      context_.fail(sqlstate::kInvalidParameterValue, "too few arguments for format()");
      return false;
    }
    out = arguments_[index];
    return true;
  }

  void specifier() {
    int32_t position = -1, width = 0;
    bool left = false;
    int32_t n = number();
    if (context_.failed()) return;
    if (n >= 0 && at_ < in_.size() && in_[at_] == '$') {
      if (n == 0) {
        context_.fail(sqlstate::kInvalidParameterValue,
                      "format specifies argument 0, but arguments are numbered from 1");
        return;
      }
      position = n;
      at_++;
      n = -1;
    }
    if (n < 0) {
      while (at_ < in_.size() && in_[at_] == '-') {
        left = true;
        at_++;
      }
      if (at_ < in_.size() && in_[at_] == '*') {
        if (!width_argument(width)) return;
      } else {
        width = std::max(number(), 0);
      }
    } else {
      width = n;
    }
    if (context_.failed()) return;
    if (width < 0) {
      left = true;
      width = -width;
    }
    if (at_ >= in_.size()) return unterminated();
    const char conversion = in_[at_];
    if (conversion != 's' && conversion != 'I' && conversion != 'L') {
      context_.fail(Error(sqlstate::kInvalidParameterValue, "unrecognized format() type specifier \"" +
                                                                std::string(in_.substr(at_, utf8_length(conversion))) +
                                                                "\"")
                        .with_hint("For a single \"%\" use \"%%\"."));
      return;
    }
    at_++;
    std::pair<TypeRef, Datum> value;
    if (!argument(position, value)) return;
    pad(converted(conversion, value), width, left);
  }

  // *, *n$
  bool width_argument(int32_t& width) {
    at_++;
    const int32_t n = number();
    int32_t position = -1;
    if (n >= 0) {
      if (at_ >= in_.size() || in_[at_] != '$') {
        context_.fail(sqlstate::kInvalidParameterValue, "width argument position must be ended by \"$\"");
        return false;
      }
      at_++;
      position = n;
    }
    std::pair<TypeRef, Datum> value;
    if (!argument(position, value)) return false;
    if (value.second.null) {
      width = 0;
    } else if (value.first.oid == oid::kInt4) {
      width = value.second.i32;
    } else {
      std::string text;
      type_output(context_, value.first, value.second, text);
      const Datum v = type_input(context_, {oid::kInt4, -1, kInvalidOid}, text);
      if (v.null) return false;
      width = v.i32;
    }
    return true;
  }

  std::string converted(char conversion, const std::pair<TypeRef, Datum>& value) {
    if (value.second.null) {
      if (conversion == 'I')
        context_.fail(sqlstate::kNullValueNotAllowed, "null values cannot be formatted as an SQL identifier");
      return conversion == 'L' ? "NULL" : "";
    }
    std::string text;
    type_output(context_, value.first, value.second, text);
    note_work(4 * text.size());
    return conversion == 'I' ? quote_identifier(text) : conversion == 'L' ? quote_literal(text) : text;
  }
  void pad(const std::string& text, int32_t width, bool left) {
    const int64_t missing = std::max<int64_t>(width - utf8_count(text), 0);
    if (missing + static_cast<int64_t>(out_.size() + text.size()) > static_cast<int64_t>(kMaxTextBytes)) {
      context_.fail(sqlstate::kProgramLimitExceeded, "requested length too large");
      return;
    }
    if (!left) out_.append(static_cast<size_t>(missing), ' ');
    out_.append(text);
    if (left) out_.append(static_cast<size_t>(missing), ' ');
  }

  FuncContext& context_;
  Str in_;
  const Arguments& arguments_;
  size_t at_ = 0, next_ = 0;
  std::string out_;
};
std::optional<std::string> format(FuncContext& context, const CallInfo& call, std::span<const Datum> values) {
  if (values[0].null) return {};
  std::optional<Arguments> arguments;
  if (values.size() > 1) arguments = spread(call, values, 1);
  return Formatter(context, values[0].str, arguments.value_or(Arguments())).run();
}

// ---- digests
using MdContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

// Null: it cannot be made.
MdContext open_digest(const EVP_MD* algorithm) {
  const MustNotFail scope;  // what OpenSSL could not set up the first time it never tries again
  MdContext state(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (state != nullptr && EVP_DigestInit_ex(state.get(), algorithm, nullptr) != 1) state.reset();
  return state;
}

std::string digest(const EVP_MD* algorithm, Str bytes) {
  unsigned char out[EVP_MAX_MD_SIZE];
  unsigned int n = 0;
  const MdContext state = open_digest(algorithm);
  bool whole = state != nullptr;
  while (whole && !bytes.empty()) {
    constexpr size_t kAtOnce = size_t{1} << 20;
    const Str part = bytes.substr(0, kAtOnce);
    note_work(2 * part.size());
    whole = EVP_DigestUpdate(state.get(), part.data(), part.size()) == 1;
    bytes.remove_prefix(part.size());
  }
  whole = whole && EVP_DigestFinal_ex(state.get(), out, &n) == 1;
  ERR_clear_error();
  if (!whole) throw std::bad_alloc();  // these algorithms fail for nothing else
  return std::string(reinterpret_cast<char*>(out), n);
}
std::string md5(Str s) { return encode_hex(digest(EVP_md5(), s)); }
std::string sha224(Str s) { return digest(EVP_sha224(), s); }
std::string sha256(Str s) { return digest(EVP_sha256(), s); }
std::string sha384(Str s) { return digest(EVP_sha384(), s); }
std::string sha512(Str s) { return digest(EVP_sha512(), s); }

// ---- encode, decode
bool known_encoding(FuncContext& context, Str name) {
  for (const char* known : {"hex", "base64", "escape"})
    if (equals_ignoring_case(name, known)) return true;
  context.fail(sqlstate::kInvalidParameterValue, "unrecognized encoding: \"" + std::string(name) + "\"");
  return false;
}
std::string encode(FuncContext& context, Str bytes, Str name) {
  if (!known_encoding(context, name)) return {};
  const char kind = ascii_lower(name[0]);
  return kind == 'h' ? encode_hex(bytes) : kind == 'b' ? encode_base64(bytes, true) : encode_escape(bytes);
}
Str decode(FuncContext& context, Str text, Str name) {
  if (!known_encoding(context, name)) return {};
  const char kind = ascii_lower(name[0]);
  return kind == 'h'   ? decode_hex(context, text)
         : kind == 'b' ? decode_base64(context, text)
                       : decode_escape(context, text);
}

// \XXXX, \+XXXXXX, \uXXXX, \UXXXXXXXX
std::string unistr(FuncContext& context, Str s) {
  std::string out;
  uint32_t high = 0;  // the first half of a surrogate pair
  const auto fail_pair = [&] {
    context.fail(sqlstate::kSyntaxError, "invalid Unicode surrogate pair");
    return std::string();
  };
  for (size_t i = 0; i < s.size();) {
    const bool escaped = s[i] == '\\' && !(i + 1 < s.size() && s[i + 1] == '\\');
    if (!escaped && high != 0) return fail_pair();
    if (s[i] != '\\') {
      out.push_back(s[i++]);
      continue;
    }
    if (!escaped) {
      out.push_back('\\');
      i += 2;
      continue;
    }
    size_t skip = 1, digits = 4;
    if (i + 1 < s.size() && s[i + 1] == '+') {
      skip = 2;
      digits = 6;
    } else if (i + 1 < s.size() && (s[i + 1] == 'u' || s[i + 1] == 'U')) {
      skip = 2;
      digits = s[i + 1] == 'u' ? 4 : 8;
    }
    uint32_t code = 0;
    bool valid = i + skip + digits <= s.size();
    for (size_t k = 0; valid && k < digits; k++) {
      const int v = hex_value(s[i + skip + k]);
      valid = v >= 0;
      code = code * 16 + static_cast<uint32_t>(v);
    }
    if (!valid) {
      context.fail(Error(sqlstate::kSyntaxError, "invalid Unicode escape")
                       .with_hint("Unicode escapes must be \\XXXX, \\+XXXXXX, \\uXXXX, or \\UXXXXXXXX."));
      return {};
    }
    if (code == 0 || code > 0x10FFFF) {
      char number[16];
      std::snprintf(number, sizeof number, "%04X", code);
      context.fail(sqlstate::kInvalidParameterValue, std::string("invalid Unicode code point: ") + number);
      return {};
    }
    i += skip + digits;
    const bool low = code >= 0xDC00 && code <= 0xDFFF;
    if (low != (high != 0)) return fail_pair();  // a pair's second half belongs after its first, and only there
    if (code >= 0xD800 && code <= 0xDBFF) {
      high = code;
      continue;
    }
    utf8_append(low ? 0x10000 + ((high - 0xD800) << 10) + (code - 0xDC00) : code, out);
    high = 0;
  }
  if (high != 0) return fail_pair();
  return out;
}

const ScalarEntry kConcatEntries[] = {
    {"text_concat", any_kernel<concat>},
    {"text_concat_ws", any_kernel<concat_ws>},
    {"text_format", any_kernel<format>},
    {"text_format_nv", any_kernel<format>},
    {"md5_text", kernel<md5>},
    {"md5_bytea", kernel<md5>},
    {"sha224_bytea", kernel<sha224>},
    {"sha256_bytea", kernel<sha256>},
    {"sha384_bytea", kernel<sha384>},
    {"sha512_bytea", kernel<sha512>},
    {"binary_encode", kernel<encode>},
    {"binary_decode", kernel<decode>},
    {"pg_convert_from", kernel<convert_from>},
    {"pg_convert_to", kernel<convert_to>},
    {"pg_convert", kernel<convert_between>},
    {"to_ascii_default", kernel<to_ascii_default>},
    {"to_ascii_enc", kernel<to_ascii_numbered>},
    {"to_ascii_encname", kernel<to_ascii_named>},
    {"length_in_encoding", kernel<length_in_encoding>},
    {"unistr", kernel<unistr>},
};

}  // namespace

std::span<const ScalarEntry> concat_functions() { return kConcatEntries; }

}  // namespace indigo::types
