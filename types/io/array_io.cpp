// Arrays' text form, '{1,NULL,"a b"}' with nested braces and an optional '[1:2]=' in front, and their binary form.
#include "base/fiber/turns.h"
#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/phys_of.h"
#include "types/io/container_io.h"
#include "types/io/domain_check.h"
#include "types/number/integer_text.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr uint64_t kUnitsOfElement = 100;

// Reads one array literal. Every element must lie at the same depth and every sub-array have the same length.
class ArrayParser {
 public:
  ArrayParser(FuncContext& context, const TypeRef& element, char delimiter, Str text)
      : context_(context), element_(element), delimiter_(delimiter), text_(text) {}

  Datum parse() {
    const Phys phys = phys_of(context_, element_.oid);
    skip_blanks();
    if (!dimension_prefix()) return Datum::make_null(Phys::kStr);
    if (peek() != '{') return malformed("Array value must start with \"{\" or dimension information.");
    if (!braces(0)) return Datum::make_null(Phys::kStr);
    skip_blanks();
    if (at_ != text_.size()) return malformed("Junk after closing right brace.");
    if (!convert()) return Datum::make_null(Phys::kStr);
    std::vector<ArrayDimension> dimensions;
    for (size_t d = 0; d < lengths_.size(); d++) dimensions.push_back({lengths_[d], 1});
    if (elements_.empty()) dimensions.clear();
    if (!declared_.empty()) {
      if (declared_.size() != lengths_.size())
        return malformed("Specified array dimensions do not match array contents.");
      for (size_t d = 0; d < declared_.size(); d++)
        if (declared_[d].length != lengths_[d])
          return malformed("Specified array dimensions do not match array contents.");
      if (!elements_.empty()) dimensions = declared_;
    }
    return Datum::of(context_.arena().copy(make_array(element_.oid, phys, dimensions, elements_)));
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  Datum malformed(const char* detail) {
    context_.fail(Error(sqlstate::kInvalidTextRepresentation, "malformed array literal: \"" + std::string(text_) + "\"")
                      .with_detail(detail));
    return Datum::make_null(Phys::kStr);
  }
  bool fail(const char* detail) {
    (void)malformed(detail);
    return false;
  }

  bool integer(int32_t& out) {
    const size_t from = at_;
    if (peek() == '-' || peek() == '+') at_++;
    while (is_digit(peek())) at_++;
    return parse_integer(text_.substr(from, at_ - from), out) == IntegerParse::kOk;
  }

  // [lower:upper][...]= or [length]
  bool dimension_prefix() {
    if (peek() != '[') return true;
    while (peek() == '[') {
      at_++;
      if (declared_.size() >= kMaxArrayDimensions) return too_many_dimensions();
      int32_t lower = 1, upper = 0;
      if (!integer(upper)) return fail("\"[\" must introduce explicitly-specified array dimensions.");
      if (peek() == ':') {
        at_++;
        lower = upper;
        if (!integer(upper)) return fail("Missing array dimension value.");
      }
      if (peek() != ']') return fail("Missing \"]\" after array dimensions.");
      at_++;
      if (upper < lower) {
        context_.fail(sqlstate::kArraySubscriptError, "upper bound cannot be less than lower bound");
        return false;
      }
      const int64_t length = int64_t{upper} - lower + 1;
      if (length > kMaxArrayElements) {
        context_.fail(sqlstate::kProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)");
        return false;
      }
      if (lower + length > INT32_MAX) {
        context_.fail(sqlstate::kProgramLimitExceeded, "array lower bound is too large: " + std::to_string(lower));
        return false;
      }
      declared_.push_back({static_cast<int32_t>(length), lower});
      skip_blanks();
    }
    if (peek() != '=') return fail("Missing \"=\" after array dimensions.");
    at_++;
    skip_blanks();
    if (peek() != '{') return fail("Array contents must start with \"{\".");
    return true;
  }
  bool too_many_dimensions() {
    context_.fail(sqlstate::kProgramLimitExceeded, "number of array dimensions (7) exceeds the maximum allowed (6)");
    return false;
  }

  bool braces(size_t depth) {
    if (depth >= kMaxArrayDimensions) return too_many_dimensions();
    at_++;
    const bool first_visit = lengths_.size() <= depth;
    if (first_visit) {
      // Once an element has been seen, no level below it may begin.
      if (leaf_depth_ >= 0) return fail("Unexpected \"{\" character.");
      lengths_.push_back(-1);
    }
    int32_t count = 0;
    skip_blanks();
    if (peek() == '}') {
      at_++;
      if (depth > 0 || text_.empty()) return mismatch(depth, 0);
      return finish(depth, 0);
    }
    while (true) {
      turns_.work(kUnitsOfElement);
      skip_blanks();
      if (peek() == '{') {
        if (leaf_depth_ == static_cast<int>(depth)) return fail("Unexpected \"{\" character.");
        if (!braces(depth + 1)) return false;
      } else {
        if (leaf_depth_ >= 0 && leaf_depth_ != static_cast<int>(depth)) return fail("Unexpected array element.");
        if (lengths_.size() > depth + 1) return fail("Unexpected array element.");
        leaf_depth_ = static_cast<int>(depth);
        if (!element()) return false;
      }
      count++;
      skip_blanks();
      if (at_ >= text_.size()) return fail("Unexpected end of input.");
      if (peek() == delimiter_) {
        at_++;
        continue;
      }
      if (peek() == '}') {
        at_++;
        return finish(depth, count);
      }
      return fail(peek() == '{' ? "Unexpected \"{\" character." : "Unexpected array element.");
    }
  }
  bool finish(size_t depth, int32_t count) {
    if (lengths_[depth] >= 0 && lengths_[depth] != count) return mismatch(depth, count);
    lengths_[depth] = count;
    return true;
  }
  bool mismatch(size_t depth, int32_t count) {
    if (count == 0 && lengths_[depth] < 0) {
      lengths_[depth] = 0;
      return true;
    }
    return fail("Multidimensional arrays must have sub-arrays with matching dimensions.");
  }

  bool element() {
    std::string value;
    bool quoted = false, escaped = false;
    size_t significant = 0;  // length without trailing unquoted blanks
    while (true) {
      if (at_ >= text_.size()) return fail("Unexpected end of input.");
      const char c = text_[at_];
      if (c == '"') {
        if (quoted || significant > 0) return fail("Unexpected array element.");
        quoted = true;
        at_++;
        while (true) {
          if (at_ >= text_.size()) return fail("Unexpected end of input.");
          if (text_[at_] == '"') break;
          if (text_[at_] == '\\' && ++at_ >= text_.size()) return fail("Unexpected end of input.");
          value.push_back(text_[at_++]);
        }
        at_++;
        significant = value.size();
        skip_blanks();
        continue;
      }
      if (c == delimiter_ || c == '}') break;
      if (quoted) return fail("Unexpected array element.");
      if (c == '{') return fail("Unexpected \"{\" character.");
      if (c == '\\') {
        if (++at_ >= text_.size()) return fail("Unexpected end of input.");
        escaped = true;
        value.push_back(text_[at_++]);
        significant = value.size();
        continue;
      }
      value.push_back(c);
      if (!is_blank(c)) significant = value.size();
      at_++;
    }
    value.resize(significant);
    if (!quoted && value.empty()) {
      return fail(peek() == '}' ? "Unexpected \"}\" character." : "Unexpected \",\" character.");
    }
    if (!quoted && !escaped && equals_ignoring_case(value, "null")) {
      texts_.emplace_back(std::nullopt);
    } else {
      texts_.emplace_back(std::move(value));
    }
    return true;
  }
  // The whole literal is well formed before its elements are looked at.
  bool convert() {
    const Datum null = Datum::make_null(phys_of(context_, element_.oid));
    elements_.reserve(texts_.size());
    for (const std::optional<std::string>& text : texts_) {
      turns_.work(kUnitsOfElement);
      elements_.push_back(text ? type_input(context_, element_, *text) : null);
      if (context_.failed() || !check_domain(context_, element_, elements_.back())) return false;
    }
    return true;
  }

  FuncContext& context_;
  Turns turns_;
  const TypeRef& element_;
  char delimiter_;
  Str text_;
  size_t at_ = 0;
  std::vector<ArrayDimension> declared_;
  std::vector<int32_t> lengths_;
  int leaf_depth_ = -1;
  std::vector<std::optional<std::string>> texts_;
  std::vector<Datum> elements_;
};

void append_element(Str text, char delimiter, std::string& out) {
  bool quote = text.empty() || equals_ignoring_case(text, "null");
  for (char c : text) quote = quote || c == '"' || c == '\\' || c == '{' || c == '}' || c == delimiter || is_blank(c);
  if (!quote) {
    out.append(text);
    return;
  }
  append_quoted(text, true, out);
}

}  // namespace

