// What PostgreSQL 15 prints as the bodies of its own SQL functions, as of a session whose search_path is the usual one. The functions
// themselves are native here, so no text of theirs is kept. Recorded: select oid, pg_get_function_sqlbody(oid) from pg_proc.
#include "engine/system/definitions/builtin_bodies.h"

#include <algorithm>

namespace indigo::engine {

namespace {

struct BuiltinBody {
  Oid function;
  std::string_view text;
};

// In the order of the functions' numbers.
constexpr BuiltinBody kBuiltinBodies[] = {
    {879,
     "RETURN lpad($1, $2, ' '::text)"},
    {880,
     "RETURN rpad($1, $2, ' '::text)"},
    {1176,
     "RETURN (($1 + $2))::timestamp with time zone"},
    {1215,
     "BEGIN ATOMIC\n"
     " SELECT pg_description.description\n"
     "    FROM pg_description\n"
     "   WHERE ((pg_description.objoid = $1) AND (pg_description.classoid = ( SELECT pg_class.oid\n"
     "            FROM pg_class\n"
     "           WHERE ((pg_class.relname = $2) AND (pg_class.relnamespace = ('pg_catalog'::regnamespace)::oid)))) AND "
     "(pg_description.objsubid = 0));\n"
     "END"},
    {1216,
     "BEGIN ATOMIC\n"
     " SELECT pg_description.description\n"
     "    FROM pg_description\n"
     "   WHERE ((pg_description.objoid = $1) AND (pg_description.classoid = ('pg_class'::regclass)::oid) AND "
     "(pg_description.objsubid = $2));\n"
     "END"},
    {1296,
     "RETURN ($2 + $1)"},
    {1298,
     "RETURN ($2 + $1)"},
    {1305,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, ($3 + $4)))"},
    {1306,
     "RETURN (($1, $2) OVERLAPS ($3, ($3 + $4)))"},
    {1307,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, $4))"},
    {1309,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, ($3 + $4)))"},
    {1310,
     "RETURN (($1, $2) OVERLAPS ($3, ($3 + $4)))"},
    {1311,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, $4))"},
    {1348,
     "BEGIN ATOMIC\n"
     " SELECT pg_description.description\n"
     "    FROM pg_description\n"
     "   WHERE ((pg_description.objoid = $1) AND (pg_description.objsubid = 0));\n"
     "END"},
    {1384,
     "RETURN date_part($1, ($2)::timestamp without time zone)"},
    {1386,
     "RETURN age((CURRENT_DATE)::timestamp with time zone, $1)"},
    {1426,
     "RETURN on_ppath($2, $1)"},
    {1481,
     "RETURN log((10)::numeric, $1)"},
    {1544,
     "RETURN polygon(12, $1)"},
    {1708,
     "RETURN round($1, 0)"},
    {1710,
     "RETURN trunc($1, 0)"},
    {1741,
     "RETURN log((10)::numeric, $1)"},
    {1810,
     "RETURN (octet_length($1) * 8)"},
    {1811,
     "RETURN (octet_length($1) * 8)"},
    {1812,
     "RETURN length($1)"},
    {1848,
     "RETURN ($2 + $1)"},
    {1993,
     "BEGIN ATOMIC\n"
     " SELECT pg_shdescription.description\n"
     "    FROM pg_shdescription\n"
     "   WHERE ((pg_shdescription.objoid = $1) AND (pg_shdescription.classoid = ( SELECT pg_class.oid\n"
     "            FROM pg_class\n"
     "           WHERE ((pg_class.relname = $2) AND (pg_class.relnamespace = ('pg_catalog'::regnamespace)::oid)))));\n"
     "END"},
    {2042,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, ($3 + $4)))"},
    {2043,
     "RETURN (($1, $2) OVERLAPS ($3, ($3 + $4)))"},
    {2044,
     "RETURN (($1, ($1 + $2)) OVERLAPS ($3, $4))"},
    {2059,
     "RETURN age((CURRENT_DATE)::timestamp without time zone, $1)"},
    {2074,
     "RETURN \"substring\"($1, similar_to_escape($2, $3))"},
    {2325,
     "RETURN pg_relation_size($1, 'main'::text)"},
    {2546,
     "RETURN ($2 + $1)"},
    {2547,
     "RETURN ($2 + $1)"},
    {2548,
     "RETURN ($2 + $1)"},
    {2549,
     "RETURN ($2 + $1)"},
    {2550,
     "RETURN ($2 + $1)"},
    {2631,
     "RETURN ($2 + $1)"},
    {2932,
     "RETURN xpath($1, $2, '{}'::text[])"},
    {3050,
     "RETURN xpath_exists($1, $2, '{}'::text[])"},
    {3935,
     "RETURN pg_sleep(((EXTRACT(epoch FROM (clock_timestamp() + $1)) - EXTRACT(epoch FROM clock_timestamp())))::double "
     "precision)"},
    {3936,
     "RETURN pg_sleep(((EXTRACT(epoch FROM $1) - EXTRACT(epoch FROM clock_timestamp())))::double precision)"},
    {5023,
     "RETURN ($2 + $1)"},
    {6183,
     "BEGIN ATOMIC\n"
     " SELECT tt.alias,\n"
     "     tt.description,\n"
     "     parse.token,\n"
     "     ARRAY( SELECT (m.mapdict)::regdictionary AS mapdict\n"
     "            FROM pg_ts_config_map m\n"
     "           WHERE ((m.mapcfg = (ts_debug.config)::oid) AND (m.maptokentype = parse.tokid))\n"
     "           ORDER BY m.mapseqno) AS dictionaries,\n"
     "     ( SELECT (m.mapdict)::regdictionary AS mapdict\n"
     "            FROM pg_ts_config_map m\n"
     "           WHERE ((m.mapcfg = (ts_debug.config)::oid) AND (m.maptokentype = parse.tokid))\n"
     "           ORDER BY (ts_lexize((m.mapdict)::regdictionary, parse.token) IS NULL), m.mapseqno\n"
     "          LIMIT 1) AS dictionary,\n"
     "     ( SELECT ts_lexize((m.mapdict)::regdictionary, parse.token) AS ts_lexize\n"
     "            FROM pg_ts_config_map m\n"
     "           WHERE ((m.mapcfg = (ts_debug.config)::oid) AND (m.maptokentype = parse.tokid))\n"
     "           ORDER BY (ts_lexize((m.mapdict)::regdictionary, parse.token) IS NULL), m.mapseqno\n"
     "          LIMIT 1) AS lexemes\n"
     "    FROM ts_parse(( SELECT pg_ts_config.cfgparser\n"
     "            FROM pg_ts_config\n"
     "           WHERE (pg_ts_config.oid = (ts_debug.config)::oid)), ts_debug.document) parse(tokid, token),\n"
     "     ts_token_type(( SELECT pg_ts_config.cfgparser\n"
     "            FROM pg_ts_config\n"
     "           WHERE (pg_ts_config.oid = (ts_debug.config)::oid))) tt(tokid, alias, description)\n"
     "   WHERE (tt.tokid = parse.tokid);\n"
     "END"},
    {6184,
     "BEGIN ATOMIC\n"
     " SELECT ts_debug.alias,\n"
     "     ts_debug.description,\n"
     "     ts_debug.token,\n"
     "     ts_debug.dictionaries,\n"
     "     ts_debug.dictionary,\n"
     "     ts_debug.lexemes\n"
     "    FROM ts_debug(get_current_ts_config(), ts_debug.document) ts_debug(alias, description, token, dictionaries, "
     "dictionary, lexemes);\n"
     "END"},
    {13209,
     "BEGIN ATOMIC\n"
     " SELECT (ss.a).n AS n\n"
     "    FROM ( SELECT information_schema._pg_expandarray(pg_index.indkey) AS a\n"
     "            FROM pg_index\n"
     "           WHERE (pg_index.indexrelid = $1)) ss\n"
     "   WHERE ((ss.a).x = $2);\n"
     "END"},
    {13210,
     "RETURN CASE WHEN (($2).typtype = 'd'::\"char\") THEN ($2).typbasetype ELSE ($1).atttypid END"},
    {13211,
     "RETURN CASE WHEN (($2).typtype = 'd'::\"char\") THEN ($2).typtypmod ELSE ($1).atttypmod END"},
    {13212,
     "RETURN CASE WHEN (typmod = '-1'::integer) THEN NULL::integer WHEN (typid = ANY (ARRAY[(1042)::oid, (1043)::oid])) "
     "THEN (typmod - 4) WHEN (typid = ANY (ARRAY[(1560)::oid, (1562)::oid])) THEN typmod ELSE NULL::integer END"},
    {13213,
     "RETURN CASE WHEN (typid = ANY (ARRAY[(25)::oid, (1042)::oid, (1043)::oid])) THEN CASE WHEN (typmod = '-1'::integer) "
     "THEN (((2)::double precision ^ (30)::double precision))::integer ELSE "
     "(information_schema._pg_char_max_length(typid, typmod) * pg_encoding_max_length((SELECT pg_database.encoding FROM "
     "pg_database WHERE (pg_database.datname = current_database())))) END ELSE NULL::integer END"},
    {13215,
     "RETURN CASE typid WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 1700 THEN CASE WHEN (typmod = '-1'::integer) "
     "THEN NULL::integer ELSE (((typmod - 4) >> 16) & 65535) END WHEN 700 THEN 24 WHEN 701 THEN 53 ELSE NULL::integer END"},
    {13216,
     "RETURN CASE WHEN (typid = ANY (ARRAY[(21)::oid, (23)::oid, (20)::oid, (700)::oid, (701)::oid])) THEN 2 WHEN (typid "
     "= (1700)::oid) THEN 10 ELSE NULL::integer END"},
    {13217,
     "RETURN CASE WHEN (typid = ANY (ARRAY[(21)::oid, (23)::oid, (20)::oid])) THEN 0 WHEN (typid = (1700)::oid) THEN CASE "
     "WHEN (typmod = '-1'::integer) THEN NULL::integer ELSE ((typmod - 4) & 65535) END ELSE NULL::integer END"},
    {13218,
     "RETURN CASE WHEN (typid = (1082)::oid) THEN 0 WHEN (typid = ANY (ARRAY[(1083)::oid, (1114)::oid, (1184)::oid, "
     "(1266)::oid])) THEN CASE WHEN (typmod < 0) THEN 6 ELSE typmod END WHEN (typid = (1186)::oid) THEN CASE WHEN "
     "((typmod < 0) OR ((typmod & 65535) = 65535)) THEN 6 ELSE (typmod & 65535) END ELSE NULL::integer END"},
    {13219,
     "RETURN CASE WHEN (typid = (1186)::oid) THEN upper(SUBSTRING(format_type(typid, mod) SIMILAR 'interval[()0-9]* "
     "#\"%#\"'::text ESCAPE '#'::text)) ELSE NULL::text END"},
};

}  // namespace

std::string_view builtin_body(Oid function) {
  const auto* at = std::lower_bound(std::begin(kBuiltinBodies), std::end(kBuiltinBodies), function,
                                    [](const BuiltinBody& b, Oid wanted) { return b.function < wanted; });
  return at != std::end(kBuiltinBodies) && at->function == function ? at->text : std::string_view();
}

}  // namespace indigo::engine
