// hstore 1.8.
#include <vector>

#include "types/extension/hstore/hstore.h"
#include "types/extension/index_entry.h"
#include "types/extension/script.h"

namespace indigo::types {

namespace {

constexpr std::string_view kType = R"sql(
create type hstore;
create function hstore_in(cstring) returns hstore as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function hstore_out(hstore) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function hstore_recv(internal) returns hstore as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function hstore_send(hstore) returns bytea as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function hstore_subscript_handler(internal) returns internal as 'MODULE_PATHNAME' language c strict immutable
  parallel safe;
create type hstore (internallength = -1, storage = extended, input = hstore_in, output = hstore_out,
  receive = hstore_recv, send = hstore_send, subscript = hstore_subscript_handler);
)sql";

constexpr ScriptFunction kFunctionsInC[] = {
    {"hstore_version_diag(hstore)", "integer", "hstore_version_diag"},
    {"fetchval(hstore, text)", "text", "hstore_fetchval"},
    {"slice_array(hstore, text[])", "text[]", "hstore_slice_to_array"},
    {"slice(hstore, text[])", "hstore", "hstore_slice_to_hstore"},
    {"isexists(hstore, text)", "bool", "hstore_exists"},
    {"exist(hstore, text)", "bool", "hstore_exists"},
    {"exists_any(hstore, text[])", "bool", "hstore_exists_any"},
    {"exists_all(hstore, text[])", "bool", "hstore_exists_all"},
    {"isdefined(hstore, text)", "bool", "hstore_defined"},
    {"defined(hstore, text)", "bool", "hstore_defined"},
    {"delete(hstore, text)", "hstore", "hstore_delete"},
    {"delete(hstore, text[])", "hstore", "hstore_delete_array"},
    {"delete(hstore, hstore)", "hstore", "hstore_delete_hstore"},
    {"hs_concat(hstore, hstore)", "hstore", "hstore_concat"},
    {"hs_contains(hstore, hstore)", "bool", "hstore_contains"},
    {"hs_contained(hstore, hstore)", "bool", "hstore_contained"},
    {"tconvert(text, text)", "hstore", "hstore_from_text", "immutable"},
    {"hstore(text, text)", "hstore", "hstore_from_text", "immutable"},
    {"hstore(text[], text[])", "hstore", "hstore_from_arrays", "immutable"},
    {"hstore(text[])", "hstore", "hstore_from_array"},
    {"hstore_to_json(hstore)", "json", "hstore_to_json"},
    {"hstore_to_json_loose(hstore)", "json", "hstore_to_json_loose"},
    {"hstore_to_jsonb(hstore)", "jsonb", "hstore_to_jsonb"},
    {"hstore_to_jsonb_loose(hstore)", "jsonb", "hstore_to_jsonb_loose"},
    {"hstore(record)", "hstore", "hstore_from_record", "immutable"},
    {"hstore_to_array(hstore)", "text[]", "hstore_to_array"},
    {"hstore_to_matrix(hstore)", "text[]", "hstore_to_matrix"},
    {"akeys(hstore)", "text[]", "hstore_akeys"},
    {"avals(hstore)", "text[]", "hstore_avals"},
    {"skeys(hstore)", "setof text", "hstore_skeys", "immutable strict rows 1000"},
    {"svals(hstore)", "setof text", "hstore_svals", "immutable strict rows 1000"},
    {"each(hs hstore, key out text, value out text)", "setof record", "hstore_each", "immutable strict rows 1000"},
    {"populate_record(anyelement, hstore)", "anyelement", "hstore_populate_record", "immutable"},
    {"hstore_eq(hstore, hstore)", "bool", "hstore_eq"},
    {"hstore_ne(hstore, hstore)", "bool", "hstore_ne"},
    {"hstore_gt(hstore, hstore)", "bool", "hstore_gt"},
    {"hstore_ge(hstore, hstore)", "bool", "hstore_ge"},
    {"hstore_lt(hstore, hstore)", "bool", "hstore_lt"},
    {"hstore_le(hstore, hstore)", "bool", "hstore_le"},
    {"hstore_cmp(hstore, hstore)", "integer", "hstore_cmp"},
    {"hstore_hash(hstore)", "integer", "hstore_hash"},
    {"hstore_hash_extended(hstore, int8)", "int8", "hstore_hash_extended"},
};

constexpr ScriptOperator kOperators[] = {
    {"->", "hstore", "text", "fetchval"},
    {"->", "hstore", "text[]", "slice_array"},
    {"?", "hstore", "text", "exist", kMatchingEstimate},
    {"?|", "hstore", "text[]", "exists_any", kMatchingEstimate},
    {"?&", "hstore", "text[]", "exists_all", kMatchingEstimate},
    {"-", "hstore", "text", "delete"},
    {"-", "hstore", "text[]", "delete"},
    {"-", "hstore", "hstore", "delete"},
    {"||", "hstore", "hstore", "hs_concat"},
    {"@>", "hstore", "hstore", "hs_contains", ", commutator = <@, restrict = matchingsel, join = matchingjoinsel"},
    {"<@", "hstore", "hstore", "hs_contained", ", commutator = @>, restrict = matchingsel, join = matchingjoinsel"},
    {"%%", "", "hstore", "hstore_to_array"},
    {"%#", "", "hstore", "hstore_to_matrix"},
    {"#=", "anyelement", "hstore", "populate_record"},
    {"=", "hstore", "hstore", "hstore_eq",
     ", commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel, merges, hashes"},
    {"<>", "hstore", "hstore", "hstore_ne", ", commutator = <>, negator = =, restrict = neqsel, join = neqjoinsel"},
    {"#<#", "hstore", "hstore", "hstore_lt",
     ", commutator = #>#, negator = #>=#, restrict = scalarltsel, join = scalarltjoinsel"},
    {"#<=#", "hstore", "hstore", "hstore_le",
     ", commutator = #>=#, negator = #>#, restrict = scalarlesel, join = scalarlejoinsel"},
    {"#>#", "hstore", "hstore", "hstore_gt",
     ", commutator = #<#, negator = #<=#, restrict = scalargtsel, join = scalargtjoinsel"},
    {"#>=#", "hstore", "hstore", "hstore_ge",
     ", commutator = #<=#, negator = #<#, restrict = scalargesel, join = scalargejoinsel"},
};

constexpr std::string_view kCasts = R"sql(
create cast (text[] as hstore) with function hstore(text[]);
create cast (hstore as json) with function hstore_to_json(hstore);
create cast (hstore as jsonb) with function hstore_to_jsonb(hstore);
)sql";

