// pg_trgm 1.6.
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include "base/sqlstate.h"
#include "types/extension/index_entry.h"
#include "types/extension/pg_trgm/threshold.h"
#include "types/extension/pg_trgm/trigrams.h"
#include "types/extension/script.h"
#include "types/function/kernel.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr ScriptFunction kScalars[] = {
    {"set_limit(float4)", "float4", {}, "volatile strict parallel unsafe"},
    {"show_limit()", "float4", {}, "stable strict"},
    {"show_trgm(text)", "text[]"},
    {"similarity(text, text)", "float4"},
    {"similarity_op(text, text)", "bool", {}, "stable strict"},
    {"word_similarity(text, text)", "float4"},
    {"word_similarity_op(text, text)", "bool", {}, "stable strict"},
    {"word_similarity_commutator_op(text, text)", "bool", {}, "stable strict"},
    {"similarity_dist(text, text)", "float4"},
    {"word_similarity_dist_op(text, text)", "float4"},
    {"word_similarity_dist_commutator_op(text, text)", "float4"},
    {"strict_word_similarity(text, text)", "float4"},
    {"strict_word_similarity_op(text, text)", "bool", {}, "stable strict"},
    {"strict_word_similarity_commutator_op(text, text)", "bool", {}, "stable strict"},
    {"strict_word_similarity_dist_op(text, text)", "float4"},
    {"strict_word_similarity_dist_commutator_op(text, text)", "float4"},
};

constexpr ScriptOperator kOperators[] = {
    {"%", "text", "text", "similarity_op", ", commutator = %, restrict = matchingsel, join = matchingjoinsel"},
    {"<%", "text", "text", "word_similarity_op", ", commutator = %>, restrict = matchingsel, join = matchingjoinsel"},
    {"%>", "text", "text", "word_similarity_commutator_op",
     ", commutator = <%, restrict = matchingsel, join = matchingjoinsel"},
    {"<->", "text", "text", "similarity_dist", ", commutator = <->"},
    {"<<->", "text", "text", "word_similarity_dist_op", ", commutator = <->>"},
    {"<->>", "text", "text", "word_similarity_dist_commutator_op", ", commutator = <<->"},
    {"<<%", "text", "text", "strict_word_similarity_op",
     ", commutator = %>>, restrict = matchingsel, join = matchingjoinsel"},
    {"%>>", "text", "text", "strict_word_similarity_commutator_op",
     ", commutator = <<%, restrict = matchingsel, join = matchingjoinsel"},
    {"<<<->", "text", "text", "strict_word_similarity_dist_op", ", commutator = <->>>"},
    {"<->>>", "text", "text", "strict_word_similarity_dist_commutator_op", ", commutator = <<<->"},
};

constexpr std::string_view kEntryType = R"sql(
create type gtrgm;
create function gtrgm_in(cstring) returns gtrgm as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function gtrgm_out(gtrgm) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type gtrgm (internallength = -1, input = gtrgm_in, output = gtrgm_out);
)sql";

constexpr ScriptFunction kSupport[] = {
    {"gtrgm_consistent(internal, text, smallint, oid, internal)", "bool"},
    {"gtrgm_distance(internal, text, smallint, oid, internal)", "float8"},
    {"gtrgm_compress(internal)", "internal"},
    {"gtrgm_decompress(internal)", "internal"},
    {"gtrgm_penalty(internal, internal, internal)", "internal"},
    {"gtrgm_picksplit(internal, internal)", "internal"},
    {"gtrgm_union(internal, internal)", "gtrgm"},
    {"gtrgm_same(gtrgm, gtrgm, internal)", "internal"},
    {"gtrgm_options(internal)", "void", {}, "immutable"},
    {"gin_extract_value_trgm(text, internal)", "internal"},
    {"gin_extract_query_trgm(text, internal, int2, internal, internal, internal, internal)", "internal"},
    {"gin_trgm_consistent(internal, int2, text, int4, internal, internal, internal, internal)", "bool"},
    {"gin_trgm_triconsistent(internal, int2, text, int4, internal, internal, internal)", "\"char\""},
};

constexpr std::string_view kClasses = R"sql(
create operator class gist_trgm_ops for type text using gist as
  operator 1 %(text, text), operator 2 <->(text, text) for order by pg_catalog.float_ops,
  operator 3 pg_catalog.~~(text, text), operator 4 pg_catalog.~~*(text, text), operator 5 pg_catalog.~(text, text),
  operator 6 pg_catalog.~*(text, text), operator 7 %>(text, text),
  operator 8 <->>(text, text) for order by pg_catalog.float_ops, operator 9 %>>(text, text),
  operator 10 <->>>(text, text) for order by pg_catalog.float_ops, operator 11 pg_catalog.=(text, text),
  function 1 gtrgm_consistent(internal, text, smallint, oid, internal), function 2 gtrgm_union(internal, internal),
  function 3 gtrgm_compress(internal), function 4 gtrgm_decompress(internal),
  function 5 gtrgm_penalty(internal, internal, internal), function 6 gtrgm_picksplit(internal, internal),
  function 7 gtrgm_same(gtrgm, gtrgm, internal),
  function 8 (text, text) gtrgm_distance(internal, text, smallint, oid, internal),
  function 10 (text) gtrgm_options(internal), storage gtrgm;
