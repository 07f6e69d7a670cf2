// The definitions of citext 1.6, written from lists: most operators and functions come in the same shape.
#include "types/extension/citext/citext.h"
#include "types/extension/script.h"

namespace indigo::types {

namespace {

constexpr std::string_view kType = R"sql(
create type citext;
create function citextin(cstring) returns citext as 'textin' language internal immutable strict parallel safe;
create function citextout(citext) returns cstring as 'textout' language internal immutable strict parallel safe;
create function citextrecv(internal) returns citext as 'textrecv' language internal stable strict parallel safe;
create function citextsend(citext) returns bytea as 'textsend' language internal stable strict parallel safe;
create type citext (input = citextin, output = citextout, receive = citextrecv, send = citextsend,
  internallength = variable, storage = extended, category = 'S', preferred = false, collatable = true);
create function citext(bpchar) returns citext as 'rtrim1' language internal immutable strict parallel safe;
create function citext(boolean) returns citext as 'booltext' language internal immutable strict parallel safe;
create function citext(inet) returns citext as 'network_show' language internal immutable strict parallel safe;
create cast (citext as text) without function as implicit;
create cast (citext as varchar) without function as implicit;
create cast (citext as bpchar) without function as assignment;
create cast (text as citext) without function as assignment;
create cast (varchar as citext) without function as assignment;
create cast (bpchar as citext) with function citext(bpchar) as assignment;
create cast (boolean as citext) with function citext(boolean) as assignment;
create cast (inet as citext) with function citext(inet) as assignment;
)sql";

constexpr std::string_view kOrder = R"sql(
create operator = (leftarg = citext, rightarg = citext, commutator = =, negator = <>, procedure = citext_eq,
  restrict = eqsel, join = eqjoinsel, hashes, merges);
create operator <> (leftarg = citext, rightarg = citext, negator = =, commutator = <>, procedure = citext_ne,
  restrict = neqsel, join = neqjoinsel);
create operator < (leftarg = citext, rightarg = citext, negator = >=, commutator = >, procedure = citext_lt,
  restrict = scalarltsel, join = scalarltjoinsel);
create operator <= (leftarg = citext, rightarg = citext, negator = >, commutator = >=, procedure = citext_le,
  restrict = scalarlesel, join = scalarlejoinsel);
create operator >= (leftarg = citext, rightarg = citext, negator = <, commutator = <=, procedure = citext_ge,
  restrict = scalargesel, join = scalargejoinsel);
create operator > (leftarg = citext, rightarg = citext, negator = <=, commutator = <, procedure = citext_gt,
  restrict = scalargtsel, join = scalargtjoinsel);
create function citext_cmp(citext, citext) returns int4 as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function citext_hash(citext) returns int4 as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create function citext_hash_extended(citext, int8) returns int8 as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create operator class citext_ops default for type citext using btree as
  operator 1 < (citext, citext), operator 2 <= (citext, citext), operator 3 = (citext, citext),
  operator 4 >= (citext, citext), operator 5 > (citext, citext), function 1 citext_cmp(citext, citext);
create operator class citext_ops default for type citext using hash as
  operator 1 = (citext, citext), function 1 citext_hash(citext), function 2 citext_hash_extended(citext, int8);
create function citext_smaller(citext, citext) returns citext as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create function citext_larger(citext, citext) returns citext as 'MODULE_PATHNAME' language c immutable strict parallel safe;
create aggregate min(citext) (sfunc = citext_smaller, stype = citext, sortop = <, parallel = safe,
  combinefunc = citext_smaller);
create aggregate max(citext) (sfunc = citext_larger, stype = citext, sortop = >, parallel = safe,
  combinefunc = citext_larger);
)sql";

constexpr std::string_view kPatternOrder = R"sql(
create operator ~<~ (leftarg = citext, rightarg = citext, negator = ~>=~, commutator = ~>~,
  procedure = citext_pattern_lt, restrict = scalarltsel, join = scalarltjoinsel);
create operator ~<=~ (leftarg = citext, rightarg = citext, negator = ~>~, commutator = ~>=~,
  procedure = citext_pattern_le, restrict = scalarltsel, join = scalarltjoinsel);
create operator ~>=~ (leftarg = citext, rightarg = citext, negator = ~<~, commutator = ~<=~,
  procedure = citext_pattern_ge, restrict = scalargtsel, join = scalargtjoinsel);
create operator ~>~ (leftarg = citext, rightarg = citext, negator = ~<=~, commutator = ~<~,
  procedure = citext_pattern_gt, restrict = scalargtsel, join = scalargtjoinsel);
create function citext_pattern_cmp(citext, citext) returns int4 as 'MODULE_PATHNAME' language c strict immutable parallel safe;
create operator class citext_pattern_ops for type citext using btree as
  operator 1 ~<~ (citext, citext), operator 2 ~<=~ (citext, citext), operator 3 = (citext, citext),
  operator 4 ~>=~ (citext, citext), operator 5 ~>~ (citext, citext), function 1 citext_pattern_cmp(citext, citext);
)sql";

// Patterns ignore case: LIKE is ILIKE, ~ is ~*. `$` is the pattern's type.
constexpr std::string_view kPatternFunctions = R"sql(
create function texticlike(citext, $) returns bool as 'texticlike' language internal immutable strict parallel safe;
create function texticnlike(citext, $) returns bool as 'texticnlike' language internal immutable strict parallel safe;
create function texticregexeq(citext, $) returns bool as 'texticregexeq' language internal immutable strict parallel safe;
create function texticregexne(citext, $) returns bool as 'texticregexne' language internal immutable strict parallel safe;
)sql";

