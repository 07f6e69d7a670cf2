// The text and binary forms of ranges and multiranges: '[1,5)', '{[1,2),[4,)}'.
#include <utility>

#include "types/function/families.h"
#include "types/io/container_io.h"
#include "types/io/domain_check.h"
#include "types/range/range.h"
#include "types/range/range_oids.h"
#include "types/text/ascii.h"

namespace indigo::types {

namespace {

const Datum kNoValue = Datum::make_null(Phys::kStr);

// Reads one range literal; bounds' texts are taken apart before any of them is read as a value.
class RangeParser {
 public:
  RangeParser(FuncContext& context, Str text) : context_(context), text_(text) {}

  bool parse(RangeValue& range) {
    skip_blanks();
    if (equals_ignoring_case(text_.substr(at_, 5), "empty")) {
      at_ += 5;
      skip_blanks();
      if (at_ != text_.size()) return malformed("Junk after \"empty\" key word.");
      range.empty = true;
      return true;
    }
    std::string lower, upper;
    range.empty = false;
    if (peek() != '[' && peek() != '(') return malformed("Missing left parenthesis or bracket.");
    range.lower.inclusive = text_[at_++] == '[';
    if (!bound(range.lower, lower)) return false;
    if (peek() != ',') return malformed("Missing comma after lower bound.");
    at_++;
    if (!bound(range.upper, upper)) return false;
    if (peek() == ',') return malformed("Too many commas.");
    range.upper.inclusive = text_[at_++] == ']';
    skip_blanks();
    if (at_ != text_.size()) return malformed("Junk after right parenthesis or bracket.");
    return value(range, range.lower, lower) && value(range, range.upper, upper) && normalize(context_, range);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  bool malformed(const char* detail) {
    context_.fail(Error(sqlstate::kInvalidTextRepresentation, "malformed range literal: \"" + std::string(text_) + "\"")
                      .with_detail(detail));
    return false;
  }
  // Up to the comma or the closing sign, which stays.
  bool bound(RangeBound& bound, std::string& out) {
    const char first = peek();
    bound.infinite = first == ',' || first == ')' || first == ']';
    bool quoted = false;
    while (!bound.infinite) {
      if (at_ >= text_.size()) return malformed("Unexpected end of input.");
      const char c = text_[at_];
      if (!quoted && (c == ',' || c == ')' || c == ']')) break;
      at_++;
      if (c == '\\') {
        if (at_ >= text_.size()) return malformed("Unexpected end of input.");
        out.push_back(text_[at_++]);
      } else if (c == '"' && quoted && peek() == '"') {
        out.push_back(text_[at_++]);
      } else if (c == '"') {
        quoted = !quoted;
      } else {
        out.push_back(c);
      }
    }
    return true;
  }
  bool value(const RangeValue& range, RangeBound& bound, const std::string& text) {
    if (bound.infinite) return true;
    const TypeRef element{range.element, -1, kInvalidOid};
    bound.value = type_input(context_, element, text);
    return !context_.failed() && check_domain(context_, element, bound.value);
  }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
};

// Cuts a multirange literal into its ranges' literals.
class MultirangeParser {
 public:
  MultirangeParser(FuncContext& context, Str text) : context_(context), text_(text) {}

