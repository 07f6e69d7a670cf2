// intarray 1.5.
#include "types/extension/extension.h"

#include <vector>

#include "types/extension/index_entry.h"
#include "types/extension/intarray/intarray.h"
#include "types/extension/script.h"

namespace indigo::types {

namespace {

constexpr std::string_view kTypes = R"sql(
create type query_int;
create function bqarr_in(cstring) returns query_int as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function bqarr_out(query_int) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type query_int (internallength = -1, input = bqarr_in, output = bqarr_out);
create type intbig_gkey;
create function _intbig_in(cstring) returns intbig_gkey as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function _intbig_out(intbig_gkey) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type intbig_gkey (internallength = -1, input = _intbig_in, output = _intbig_out);
)sql";

constexpr ScriptFunction kScalars[] = {
    {"querytree(query_int)", "text"},
    {"boolop(_int4, query_int)", "bool"},
    {"rboolop(query_int, _int4)", "bool"},
    {"_int_matchsel(internal, oid, internal, integer)", "float8", {}, "stable strict"},
    {"_int_contains(_int4, _int4)", "bool"},
    {"_int_contained(_int4, _int4)", "bool"},
    {"_int_overlap(_int4, _int4)", "bool"},
    {"_int_same(_int4, _int4)", "bool"},
    {"_int_different(_int4, _int4)", "bool"},
    {"_int_union(_int4, _int4)", "_int4"},
    {"_int_inter(_int4, _int4)", "_int4"},
    {"_int_overlap_sel(internal, oid, internal, integer)", "float8", {}, "stable strict"},
    {"_int_contains_sel(internal, oid, internal, integer)", "float8", {}, "stable strict"},
    {"_int_contained_sel(internal, oid, internal, integer)", "float8", {}, "stable strict"},
    {"_int_overlap_joinsel(internal, oid, internal, smallint, internal)", "float8", {}, "stable strict"},
    {"_int_contains_joinsel(internal, oid, internal, smallint, internal)", "float8", {}, "stable strict"},
    {"_int_contained_joinsel(internal, oid, internal, smallint, internal)", "float8", {}, "stable strict"},
    {"intset(int4)", "_int4"},
    {"icount(_int4)", "int4"},
    {"sort(_int4, text)", "_int4"},
    {"sort(_int4)", "_int4"},
    {"sort_asc(_int4)", "_int4"},
    {"sort_desc(_int4)", "_int4"},
    {"uniq(_int4)", "_int4"},
    {"idx(_int4, int4)", "int4"},
    {"subarray(_int4, int4, int4)", "_int4"},
    {"subarray(_int4, int4)", "_int4"},
    {"intarray_push_elem(_int4, int4)", "_int4"},
    {"intarray_push_array(_int4, _int4)", "_int4"},
    {"intarray_del_elem(_int4, int4)", "_int4"},
    {"intset_union_elem(_int4, int4)", "_int4"},
    {"intset_subtract(_int4, _int4)", "_int4"},
};

// Estimates are those of arrays in general, whose functions PostgreSQL's own call.
constexpr ScriptOperator kOperators[] = {
    {"@@", "_int4", "query_int", "boolop", ", commutator = ~~, restrict = _int_matchsel, join = contjoinsel"},
    {"~~", "query_int", "_int4", "rboolop", ", commutator = @@, restrict = _int_matchsel, join = contjoinsel"},
    {"&&", "_int4", "_int4", "_int_overlap",
     ", commutator = &&, restrict = _int_overlap_sel, join = _int_overlap_joinsel"},
    {"@>", "_int4", "_int4", "_int_contains",
     ", commutator = <@, restrict = _int_contains_sel, join = _int_contains_joinsel"},
    {"<@", "_int4", "_int4", "_int_contained",
     ", commutator = @>, restrict = _int_contained_sel, join = _int_contained_joinsel"},
    {"#", "", "_int4", "icount"},
    {"#", "_int4", "int4", "idx"},
    {"+", "_int4", "int4", "intarray_push_elem"},
    {"+", "_int4", "_int4", "intarray_push_array", ", commutator = +"},
    {"-", "_int4", "int4", "intarray_del_elem"},
    {"|", "_int4", "int4", "intset_union_elem"},
    {"|", "_int4", "_int4", "_int_union", ", commutator = |"},
    {"-", "_int4", "_int4", "intset_subtract"},
    {"&", "_int4", "_int4", "_int_inter", ", commutator = &"},
};

constexpr std::string_view kComments = R"sql(
comment on function boolop(_int4, query_int) is 'boolean operation with array';
comment on function rboolop(query_int, _int4) is 'boolean operation with array';
comment on function _int_contains(_int4, _int4) is 'contains';
comment on function _int_contained(_int4, _int4) is 'contained in';
comment on function _int_overlap(_int4, _int4) is 'overlaps';
comment on function _int_same(_int4, _int4) is 'same as';
comment on function _int_different(_int4, _int4) is 'different';
)sql";

