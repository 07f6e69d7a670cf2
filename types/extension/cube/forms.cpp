// cube: its text and binary forms, and its order.
#include <cctype>

#include <absl/hash/hash.h>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/extension/cube/cube.h"
#include "types/function/errors.h"
#include "types/function/kernel.h"
#include "types/number/float.h"

namespace indigo::types::cube {

namespace {

void put(double v, std::string& out) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }
std::string head(size_t dimensions, bool point) {
  const uint32_t word = static_cast<uint32_t>(dimensions) | (point ? kPointBit : 0);
  return {reinterpret_cast<const char*>(&word), sizeof word};
}

Error syntax_error(std::string detail) {
  return Error(SqlState("22P02"), "invalid input syntax for cube").with_detail(std::move(detail));
}

// [(1, 2), (3, 4)], (1, 2), (3, 4), (1, 2), 1, 2
class Reader {
 public:
  explicit Reader(Str text) : text_(text) {}

  Result<std::string> read() {
    const bool brackets = skip('[');
    Corners corners;
    bool two = false;
    if (skip('(')) {
      INDIGO_TRY(list(corners.first, first_text_, ')'));
      two = skip(',');
      if (two) {
        if (!skip('(')) return unexpected();
        INDIGO_TRY(list(corners.second, second_text_, ')'));
      } else if (brackets) {
        return unexpected();
      }
      if (brackets && !skip(']')) return unexpected();
    } else {
      if (brackets) return unexpected();
      INDIGO_TRY(list(corners.first, first_text_, '\0'));
    }
    if (skip_blanks(); at_ < text_.size()) return unexpected();
    if (two && corners.first.size() != corners.second.size()) {
      return syntax_error("Different point dimensions in (" + first_text_ + ") and (" + second_text_ + ").");
    }
    if (corners.first.size() > kMostDimensions) {
      return syntax_error("A cube cannot have more than " + std::to_string(kMostDimensions) + " dimensions.");
    }
    return two ? cube_image(corners) : point_image(corners.first);
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) at_++;
  }
  bool skip(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }

  Error unexpected() {
    skip_blanks();
    if (at_ == text_.size()) return syntax_error("syntax error at end of input");
    const size_t length = std::max<size_t>(number_length(), 1);
    return syntax_error("syntax error at or near \"" + std::string(text_.substr(at_, length)) + "\"");
  }

  size_t digits(size_t from) const {
    size_t n = 0;
    while (from + n < text_.size() && std::isdigit(static_cast<unsigned char>(text_[from + n])) != 0) n++;
    return n;
  }
  bool word_at(size_t from, std::string_view word) const {
    for (size_t i = 0; i < word.size(); i++) {
      if (from + i >= text_.size() || std::tolower(static_cast<unsigned char>(text_[from + i])) != word[i])
        return false;
    }
    return true;
  }
  // Of the number here; 0: there is none.
  size_t number_length() const {
    if (word_at(at_, "nan")) return 3;
    size_t end = at_;
    if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) end++;
    if (word_at(end, "infinity")) return end + 8 - at_;
    if (word_at(end, "inf")) return end + 3 - at_;
    const size_t whole = digits(end);
    end += whole;
    if (end < text_.size() && text_[end] == '.') {
      const size_t part = digits(end + 1);
      if (whole == 0 && part == 0) return 0;
      end += 1 + part;
    } else if (whole == 0) {
      return 0;
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const size_t sign = end + 1 < text_.size() && (text_[end + 1] == '+' || text_[end + 1] == '-') ? 1 : 0;
      if (const size_t power = digits(end + 1 + sign); power > 0) end += 1 + sign + power;
    }
    return end - at_;
  }

  static constexpr uint64_t kUnitsOfNumber = 150;

  // Numbers with commas between them, up to `close`; with '\0' to the end, and then at least one.
  Status list(std::vector<double>& out, std::string& texts, char close) {
    if (close != '\0' && skip(close)) return {};
    do {
      skip_blanks();
      note_work(kUnitsOfNumber);
      const size_t length = number_length();
      if (length == 0) return unexpected();
      const Str number = text_.substr(at_, length);
      double value = 0;
      if (parse_double(number, value) == FloatParse::kRange) {
        return Error(sqlstate::kNumericValueOutOfRange,
                     "\"" + std::string(number) + "\" is out of range for type double precision");
      }
      texts += (out.empty() ? "" : ",") + std::string(number);
      out.push_back(value);
      at_ += length;
    } while (skip(','));
    if (close != '\0' && !skip(close)) return unexpected();
    return {};
  }

  Str text_;
  size_t at_ = 0;
  std::string first_text_, second_text_;
};

std::optional<std::string> read(FuncContext& context, Str text) {
  auto made = Reader(text).read();
  if (made.ok()) return *made;
  context.fail(std::move(*made.take_error()));
  return std::nullopt;
}

void print(Str image, int extra_digits, std::string& out) {
  const CubeView c(image);
  const auto corner = [&](bool second) {
    out += '(';
    for (size_t i = 0; i < c.dimensions(); i++) {
      if (i > 0) out += ", ";
      append_double(second ? c.second(i) : c.first(i), extra_digits, out);
    }
    out += ')';
  };
  corner(false);
  if (c.is_point()) return;
  out += ',';
  corner(true);
}