  bool parse(MultirangeValue& multirange) {
    skip_blanks();
    if (peek() != '{') return malformed("Missing left brace.");
    at_++;
    skip_blanks();
    if (peek() == '}') {
      at_++;
    } else if (!ranges(multirange)) {
      return false;
    }
    skip_blanks();
    if (at_ != text_.size()) return malformed("Junk after closing right brace.");
    normalize(multirange);
    return true;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) at_++;
  }
  bool malformed(const char* detail) {
    context_.fail(
        Error(sqlstate::kInvalidTextRepresentation, "malformed multirange literal: \"" + std::string(text_) + "\"")
            .with_detail(detail));
    return false;
  }
  bool ranges(MultirangeValue& multirange) {
    for (;;) {
      skip_blanks();
      const size_t from = at_;
      if (equals_ignoring_case(text_.substr(at_, 5), "empty")) {
        at_ += 5;
      } else if (peek() == '[' || peek() == '(') {
        if (!skip_range()) return false;
      } else {
        return malformed(at_ == text_.size() ? "Unexpected end of input." : "Expected range start.");
      }
      RangeValue range = range_like(multirange);
      if (!RangeParser(context_, text_.substr(from, at_ - from)).parse(range)) return false;
      multirange.ranges.push_back(range);
      skip_blanks();
      if (at_ >= text_.size()) return malformed("Unexpected end of input.");
      if (text_[at_] != ',' && text_[at_] != '}') return malformed("Expected comma or end of multirange.");
      if (text_[at_++] == '}') return true;
    }
  }
  bool skip_range() {
    bool quoted = false;
    for (at_++; at_ < text_.size(); at_++) {
      const char c = text_[at_];
      if (c == '\\') {
        at_++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (!quoted && (c == ')' || c == ']')) {
        at_++;
        return true;
      }
    }
    at_ = text_.size();
    return malformed("Unexpected end of input.");
  }

  FuncContext& context_;
  const Str text_;
  size_t at_ = 0;
};

void append_bound_text(Str text, std::string& out) {
  bool quote = text.empty();
  for (const char c : text)
    quote = quote || is_blank(c) || std::string_view("\"\\()[],").find(c) != std::string_view::npos;
  if (!quote) {
    out.append(text);
    return;
  }
  append_quoted(text, false, out);
}

void write_range(FuncContext& context, const RangeValue& range, std::string& out) {
  if (range.empty) {
    out.append("empty");
    return;
  }
  const TypeRef element{range.element, -1, kInvalidOid};
  std::string text;
  out.push_back(range.lower.inclusive ? '[' : '(');
  for (const RangeBound* bound : {&range.lower, &range.upper}) {
    if (!bound->lower) out.push_back(',');
    if (bound->infinite) continue;
    text.clear();
    type_output(context, element, bound->value, text);
    if (!check_part(context, text, out)) return;
    append_bound_text(text, out);
  }
  out.push_back(range.upper.inclusive ? ']' : ')');
}

// A length in front of what `write` appends.
template <class Write>
void send_part(std::string& out, Write write) {
  const size_t length_at = out.size();
  send_integer(0u, out);
  write();
  store_unaligned(out.data() + length_at, big_endian(static_cast<uint32_t>(out.size() - length_at - 4)));
}

void send_range(FuncContext& context, const RangeValue& range, std::string& out) {
  out.push_back(static_cast<char>(range_flags(range)));
  if (range.empty) return;
  for (const RangeBound* bound : {&range.lower, &range.upper}) {
    if (bound->infinite) continue;
    send_part(out, [&] { type_send(context, {range.element, -1, kInvalidOid}, bound->value, out); });
  }
}

class BinaryReader {
 public:
  BinaryReader(FuncContext& context, Str bytes) : context_(context), bytes_(bytes) {}
  bool integer(uint32_t& out) {
    if (bytes_.size() < 4) return too_short();
    out = big_endian(load_unaligned<uint32_t>(bytes_.data()));
    bytes_.remove_prefix(4);
    return true;
  }
  bool byte(uint8_t& out) {
    if (bytes_.empty()) return too_short();
    out = static_cast<uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return true;
  }
  bool part(Str& out) {
    uint32_t length = 0;
    if (!integer(length)) return false;
    if (length > bytes_.size()) return too_short();
    out = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return true;
  }
  bool at_end() {
    if (bytes_.empty()) return true;
    context_.fail(sqlstate::kInvalidBinaryRepresentation, "incorrect binary data format");
    return false;
  }
  size_t left() const { return bytes_.size(); }

