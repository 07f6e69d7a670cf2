// hstore in text and in binary: "key"=>"value", "other"=>NULL.
#include <algorithm>

#include "base/utf8.h"
#include "types/extension/hstore/hstore.h"
#include "types/extension/index_entry.h"
#include "types/function/kernel.h"
#include "types/io/client_text.h"

namespace indigo::types::hstore {

namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Reader {
 public:
  Reader(FuncContext& context, Str text) : context_(context), text_(text) {}

  // False: the context has the error.
  bool read(std::vector<Pair>& out) {
    Pair pair;
    bool quoted = false;
    while (word(false, pair.key, quoted)) {
      if (!expect('=', true) || !expect('>', false)) return false;
      Str value;
      if (!word(true, value, quoted)) return context_.failed() ? false : ended();
      pair.value = value;
      if (!quoted && is_null_word(value)) pair.value.reset();
      out.push_back(pair);
      skip_blanks();
      if (at_ == text_.size()) return true;
      if (text_[at_] != ',') return unexpected();
      at_++;
    }
    return !context_.failed();
  }

 private:
  static bool is_null_word(Str word) {
    constexpr std::string_view kNull = "null";
    return std::equal(word.begin(), word.end(), kNull.begin(), kNull.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  bool expect(char wanted, bool blanks_before) {
    if (blanks_before) skip_blanks();
    if (at_ == text_.size()) return ended();
    if (text_[at_] != wanted) return unexpected();
    at_++;
    return true;
  }
  // PostgreSQL's states and messages, these being internal errors there.
  bool ended() {
    context_.fail(sqlstate::kInternalError, "Unexpected end of string");
    return false;
  }
  bool unexpected() {
    context_.fail(sqlstate::kInternalError, "Syntax error near \"" +
                                                std::string(text_.substr(at_, utf8_length(text_[at_]))) +
                                                "\" at position " + std::to_string(at_));
    return false;
  }

  // False at the text's end, or with an error. An unquoted key ends before =, an unquoted value before a comma that is not
  // its first character.
  bool word(bool is_value, Str& out, bool& quoted) {
    skip_blanks();
    if (at_ == text_.size()) return false;
    quoted = text_[at_] == '"';
    if (quoted) at_++;
    if (!quoted && !is_value && text_[at_] == '=') return unexpected();
    std::string word;
    for (const size_t begin = at_;; at_++) {
      if (at_ == text_.size()) {
        if (quoted) return ended();
        break;
      }
      const char c = text_[at_];
      if (quoted ? c == '"' : is_blank(c) || (is_value ? c == ',' && at_ > begin : c == '=')) break;
      if (c == '\\' && ++at_ == text_.size()) return ended();
      word += text_[at_];
    }
    if (quoted) at_++;
    out = context_.arena().copy(word);
    return true;
  }

  FuncContext& context_;
  Str text_;
  size_t at_ = 0;
};

void append_quoted(Str text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

Datum input(FuncContext& context, const TypeRef&, Str text) {
  std::vector<Pair> pairs;
  if (!Reader(context, text).read(pairs)) return Datum::make_null(Phys::kStr);
  return Datum::of(context.arena().copy(make_image(std::move(pairs))));
}

void output(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  const View view(value.str);
  for (size_t i = 0; i < view.count(); i++) {
    if (i > 0) out += ", ";
    append_quoted(view.key(i), out);
    out += "=>";
    if (const auto v = view.value(i)) {
      append_quoted(*v, out);
    } else {
      out += "NULL";
    }
  }
}

// ---- binary: the number of pairs; the bytes and length of each key and value, -1 for a null

class Parts {
 public:
  Parts(FuncContext& context, Str bytes) : context_(context), bytes_(bytes) {}

  bool number(int32_t& out) {
    Str head;
    uint32_t bits = 0;
    if (!take(sizeof bits, head) || !receive_integer(context_, head, bits)) return false;
    out = static_cast<int32_t>(bits);
    return true;
  }
  bool text(Str& out) {
    int32_t length = 0;
    if (!number(length)) return false;
    if (length < 0) {
      context_.fail(sqlstate::kNullValueNotAllowed, "null value not allowed for hstore key");
      return false;
    }
    return text_of(static_cast<size_t>(length), out);
  }
  bool value(std::optional<Str>& out) {
    int32_t length = 0;
    if (!number(length)) return false;
    if (length < 0) return true;
    Str text;
    if (!text_of(static_cast<size_t>(length), text)) return false;
    out = text;
    return true;
  }
  size_t left() const { return bytes_.size(); }

 private:
  bool text_of(size_t count, Str& out) {
    if (!take(count, out)) return false;
    out = receive_text(context_, out);
    return !context_.failed() && check_encoding(context_, out);
  }
  bool take(size_t count, Str& out) {
    if (count > bytes_.size()) {
      context_.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
      return false;
    }
    out = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return true;
  }

  FuncContext& context_;
  Str bytes_;
};

Datum receive(FuncContext& context, const TypeRef&, Str bytes) {
  const Datum null = Datum::make_null(Phys::kStr);
  Parts parts(context, bytes);
  int32_t count = 0;
  if (!parts.number(count)) return null;
  constexpr size_t kLeastBytes = 8;  // of a pair
  if (count < 0 || static_cast<size_t>(count) > bytes.size() / kLeastBytes) {
    context.fail(sqlstate::kProgramLimitExceeded, "number of pairs (" + std::to_string(count) +
                                                      ") exceeds the maximum allowed (" +
                                                      std::to_string(bytes.size() / kLeastBytes) + ")");
    return null;
  }
  std::vector<Pair> pairs(static_cast<size_t>(count));
  for (Pair& pair : pairs) {
    if (!parts.text(pair.key) || !parts.value(pair.value)) return null;
  }
  if (parts.left() != 0) {
    context.fail(sqlstate::kInvalidBinaryRepresentation, "incorrect binary data format");
    return null;
  }
  return Datum::of(context.arena().copy(make_image(std::move(pairs))));
}

void send(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  const View view(value.str);
  send_integer(static_cast<uint32_t>(view.count()), out);
  std::string sent;
  const auto put = [&](Str text) {
    sent.clear();
    send_text(context, text, sent);
    send_integer(static_cast<uint32_t>(sent.size()), out);
    out += sent;
  };
  for (size_t i = 0; i < view.count(); i++) {
    put(view.key(i));
    if (const auto v = view.value(i)) {
      put(*v);
    } else {
      send_integer(~uint32_t{0}, out);
    }
  }
}

Str in(FuncContext& context, Str text) { return input(context, {}, text).str; }
std::string out_text(FuncContext& context, Str image) {
  std::string text;
  output(context, {}, Datum::of(image), text);
  return text;
}
std::string send_bytes(FuncContext& context, Str image) {
  std::string bytes;
  send(context, {}, Datum::of(image), bytes);
  return bytes;
}
const ScalarEntry kFormFunctions[] = {
    {"hstore_in", kernel<in>},
    {"hstore_out", kernel<out_text>},
    {"hstore_send", kernel<send_bytes>},
    {"hstore_recv", uncallable_kernel},
    {"ghstore_in", uncallable_kernel},
    {"ghstore_out", uncallable_kernel},
    {"hstore_subscript_handler", uncallable_kernel},
};

}  // namespace

std::span<const ScalarEntry> form_functions() { return kFormFunctions; }

const TypeDefinition kHstoreForms = {kInvalidOid, input,        output,         receive,     send,
                                     Phys::kStr,  &kBytesOrder, KeyForm::kNone, &kSubscripts};

}  // namespace indigo::types::hstore
