// The geometric types: text and binary forms. None has an order, as in PostgreSQL.
#include <array>
#include <bit>
#include <utility>

#include "base/sqlstate.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape.h"
#include "types/geometry/shape_text.h"
#include "types/io/type_definition.h"
#include "types/number/float.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

constexpr Oid kLsegType = 601, kPathType = 602, kBoxType = 603, kPolygonType = 604, kLineType = 628, kCircleType = 718;

Datum no_shape() { return Datum::make_null(Phys::kStr); }
template <class T>
Datum shape_datum(FuncContext& context, const T& shape) {
  return Datum::of(image_of(context, shape));
}
int shape_digits(FuncContext& context) { return context.session().format().extra_float_digits; }

// ---- binary forms: the numbers of the image, big-endian
void send_numbers(Str image, std::string& out) {
  for (size_t at = 0; at < image.size(); at += sizeof(uint64_t)) {
    send_integer(load_unaligned<uint64_t>(image.data() + at), out);
  }
}
bool fail_short(FuncContext& context) {
  context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
  return false;
}
template <class T>
bool receive_numbers(FuncContext& context, Str bytes, std::span<T> shapes) {
  static_assert(sizeof(T) % sizeof(double) == 0);
  if (bytes.size() < shapes.size_bytes()) return fail_short(context);
  if (bytes.size() > shapes.size_bytes()) {
    fail_binary(context, "incorrect binary data format");
    return false;
  }
  size_t at = 0;
  for (T& shape : shapes) {
    std::array<double, sizeof(T) / sizeof(double)> numbers{};
    for (double& number : numbers) {
      number = std::bit_cast<double>(big_endian(load_unaligned<uint64_t>(bytes.data() + at)));
      at += sizeof number;
    }
    shape = std::bit_cast<T>(numbers);
  }
  return true;
}
// A count and as many points.
bool receive_points(FuncContext& context, const char* type, Str bytes, std::vector<Point>& points) {
  if (bytes.size() < sizeof(int32_t)) return fail_short(context);
  const auto count = static_cast<int32_t>(big_endian(load_unaligned<uint32_t>(bytes.data())));
  bytes.remove_prefix(sizeof count);
  constexpr int32_t kMostPoints = INT32_MAX / sizeof(Point) - 2;
  if (count <= 0 || count > kMostPoints) {
    fail_binary(context, std::string("invalid number of points in external \"") + type + "\" value");
    return false;
  }
  if (bytes.size() / sizeof(Point) < static_cast<size_t>(count)) return fail_short(context);
  points.resize(static_cast<size_t>(count));
  return receive_numbers(context, bytes, std::span(points));
}
void send_points(const PointList& points, std::string& out) {
  send_integer(static_cast<uint32_t>(points.size()), out);
  send_numbers(points.bytes(), out);
}

template <class T>
Datum shape_receive(FuncContext& context, const TypeRef&, Str bytes) {
  T shape;
  if (!receive_numbers(context, bytes, std::span(&shape, 1))) return no_shape();
  return shape_datum(context, shape);
}
void shape_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { send_numbers(value.str, out); }

// ---- point
Datum point_input(FuncContext& context, const TypeRef&, Str text) {
  Point point;
  ShapeReader reader(context, "point", text);
  return reader.pair(point) && reader.end() ? shape_datum(context, point) : no_shape();
}
// point, box and polygon print their points.
template <char kOpen, char kClose>
void points_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  if (kOpen != '\0') out += kOpen;
  append_points(PointList(value.str), shape_digits(context), out);
  if (kClose != '\0') out += kClose;
}

// ---- lseg and box
Datum lseg_input(FuncContext& context, const TypeRef&, Str text) {
  std::array<Point, 2> ends;
  ShapeReader reader(context, "lseg", text);
  if (!reader.pairs(ends, true) || !reader.end()) return no_shape();
  return shape_datum(context, Segment{ends[0], ends[1]});
}
Datum box_input(FuncContext& context, const TypeRef&, Str text) {
  std::array<Point, 2> corners;
  ShapeReader reader(context, "box", text);
  if (!reader.pairs(corners, false) || !reader.end()) return no_shape();
  return shape_datum(context, box_of_corners(corners[0], corners[1]));
}
Datum box_receive(FuncContext& context, const TypeRef&, Str bytes) {
  Box box;
  if (!receive_numbers(context, bytes, std::span(&box, 1))) return no_shape();
  return shape_datum(context, box_of_corners(box.high, box.low));
}

