// earthdistance 1.1.
#include "types/extension/extension.h"

#include <cmath>
#include <numbers>

#include "types/function/kernel.h"
#include "types/geometry/plane.h"

namespace indigo::types {

namespace {

constexpr double kMilesOfRadius = 3958.747716;

double radians(double degrees) { return degrees / 360.0 * (2 * std::numbers::pi); }

// The haversine formula, in statute miles: x is the longitude, y the latitude, in degrees.
double distance(Str from, Str to) {
  const auto a = shape_of<Point>(from), b = shape_of<Point>(to);
  const double north = radians(a.y), other_north = radians(b.y);
  double east = std::fabs(radians(a.x) - radians(b.x));
  if (east > std::numbers::pi) east = 2 * std::numbers::pi - east;
  const double half = std::sin(std::fabs(north - other_north) / 2.), half_east = std::sin(east / 2.);
  const double sine = std::sqrt(half * half + std::cos(north) * std::cos(other_north) * half_east * half_east);
  return 2. * kMilesOfRadius * std::asin(sine > 1. ? 1. : sine);
}

constexpr std::string_view kDefinitions = R"sql(
create function earth() returns float8 language sql immutable parallel safe as 'SELECT ''6378168''::float8';
create domain earth as cube
  constraint not_point check(cube_is_point(value))
  constraint not_3d check(cube_dim(value) <= 3)
  constraint on_surface check(abs(cube_distance(value, '(0)'::cube) / earth() - '1'::float8) < '10e-7'::float8);
create function sec_to_gc(float8) returns float8 language sql immutable strict parallel safe
as 'SELECT CASE WHEN $1 < 0 THEN 0::float8 WHEN $1/(2*earth()) > 1 THEN pi()*earth() ELSE 2*earth()*asin($1/(2*earth())) END';
create function gc_to_sec(float8) returns float8 language sql immutable strict parallel safe
as 'SELECT CASE WHEN $1 < 0 THEN 0::float8 WHEN $1/earth() > pi() THEN 2*earth() ELSE 2*earth()*sin($1/(2*earth())) END';
create function ll_to_earth(float8, float8) returns earth language sql immutable strict parallel safe
as 'SELECT cube(cube(cube(earth()*cos(radians($1))*cos(radians($2))),earth()*cos(radians($1))*sin(radians($2))),earth()*sin(radians($1)))::earth';
create function latitude(earth) returns float8 language sql immutable strict parallel safe
as 'SELECT CASE WHEN cube_ll_coord($1, 3)/earth() < -1 THEN -90::float8 WHEN cube_ll_coord($1, 3)/earth() > 1 THEN 90::float8 ELSE degrees(asin(cube_ll_coord($1, 3)/earth())) END';
create function longitude(earth) returns float8 language sql immutable strict parallel safe
as 'SELECT degrees(atan2(cube_ll_coord($1, 2), cube_ll_coord($1, 1)))';
create function earth_distance(earth, earth) returns float8 language sql immutable strict parallel safe
as 'SELECT sec_to_gc(cube_distance($1, $2))';
create function earth_box(earth, float8) returns cube language sql immutable strict parallel safe
as 'SELECT cube_enlarge($1, gc_to_sec($2), 3)';
create function geo_distance(point, point) returns float8 language c immutable strict parallel safe
as 'MODULE_PATHNAME';
create operator <@> (leftarg = point, rightarg = point, procedure = geo_distance, commutator = <@>);
)sql";

constexpr ScalarEntry kFunctions[] = {{"geo_distance", kernel<distance>}};
constexpr std::string_view kRequired[] = {"cube"};

}  // namespace

const Extension& earthdistance_extension() {
  static constexpr Extension kExtension{.name = "earthdistance",
                                        .version = "1.1",
                                        .comment = "calculate great-circle distances on the surface of the Earth",
                                        .trusted = false,
                                        .schema = {},
                                        .required = kRequired,
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