constexpr ScriptFunction kSupport[] = {
    {"g_int_consistent(internal, _int4, smallint, oid, internal)", "bool"},
    {"g_int_compress(internal)", "internal"},
    {"g_int_decompress(internal)", "internal"},
    {"g_int_penalty(internal, internal, internal)", "internal"},
    {"g_int_picksplit(internal, internal)", "internal"},
    {"g_int_union(internal, internal)", "_int4"},
    {"g_int_same(_int4, _int4, internal)", "internal"},
    {"g_int_options(internal)", "void", {}, "immutable"},
    {"g_intbig_consistent(internal, _int4, smallint, oid, internal)", "bool"},
    {"g_intbig_compress(internal)", "internal"},
    {"g_intbig_decompress(internal)", "internal"},
    {"g_intbig_penalty(internal, internal, internal)", "internal"},
    {"g_intbig_picksplit(internal, internal)", "internal"},
    {"g_intbig_union(internal, internal)", "intbig_gkey"},
    {"g_intbig_same(intbig_gkey, intbig_gkey, internal)", "internal"},
    {"g_intbig_options(internal)", "void", {}, "immutable"},
    {"ginint4_queryextract(_int4, internal, int2, internal, internal, internal, internal)", "internal"},
    {"ginint4_consistent(internal, int2, _int4, int4, internal, internal, internal, internal)", "bool"},
};

constexpr std::string_view kClasses = R"sql(
create operator class gist__int_ops default for type _int4 using gist as
  operator 3 &&, operator 6 = (anyarray, anyarray), operator 7 @>, operator 20 @@ (_int4, query_int),
  function 1 g_int_consistent(internal, _int4, smallint, oid, internal), function 2 g_int_union(internal, internal),
  function 3 g_int_compress(internal), function 4 g_int_decompress(internal),
  function 5 g_int_penalty(internal, internal, internal), function 6 g_int_picksplit(internal, internal),
  function 7 g_int_same(_int4, _int4, internal), function 10 (_int4) g_int_options(internal);
create operator class gist__intbig_ops for type _int4 using gist as
  operator 3 &&, operator 6 = (anyarray, anyarray), operator 7 @>, operator 20 @@ (_int4, query_int),
  function 1 g_intbig_consistent(internal, _int4, smallint, oid, internal),
  function 2 g_intbig_union(internal, internal), function 3 g_intbig_compress(internal),
  function 4 g_intbig_decompress(internal), function 5 g_intbig_penalty(internal, internal, internal),
  function 6 g_intbig_picksplit(internal, internal), function 7 g_intbig_same(intbig_gkey, intbig_gkey, internal),
  function 10 (_int4) g_intbig_options(internal), storage intbig_gkey;
create operator class gin__int_ops for type _int4 using gin as
  operator 3 &&, operator 6 = (anyarray, anyarray), operator 7 @>, operator 8 <@, operator 20 @@ (_int4, query_int),
  function 1 btint4cmp(int4, int4), function 2 ginarrayextract(anyarray, internal, internal),
  function 3 ginint4_queryextract(_int4, internal, int2, internal, internal, internal, internal),
  function 4 ginint4_consistent(internal, int2, _int4, int4, internal, internal, internal, internal), storage int4;
)sql";

std::string definitions() {
  std::string out(kTypes);
  out += function_script(kScalars);
  out.append(kComments) += operator_script(kOperators);
  out += function_script(kSupport);
  return out.append(kClasses);
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {intarray::set_functions(), intarray::query_functions()})
    out.insert(out.end(), part.begin(), part.end());
  for (const char* name : {"_int_matchsel",
                           "_int_overlap_sel",
                           "_int_contains_sel",
                           "_int_contained_sel",
                           "_int_overlap_joinsel",
                           "_int_contains_joinsel",
                           "_int_contained_joinsel",
                           "_intbig_in",
                           "_intbig_out",
                           "g_int_consistent",
                           "g_int_compress",
                           "g_int_decompress",
                           "g_int_penalty",
                           "g_int_picksplit",
                           "g_int_union",
                           "g_int_same",
                           "g_int_options",
                           "g_intbig_consistent",
                           "g_intbig_compress",
                           "g_intbig_decompress",
                           "g_intbig_penalty",
                           "g_intbig_picksplit",
                           "g_intbig_union",
                           "g_intbig_same",
                           "g_intbig_options",
                           "ginint4_queryextract",
                           "ginint4_consistent"}) {
    out.push_back({name, uncallable_kernel});
  }
  return out;
}

const ExtensionType kTypeForms[] = {{"bqarr_in", &intarray::kQueryForms}, {"_intbig_in", &kIndexEntryForms}};

}  // namespace

const Extension& intarray_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "intarray",
                                   .version = "1.5",
                                   .comment = "functions, operators, and index support for 1-D arrays of integers",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kTypeForms};
  return extension;
}

}  // namespace indigo::types