constexpr std::string_view kClasses = R"sql(
create operator class btree_hstore_ops default for type hstore using btree as
  operator 1 #<#, operator 2 #<=#, operator 3 =, operator 4 #>=#, operator 5 #>#, function 1 hstore_cmp(hstore, hstore);
create operator class hash_hstore_ops default for type hstore using hash as
  operator 1 =, function 1 hstore_hash(hstore), function 2 hstore_hash_extended(hstore, int8);
create type ghstore;
create function ghstore_in(cstring) returns ghstore as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function ghstore_out(ghstore) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type ghstore (internallength = -1, input = ghstore_in, output = ghstore_out);
create function ghstore_compress(internal) returns internal as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_decompress(internal) returns internal as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_penalty(internal, internal, internal) returns internal
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_picksplit(internal, internal) returns internal
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_union(internal, internal) returns ghstore as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_same(ghstore, ghstore, internal) returns internal
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_consistent(internal, hstore, smallint, oid, internal) returns bool
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function ghstore_options(internal) returns void as 'MODULE_PATHNAME' language c immutable parallel safe;
create operator class gist_hstore_ops default for type hstore using gist as
  operator 7 @>, operator 9 ?(hstore, text), operator 10 ?|(hstore, text[]), operator 11 ?&(hstore, text[]),
  function 1 ghstore_consistent(internal, hstore, smallint, oid, internal),
  function 2 ghstore_union(internal, internal), function 3 ghstore_compress(internal),
  function 4 ghstore_decompress(internal), function 5 ghstore_penalty(internal, internal, internal),
  function 6 ghstore_picksplit(internal, internal), function 7 ghstore_same(ghstore, ghstore, internal),
  function 10 (hstore) ghstore_options(internal), storage ghstore;
create function gin_extract_hstore(hstore, internal) returns internal
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function gin_extract_hstore_query(hstore, internal, int2, internal, internal) returns internal
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function gin_consistent_hstore(internal, int2, hstore, int4, internal, internal) returns bool
  as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create operator class gin_hstore_ops default for type hstore using gin as
  operator 7 @>, operator 9 ?(hstore, text), operator 10 ?|(hstore, text[]), operator 11 ?&(hstore, text[]),
  function 1 bttextcmp(text, text), function 2 gin_extract_hstore(hstore, internal),
  function 3 gin_extract_hstore_query(hstore, internal, int2, internal, internal),
  function 4 gin_consistent_hstore(internal, int2, hstore, int4, internal, internal), storage text;
)sql";

std::string definitions() {
  std::string out(kType);
  out += function_script(kFunctionsInC);
  out += operator_script(kOperators);
  return out.append(kCasts).append(kClasses);
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {hstore::form_functions(), hstore::functions(), hstore::record_functions()})
    out.insert(out.end(), part.begin(), part.end());
  return out;
}

const ExtensionType kTypes[] = {{"hstore_in", &hstore::kHstoreForms}, {"ghstore_in", &kIndexEntryForms}};

}  // namespace

const Extension& hstore_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "hstore",
                                   .version = "1.8",
                                   .comment = "data type for storing sets of (key, value) pairs",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .sets = hstore::set_functions(),
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
