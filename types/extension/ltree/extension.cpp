// ltree 1.2.
#include <vector>

#include "types/extension/index_entry.h"
#include "types/extension/ltree/ltree.h"
#include "types/extension/script.h"

namespace indigo::types {

namespace {

// $: name of a type; %: what its functions begin with.
constexpr std::string_view kType = R"sql(
create type $;
create function %_in(cstring) returns $ as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function %_out($) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function %_recv(internal) returns $ as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function %_send($) returns bytea as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type $ (internallength = -1, input = %_in, output = %_out, receive = %_recv, send = %_send, storage = extended);
)sql";

constexpr ScriptFunction kPathFunctions[] = {
    {"ltree_cmp(ltree, ltree)", "int4"},
    {"ltree_lt(ltree, ltree)", "bool"},
    {"ltree_le(ltree, ltree)", "bool"},
    {"ltree_eq(ltree, ltree)", "bool"},
    {"ltree_ge(ltree, ltree)", "bool"},
    {"ltree_gt(ltree, ltree)", "bool"},
    {"ltree_ne(ltree, ltree)", "bool"},
    {"subltree(ltree, int4, int4)", "ltree"},
    {"subpath(ltree, int4, int4)", "ltree"},
    {"subpath(ltree, int4)", "ltree"},
    {"index(ltree, ltree)", "int4", "ltree_index"},
    {"index(ltree, ltree, int4)", "int4", "ltree_index"},
    {"nlevel(ltree)", "int4"},
    {"ltree2text(ltree)", "text"},
    {"text2ltree(text)", "ltree"},
    {"lca(_ltree)", "ltree", "_lca"},
    {"lca(ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree, ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree, ltree, ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree, ltree, ltree, ltree, ltree)", "ltree"},
    {"lca(ltree, ltree, ltree, ltree, ltree, ltree, ltree, ltree)", "ltree"},
    {"ltree_isparent(ltree, ltree)", "bool"},
    {"ltree_risparent(ltree, ltree)", "bool"},
    {"ltree_addltree(ltree, ltree)", "ltree"},
    {"ltree_addtext(ltree, text)", "ltree"},
    {"ltree_textadd(text, ltree)", "ltree"},
    {"ltreeparentsel(internal, oid, internal, integer)", "float8"},
};

constexpr ScriptFunction kConditionFunctions[] = {
    {"ltq_regex(ltree, lquery)", "bool"},
    {"ltq_rregex(lquery, ltree)", "bool"},
    {"lt_q_regex(ltree, _lquery)", "bool"},
    {"lt_q_rregex(_lquery, ltree)", "bool"},
    {"ltxtq_exec(ltree, ltxtquery)", "bool"},
    {"ltxtq_rexec(ltxtquery, ltree)", "bool"},
    {"_ltree_isparent(_ltree, ltree)", "bool"},
    {"_ltree_r_isparent(ltree, _ltree)", "bool"},
    {"_ltree_risparent(_ltree, ltree)", "bool"},
    {"_ltree_r_risparent(ltree, _ltree)", "bool"},
    {"_ltq_regex(_ltree, lquery)", "bool"},
    {"_ltq_rregex(lquery, _ltree)", "bool"},
    {"_lt_q_regex(_ltree, _lquery)", "bool"},
    {"_lt_q_rregex(_lquery, _ltree)", "bool"},
    {"_ltxtq_exec(_ltree, ltxtquery)", "bool"},
    {"_ltxtq_rexec(ltxtquery, _ltree)", "bool"},
    {"_ltree_extract_isparent(_ltree, ltree)", "ltree"},
    {"_ltree_extract_risparent(_ltree, ltree)", "ltree"},
    {"_ltq_extract_regex(_ltree, lquery)", "ltree"},
    {"_ltxtq_extract_exec(_ltree, ltxtquery)", "ltree"},
};

constexpr ScriptOperator kOrderOperators[] = {
    {"<", "ltree", "ltree", "ltree_lt",
     ", commutator = >, negator = >=, restrict = scalarltsel, join = scalarltjoinsel"},
    {"<=", "ltree", "ltree", "ltree_le",
     ", commutator = >=, negator = >, restrict = scalarlesel, join = scalarlejoinsel"},
    {">=", "ltree", "ltree", "ltree_ge",
     ", commutator = <=, negator = <, restrict = scalargesel, join = scalargejoinsel"},
    {">", "ltree", "ltree", "ltree_gt",
     ", commutator = <, negator = <=, restrict = scalargtsel, join = scalargtjoinsel"},
    {"=", "ltree", "ltree", "ltree_eq", ", commutator = =, negator = <>, restrict = eqsel, join = eqjoinsel, merges"},
    {"<>", "ltree", "ltree", "ltree_ne", ", commutator = <>, negator = =, restrict = neqsel, join = neqjoinsel"},
    {"||", "ltree", "ltree", "ltree_addltree"},
    {"||", "ltree", "text", "ltree_addtext"},
    {"||", "text", "ltree", "ltree_textadd"},
};

// Conditions, whose operators have a twin with ^ in front that no index serves.
struct Condition {
  std::string_view name, left, right, function, commutator;
};
constexpr Condition kConditions[] = {
    {"@>", "ltree", "ltree", "ltree_isparent", "<@"},    {"<@", "ltree", "ltree", "ltree_risparent", "@>"},
    {"~", "ltree", "lquery", "ltq_regex", "~"},          {"~", "lquery", "ltree", "ltq_rregex", "~"},
    {"?", "ltree", "_lquery", "lt_q_regex", "?"},        {"?", "_lquery", "ltree", "lt_q_rregex", "?"},
    {"@", "ltree", "ltxtquery", "ltxtq_exec", "@"},      {"@", "ltxtquery", "ltree", "ltxtq_rexec", "@"},
    {"@>", "_ltree", "ltree", "_ltree_isparent", "<@"},  {"<@", "ltree", "_ltree", "_ltree_r_isparent", "@>"},
    {"<@", "_ltree", "ltree", "_ltree_risparent", "@>"}, {"@>", "ltree", "_ltree", "_ltree_r_risparent", "<@"},
    {"~", "_ltree", "lquery", "_ltq_regex", "~"},        {"~", "lquery", "_ltree", "_ltq_rregex", "~"},
    {"?", "_ltree", "_lquery", "_lt_q_regex", "?"},      {"?", "_lquery", "_ltree", "_lt_q_rregex", "?"},
    {"@", "_ltree", "ltxtquery", "_ltxtq_exec", "@"},    {"@", "ltxtquery", "_ltree", "_ltxtq_rexec", "@"},
};

constexpr ScriptOperator kSearchOperators[] = {
    {"?@>", "_ltree", "ltree", "_ltree_extract_isparent"},
    {"?<@", "_ltree", "ltree", "_ltree_extract_risparent"},
    {"?~", "_ltree", "lquery", "_ltq_extract_regex"},
    {"?@", "_ltree", "ltxtquery", "_ltxtq_extract_exec"},
};

constexpr std::string_view kOrderClass = R"sql(
create operator class ltree_ops default for type ltree using btree as
  operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, function 1 ltree_cmp(ltree, ltree);
create type ltree_gist;
create function ltree_gist_in(cstring) returns ltree_gist as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function ltree_gist_out(ltree_gist) returns cstring as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create type ltree_gist (internallength = -1, input = ltree_gist_in, output = ltree_gist_out, storage = plain);
)sql";

