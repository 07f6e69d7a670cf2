// cube 1.5.
#include "types/extension/extension.h"

#include <vector>

#include "types/extension/cube/cube.h"
#include "types/extension/index_entry.h"
#include "types/extension/script.h"

namespace indigo::types {

namespace {

constexpr std::string_view kType = R"sql(
create type cube;
create function cube_in(cstring) returns cube as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function cube_out(cube) returns cstring as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function cube_recv(internal) returns cube as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function cube_send(cube) returns bytea as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create type cube (internallength = variable, input = cube_in, output = cube_out, receive = cube_recv, send = cube_send,
  alignment = double);
comment on type cube is 'multi-dimensional cube ''(FLOAT-1, FLOAT-2, ..., FLOAT-N), (FLOAT-1, FLOAT-2, ..., FLOAT-N)''';
)sql";

constexpr ScriptFunction kFunctions[] = {
    {"cube(float8[], float8[])", "cube", "cube_a_f8_f8"},
    {"cube(float8[])", "cube", "cube_a_f8"},
    {"cube_eq(cube, cube)", "bool"},
    {"cube_ne(cube, cube)", "bool"},
    {"cube_lt(cube, cube)", "bool"},
    {"cube_gt(cube, cube)", "bool"},
    {"cube_le(cube, cube)", "bool"},
    {"cube_ge(cube, cube)", "bool"},
    {"cube_cmp(cube, cube)", "int4"},
    {"cube_contains(cube, cube)", "bool"},
    {"cube_contained(cube, cube)", "bool"},
    {"cube_overlap(cube, cube)", "bool"},
    {"cube_union(cube, cube)", "cube"},
    {"cube_inter(cube, cube)", "cube"},
    {"cube_size(cube)", "float8"},
    {"cube_subset(cube, int4[])", "cube"},
    {"cube_distance(cube, cube)", "float8"},
    {"distance_chebyshev(cube, cube)", "float8"},
    {"distance_taxicab(cube, cube)", "float8"},
    {"cube_dim(cube)", "int4"},
    {"cube_ll_coord(cube, int4)", "float8"},
    {"cube_ur_coord(cube, int4)", "float8"},
    {"cube_coord(cube, int4)", "float8"},
    {"cube_coord_llur(cube, int4)", "float8"},
    {"cube(float8)", "cube", "cube_f8"},
    {"cube(float8, float8)", "cube", "cube_f8_f8"},
    {"cube(cube, float8)", "cube", "cube_c_f8"},
    {"cube(cube, float8, float8)", "cube", "cube_c_f8_f8"},
    {"cube_is_point(cube)", "bool"},
    {"cube_enlarge(cube, float8, int4)", "cube"},
    {"g_cube_consistent(internal, cube, smallint, oid, internal)", "bool"},
    {"g_cube_penalty(internal, internal, internal)", "internal"},
    {"g_cube_picksplit(internal, internal)", "internal"},
    {"g_cube_union(internal, internal)", "cube"},
    {"g_cube_same(cube, cube, internal)", "internal"},
    {"g_cube_distance(internal, cube, smallint, oid, internal)", "float8"},
};

constexpr std::string_view kComments = R"sql(
comment on function cube_eq(cube, cube) is 'same as';
comment on function cube_ne(cube, cube) is 'different';
comment on function cube_lt(cube, cube) is 'lower than';
comment on function cube_gt(cube, cube) is 'greater than';
comment on function cube_le(cube, cube) is 'lower than or equal to';
comment on function cube_ge(cube, cube) is 'greater than or equal to';
comment on function cube_cmp(cube, cube) is 'btree comparison function';
comment on function cube_contains(cube, cube) is 'contains';
comment on function cube_contained(cube, cube) is 'contained in';
comment on function cube_overlap(cube, cube) is 'overlaps';
)sql";

constexpr ScriptOperator kOperators[] = {
    {"<", "cube", "cube", "cube_lt", ", commutator = >, negator = >=, restrict = scalarltsel, join = scalarltjoinsel"},
    {">", "cube", "cube", "cube_gt", ", commutator = <, negator = <=, restrict = scalargtsel, join = scalargtjoinsel"},
    {"<=", "cube", "cube", "cube_le", ", commutator = >=, negator = >, restrict = scalarlesel, join = scalarlejoinsel"},
    {">=", "cube", "cube", "cube_ge", ", commutator = <=, negator = <, restrict = scalargesel, join = scalargejoinsel"},
    {"&&", "cube", "cube", "cube_overlap", ", commutator = &&, restrict = areasel, join = areajoinsel"},
    {"=", "cube", "cube", "cube_eq", ", commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel, merges"},
    {"<>", "cube", "cube", "cube_ne", ", commutator = <>, negator = =, restrict = neqsel, join = neqjoinsel"},
    {"@>", "cube", "cube", "cube_contains", ", commutator = <@, restrict = contsel, join = contjoinsel"},
    {"<@", "cube", "cube", "cube_contained", ", commutator = @>, restrict = contsel, join = contjoinsel"},
    {"->", "cube", "int", "cube_coord"},
    {"~>", "cube", "int", "cube_coord_llur"},
    {"<#>", "cube", "cube", "distance_taxicab", ", commutator = <#>"},
    {"<->", "cube", "cube", "cube_distance", ", commutator = <->"},
    {"<=>", "cube", "cube", "distance_chebyshev", ", commutator = <=>"},
};

constexpr std::string_view kClasses = R"sql(
create operator class cube_ops default for type cube using btree as
  operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 cube_cmp(cube, cube);
create operator class gist_cube_ops default for type cube using gist as
  operator 3 &&, operator 6 =, operator 7 @>, operator 8 <@, operator 15 ~>(cube, int) for order by float_ops,
  operator 16 <#>(cube, cube) for order by float_ops, operator 17 <->(cube, cube) for order by float_ops,
  operator 18 <=>(cube, cube) for order by float_ops,
  function 1 g_cube_consistent(internal, cube, smallint, oid, internal), function 2 g_cube_union(internal, internal),
  function 5 g_cube_penalty(internal, internal, internal), function 6 g_cube_picksplit(internal, internal),
  function 7 g_cube_same(cube, cube, internal), function 8 g_cube_distance(internal, cube, smallint, oid, internal);
)sql";

std::string definitions() {
  std::string out(kType);
  out += function_script(kFunctions);
  return out.append(kComments).append(operator_script(kOperators)).append(kClasses);
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {cube::form_functions(), cube::cube_functions(), cube::making_functions()})
    out.insert(out.end(), part.begin(), part.end());
  for (const char* name : {"cube_recv", "g_cube_consistent", "g_cube_penalty", "g_cube_picksplit", "g_cube_union",
                           "g_cube_same", "g_cube_distance"}) {
    out.push_back({name, uncallable_kernel});
  }
  return out;
}

constexpr ExtensionType kTypes[] = {{"cube_in", &cube::kCubeForms}};

}  // namespace

const Extension& cube_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "cube",
                                   .version = "1.5",
                                   .comment = "data type for multidimensional cubes",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
