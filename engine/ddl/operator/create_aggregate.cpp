// CREATE [OR REPLACE] AGGREGATE: a row of pg_proc, which makes it a function of the kind 'a', and one of pg_aggregate.
#include <algorithm>

#include "catalog/descriptor/session_context.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/aggregate_parts.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "storage/transaction.h"
#include "types/function/registry.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_aggregate = catalog::pg_aggregate;
using types::FunctionInfo;
using types::FunctionKind;

// The arguments, as of a function that returns something else.
Result<RoutineSignature> read_arguments(DdlContext& c, const PgQuery__DefineStmt& s, const AggregateOptions& o) {
  PgQuery__CreateFunctionStmt function = PG_QUERY__CREATE_FUNCTION_STMT__INIT;
  PgQuery__String part = PG_QUERY__STRING__INIT;
  part.sval = const_cast<char*>("int4");
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_STRING;
  node.string = &part;
  PgQuery__Node* names[] = {&node};
  PgQuery__TypeName result = PG_QUERY__TYPE_NAME__INIT;
  result.n_names = 1;
  result.names = names;
  result.typemod = -1;
  result.location = -1;
  function.return_type = &result;
  if (s.oldstyle) {
    INDIGO_ASSIGN(RoutineSignature out, read_signature(c, function, ""));
    if (o.base == kInvalidOid) return out;
    out.inputs = {o.base};
    out.all = {o.base};
    out.modes = {'i'};
    out.names = {""};
    return out;
  }
  const NodeList parts = nodes(s.n_args, s.args);
  if (parts.empty() || !is(parts[0], PG_QUERY__NODE__NODE_LIST)) return read_signature(c, function, "");
  const NodeList list = nodes(parts[0]->list->n_items, parts[0]->list->items);
  for (const PgQuery__Node* n : list) {
    const auto mode = n->function_parameter->mode;
    if (mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT ||
        mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT) {
      return invalid_definition("aggregates cannot have output arguments");
    }
  }
  function.n_parameters = parts[0]->list->n_items;
  function.parameters = parts[0]->list->items;
  return read_signature(c, function, "");
}

int direct_count(const PgQuery__DefineStmt& s) {
  const NodeList parts = nodes(s.n_args, s.args);
  if (s.oldstyle || parts.size() < 2 || !is(parts[1], PG_QUERY__NODE__NODE_INTEGER)) return -1;
  return parts[1]->integer->ival;
}

// The initial value must be one of the state's type.
Status check_initial(DdlContext& c, const std::optional<std::string>& text, Oid state) {
  const TypePtr type = c.catalog.type(state);
  if (!text || type == nullptr || type->kind == 'p') return {};
  types::FuncContext context(c.host.session());
  Arena arena;
  context.set_arena(&arena);
  types::type_input(context, {state, -1, type->collation}, *text);
  if (context.failed()) return context.take_error();
  return {};
}

Status check_state_type(DdlContext& c, Oid state) {
  const TypePtr type = c.catalog.type(state);
  if (type == nullptr || type->kind != 'p' || is_polymorphic_type(state)) return {};
  if (state == oid::kInternal && c.catalog.is_superuser(c.catalog.user())) return {};
  return invalid_definition("aggregate transition data type cannot be " + type_text(c, {state, -1, kInvalidOid}));
}

Status check_replaced(DdlContext& c, const FunctionInfo& old, const RoutineSignature& now, char kind) {
  INDIGO_TRY(check_owner(c, old.owner, old.kind == FunctionKind::kAggregate ? "aggregate" : "function", old.name));
  if (old.kind != FunctionKind::kAggregate) {
    const std::string_view is = old.kind == FunctionKind::kProcedure ? " is a procedure."
                                : old.kind == FunctionKind::kWindow  ? " is a window function."
                                                                     : " is a function.";
    return Error(sqlstate::kWrongObjectType, "cannot change routine kind")
        .with_detail(quoted(old.name) + std::string(is));
  }
  if (old.result != now.result) {
    return invalid_definition("cannot change return type of existing function")
        .with_hint("Use DROP AGGREGATE " + routine_text(c, old) + " first.");
  }
  const types::AggregateInfo* before = c.catalog.aggregate(old.oid);
  if (before == nullptr || before->kind == kind) return {};
  const std::string_view word = before->kind == 'n'   ? "an ordinary aggregate"
                                : before->kind == 'o' ? "an ordered-set aggregate"
                                                      : "a hypothetical-set aggregate";
  return Error(sqlstate::kWrongObjectType, "cannot change routine kind")
      .with_detail(quoted(old.name) + " is " + std::string(word) + ".");
}