create operator class gin_trgm_ops for type text using gin as
  operator 1 %(text, text), operator 3 pg_catalog.~~(text, text), operator 4 pg_catalog.~~*(text, text),
  operator 5 pg_catalog.~(text, text), operator 6 pg_catalog.~*(text, text), operator 7 %>(text, text),
  operator 9 %>>(text, text), operator 11 pg_catalog.=(text, text),
  function 1 btint4cmp(int4, int4), function 2 gin_extract_value_trgm(text, internal),
  function 3 gin_extract_query_trgm(text, internal, int2, internal, internal, internal, internal),
  function 4 gin_trgm_consistent(internal, int2, text, int4, internal, internal, internal, internal),
  function 6 (text, text) gin_trgm_triconsistent(internal, int2, text, int4, internal, internal, internal), storage int4;
)sql";

// ---- from how similar on texts match

using trgm::Match;
using trgm::threshold;

float show_limit(FuncContext& context) { return static_cast<float>(threshold(context, Match::kText).value_or(0)); }
float set_limit(FuncContext& context, float limit) {
  constexpr const char* kSetting = trgm::kSimilarityThreshold;
  char text[32];
  const std::string value(text, std::to_chars(text, text + sizeof text, limit).ptr);
  if (!(limit >= 0 && limit <= 1)) {
    context.fail(sqlstate::kInvalidParameterValue,
                 std::isnan(limit) ? "invalid value for parameter \"" + std::string(kSetting) + "\": \"NaN\""
                                   : value + " is outside the valid range for parameter \"" + kSetting + "\" (0 .. 1)");
    return 0;
  }
  if (const Status set = context.session().set_setting(kSetting, value, false); !set.ok()) context.fail(set.error());
  return limit;
}

template <Match kMatch>
float alike(Str part, Str whole) {
  if constexpr (kMatch == Match::kText) return trgm::similarity(part, whole);
  return trgm::word_similarity(part, whole, kMatch == Match::kStrictWord);
}
template <Match kMatch>
float distance(Str part, Str whole) {
  return 1.0F - alike<kMatch>(part, whole);
}
template <Match kMatch>
bool matches(FuncContext& context, Str part, Str whole) {
  const auto least = threshold(context, kMatch);
  return least && static_cast<double>(alike<kMatch>(part, whole)) >= *least;
}
template <Match kMatch>
float distance_of(Str whole, Str part) {
  return distance<kMatch>(part, whole);
}
template <Match kMatch>
bool matched_by(FuncContext& context, Str whole, Str part) {
  return matches<kMatch>(context, part, whole);
}

Str show(FuncContext& context, Str text) {
  std::vector<Datum> out;
  for (const trgm::Trigram t : trgm::set_of(text)) out.push_back(Datum::of(context.arena().copy(trgm::text_of(t))));
  return context.arena().copy(make_array(oid::kText, Phys::kStr, out));
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out = {
      {"set_limit", kernel<set_limit>},
      {"show_limit", kernel<show_limit>},
      {"show_trgm", kernel<show>},
      {"similarity", kernel<alike<Match::kText>>},
      {"similarity_op", kernel<matches<Match::kText>>},
      {"similarity_dist", kernel<distance<Match::kText>>},
      {"word_similarity", kernel<alike<Match::kWord>>},
      {"word_similarity_op", kernel<matches<Match::kWord>>},
      {"word_similarity_commutator_op", kernel<matched_by<Match::kWord>>},
      {"word_similarity_dist_op", kernel<distance<Match::kWord>>},
      {"word_similarity_dist_commutator_op", kernel<distance_of<Match::kWord>>},
      {"strict_word_similarity", kernel<alike<Match::kStrictWord>>},
      {"strict_word_similarity_op", kernel<matches<Match::kStrictWord>>},
      {"strict_word_similarity_commutator_op", kernel<matched_by<Match::kStrictWord>>},
      {"strict_word_similarity_dist_op", kernel<distance<Match::kStrictWord>>},
      {"strict_word_similarity_dist_commutator_op", kernel<distance_of<Match::kStrictWord>>},
  };
  for (const char* symbol :
       {"gtrgm_in", "gtrgm_out", "gtrgm_consistent", "gtrgm_distance", "gtrgm_compress", "gtrgm_decompress",
        "gtrgm_penalty", "gtrgm_picksplit", "gtrgm_union", "gtrgm_same", "gtrgm_options", "gin_extract_value_trgm",
        "gin_extract_query_trgm", "gin_trgm_consistent", "gin_trgm_triconsistent"})
    out.push_back({symbol, uncallable_kernel});
  return out;
}

constexpr ExtensionType kTypes[] = {{"gtrgm_in", &kIndexEntryForms}};

}  // namespace

const Extension& pg_trgm_extension() {
  static const std::string script = function_script(kScalars) + operator_script(kOperators) + std::string(kEntryType) +
                                    function_script(kSupport) + std::string(kClasses);
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "pg_trgm",
                                   .version = "1.6",
                                   .comment = "text similarity measurement and index searching based on trigrams",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
