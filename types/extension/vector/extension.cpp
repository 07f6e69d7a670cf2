// vector 0.8.6 (pgvector).
#include "types/extension/extension.h"

#include "types/extension/index_entry.h"
#include "types/extension/script.h"
#include "types/extension/vector/vector.h"

namespace indigo::types {

namespace {

// $: the type's name.
constexpr std::string_view kTypeShape = R"sql(
create type $;
create function $_in(cstring, oid, integer) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_out($) returns cstring as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_typmod_in(cstring[]) returns integer as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_recv(internal, oid, integer) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_send($) returns bytea as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create type $ (input = $_in, output = $_out, typmod_in = $_typmod_in, receive = $_recv, send = $_send, storage = external);
)sql";

constexpr ScriptFunction kVectorFunctions[] = {
    {"l2_distance(vector, vector)", "float8"},
    {"inner_product(vector, vector)", "float8"},
    {"cosine_distance(vector, vector)", "float8"},
    {"l1_distance(vector, vector)", "float8"},
    {"vector_dims(vector)", "integer"},
    {"vector_norm(vector)", "float8"},
    {"l2_normalize(vector)", "vector"},
    {"binary_quantize(vector)", "bit"},
    {"subvector(vector, int, int)", "vector"},
};
constexpr ScriptFunction kHalfvecFunctions[] = {
    {"l2_distance(halfvec, halfvec)", "float8", "halfvec_l2_distance"},
    {"inner_product(halfvec, halfvec)", "float8", "halfvec_inner_product"},
    {"cosine_distance(halfvec, halfvec)", "float8", "halfvec_cosine_distance"},
    {"l1_distance(halfvec, halfvec)", "float8", "halfvec_l1_distance"},
    {"vector_dims(halfvec)", "integer", "halfvec_vector_dims"},
    {"l2_norm(halfvec)", "float8", "halfvec_l2_norm"},
    {"l2_normalize(halfvec)", "halfvec", "halfvec_l2_normalize"},
    {"binary_quantize(halfvec)", "bit", "halfvec_binary_quantize"},
    {"subvector(halfvec, int, int)", "halfvec", "halfvec_subvector"},
};
constexpr ScriptFunction kSparsevecFunctions[] = {
    {"l2_distance(sparsevec, sparsevec)", "float8", "sparsevec_l2_distance"},
    {"inner_product(sparsevec, sparsevec)", "float8", "sparsevec_inner_product"},
    {"cosine_distance(sparsevec, sparsevec)", "float8", "sparsevec_cosine_distance"},
    {"l1_distance(sparsevec, sparsevec)", "float8", "sparsevec_l1_distance"},
    {"l2_norm(sparsevec)", "float8", "sparsevec_l2_norm"},
    {"l2_normalize(sparsevec)", "sparsevec", "sparsevec_l2_normalize"},
};

// Of all three types.
constexpr std::string_view kComparedShape = R"sql(
create function $_lt($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_le($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_eq($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_ne($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_ge($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_gt($, $) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_cmp($, $) returns int4 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_l2_squared_distance($, $) returns float8 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_negative_inner_product($, $) returns float8 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create operator <-> (leftarg = $, rightarg = $, procedure = l2_distance, commutator = '<->');
create operator <#> (leftarg = $, rightarg = $, procedure = $_negative_inner_product, commutator = '<#>');
create operator <=> (leftarg = $, rightarg = $, procedure = cosine_distance, commutator = '<=>');
create operator <+> (leftarg = $, rightarg = $, procedure = l1_distance, commutator = '<+>');
create operator < (leftarg = $, rightarg = $, procedure = $_lt, commutator = >, negator = >=, restrict = scalarltsel,
  join = scalarltjoinsel);
create operator <= (leftarg = $, rightarg = $, procedure = $_le, commutator = >=, negator = >, restrict = scalarlesel,
  join = scalarlejoinsel);
create operator = (leftarg = $, rightarg = $, procedure = $_eq, commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel);
create operator <> (leftarg = $, rightarg = $, procedure = $_ne, commutator = <>, negator = =, restrict = eqsel, join = eqjoinsel);
create operator >= (leftarg = $, rightarg = $, procedure = $_ge, commutator = <=, negator = <, restrict = scalargesel,
  join = scalargejoinsel);
create operator > (leftarg = $, rightarg = $, procedure = $_gt, commutator = <, negator = <=, restrict = scalargtsel,
  join = scalargtjoinsel);
create operator class $_ops default for type $ using btree as operator 1 <, operator 2 <=, operator 3 =, operator 4 >=,
  operator 5 >, function 1 $_cmp($, $);
)sql";

// Of the dense ones.
constexpr std::string_view kDenseShape = R"sql(
create function $_add($, $) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_sub($, $) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_mul($, $) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_concat($, $) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_spherical_distance($, $) returns float8 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_accum(double precision[], $) returns double precision[] as 'MODULE_PATHNAME'
  language c immutable strict parallel safe;
create function $_avg(double precision[]) returns $ as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function $_combine(double precision[], double precision[]) returns double precision[] as 'MODULE_PATHNAME'
  language c immutable strict parallel safe;
create aggregate avg($) (sfunc = $_accum, stype = double precision[], finalfunc = $_avg, combinefunc = $_combine,
  initcond = '{0}', parallel = safe);
create aggregate sum($) (sfunc = $_add, stype = $, combinefunc = $_add, parallel = safe);
create operator + (leftarg = $, rightarg = $, procedure = $_add, commutator = +);
create operator - (leftarg = $, rightarg = $, procedure = $_sub);
create operator * (leftarg = $, rightarg = $, procedure = $_mul, commutator = *);
create operator || (leftarg = $, rightarg = $, procedure = $_concat);
)sql";

constexpr ScriptFunction kCastFunctions[] = {
    {"vector(vector, integer, boolean)", "vector"},
    {"array_to_vector(integer[], integer, boolean)", "vector"},
    {"array_to_vector(real[], integer, boolean)", "vector"},
    {"array_to_vector(double precision[], integer, boolean)", "vector"},
    {"array_to_vector(numeric[], integer, boolean)", "vector"},
    {"vector_to_float4(vector, integer, boolean)", "real[]"},
    {"halfvec(halfvec, integer, boolean)", "halfvec"},
    {"halfvec_to_vector(halfvec, integer, boolean)", "vector"},
    {"vector_to_halfvec(vector, integer, boolean)", "halfvec"},
    {"array_to_halfvec(integer[], integer, boolean)", "halfvec"},
    {"array_to_halfvec(real[], integer, boolean)", "halfvec"},
    {"array_to_halfvec(double precision[], integer, boolean)", "halfvec"},
    {"array_to_halfvec(numeric[], integer, boolean)", "halfvec"},
    {"halfvec_to_float4(halfvec, integer, boolean)", "real[]"},
    {"sparsevec(sparsevec, integer, boolean)", "sparsevec"},
    {"vector_to_sparsevec(vector, integer, boolean)", "sparsevec"},
    {"sparsevec_to_vector(sparsevec, integer, boolean)", "vector"},
    {"halfvec_to_sparsevec(halfvec, integer, boolean)", "sparsevec"},
    {"sparsevec_to_halfvec(sparsevec, integer, boolean)", "halfvec"},
    {"array_to_sparsevec(integer[], integer, boolean)", "sparsevec"},
    {"array_to_sparsevec(real[], integer, boolean)", "sparsevec"},
    {"array_to_sparsevec(double precision[], integer, boolean)", "sparsevec"},
    {"array_to_sparsevec(numeric[], integer, boolean)", "sparsevec"},
};

struct Cast {
  std::string_view from, to, function, context;
};
constexpr Cast kCasts[] = {
    {"vector", "vector", "vector(vector, integer, boolean)", "implicit"},
    {"vector", "real[]", "vector_to_float4(vector, integer, boolean)", "implicit"},
    {"integer[]", "vector", "array_to_vector(integer[], integer, boolean)", "assignment"},
    {"real[]", "vector", "array_to_vector(real[], integer, boolean)", "assignment"},
    {"double precision[]", "vector", "array_to_vector(double precision[], integer, boolean)", "assignment"},
    {"numeric[]", "vector", "array_to_vector(numeric[], integer, boolean)", "assignment"},
    {"halfvec", "halfvec", "halfvec(halfvec, integer, boolean)", "implicit"},
    {"halfvec", "vector", "halfvec_to_vector(halfvec, integer, boolean)", "assignment"},
    {"vector", "halfvec", "vector_to_halfvec(vector, integer, boolean)", "implicit"},
    {"halfvec", "real[]", "halfvec_to_float4(halfvec, integer, boolean)", "assignment"},
    {"integer[]", "halfvec", "array_to_halfvec(integer[], integer, boolean)", "assignment"},
    {"real[]", "halfvec", "array_to_halfvec(real[], integer, boolean)", "assignment"},
    {"double precision[]", "halfvec", "array_to_halfvec(double precision[], integer, boolean)", "assignment"},
    {"numeric[]", "halfvec", "array_to_halfvec(numeric[], integer, boolean)", "assignment"},
    {"sparsevec", "sparsevec", "sparsevec(sparsevec, integer, boolean)", "implicit"},
    {"sparsevec", "vector", "sparsevec_to_vector(sparsevec, integer, boolean)", "assignment"},
    {"vector", "sparsevec", "vector_to_sparsevec(vector, integer, boolean)", "implicit"},
    {"sparsevec", "halfvec", "sparsevec_to_halfvec(sparsevec, integer, boolean)", "assignment"},
    {"halfvec", "sparsevec", "halfvec_to_sparsevec(halfvec, integer, boolean)", "implicit"},
    {"integer[]", "sparsevec", "array_to_sparsevec(integer[], integer, boolean)", "assignment"},
    {"real[]", "sparsevec", "array_to_sparsevec(real[], integer, boolean)", "assignment"},
    {"double precision[]", "sparsevec", "array_to_sparsevec(double precision[], integer, boolean)", "assignment"},
    {"numeric[]", "sparsevec", "array_to_sparsevec(numeric[], integer, boolean)", "assignment"},
};

constexpr std::string_view kMethods = R"sql(
create function ivfflathandler(internal) returns index_am_handler as 'MODULE_PATHNAME' language c;
create access method ivfflat type index handler ivfflathandler;
create function hnswhandler(internal) returns index_am_handler as 'MODULE_PATHNAME' language c;
create access method hnsw type index handler hnswhandler;
create function ivfflat_halfvec_support(internal) returns internal as 'MODULE_PATHNAME' language c;
create function ivfflat_bit_support(internal) returns internal as 'MODULE_PATHNAME' language c;
create function hnsw_halfvec_support(internal) returns internal as 'MODULE_PATHNAME' language c;
create function hnsw_bit_support(internal) returns internal as 'MODULE_PATHNAME' language c;
create function hnsw_sparsevec_support(internal) returns internal as 'MODULE_PATHNAME' language c;
)sql";
constexpr std::string_view kVectorClasses = R"sql(
create operator class vector_l2_ops default for type vector using ivfflat as operator 1 <-> (vector, vector) for order by float_ops,
  function 1 vector_l2_squared_distance(vector, vector), function 3 l2_distance(vector, vector);
create operator class vector_ip_ops for type vector using ivfflat as operator 1 <#> (vector, vector) for order by float_ops,
  function 1 vector_negative_inner_product(vector, vector), function 3 vector_spherical_distance(vector, vector),
  function 4 vector_norm(vector);
create operator class vector_cosine_ops for type vector using ivfflat as operator 1 <=> (vector, vector) for order by float_ops,
  function 1 vector_negative_inner_product(vector, vector), function 2 vector_norm(vector),
  function 3 vector_spherical_distance(vector, vector), function 4 vector_norm(vector);
create operator class vector_l2_ops for type vector using hnsw as operator 1 <-> (vector, vector) for order by float_ops,
  function 1 vector_l2_squared_distance(vector, vector);
create operator class vector_ip_ops for type vector using hnsw as operator 1 <#> (vector, vector) for order by float_ops,
  function 1 vector_negative_inner_product(vector, vector);
create operator class vector_cosine_ops for type vector using hnsw as operator 1 <=> (vector, vector) for order by float_ops,
  function 1 vector_negative_inner_product(vector, vector), function 2 vector_norm(vector);
create operator class vector_l1_ops for type vector using hnsw as operator 1 <+> (vector, vector) for order by float_ops,
  function 1 l1_distance(vector, vector);
)sql";
constexpr std::string_view kHalfvecClasses = R"sql(
create operator class halfvec_l2_ops for type halfvec using ivfflat as operator 1 <-> (halfvec, halfvec) for order by float_ops,
  function 1 halfvec_l2_squared_distance(halfvec, halfvec), function 3 l2_distance(halfvec, halfvec),
  function 5 ivfflat_halfvec_support(internal);
create operator class halfvec_ip_ops for type halfvec using ivfflat as operator 1 <#> (halfvec, halfvec) for order by float_ops,
  function 1 halfvec_negative_inner_product(halfvec, halfvec), function 3 halfvec_spherical_distance(halfvec, halfvec),
  function 4 l2_norm(halfvec), function 5 ivfflat_halfvec_support(internal);
create operator class halfvec_cosine_ops for type halfvec using ivfflat as operator 1 <=> (halfvec, halfvec) for order by float_ops,
  function 1 halfvec_negative_inner_product(halfvec, halfvec), function 2 l2_norm(halfvec),
  function 3 halfvec_spherical_distance(halfvec, halfvec), function 4 l2_norm(halfvec),
  function 5 ivfflat_halfvec_support(internal);
)sql";
constexpr std::string_view kBits = R"sql(
create function hamming_distance(bit, bit) returns float8 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function jaccard_distance(bit, bit) returns float8 as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create operator <~> (leftarg = bit, rightarg = bit, procedure = hamming_distance, commutator = '<~>');
create operator <%> (leftarg = bit, rightarg = bit, procedure = jaccard_distance, commutator = '<%>');
create operator class bit_hamming_ops for type bit using ivfflat as operator 1 <~> (bit, bit) for order by float_ops,
  function 1 hamming_distance(bit, bit), function 3 hamming_distance(bit, bit), function 5 ivfflat_bit_support(internal);
create operator class bit_hamming_ops for type bit using hnsw as operator 1 <~> (bit, bit) for order by float_ops,
  function 1 hamming_distance(bit, bit), function 3 hnsw_bit_support(internal);
create operator class bit_jaccard_ops for type bit using hnsw as operator 1 <%> (bit, bit) for order by float_ops,
  function 1 jaccard_distance(bit, bit), function 3 hnsw_bit_support(internal);
)sql";

