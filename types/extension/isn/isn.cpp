#include "types/extension/isn/isn.h"

#include "base/sqlstate.h"
#include "types/text/ascii.h"

namespace indigo::types::isn {

namespace {

constexpr size_t kDigits = 13;

Error invalid(std::string message) { return Error(sqlstate::kInvalidTextRepresentation, std::move(message)); }
std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// Of twelve digits: that of EAN13.
int ean_check(std::string_view digits) {
  int sum = 0;
  for (size_t i = 0; i + 1 < kDigits; i++) sum += (digits[i] - '0') * (i % 2 == 0 ? 1 : 3);
  return (10 - sum % 10) % 10;
}
// Of `length` - 1 digits: that of ISBN and ISSN; 10 is written X.
int weighted_check(std::string_view digits, size_t length) {
  int sum = 0;
  for (size_t i = 0; i + 1 < length; i++) sum += (digits[i] - '0') * static_cast<int>(length - i);
  return (11 - sum % 11) % 11;
}
char check_character(int check) { return check == 10 ? 'X' : static_cast<char>('0' + check); }

// What a text has besides hyphens and blanks.
struct Read {
  Kind kind = Kind::kNone;
  std::string characters;  // digits; M first, X or ? last
  bool any_check = false;  // ? or ! stands in the check digit's place or behind it
  bool marked = false;     // by !
};
enum class Fault : uint8_t { kNone, kSyntax, kTooLong };

Fault read_characters(std::string_view text, Read& out) {
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    const bool last = i + 1 == text.size() || text[i + 1] == '!';
    const bool unknown = c == '?' && last;
    const bool digit = is_digit(c) || unknown;
    if (unknown) out.any_check = true;
    const size_t length = out.characters.size();
    const bool check = digit || c == 'X' || c == 'x';
    if (length == 0 && (c == 'M' || c == 'm')) {
      out.kind = Kind::kIsmn;
      out.characters += 'M';
    } else if (length == 7 && check && last) {
      if (out.kind != Kind::kNone) return Fault::kSyntax;
      out.kind = Kind::kIssn;
      out.characters += ascii_upper(c);
    } else if (length == 9 && check && last) {
      if (out.kind == Kind::kNone) out.kind = Kind::kIsbn;
      out.characters += ascii_upper(c);
    } else if (length == 11 && digit && last) {
      if (out.kind != Kind::kNone) return Fault::kSyntax;
      out.kind = Kind::kUpc;
      out.characters += c;
    } else if (c == '-' || c == ' ') {
      continue;
    } else if (c == '!' && i + 1 == text.size()) {
      if (!out.any_check) out.marked = true;
      out.any_check = true;
    } else if (!digit) {
      return Fault::kSyntax;
    } else {
      if (length == kDigits) return Fault::kTooLong;
      out.characters += c;
    }
  }
  const size_t length = out.characters.size();
  if (length == kDigits && out.kind == Kind::kNone) {
    out.kind = Kind::kEan13;
    return Fault::kNone;
  }
  const bool whole = (length == 12 && out.kind == Kind::kUpc) ||
                     (length == 10 && (out.kind == Kind::kIsbn || out.kind == Kind::kIsmn)) ||
                     (length == 8 && (out.kind == Kind::kIssn || out.kind == Kind::kNone));
  if (!whole) return Fault::kSyntax;
  if (length == 8) out.kind = Kind::kIssn;
  return Fault::kNone;
}

// The digits of EAN13 but for the last.
std::string first_twelve(const Read& read) {
  const std::string& c = read.characters;
  switch (read.kind) {
    case Kind::kIsmn: return "9790" + c.substr(1, 8);
    case Kind::kIsbn: return "978" + c.substr(0, 9);
    case Kind::kIssn: return "977" + c.substr(0, 7) + "00";
    case Kind::kUpc: return "0" + c.substr(0, 11);
    default: return c.substr(0, 12);
  }
}

int expected_check(const Read& read, std::string_view twelve) {
  if (read.kind == Kind::kIsbn) return weighted_check(read.characters, 10);
  if (read.kind == Kind::kIssn) return weighted_check(read.characters, 8);
  return ean_check(twelve);
}

bool all_digits(std::string_view text) {
  for (const char c : text)
    if (!is_digit(c)) return false;
  return true;
}

int64_t value_of(std::string_view twelve) {
  int64_t number = 0;
  for (const char c : twelve) number = number * 10 + (c - '0');
  return (number * 10 + ean_check(twelve)) << 1;
}

// Thirteen digits.
std::string digits_of(int64_t value) {
  std::string digits = std::to_string(static_cast<uint64_t>(value) >> 1);
  return digits.size() < kDigits ? std::string(kDigits - digits.size(), '0') + digits : digits;
}

}  // namespace

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kEan13: return "EAN13";
    case Kind::kIsbn: return "ISBN";
    case Kind::kIsmn: return "ISMN";
    case Kind::kIssn: return "ISSN";
    case Kind::kUpc: return "UPC";
    case Kind::kNone: break;
  }
  return "EAN13/UPC/ISxN";
}