void fill_routine(RowValues& row, const RoutineSignature& s, char parallel) {
  row.oid(pg_proc::c_prolang, oid::kInternalLanguage)
      .f32(pg_proc::c_procost, 1.0f)
      .f32(pg_proc::c_prorows, 0.0f)
      .oid(pg_proc::c_provariadic, s.variadic)
      .oid(pg_proc::c_prosupport, kInvalidOid)
      .chr(pg_proc::c_prokind, 'a')
      .flag(pg_proc::c_prosecdef, false)
      .flag(pg_proc::c_proleakproof, false)
      .flag(pg_proc::c_proisstrict, false)
      .flag(pg_proc::c_proretset, false)
      .chr(pg_proc::c_provolatile, 'i')
      .chr(pg_proc::c_proparallel, parallel)
      .i16(pg_proc::c_pronargs, static_cast<int16_t>(s.inputs.size()))
      .i16(pg_proc::c_pronargdefaults, 0)
      .oid(pg_proc::c_prorettype, s.result)
      .oid_vector(pg_proc::c_proargtypes, s.inputs)
      .str(pg_proc::c_prosrc, "aggregate_dummy");
  for (const int column :
       {pg_proc::c_proallargtypes, pg_proc::c_proargmodes, pg_proc::c_proargnames, pg_proc::c_proargdefaults,
        pg_proc::c_protrftypes, pg_proc::c_probin, pg_proc::c_prosqlbody, pg_proc::c_proconfig})
    row.set_null(column);
  if (!s.plain()) {
    row.oids(pg_proc::c_proallargtypes, s.all);
    row.chars(pg_proc::c_proargmodes, s.modes);
  }
  if (s.named()) row.texts(pg_proc::c_proargnames, s.names);
}

void fill_aggregate(RowValues& row, const AggregateParts& p, const AggregateOptions& o, char kind, int direct) {
  row.chr(pg_aggregate::c_aggkind, kind)
      .i16(pg_aggregate::c_aggnumdirectargs, static_cast<int16_t>(kind == 'n' ? 0 : direct))
      .oid(pg_aggregate::c_aggtransfn, p.transition)
      .oid(pg_aggregate::c_aggfinalfn, p.final)
      .oid(pg_aggregate::c_aggcombinefn, p.combine)
      .oid(pg_aggregate::c_aggserialfn, p.serialize)
      .oid(pg_aggregate::c_aggdeserialfn, p.deserialize)
      .oid(pg_aggregate::c_aggmtransfn, p.moving_transition)
      .oid(pg_aggregate::c_aggminvtransfn, p.moving_inverse)
      .oid(pg_aggregate::c_aggmfinalfn, p.moving_final)
      .flag(pg_aggregate::c_aggfinalextra, o.final_extra)
      .flag(pg_aggregate::c_aggmfinalextra, o.moving_final_extra)
      .chr(pg_aggregate::c_aggfinalmodify, o.final_modify.value_or(kind == 'n' ? 'r' : 'w'))
      .chr(pg_aggregate::c_aggmfinalmodify, o.moving_final_modify.value_or(kind == 'n' ? 'r' : 'w'))
      .oid(pg_aggregate::c_aggsortop, p.sort_operator)
      .oid(pg_aggregate::c_aggtranstype, o.state)
      .i32(pg_aggregate::c_aggtransspace, o.state_space)
      .oid(pg_aggregate::c_aggmtranstype, o.moving_state)
      .i32(pg_aggregate::c_aggmtransspace, o.moving_space);
  row.set_null(pg_aggregate::c_agginitval);
  row.set_null(pg_aggregate::c_aggminitval);
  if (o.initial) row.str(pg_aggregate::c_agginitval, *o.initial);
  if (o.moving_initial) row.str(pg_aggregate::c_aggminitval, *o.moving_initial);
}