// Of halfvec and sparsevec, by hnsw.
constexpr std::string_view kGraphShape = R"sql(
create operator class $_l2_ops for type $ using hnsw as operator 1 <-> ($, $) for order by float_ops,
  function 1 $_l2_squared_distance($, $), function 3 hnsw_$_support(internal);
create operator class $_ip_ops for type $ using hnsw as operator 1 <#> ($, $) for order by float_ops,
  function 1 $_negative_inner_product($, $), function 3 hnsw_$_support(internal);
create operator class $_cosine_ops for type $ using hnsw as operator 1 <=> ($, $) for order by float_ops,
  function 1 $_negative_inner_product($, $), function 2 l2_norm($), function 3 hnsw_$_support(internal);
create operator class $_l1_ops for type $ using hnsw as operator 1 <+> ($, $) for order by float_ops,
  function 1 l1_distance($, $), function 3 hnsw_$_support(internal);
)sql";

// In the order of pgvector's script, in which DROP EXTENSION names what depends on it.
std::string definitions() {
  const auto type = [](std::string_view name, std::span<const ScriptFunction> functions, bool dense) {
    std::string out = filled_in(kTypeShape, name) + function_script(functions) + filled_in(kComparedShape, name);
    return dense ? out + filled_in(kDenseShape, name) : out;
  };
  std::string out = type("vector", kVectorFunctions, true);
  out.append(kMethods).append(kVectorClasses);
  out += type("halfvec", kHalfvecFunctions, true);
  out.append(kHalfvecClasses).append(filled_in(kGraphShape, "halfvec")).append(kBits);
  out += type("sparsevec", kSparsevecFunctions, false);
  out += filled_in(kGraphShape, "sparsevec") + function_script(kCastFunctions);
  for (const Cast& cast : kCasts) {
    out.append("create cast (").append(cast.from).append(" as ").append(cast.to).append(") with function ");
    out.append(cast.function).append(" as ").append(cast.context).append(";\n");
  }
  return out;
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {vectors::dense_form_functions(), vectors::dense_functions(), vectors::sparse_functions(),
                          vectors::average_functions()}) {
    out.insert(out.end(), part.begin(), part.end());
  }
  for (const char* name :
       {"vector_recv", "halfvec_recv", "sparsevec_recv", "vector_typmod_in", "halfvec_typmod_in", "sparsevec_typmod_in",
        "hnswhandler", "ivfflathandler", "ivfflat_halfvec_support", "ivfflat_bit_support", "hnsw_halfvec_support",
        "hnsw_bit_support", "hnsw_sparsevec_support"}) {
    out.push_back({name, uncallable_kernel});
  }
  return out;
}

constexpr ExtensionType kVectorTypes[] = {{"vector_in", &vectors::kVectorForms},
                                          {"halfvec_in", &vectors::kHalfvecForms},
                                          {"sparsevec_in", &vectors::kSparsevecForms}};

}  // namespace

const Extension& vector_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "vector",
                                   .version = "0.8.6",
                                   .comment = "vector data type and ivfflat and hnsw access methods",
                                   .trusted = false,
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kVectorTypes};
  return extension;
}

}  // namespace indigo::types
