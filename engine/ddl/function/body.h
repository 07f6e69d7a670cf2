// The body of CREATE FUNCTION: a text in AS, or statements (BEGIN ATOMIC ... END, RETURN expression).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/ddl/function/attributes.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

struct RoutineBody {
  std::string source;                     // prosrc
  std::string library;                    // probin: the object file of a C function
  std::optional<std::string> statements;  // prosqlbody: sql/stored/routine_body.h
  std::vector<Address> references;        // that the statements need
};

// What its statements mention is locked, and is as it was when they were analyzed.
Result<RoutineBody> read_body(DdlContext& c, const PgQuery__CreateFunctionStmt& s, const RoutineAttributes& attributes,
                              const RoutineSignature& signature);

}  // namespace indigo::engine::ddl
