// The parameters and the result of CREATE FUNCTION and CREATE PROCEDURE, checked by PostgreSQL's rules.
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <vector>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// 42P13, which most of what can be wrong with a function is.
inline constexpr SqlState kInvalidFunctionDefinition{"42P13"};
inline Error invalid_definition(std::string message) { return Error(kInvalidFunctionDefinition, std::move(message)); }

// As pg_proc has it (proargtypes, proallargtypes, proargmodes ...).
struct RoutineSignature {
  std::vector<Oid> inputs;
  // All parameters, OUT and TABLE ones among them; `all` and `modes` are stored only when some are not IN.
  std::vector<Oid> all;
  std::vector<char> modes;
  std::vector<std::string> names;
  std::vector<std::string> defaults;  // of the last inputs, as SQL
  Oid variadic = kInvalidOid;
  Oid result = kInvalidOid;
  bool returns_set = false;
  std::vector<Address> references;  // of the defaults

  bool plain() const;  // IN parameters only
  bool named() const;
};

// A type that there is not, which a function in C or an internal one returns, is made as a shell.
Result<RoutineSignature> read_signature(DdlContext& c, const PgQuery__CreateFunctionStmt& s, std::string_view language);

// What identifies a routine in ALTER, DROP, COMMENT and GRANT: "f(integer, text)".
std::string routine_text(DdlContext& c, const types::FunctionInfo& f);

}  // namespace indigo::engine::ddl
