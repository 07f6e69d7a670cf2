// CREATE, ALTER and DROP of functions and procedures: rows of pg_proc.
#pragma once

#include <optional>
#include <string>

#include "engine/ddl/function/signature.h"
#include "engine/ddl/object_lookup.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

Status execute_create_function(DdlContext& c, const PgQuery__CreateFunctionStmt& s);
Status execute_alter_function(DdlContext& c, const PgQuery__AlterFunctionStmt& s);

// ---- routines that exist (find_routine.cpp)
using RoutinePtr = std::shared_ptr<const types::FunctionInfo>;

// By name and argument types, or by the name alone where it is the only one. Null only with missing_ok (after a notice).
// `type` says which kinds fit: OBJECT_FUNCTION, OBJECT_PROCEDURE, OBJECT_AGGREGATE, OBJECT_ROUTINE.
Result<RoutinePtr> find_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& name,
                                bool missing_ok = false);
// The same for changing it: 42501 unless its owner.
Result<RoutinePtr> find_own_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& name,
                                    bool missing_ok = false, Right right = Right::kOwner);
bool is_routine(PgQuery__ObjectType type);

// DROP FUNCTION, PROCEDURE, ROUTINE.
Result<std::optional<Address>> find_dropped_routine(DdlContext& c, PgQuery__ObjectType type,
                                                    const PgQuery__ObjectWithArgs& name, bool missing_ok);

// ALTER ... RENAME TO, SET SCHEMA, OWNER TO.
Status rename_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& name,
                      std::string_view to);
Status move_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& name,
                    std::string_view new_schema);
Status change_routine_owner(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& name, Oid owner);

// 42723 when the schema has a routine of that name and these input types.
Status check_routine_name_free(DdlContext& c, std::string_view name, std::span<const Oid> inputs, Oid schema);

// pg_language's OID; 42704 when there is none.
// To write a function in: 42704 when there is none, 42501 without USAGE, or for an untrusted one (internal, C) unless superuser.
Result<Oid> find_language(DdlContext& c, std::string_view name);

}  // namespace indigo::engine::ddl