// ---- line: {a,b,c}, or two of its points
bool check_line(FuncContext& context, const Line& line, SqlState state) {
  if (!fuzzy::zero(line.a) || !fuzzy::zero(line.b)) return true;
  context.fail(state, "invalid line specification: A and B cannot both be zero");
  return false;
}
Datum line_input(FuncContext& context, const TypeRef&, Str text) {
  ShapeReader reader(context, "line", text);
  Line line;
  if (reader.take('{')) {
    const bool read = reader.number(line.a) && (reader.take(',') || reader.fail()) && reader.number(line.b) &&
                      (reader.take(',') || reader.fail()) && reader.number(line.c) &&
                      (reader.take('}') || reader.fail()) && reader.end();
    if (!read || !check_line(context, line, sqlstate::kInvalidTextRepresentation)) return no_shape();
    return shape_datum(context, line);
  }
  std::array<Point, 2> points;
  if (!reader.pairs(points, true) || !reader.end()) return no_shape();
  if (fuzzy::equal(points[0], points[1])) {
    context.fail(sqlstate::kInvalidTextRepresentation, "invalid line specification: must be two distinct points");
    return no_shape();
  }
  line = line_along(Reals(context), Segment{points[0], points[1]});
  return context.failed() ? no_shape() : shape_datum(context, line);
}
void line_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  const Line line = shape_of<Line>(value.str);
  const int digits = shape_digits(context);
  out += '{';
  append_double(line.a, digits, out);
  out += ',';
  append_double(line.b, digits, out);
  out += ',';
  append_double(line.c, digits, out);
  out += '}';
}
Datum line_receive(FuncContext& context, const TypeRef&, Str bytes) {
  Line line;
  if (!receive_numbers(context, bytes, std::span(&line, 1)) ||
      !check_line(context, line, sqlstate::kInvalidBinaryRepresentation)) {
    return no_shape();
  }
  return shape_datum(context, line);
}

// ---- path: closed in parentheses, open in brackets
Datum path_input(FuncContext& context, const TypeRef&, Str text) {
  ShapeReader reader(context, "path", text);
  NewPath path;
  path.points.resize(reader.count_pairs());
  if (path.points.empty()) {
    reader.fail();
    return no_shape();
  }
  const bool enclosed = reader.take_last_parenthesis();
  const bool read = reader.pairs(path.points, true) && (!enclosed || reader.take(')') || reader.fail()) && reader.end();
  if (!read) return no_shape();
  path.closed = !reader.bracketed();
  return shape_datum(context, path);
}
void path_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  const Path path = shape_of<Path>(value.str);
  out += path.closed ? '(' : '[';
  append_points(path.points, shape_digits(context), out);
  out += path.closed ? ')' : ']';
}
Datum path_receive(FuncContext& context, const TypeRef&, Str bytes) {
  NewPath path;
  if (bytes.empty()) {
    fail_short(context);
    return no_shape();
  }
  path.closed = bytes[0] != 0;
  return receive_points(context, "path", bytes.substr(1), path.points) ? shape_datum(context, path) : no_shape();
}
void path_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  const Path path = shape_of<Path>(value.str);
  out += path.closed ? '\1' : '\0';
  send_points(path.points, out);
}

// ---- polygon
Datum polygon_input(FuncContext& context, const TypeRef&, Str text) {
  ShapeReader reader(context, "polygon", text);
  NewPolygon polygon;
  polygon.points.resize(reader.count_pairs());
  if (polygon.points.empty()) {
    reader.fail();
    return no_shape();
  }
  return reader.pairs(polygon.points, false) && reader.end() ? shape_datum(context, polygon) : no_shape();
}
Datum polygon_receive(FuncContext& context, const TypeRef&, Str bytes) {
  NewPolygon polygon;
  return receive_points(context, "polygon", bytes, polygon.points) ? shape_datum(context, polygon) : no_shape();
}
void polygon_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  send_points(PointList(value.str), out);
}

// ---- circle: <(x,y),r>
Datum circle_input(FuncContext& context, const TypeRef&, Str text) {
  ShapeReader reader(context, "circle", text);
  Circle circle;
  const bool angle = reader.take('<');
  const bool enclosed = angle || reader.take_double_parenthesis();
  if (!reader.pair(circle.center)) return no_shape();
  reader.take(',');
  if (!reader.number(circle.radius)) return no_shape();
  if (circle.radius < 0) {
    reader.fail();
    return no_shape();
  }
  if (enclosed && !reader.take(')') && !reader.take('>')) {
    reader.fail();
    return no_shape();
  }
  return reader.end() ? shape_datum(context, circle) : no_shape();
}
void circle_output(FuncContext& context, const TypeRef&, const Datum& value, std::string& out) {
  const Circle circle = shape_of<Circle>(value.str);
  const int digits = shape_digits(context);
  out += '<';
  append_point(circle.center, digits, out);
  out += ',';
  append_double(circle.radius, digits, out);
  out += '>';
}
Datum circle_receive(FuncContext& context, const TypeRef&, Str bytes) {
  Circle circle;
  if (!receive_numbers(context, bytes, std::span(&circle, 1))) return no_shape();
  if (circle.radius < 0) {
    fail_binary(context, "invalid radius in external \"circle\" value");
    return no_shape();
  }
  return shape_datum(context, circle);
}

const TypeDefinition kGeometricTypes[] = {
    {oid::kPoint, point_input, points_output<'\0', '\0'>, shape_receive<Point>, shape_send},
    {kLsegType, lseg_input, points_output<'[', ']'>, shape_receive<Segment>, shape_send},
    {kBoxType, box_input, points_output<'\0', '\0'>, box_receive, shape_send},
    {kLineType, line_input, line_output, line_receive, shape_send},
    {kPathType, path_input, path_output, path_receive, path_send},
    {kPolygonType, polygon_input, points_output<'(', ')'>, polygon_receive, polygon_send},
    {kCircleType, circle_input, circle_output, circle_receive, shape_send},
};

}  // namespace

std::span<const TypeDefinition> geometric_types() { return kGeometricTypes; }

}  // namespace indigo::types