 private:
  bool too_short() {
    context_.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return false;
  }
  FuncContext& context_;
  Str bytes_;
};

bool receive_range(FuncContext& context, Str bytes, RangeValue& range) {
  BinaryReader reader(context, bytes);
  uint8_t flags = 0;
  if (!reader.byte(flags)) return false;
  set_range_flags(range, flags);
  for (RangeBound* bound : {&range.lower, &range.upper}) {
    if (range.empty || bound->infinite) continue;
    Str part;
    if (!reader.part(part)) return false;
    const TypeRef element{range.element, -1, kInvalidOid};
    bound->value = type_receive(context, element, part);
    if (context.failed() || !check_domain(context, element, bound->value)) return false;
  }
  return reader.at_end() && normalize(context, range);
}

constexpr TypeDefinition range_type(Oid type) {
  return {type, range_input, range_output, range_receive, range_send, Phys::kStr, &kRangeOrder, KeyForm::kRange};
}
constexpr TypeDefinition multirange_type(Oid type) {
  return {type,       multirange_input,  multirange_output,   multirange_receive, multirange_send,
          Phys::kStr, &kMultirangeOrder, KeyForm::kMultirange};
}

const TypeDefinition kRangeTypes[] = {
    range_type(oid::kInt4Range),
    range_type(oid::kInt8Range),
    range_type(oid::kNumRange),
    range_type(oid::kDateRange),
    range_type(oid::kTsRange),
    range_type(oid::kTsTzRange),
    multirange_type(oid::kInt4Multirange),
    multirange_type(oid::kInt8Multirange),
    multirange_type(oid::kNumMultirange),
    multirange_type(oid::kDateMultirange),
    multirange_type(oid::kTsMultirange),
    multirange_type(oid::kTsTzMultirange),
};

}  // namespace

Datum range_input(FuncContext& context, const TypeRef& type, Str text) {
  RangeValue range;
  if (!describe_range(context, type.oid, range) || !RangeParser(context, text).parse(range)) return kNoValue;
  return Datum::of(context.arena().copy(range_image(range)));
}

void range_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  write_range(context, read_range(value.str), out);
}

Datum range_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  RangeValue range;
  if (!describe_range(context, type.oid, range) || !receive_range(context, bytes, range)) return kNoValue;
  return Datum::of(context.arena().copy(range_image(range)));
}

void range_send(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  send_range(context, read_range(value.str), out);
}

Datum multirange_input(FuncContext& context, const TypeRef& type, Str text) {
  MultirangeValue multirange;
  if (!describe_multirange(context, type.oid, multirange)) return kNoValue;
  if (!MultirangeParser(context, text).parse(multirange)) return kNoValue;
  return Datum::of(context.arena().copy(multirange_image(multirange)));
}

void multirange_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  out.push_back('{');
  bool first = true;
  for (const RangeValue& range : read_multirange(value.str).ranges) {
    if (!std::exchange(first, false)) out.push_back(',');
    write_range(context, range, out);
  }
  out.push_back('}');
}

Datum multirange_receive(FuncContext& context, const TypeRef& type, Str bytes) {
  MultirangeValue multirange;
  if (!describe_multirange(context, type.oid, multirange)) return kNoValue;
  BinaryReader reader(context, bytes);
  uint32_t count = 0;
  if (!reader.integer(count)) return kNoValue;
  for (uint32_t i = 0; i < count; i++) {
    Str part;
    RangeValue range = range_like(multirange);
    if (!reader.part(part) || !receive_range(context, part, range)) return kNoValue;
    multirange.ranges.push_back(range);
  }
  if (!reader.at_end()) return kNoValue;
  normalize(multirange);
  return Datum::of(context.arena().copy(multirange_image(multirange)));
}

void multirange_send(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  const MultirangeValue multirange = read_multirange(value.str);
  send_integer(static_cast<uint32_t>(multirange.ranges.size()), out);
  for (const RangeValue& range : multirange.ranges) send_part(out, [&] { send_range(context, range, out); });
}

std::span<const TypeDefinition> range_types() { return kRangeTypes; }

}  // namespace indigo::types