Datum array_input(FuncContext& context, const TypeRef& element, char delimiter, Str text) {
  return ArrayParser(context, element, delimiter, text).parse();
}

void array_output(FuncContext& context, Str image, char delimiter, std::string& out) {
  const ArrayView array(image);
  if (array.count() == 0) {
    out.append("{}");
    return;
  }
  bool bounds = false;
  for (int d = 0; d < array.dimensions(); d++) bounds |= array.dimension(d).lower != 1;
  if (bounds) {
    for (int d = 0; d < array.dimensions(); d++) {
      out.push_back('[');
      append_integer(array.dimension(d).lower, out);
      out.push_back(':');
      append_integer(array.upper(d), out);
      out.push_back(']');
    }
    out.push_back('=');
  }
  const TypeRef element{array.element_type(), -1, kInvalidOid};
  std::string text;
  int32_t index = 0;
  Turns turns;
  const auto level = [&](const auto& self, int depth) -> void {
    out.push_back('{');
    for (int32_t i = 0; i < array.dimension(depth).length; i++) {
      turns.work(kUnitsOfElement);
      if (i > 0) out.push_back(delimiter);
      if (depth + 1 < array.dimensions()) {
        self(self, depth + 1);
        if (context.failed()) return;
      } else if (array.is_null(index)) {
        out.append("NULL");
        index++;
      } else {
        text.clear();
        type_output(context, element, array.element(index++), text);
        if (!check_part(context, text, out)) return;
        append_element(text, delimiter, out);
      }
    }
    out.push_back('}');
  };
  level(level, 0);
}

