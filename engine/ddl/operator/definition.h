// The options of CREATE OPERATOR, AGGREGATE and TYPE: names, types and functions out of DefElems.
// Thread safety: as the DdlContext.
#pragma once

#include <string>
#include <vector>

#include "engine/ddl/function/routine.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// A qualified name as an option gives it; points into the tree.
NodeList option_name(const PgQuery__DefElem& d);
Result<TypeRef> option_type(DdlContext& c, const PgQuery__DefElem& d);
// Without a value: true.
Result<bool> option_flag(const PgQuery__DefElem& d);

// The function with exactly these input types: 42883 when there is none.
Result<RoutinePtr> find_exact_function(DdlContext& c, NodeList name, std::span<const Oid> types);
// 42501 "permission denied for function f".
Status check_may_execute(DdlContext& c, const types::FunctionInfo& f);
// "f(integer,text)" with the types' full names, as messages about missing functions write it.
std::string call_signature(DdlContext& c, const std::string& name, std::span<const Oid> types);
// May a value of one type be taken for the other as it is?
bool is_binary_coercible(DdlContext& c, Oid from, Oid to);

// ---- operators (create_operator.cpp, find_operator.cpp)
using OperatorPtr = const types::OperatorInfo*;
Status execute_create_operator(DdlContext& c, const PgQuery__DefineStmt& s);
Status execute_alter_operator(DdlContext& c, const PgQuery__AlterOperatorStmt& s);
// By name and exactly these operands (kInvalidOid: none). Null: there is none.
OperatorPtr operator_with(DdlContext& c, NodeList name, Oid left, Oid right);
// As ALTER, DROP and COMMENT name it. Null only with missing_ok, after a notice.
Result<OperatorPtr> find_named_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object, bool missing_ok);
Result<std::optional<Address>> find_dropped_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object,
                                                     bool missing_ok);
Result<Address> find_own_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object);
Status change_operator_owner(DdlContext& c, const PgQuery__ObjectWithArgs& object, Oid owner);
Status move_operator(DdlContext& c, const PgQuery__ObjectWithArgs& object, std::string_view new_schema);
Status remove_operator(DdlContext& c, Oid oid);
// "===(bigint,bigint)", with its schema where it is not found without.
std::string operator_object_text(DdlContext& c, Oid oid);

// ---- casts (create_cast.cpp)
Status execute_create_cast(DdlContext& c, const PgQuery__CreateCastStmt& s);
Result<std::optional<Address>> find_cast(DdlContext& c, NodeList types, bool missing_ok);

// ---- aggregates (create_aggregate.cpp)
Status execute_create_aggregate(DdlContext& c, const PgQuery__DefineStmt& s);

}  // namespace indigo::engine::ddl