Kind kind_of(std::string_view digits) {
  if (digits.starts_with("978")) return Kind::kIsbn;
  if (digits.starts_with("977")) return Kind::kIssn;
  if (digits.starts_with("9790")) return Kind::kIsmn;
  if (digits.starts_with("979")) return Kind::kIsbn;
  return digits.starts_with("0") ? Kind::kUpc : Kind::kEan13;
}

Result<int64_t> read_number(std::string_view text, Kind accepted, bool weak) {
  Read read;
  const Fault fault = read_characters(text, read);
  if (fault == Fault::kTooLong) {
    return Error(sqlstate::kNumericValueOutOfRange,
                 "value " + quoted(text) + " is out of range for " + name_of(accepted) + " type");
  }
  const std::string twelve = fault == Fault::kNone ? first_twelve(read) : std::string();
  if (fault != Fault::kNone || !all_digits(twelve))
    return invalid("invalid input syntax for " + std::string(name_of(accepted)) + " number: " + quoted(text));
  Kind kind = read.kind;
  const auto wrong_kind = [&] {
    return invalid("cannot cast " + std::string(name_of(kind)) + " to " + name_of(accepted) +
                   " for number: " + quoted(text));
  };
  if (kind != accepted && (accepted == Kind::kEan13 || kind != Kind::kEan13)) return wrong_kind();
  if (kind == Kind::kEan13 && accepted != Kind::kEan13) {
    kind = kind_of(twelve);
    if (kind != accepted) return wrong_kind();
  }
  const int64_t value = value_of(twelve);
  if (read.any_check) return value | (read.marked ? 1 : 0);
  const char last = read.characters.back();
  const int expected = expected_check(read, twelve);
  if (last == check_character(expected)) return value;
  if (weak) return value | 1;
  return invalid("invalid check digit for " + std::string(name_of(accepted)) + " number: " + quoted(text) +
                 ", should be " + check_character(expected));
}

std::string print_number(int64_t value, bool short_form) {
  const std::string digits = digits_of(value);
  const std::string mark = (value & 1) != 0 ? "!" : "";
  const std::string_view twelve = std::string_view(digits).substr(0, 12);
  if (!is_ean_prefix(twelve)) return std::string(twelve) + "-" + digits.substr(12) + mark;
  const Kind kind = kind_of(twelve);
  const std::string_view item = twelve.substr(3);  // nine digits
  std::optional<Parts> parts;
  if (kind == Kind::kIsbn) parts = parts_of_book(item, twelve.substr(0, 3));
  if (kind == Kind::kIsmn) parts = parts_of_music(item);
  if (kind == Kind::kIssn) parts = Parts{4, 3};
  std::string hyphened(item);
  if (parts) hyphened.insert(parts->group + parts->publisher, "-").insert(parts->group, "-");
  if (short_form) {
    if (kind == Kind::kIsbn && twelve.starts_with("978"))
      return hyphened + "-" + check_character(weighted_check(item, 10)) + mark;
    if (kind == Kind::kIsmn) return "M" + hyphened.substr(1) + "-" + digits.substr(12) + mark;
    if (kind == Kind::kIssn) return hyphened.substr(0, 8) + check_character(weighted_check(item, 8));
    if (kind == Kind::kUpc) return digits.substr(1);
  }
  return std::string(twelve.substr(0, 3)) + "-" + hyphened + "-" + digits.substr(12) + mark;
}

Result<int64_t> number_as(int64_t value, Kind accepted) {
  const std::string digits = digits_of(value);
  const Kind kind = kind_of(digits);
  if (kind == accepted) return value;
  const std::string from = kind == Kind::kEan13 ? "EAN13" : "EAN13(" + std::string(name_of(kind)) + ")";
  return invalid("cannot cast " + from + " to " + name_of(accepted) + " for number: " + quoted(digits));
}

}  // namespace indigo::types::isn