constexpr std::string_view kIndexClasses = R"sql(
create operator class gist_ltree_ops default for type ltree using gist as
  operator 1 <, operator 2 <=, operator 3 =, operator 4 >=, operator 5 >, operator 10 @>, operator 11 <@,
  operator 12 ~(ltree, lquery), operator 13 ~(lquery, ltree), operator 14 @(ltree, ltxtquery),
  operator 15 @(ltxtquery, ltree), operator 16 ?(ltree, _lquery), operator 17 ?(_lquery, ltree),
  function 1 ltree_consistent(internal, ltree, int2, oid, internal), function 2 ltree_union(internal, internal),
  function 3 ltree_compress(internal), function 4 ltree_decompress(internal),
  function 5 ltree_penalty(internal, internal, internal), function 6 ltree_picksplit(internal, internal),
  function 7 ltree_same(ltree_gist, ltree_gist, internal), function 10 (ltree) ltree_gist_options(internal),
  storage ltree_gist;
create operator class gist__ltree_ops default for type _ltree using gist as
  operator 10 <@(_ltree, ltree), operator 11 @>(ltree, _ltree), operator 12 ~(_ltree, lquery),
  operator 13 ~(lquery, _ltree), operator 14 @(_ltree, ltxtquery), operator 15 @(ltxtquery, _ltree),
  operator 16 ?(_ltree, _lquery), operator 17 ?(_lquery, _ltree),
  function 1 _ltree_consistent(internal, _ltree, int2, oid, internal), function 2 _ltree_union(internal, internal),
  function 3 _ltree_compress(internal), function 4 ltree_decompress(internal),
  function 5 _ltree_penalty(internal, internal, internal), function 6 _ltree_picksplit(internal, internal),
  function 7 _ltree_same(ltree_gist, ltree_gist, internal), function 10 (_ltree) _ltree_gist_options(internal),
  storage ltree_gist;
)sql";