Datum array_receive(FuncContext& context, const TypeRef& element, Str bytes) {
  const auto fail = [&](std::string message) {
    fail_binary(context, std::move(message));
    return Datum::make_null(Phys::kStr);
  };
  size_t at = 0;
  bool short_message = false;
  const auto next = [&]() -> int32_t {
    if (bytes.size() - at < 4) {
      short_message = true;
      return 0;
    }
    const auto v = static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data() + at)));
    at += 4;
    return v;
  };
  const auto fail_short = [&] {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return Datum::make_null(Phys::kStr);
  };
  const int32_t dimension_count = next(), flags = next();
  const auto type = static_cast<Oid>(next());
  if (short_message) return fail_short();
  if (dimension_count < 0) return fail("invalid number of dimensions: " + std::to_string(dimension_count));
  if (dimension_count > kMaxArrayDimensions) {
    context.fail(sqlstate::kProgramLimitExceeded, "number of array dimensions (" + std::to_string(dimension_count) +
                                                      ") exceeds the maximum allowed (6)");
    return Datum::make_null(Phys::kStr);
  }
  if (flags != 0 && flags != 1) return fail("invalid array flags");
  // OIDs of the database's own types may be another server's.
  if (type != element.oid && type < oid::kFirstUserOid && element.oid < oid::kFirstUserOid) {
    context.fail(sqlstate::kDatatypeMismatch, "binary data has array element type " + std::to_string(type) +
                                                  " instead of expected " + std::to_string(element.oid));
    return Datum::make_null(Phys::kStr);
  }
  std::vector<ArrayDimension> dimensions;
  int64_t count = dimension_count == 0 ? 0 : 1;
  for (int32_t d = 0; d < dimension_count; d++) {
    const int32_t length = next(), lower = next();
    if (length < 0) {
      context.fail(sqlstate::kProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)");
      return Datum::make_null(Phys::kStr);
    }
    if (int64_t{lower} + length > INT32_MAX) {
      context.fail(sqlstate::kProgramLimitExceeded, "array lower bound is too large: " + std::to_string(lower));
      return Datum::make_null(Phys::kStr);
    }
    dimensions.push_back({length, lower});
    count *= length;
    if (count > kMaxArrayElements) {
      context.fail(sqlstate::kProgramLimitExceeded, "array size exceeds the maximum allowed (134217727)");
      return Datum::make_null(Phys::kStr);
    }
  }
  if (short_message || static_cast<uint64_t>(count) * 4 > bytes.size() - at) return fail_short();
  const Phys phys = phys_of(context, element.oid);
  std::vector<Datum> elements;
  elements.reserve(static_cast<size_t>(count));
  Turns turns;
  for (int64_t i = 0; i < count; i++) {
    turns.work(kUnitsOfElement);
    const int32_t length = next();
    if (short_message) return fail_short();
    if (length == -1) {
      elements.push_back(Datum::make_null(phys));
      if (!check_domain(context, element, elements.back())) return Datum::make_null(Phys::kStr);
      continue;
    }
    if (length < 0 || static_cast<size_t>(length) > bytes.size() - at) return fail_short();
    elements.push_back(type_receive(context, element, bytes.substr(at, static_cast<size_t>(length))));
    if (context.failed() || !check_domain(context, element, elements.back())) return Datum::make_null(Phys::kStr);
    at += static_cast<size_t>(length);
  }
  if (at != bytes.size()) return fail("incorrect binary data format");
  return Datum::of(context.arena().copy(make_array(element.oid, phys, dimensions, elements)));
}

void array_send(FuncContext& context, Oid declared, Str image, std::string& out) {
  const ArrayView array(image);
  send_integer(static_cast<uint32_t>(array.dimensions()), out);
  send_integer(array.has_nulls() ? 1u : 0u, out);
  send_integer(declared, out);
  for (int d = 0; d < array.dimensions(); d++) {
    send_integer(static_cast<uint32_t>(array.dimension(d).length), out);
    send_integer(static_cast<uint32_t>(array.dimension(d).lower), out);
  }
  const TypeRef element{array.element_type(), -1, kInvalidOid};
  Turns turns;
  for (int32_t i = 0; i < array.count(); i++) {
    turns.work(kUnitsOfElement);
    if (array.is_null(i)) {
      send_integer(UINT32_MAX, out);
      continue;
    }
    const size_t length_at = out.size();
    send_integer(0u, out);
    type_send(context, element, array.element(i), out);
    store_unaligned(out.data() + length_at, big_endian(static_cast<uint32_t>(out.size() - length_at - 4)));
  }
}

}  // namespace indigo::types