Status record_parts(DdlContext& c, Oid oid, Oid schema, const RoutineSignature& s, const AggregateParts& p) {
  const Address self{pg_proc::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  std::vector<Oid> types = s.all;
  types.push_back(s.result);
  for (const Oid t : types) INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, t, 0}, 'n'));
  for (const Oid f : {p.transition, p.final, p.combine, p.serialize, p.deserialize, p.moving_transition,
                      p.moving_inverse, p.moving_final}) {
    if (f != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, f, 0}, 'n'));
  }
  if (p.sort_operator != kInvalidOid)
    INDIGO_TRY(record_dependency(c, self, {catalog::pg_operator::kOid, p.sort_operator, 0}, 'n'));
  return record_membership(c, self);
}

}  // namespace

Status execute_create_aggregate(DdlContext& c, const PgQuery__DefineStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_defnames, s.defnames));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_defnames, s.defnames)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  const int direct = direct_count(s);
  INDIGO_ASSIGN(AggregateOptions o, read_aggregate_options(c, nodes(s.n_definition, s.definition), s.oldstyle));
  INDIGO_ASSIGN(RoutineSignature signature, read_arguments(c, s, o));
  const char kind = direct < 0 ? 'n' : o.hypothetical ? 'h' : 'o';
  INDIGO_TRY(check_state_type(c, o.state));
  if (o.moving_state != kInvalidOid) INDIGO_TRY(check_state_type(c, o.moving_state));
  INDIGO_TRY(check_initial(c, o.initial, o.state));
  INDIGO_TRY(check_initial(c, o.moving_initial, o.moving_state));
  INDIGO_ASSIGN(const AggregateParts parts, find_aggregate_parts(c, signature, o, kind, direct));
  signature.result = parts.result;
  const std::string name = truncated_name(q.name);
  RoutinePtr old;
  for (const RoutinePtr& f : c.catalog.functions_named(c.catalog.schema_name(schema), name)) {
    if (f->schema == schema && f->arguments == signature.inputs) old = f;
  }
  if (old != nullptr && !s.replace)
    return Error(sqlstate::kDuplicateFunction, "function " + quoted(name) + " already exists with same argument types");
  if (old != nullptr) {
    if (old->oid < oid::kFirstUserOid) return unsupported("replacing a built-in function");
    INDIGO_TRY(check_replaced(c, *old, signature, kind));
  }
  SystemTable &procs = table(c, pg_proc::kOid), &aggregates = table(c, pg_aggregate::kOid);
  const Oid oid = old != nullptr ? old->oid : next_oid(c);
  if (old != nullptr) {
    INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(oid)},
                          [&](RowValues& row) { fill_routine(row, signature, o.parallel); }));
    INDIGO_TRY(update_row(c, pg_aggregate::kOid, {Datum::of_oid(oid)},
                          [&](RowValues& row) { fill_aggregate(row, parts, o, kind, direct); }));
    INDIGO_TRY(remove_dependencies_of(c, {pg_proc::kOid, oid, 0}));
  } else {
    RowValues row(procs.definition());
    row.oid(pg_proc::c_oid, oid)
        .str(pg_proc::c_proname, name)
        .oid(pg_proc::c_pronamespace, schema)
        .oid(pg_proc::c_proowner, c.catalog.user());
    fill_routine(row, signature, o.parallel);
    if (const auto acl = default_privileges(c, 'f', c.catalog.user(), schema))
      row.str(pg_proc::c_proacl, types::acl_array(*acl));
    INDIGO_TRY(check(procs.insert(c.txn, row)));
    RowValues aggregate(aggregates.definition());
    aggregate.oid(pg_aggregate::c_aggfnoid, oid);
    fill_aggregate(aggregate, parts, o, kind, direct);
    INDIGO_TRY(check(aggregates.insert(c.txn, aggregate)));
  }
  INDIGO_TRY(record_parts(c, oid, schema, signature, parts));
  c.catalog.changed({kInvalidOid});
  c.txn.next_command();
  const types::AggregateInfo* made = c.catalog.aggregate(oid);
  if (made != nullptr && o.state == oid::kInternal && made->same_as == kInvalidOid)
    return unsupported("an aggregate over the type internal that is none of the built-in ones");
  return {};
}

}  // namespace indigo::engine::ddl