constexpr ScriptFunction kIndexFunctions[] = {
    {"ltree_consistent(internal, ltree, int2, oid, internal)", "bool"},
    {"ltree_compress(internal)", "internal"},
    {"ltree_decompress(internal)", "internal"},
    {"ltree_penalty(internal, internal, internal)", "internal"},
    {"ltree_picksplit(internal, internal)", "internal"},
    {"ltree_union(internal, internal)", "ltree_gist"},
    {"ltree_same(ltree_gist, ltree_gist, internal)", "internal"},
    {"_ltree_consistent(internal, _ltree, int2, oid, internal)", "bool"},
    {"_ltree_compress(internal)", "internal"},
    {"_ltree_penalty(internal, internal, internal)", "internal"},
    {"_ltree_picksplit(internal, internal)", "internal"},
    {"_ltree_union(internal, internal)", "ltree_gist"},
    {"_ltree_same(ltree_gist, ltree_gist, internal)", "internal"},
    {"ltree_gist_options(internal)", "void", {}, "immutable"},
    {"_ltree_gist_options(internal)", "void", {}, "immutable"},
};

// `functions`: what their names begin with.
std::string type_script(std::string_view type, std::string_view functions) {
  std::string out;
  for (const char c : filled_in(kType, type)) c == '%' ? out.append(functions) : out.append(1, c);
  return out;
}

std::string conditions_script() {
  std::string out;
  for (const std::string_view twin : {"", "^"}) {
    for (const Condition& c : kConditions) {
      const std::string name = std::string(twin).append(c.name);
      const std::string clauses =
          ", commutator = " + std::string(twin).append(c.commutator) + std::string(kMatchingEstimate);
      const ScriptOperator one{name, c.left, c.right, c.function, clauses};
      out += operator_script({&one, 1});
    }
  }
  return out;
}

std::string definitions() {
  std::string out = type_script("ltree", "ltree") + type_script("lquery", "lquery") + type_script("ltxtquery", "ltxtq");
  out += function_script(kPathFunctions) + function_script(kConditionFunctions);
  out += operator_script(kOrderOperators) + conditions_script() + operator_script(kSearchOperators);
  out.append(kOrderClass).append(function_script(kIndexFunctions));
  return out.append(kIndexClasses);
}

std::vector<ScalarEntry> all_functions() {
  std::vector<ScalarEntry> out;
  for (const auto part : {ltree::form_functions(), ltree::path_functions(), ltree::condition_functions()})
    out.insert(out.end(), part.begin(), part.end());
  for (const char* name : {"ltreeparentsel", "ltree_gist_in", "ltree_gist_out", "ltree_consistent", "ltree_compress",
                           "ltree_decompress", "ltree_penalty", "ltree_picksplit", "ltree_union", "ltree_same",
                           "_ltree_consistent", "_ltree_compress", "_ltree_penalty", "_ltree_picksplit", "_ltree_union",
                           "_ltree_same", "ltree_gist_options", "_ltree_gist_options"}) {
    out.push_back({name, uncallable_kernel});
  }
  return out;
}

const ExtensionType kTypes[] = {{"ltree_in", &ltree::kPathForms},
                                {"lquery_in", &ltree::kPatternForms},
                                {"ltxtq_in", &ltree::kTermsForms},
                                {"ltree_gist_in", &kIndexEntryForms}};

}  // namespace

const Extension& ltree_extension() {
  static const std::string script = definitions();
  static const std::vector<ScalarEntry> entries = all_functions();
  static const Extension extension{.name = "ltree",
                                   .version = "1.2",
                                   .comment = "data type for hierarchical tree-like structures",
                                   .schema = {},
                                   .required = {},
                                   .definitions = script,
                                   .functions = entries,
                                   .types = kTypes};
  return extension;
}

}  // namespace indigo::types
