// The text of geometric values.
#include "types/geometry/shape_text.h"

#include <algorithm>
#include <string>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/number/float.h"

namespace indigo::types {

namespace {

constexpr Str kBlanks = " \t\n\r\v\f";

}  // namespace

bool ShapeReader::fail() {
  fail_syntax(context_, type_name_, text_);
  return false;
}

size_t ShapeReader::after_blanks(size_t at) const {
  return std::min(text_.find_first_not_of(kBlanks, at), text_.size());
}
void ShapeReader::skip_blanks() { at_ = after_blanks(at_); }

bool ShapeReader::take(char c) {
  skip_blanks();
  if (next() != c) return false;
  at_++;
  return true;
}
bool ShapeReader::take_double_parenthesis() {
  if (next() != '(') return false;
  const size_t behind = after_blanks(at_ + 1);
  if (behind == text_.size() || text_[behind] != '(') return false;
  at_ = behind;
  return true;
}
bool ShapeReader::take_last_parenthesis() {
  if (next() != '(' || text_.rfind('(') != at_) return false;
  at_++;
  skip_blanks();
  return true;
}
bool ShapeReader::end() {
  skip_blanks();
  return at_ == text_.size() || fail();
}

size_t ShapeReader::count_pairs() const {
  const auto commas = static_cast<size_t>(std::count(text_.begin(), text_.end(), ','));
  return commas % 2 == 1 ? (commas + 1) / 2 : 0;
}

bool ShapeReader::number(double& value) {
  skip_blanks();
  const size_t end = std::min(text_.find_first_of(" \t\n\r\v\f,()[]{}<>", at_), text_.size());
  const Str word = text_.substr(at_, end - at_);
  const FloatParse parsed = parse_double(word, value);
  if (parsed == FloatParse::kSyntax) return fail();
  if (parsed == FloatParse::kRange) {
    context_.fail(sqlstate::kNumericValueOutOfRange,
                  "\"" + std::string(word) + "\" is out of range for type double precision");
    return false;
  }
  at_ = end;
  skip_blanks();
  return true;
}

bool ShapeReader::pair(Point& point) {
  const bool in_parentheses = take('(');
  if (!number(point.x)) return false;
  if (next() != ',') return fail();
  at_++;
  if (!number(point.y)) return false;
  if (in_parentheses && !take(')')) return fail();
  skip_blanks();
  return true;
}

bool ShapeReader::pairs(std::span<Point> points, bool takes_brackets) {
  skip_blanks();
  bracketed_ = next() == '[';
  bool enclosed = bracketed_;
  if (bracketed_) {
    if (!takes_brackets) return fail();
    at_++;
  } else {
    // Another parenthesis is the first pair's.
    enclosed = take_double_parenthesis() || take_last_parenthesis();
  }
  for (Point& point : points) {
    if (!pair(point)) return false;
    take(',');
  }
  // A parenthesis also closes a square bracket.
  if (enclosed && !take(')') && !(bracketed_ && take(']'))) return fail();
  skip_blanks();
  return true;
}

void append_point(const Point& point, int extra_digits, std::string& out) {
  out += '(';
  append_double(point.x, extra_digits, out);
  out += ',';
  append_double(point.y, extra_digits, out);
  out += ')';
}
void append_points(const PointList& points, int extra_digits, std::string& out) {
  for (size_t i = 0; i < points.size(); i++) {
    if (i != 0) out += ',';
    append_point(points[i], extra_digits, out);
  }
}

}  // namespace indigo::types