Datum cube_input(FuncContext& context, const TypeRef&, Str text) {
  const auto image = read(context, text);
  return image ? Datum::of(context.arena().copy(*image)) : Datum::make_null(Phys::kStr);
}
void cube_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  print(value.str, context.session().format().extra_float_digits, out);
}
Datum cube_receive(FuncContext& context, const TypeRef&, Str bytes) {
  if (bytes.size() < 4) {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return Datum::make_null(Phys::kStr);
  }
  const uint32_t word = big_endian(load_unaligned<uint32_t>(bytes.data()));
  const size_t dimensions = word & ~kPointBit;
  if (dimensions > kMostDimensions) {
    context.fail(Error(sqlstate::kProgramLimitExceeded, "cube dimension is too large")
                     .with_detail("A cube cannot have more than " + std::to_string(kMostDimensions) + " dimensions."));
    return Datum::make_null(Phys::kStr);
  }
  const size_t count = (word & kPointBit) != 0 ? dimensions : 2 * dimensions;
  if (bytes.size() != 4 + 8 * count) {
    fail_binary(context, "incorrect binary data format");
    return Datum::make_null(Phys::kStr);
  }
  std::string image = head(dimensions, (word & kPointBit) != 0);
  for (size_t i = 0; i < count; i++) {
    const uint64_t bits = big_endian(load_unaligned<uint64_t>(bytes.data() + 4 + 8 * i));
    image.append(reinterpret_cast<const char*>(&bits), sizeof bits);
  }
  return Datum::of(context.arena().copy(image));
}
std::string send(Str image) {
  std::string out;
  send_integer(load_unaligned<uint32_t>(image.data()), out);
  for (size_t at = 4; at < image.size(); at += 8) send_integer(load_unaligned<uint64_t>(image.data() + at), out);
  return out;
}
void cube_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { out += send(value.str); }

std::string out(FuncContext& context, Str image) {
  std::string text;
  print(image, context.session().format().extra_float_digits, text);
  return text;
}

int by_order(const Datum& a, const Datum& b, const Collator*) { return compare(CubeView(a.str), CubeView(b.str)); }
bool equal(const Datum& a, const Datum& b, const Collator*) { return compare(CubeView(a.str), CubeView(b.str)) == 0; }
uint64_t hash(const Datum& value, const Collator*) {
  const CubeView c(value.str);
  uint64_t out = c.dimensions();
  // Zeros of either sign are equal; a NaN is equal to anything, so that nothing about it may count.
  for (size_t i = 0; i < c.dimensions(); i++) {
    const double low = c.low(i), high = c.high(i);
    if (low != low || high != high) return c.dimensions();
    out = absl::HashOf(out, low == 0 ? 0.0 : low, high == 0 ? 0.0 : high);
  }
  return out;
}
constexpr TypeOrder kCubeOrder = {by_order, equal, hash};

// The corners in order, and zeros without a sign.
std::string key_of(Str image) {
  const CubeView c(image);
  std::string out;
  for (size_t i = 0; i < c.dimensions(); i++) {
    put(c.low(i) == 0 ? 0 : c.low(i), out);
    put(c.high(i) == 0 ? 0 : c.high(i), out);
  }
  return out;
}

const ScalarEntry kFormFunctions[] = {
    {"cube_in", kernel<read>},
    {"cube_out", kernel<out>},
    {"cube_send", kernel<send>},
};

}  // namespace

std::string cube_image(const Corners& corners) {
  const bool point = corners.alike();
  std::string out = head(corners.first.size(), point);
  for (const double v : corners.first) put(v, out);
  for (const double v : corners.second) {
    if (!point) put(v, out);
  }
  return out;
}

std::string point_image(const std::vector<double>& coordinates) {
  std::string out = head(coordinates.size(), true);
  for (const double v : coordinates) put(v, out);
  return out;
}

Corners corners_of(const CubeView& cube) {
  Corners out;
  for (size_t i = 0; i < cube.dimensions(); i++) out.add(cube.first(i), cube.second(i));
  return out;
}

// The low corners, then the high ones; dimensions that one lacks as zeros; of what is alike the one with fewer first.
int compare(const CubeView& a, const CubeView& b) {
  const size_t both = std::min(a.dimensions(), b.dimensions()), all = std::max(a.dimensions(), b.dimensions());
  const auto corners = [&](size_t from, size_t to) {
    for (const bool high : {false, true}) {
      for (size_t i = from; i < to; i++) {
        const double x = high ? a.high_or_zero(i) : a.low_or_zero(i), y = high ? b.high_or_zero(i) : b.low_or_zero(i);
        if (x != y && (x < y || x > y)) return x < y ? -1 : 1;
      }
    }
    return 0;
  };
  if (const int c = corners(0, both); c != 0) return c;
  if (const int c = corners(both, all); c != 0) return c;
  return a.dimensions() < b.dimensions() ? -1 : a.dimensions() > b.dimensions() ? 1 : 0;
}

const Collator& equality() {
  static const Collator kEquality(key_of, false);
  return kEquality;
}

std::span<const ScalarEntry> form_functions() { return kFormFunctions; }

const TypeDefinition kCubeForms = {kInvalidOid, cube_input, cube_output, cube_receive,
                                   cube_send,   Phys::kStr, &kCubeOrder};

}  // namespace indigo::types::cube
