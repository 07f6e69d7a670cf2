// The extensions that are built in: what CREATE EXTENSION finds instead of control files and shared libraries. An extension
// is a folder: its definitions in SQL, as PostgreSQL's script of that version makes them, and the functions in C that these
// name by symbol.
// Thread safety: constants.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "types/function/family.h"
#include "types/type_info.h"
#include "types/value/collator.h"

namespace indigo::types {

struct TypeDefinition;

// A base type whose forms an extension has: found by the symbol of its input function.
struct ExtensionType {
  std::string_view input;
  const TypeDefinition* definition;
};

// What makes another version than `definitions` do: the extension itself (`from` is empty), or out of another version.
struct ExtensionScript {
  std::string_view from, to, definitions;
};

struct Extension {
  std::string_view name, version, comment;
  bool relocatable = true;
  bool trusted = true;      // roles with CREATE on the database may create it; others need a superuser
  std::string_view schema;  // the only one that it can lie in; empty: any
  std::span<const std::string_view> required;
  std::string_view definitions;            // statements; MODULE_PATHNAME stands for module_of(name)
  std::span<const ScalarEntry> functions;  // by symbol
  std::span<const SetEntry> sets = {};
  std::span<const ExtensionType> types = {};
  // Sets are told the shape of the rows that are expected: a record of nulls behind their arguments.
  bool shaped_sets = false;
  std::span<const ExtensionScript> scripts = {};
};

// The scripts that lead from one version to another, as few as possible; `from` empty: from nothing. Nothing when there is no way.
std::optional<std::vector<ExtensionScript>> scripts_between(const Extension& extension, std::string_view from,
                                                            std::string_view to);
// All versions that can be made.
std::vector<std::string_view> versions_of(const Extension& extension);

std::span<const Extension> extensions();
const Extension* find_extension(std::string_view name);  // null: not built in
// "$libdir/pgcrypto"
std::string module_of(const Extension& extension);

// "pgcrypto" of "$libdir/pgcrypto", of a path that ends so, and of itself; with ".so" or without.
std::string_view module_name(std::string_view object_file);
// Which extension's module a C function's object file is. Null: none.
const Extension* find_module(std::string_view object_file);
// Null: the module has no such function.
const ScalarEntry* find_symbol(const Extension& extension, std::string_view symbol);
const SetEntry* find_set_symbol(const Extension& extension, std::string_view symbol);
// Null: no type of the module's has this input function.
const TypeDefinition* find_type_forms(const Extension& extension, std::string_view input);

// The order of a type that an extension has made, by its comparison function's symbol (TypeInfo::comparison): under
// this collator. Null: it has none.
const Collator* collator_of_comparison(std::string_view symbol);
// That of a type's values, or of its arrays' elements; of domains their bases'. Null: no extension's.
using FindType = std::function<std::shared_ptr<const TypeInfo>(Oid)>;
const Collator* collator_of_own_order(Oid type, const FindType& find);
// True of records, and of arrays whose elements are of users' types.
bool holds_members(Oid type, const FindType& find);

// One for each folder.
const Extension& amcheck_extension();
const Extension& autoinc_extension();
const Extension& bloom_extension();
const Extension& btree_gin_extension();
const Extension& btree_gist_extension();
const Extension& citext_extension();
const Extension& cube_extension();
const Extension& dblink_extension();
const Extension& dict_int_extension();
const Extension& dict_xsyn_extension();
const Extension& earthdistance_extension();
const Extension& file_fdw_extension();
const Extension& fuzzystrmatch_extension();
const Extension& hstore_extension();
const Extension& insert_username_extension();
const Extension& intagg_extension();
const Extension& intarray_extension();
const Extension& isn_extension();
const Extension& lo_extension();
const Extension& ltree_extension();
const Extension& moddatetime_extension();
const Extension& pg_prewarm_extension();
const Extension& pg_stat_statements_extension();
const Extension& pg_trgm_extension();
const Extension& pgcrypto_extension();
const Extension& pgrowlocks_extension();
const Extension& pgstattuple_extension();
const Extension& plpgsql_extension();
const Extension& refint_extension();
const Extension& seg_extension();
const Extension& sslinfo_extension();
const Extension& postgres_fdw_extension();
const Extension& tablefunc_extension();
const Extension& tcn_extension();
const Extension& tsm_system_rows_extension();
const Extension& tsm_system_time_extension();
const Extension& unaccent_extension();
const Extension& uuid_ossp_extension();
const Extension& vector_extension();
const Extension& xml2_extension();

}  // namespace indigo::types
