// Reads the text of geometric values: pairs of numbers in the brackets that PostgreSQL takes. Writes it.
// Thread safety: a reader belongs to one call.
#pragma once

#include <span>
#include <string>

#include "types/function/context.h"
#include "types/geometry/shape.h"

namespace indigo::types {

class ShapeReader {
 public:
  // `type_name` is for the message. The context has the error when a function returns false.
  ShapeReader(FuncContext& context, const char* type_name, Str text)
      : context_(context), type_name_(type_name), text_(text) {
    skip_blanks();
  }

  // A number, without the blanks around it.
  bool number(double& value);
  // x, y with or without parentheses.
  bool pair(Point& point);
  // As many pairs as `points` has, each in parentheses or not, all in one more pair of them or not; in square brackets where
  // the type takes those.
  bool pairs(std::span<Point> points, bool takes_brackets);
  // After pairs(): they were in square brackets.
  bool bracketed() const { return bracketed_; }
  // How many pairs the commas in the text make; 0 when they make none.
  size_t count_pairs() const;

  // Passes by the character, and the blanks before it.
  bool take(char c);
  // The character ahead.
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  // A parenthesis that has another behind it.
  bool take_double_parenthesis();
  // The last parenthesis that opens.
  bool take_last_parenthesis();
  // Nothing but blanks is left.
  bool end();
  bool fail();

 private:
  void skip_blanks();
  size_t after_blanks(size_t at) const;

  FuncContext& context_;
  const char* type_name_;
  Str text_;
  size_t at_ = 0;
  bool bracketed_ = false;
};

// (x,y)
void append_point(const Point& point, int extra_digits, std::string& out);
// (x,y),(x,y)
void append_points(const PointList& points, int extra_digits, std::string& out);

}  // namespace indigo::types