struct PatternOperator {
  std::string_view name, function, negator, estimator;
};
constexpr PatternOperator kPatternOperators[] = {
    {"~", "texticregexeq", "!~", "icregexeq"}, {"~*", "texticregexeq", "!~*", "icregexeq"},
    {"!~", "texticregexne", "~", "icregexne"}, {"!~*", "texticregexne", "~*", "icregexne"},
    {"~~", "texticlike", "!~~", "iclike"},     {"~~*", "texticlike", "!~~*", "iclike"},
    {"!~~", "texticnlike", "~~", "icnlike"},   {"!~~*", "texticnlike", "~~*", "icnlike"},
};

// A regular expression's function, case-insensitive unless its flags have a c. `$` is the function's name.
constexpr std::string_view kRegexFunctions = R"sql(
create function $(citext, citext) returns RESULT as
  'select pg_catalog.$($1::pg_catalog.text, $2::pg_catalog.text, ''i'')' language sql immutable strict parallel safeROWS2;
create function $(citext, citext, text) returns RESULT as
  'select pg_catalog.$($1::pg_catalog.text, $2::pg_catalog.text,
     case when pg_catalog.strpos($3, ''c'') = 0 then $3 || ''i'' else $3 end)' language sql immutable strict parallel safeROWS3;
)sql";

constexpr std::string_view kTextFunctions = R"sql(
create function regexp_replace(citext, citext, text) returns text as
  'select pg_catalog.regexp_replace($1::pg_catalog.text, $2::pg_catalog.text, $3, ''i'')'
  language sql immutable strict parallel safe;
create function regexp_replace(citext, citext, text, text) returns text as
  'select pg_catalog.regexp_replace($1::pg_catalog.text, $2::pg_catalog.text, $3,
     case when pg_catalog.strpos($4, ''c'') = 0 then $4 || ''i'' else $4 end)' language sql immutable strict parallel safe;
create function strpos(citext, citext) returns int as
  'select pg_catalog.strpos(pg_catalog.lower($1::pg_catalog.text), pg_catalog.lower($2::pg_catalog.text))'
  language sql immutable strict parallel safe;
create function replace(citext, citext, citext) returns text as
  'select pg_catalog.regexp_replace($1::pg_catalog.text,
     pg_catalog.regexp_replace($2::pg_catalog.text, ''([^a-zA-Z_0-9])'', E''\\\\\\1'', ''g''),
     $3::pg_catalog.text, ''gi'')' language sql immutable strict parallel safe;
create function split_part(citext, citext, int) returns text as
  'select (pg_catalog.regexp_split_to_array($1::pg_catalog.text,
     pg_catalog.regexp_replace($2::pg_catalog.text, ''([^a-zA-Z_0-9])'', E''\\\\\\1'', ''g''), ''i''))[$3]'
  language sql immutable strict parallel safe;
create function translate(citext, citext, text) returns text as
  'select pg_catalog.translate(pg_catalog.translate($1::pg_catalog.text, pg_catalog.lower($2::pg_catalog.text), $3),
     pg_catalog.upper($2::pg_catalog.text), $3)' language sql immutable strict parallel safe;
)sql";

void replace_word(std::string& text, std::string_view word, std::string_view by) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
}

std::string comparison_functions(std::string_view prefix, std::initializer_list<std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    out += "create function " + std::string(prefix) + std::string(name) +
           "(citext, citext) returns bool as 'MODULE_PATHNAME' language c immutable strict parallel safe;\n";
  }
  return out;
}

std::string regex_function(std::string_view name, std::string_view result, std::string_view rows2,
                           std::string_view rows3) {
  // The parameters are written with dollars, too: only those before a name are the shape's.
  std::string out(kRegexFunctions);
  replace_word(out, "$(", std::string(name) + "(");
  replace_word(out, "RESULT", result);
  replace_word(out, "ROWS2", rows2);
  replace_word(out, "ROWS3", rows3);
  return out;
}

}  // namespace

std::string citext_definitions() {
  std::string out(kType);
  out += comparison_functions("citext_", {"eq", "ne", "lt", "le", "gt", "ge"});
  out += kOrder;
  for (const std::string_view type : {"citext", "text"}) {
    out += filled_in(kPatternFunctions, type);
    for (const PatternOperator& o : kPatternOperators) {
      out += "create operator " + std::string(o.name) + " (procedure = " + std::string(o.function) +
             ", leftarg = citext, rightarg = " + std::string(type) + ", negator = " + std::string(o.negator) +
             ", restrict = " + std::string(o.estimator) + "sel, join = " + std::string(o.estimator) + "joinsel);\n";
    }
  }
  out += regex_function("regexp_match", "text[]", "", "");
  out += regex_function("regexp_matches", "setof text[]", " rows 1", " rows 10");
  out += regex_function("regexp_split_to_array", "text[]", "", "");
  out += regex_function("regexp_split_to_table", "setof text", "", "");
  out += kTextFunctions;
  out += comparison_functions("citext_pattern_", {"lt", "le", "gt", "ge"});
  out += kPatternOrder;
  return out;
}

}  // namespace indigo::types
