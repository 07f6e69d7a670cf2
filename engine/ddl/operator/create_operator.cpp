// CREATE OPERATOR and ALTER OPERATOR ... SET: rows of pg_operator. A commutator or negator that is not there yet is made as a
// shell: a row without a function, which its own CREATE OPERATOR fills.
#include <optional>

#include "engine/ddl/extension/extension.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_operator = catalog::pg_operator;

struct OperatorDefinition {
  Oid left = kInvalidOid, right = kInvalidOid;
  NodeList function, commutator, negator, restriction, join;
  bool merges = false, hashes = false;
};

Result<OperatorDefinition> read_definition(DdlContext& c, NodeList options) {
  OperatorDefinition out;
  for (const PgQuery__Node* n : options) {
    const PgQuery__DefElem& d = *n->def_elem;
    const std::string_view name = d.defname;
    if (name == "leftarg" || name == "rightarg") {
      if (is(d.arg, PG_QUERY__NODE__NODE_TYPE_NAME) && d.arg->type_name->setof)
        return invalid_definition("SETOF type not allowed for operator argument");
      INDIGO_ASSIGN(const TypeRef type, option_type(c, d));
      (name == "leftarg" ? out.left : out.right) = type.oid;
    } else if (name == "function" || name == "procedure") {
      out.function = option_name(d);
    } else if (name == "commutator") {
      out.commutator = option_name(d);
    } else if (name == "negator") {
      out.negator = option_name(d);
    } else if (name == "restrict") {
      out.restriction = option_name(d);
    } else if (name == "join") {
      out.join = option_name(d);
    } else if (name == "hashes") {
      INDIGO_ASSIGN(out.hashes, option_flag(d));
    } else if (name == "merges") {
      INDIGO_ASSIGN(out.merges, option_flag(d));
    } else if (name == "sort1" || name == "sort2" || name == "ltcmp" || name == "gtcmp") {
      out.merges = true;
    } else {
      warning(c, sqlstate::kSyntaxError, "operator attribute " + quoted(name) + " not recognized");
    }
  }
  if (out.function.empty()) return invalid_definition("operator function must be specified");
  if (out.left == kInvalidOid && out.right == kInvalidOid)
    return invalid_definition("operator argument types must be specified");
  if (out.right == kInvalidOid)
    return invalid_definition("operator right argument type must be specified")
        .with_detail("Postfix operators are not supported.");
  for (const Oid t : {out.left, out.right}) {
    if (t != kInvalidOid) INDIGO_TRY(check_type_usage(c, t));
  }
  return out;
}

// oprrest, oprjoin
Result<Oid> find_estimator(DdlContext& c, NodeList name, bool join) {
  if (name.empty()) return kInvalidOid;
  std::vector<Oid> types{oid::kInternal, oid::kOid, oid::kInternal};
  if (join) {
    types.push_back(oid::kInt2);
    types.push_back(oid::kInternal);
  } else {
    types.push_back(oid::kInt4);
  }
  auto found = find_exact_function(c, name, types);
  if (!found.ok() && join) {
    const Oid old[] = {oid::kInternal, oid::kOid, oid::kInternal, oid::kInt2};
    if (auto older = find_exact_function(c, name, old); older.ok()) found = std::move(older);
  }
  if (!found.ok()) return found.take_error();
  if ((*found)->result != oid::kFloat8) {
    return invalid_definition(std::string(join ? "join" : "restriction") + " estimator function " +
                              sql::name_list_text(name) + " must return type double precision");
  }
  INDIGO_TRY(check_may_execute(c, **found));
  return (*found)->oid;
}

Status check_properties(const OperatorDefinition& d, Oid result) {
  if (d.left == kInvalidOid) {
    if (!d.commutator.empty()) return invalid_definition("only binary operators can have commutators");
    if (!d.join.empty()) return invalid_definition("only binary operators can have join selectivity");
    if (d.merges) return invalid_definition("only binary operators can merge join");
    if (d.hashes) return invalid_definition("only binary operators can hash");
  }
  if (result != oid::kBool) {
    if (!d.negator.empty()) return invalid_definition("only boolean operators can have negators");
    if (!d.restriction.empty()) return invalid_definition("only boolean operators can have restriction selectivity");
    if (!d.join.empty()) return invalid_definition("only boolean operators can have join selectivity");
    if (d.merges) return invalid_definition("only boolean operators can merge join");
    if (d.hashes) return invalid_definition("only boolean operators can hash");
  }
  return {};
}

void fill(RowValues& row, std::string_view name, Oid schema, Oid left, Oid right, Oid owner) {
  row.str(pg_operator::c_oprname, name)
      .oid(pg_operator::c_oprnamespace, schema)
      .oid(pg_operator::c_oprowner, owner)
      .chr(pg_operator::c_oprkind, left == kInvalidOid ? 'l' : 'b')
      .flag(pg_operator::c_oprcanmerge, false)
      .flag(pg_operator::c_oprcanhash, false)
      .oid(pg_operator::c_oprleft, left)
      .oid(pg_operator::c_oprright, right);
  for (const int column : {pg_operator::c_oprresult, pg_operator::c_oprcom, pg_operator::c_oprnegate,
                           pg_operator::c_oprcode, pg_operator::c_oprrest, pg_operator::c_oprjoin})
    row.oid(column, kInvalidOid);
}

Status depend_on_parts(DdlContext& c, Oid oid, Oid schema, std::initializer_list<Oid> types,
                       std::initializer_list<Oid> functions) {
  const Address self{pg_operator::kOid, oid, 0};
  INDIGO_TRY(remove_dependencies_of(c, self));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  for (const Oid t : types) {
    if (t != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, t, 0}, 'n'));
  }
  for (const Oid f : functions) {
    if (f != kInvalidOid) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, f, 0}, 'n'));
  }
  return record_membership(c, self);
}

OperatorPtr operator_in(DdlContext& c, Oid schema, std::string_view name, Oid left, Oid right) {
  for (const OperatorPtr o : c.catalog.operators_named(c.catalog.schema_name(schema), name)) {
    if (o->left == left && o->right == right) return o;
  }
  return nullptr;
}

// The commutator's or negator's OID, made as a shell where it is missing; kInvalidOid: it is the operator itself.
Result<Oid> other_operator(DdlContext& c, NodeList name, Oid left, Oid right, std::string_view self, Oid self_schema,
                           bool same_types, bool commutator) {
  if (const OperatorPtr found = operator_with(c, name, left, right); found != nullptr) return found->oid;
  const auto q = sql::qualified_name(name);
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, name));
  if (q.name == self && schema == self_schema && same_types) {
    if (!commutator) return invalid_definition("operator cannot be its own negator or sort operator");
    return kInvalidOid;
  }
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  const Oid oid = next_oid(c);
  SystemTable& operators = table(c, pg_operator::kOid);
  RowValues row(operators.definition());
  fill(row, q.name, schema, left, right, c.catalog.user());
  row.oid(pg_operator::c_oid, oid);
  INDIGO_TRY(check(operators.insert(c.txn, row)));
  INDIGO_TRY(depend_on_parts(c, oid, schema, {left, right}, {}));
  c.catalog.changed({kInvalidOid});
  return oid;
}

// The other one learns of this one, unless it has somebody already.
Status point_back(DdlContext& c, Oid other, int column, Oid self) {
  if (other == kInvalidOid || other == self || other < oid::kFirstUserOid) return {};
  return update_row(c, pg_operator::kOid, {Datum::of_oid(other)}, [&](RowValues& row) {
    if (row.get(column).oid() == kInvalidOid) row.oid(column, self);
  });
}

}  // namespace

OperatorPtr operator_with(DdlContext& c, NodeList name, Oid left, Oid right) {
  const auto q = sql::qualified_name(name);
  for (const OperatorPtr o : c.catalog.operators_named(q.schema, q.name)) {
    if (o->left == left && o->right == right) return o;
  }
  return nullptr;
}

Status execute_create_operator(DdlContext& c, const PgQuery__DefineStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_defnames, s.defnames));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_defnames, s.defnames)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const OperatorDefinition d, read_definition(c, nodes(s.n_definition, s.definition)));
  std::vector<Oid> types{d.right};
  if (d.left != kInvalidOid) types.insert(types.begin(), d.left);
  INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, d.function, types));
  INDIGO_TRY(check_may_execute(c, *function));
  INDIGO_TRY(check_type_usage(c, function->result));
  INDIGO_ASSIGN(const Oid restriction, find_estimator(c, d.restriction, false));
  INDIGO_ASSIGN(const Oid join, find_estimator(c, d.join, true));
  INDIGO_TRY(check_properties(d, function->result));
  const std::string name = truncated_name(q.name);
  const OperatorPtr old = operator_in(c, schema, name, d.left, d.right);
  if (old != nullptr && old->function != kInvalidOid)
    return Error(sqlstate::kDuplicateFunction, "operator " + name + " already exists");
  Oid commutator = kInvalidOid, negator = kInvalidOid;
  if (!d.commutator.empty()) {
    INDIGO_ASSIGN(commutator, other_operator(c, d.commutator, d.right, d.left, name, schema, d.left == d.right, true));
  }
  if (!d.negator.empty()) {
    INDIGO_ASSIGN(negator, other_operator(c, d.negator, d.left, d.right, name, schema, true, false));
  }
  const Oid oid = old != nullptr ? old->oid : next_oid(c);
  if (negator == oid) return invalid_definition("operator cannot be its own negator or sort operator");
  const bool own_commutator = !d.commutator.empty() && commutator == kInvalidOid;
  const auto define = [&](RowValues& row) {
    fill(row, name, schema, d.left, d.right, c.catalog.user());
    row.flag(pg_operator::c_oprcanmerge, d.merges)
        .flag(pg_operator::c_oprcanhash, d.hashes)
        .oid(pg_operator::c_oprresult, function->result)
        .oid(pg_operator::c_oprcom, own_commutator ? oid : commutator)
        .oid(pg_operator::c_oprnegate, negator)
        .oid(pg_operator::c_oprcode, function->oid)
        .oid(pg_operator::c_oprrest, restriction)
        .oid(pg_operator::c_oprjoin, join);
  };
  SystemTable& operators = table(c, pg_operator::kOid);
  if (old != nullptr) {
    std::string image;
    if (operators.find_oid(c.txn, oid, image))
      INDIGO_TRY(check_owner(c, operators.reader(image).oid(pg_operator::c_oprowner), "operator", name));
    INDIGO_TRY(update_row(c, pg_operator::kOid, {Datum::of_oid(oid)}, define));
  } else {
    RowValues row(operators.definition());
    define(row);
    row.oid(pg_operator::c_oid, oid);
    INDIGO_TRY(check(operators.insert(c.txn, row)));
  }
  INDIGO_TRY(point_back(c, commutator, pg_operator::c_oprcom, oid));
  INDIGO_TRY(point_back(c, negator, pg_operator::c_oprnegate, oid));
  INDIGO_TRY(depend_on_parts(c, oid, schema, {d.left, d.right, function->result}, {function->oid, restriction, join}));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status execute_alter_operator(DdlContext& c, const PgQuery__AlterOperatorStmt& s) {
  INDIGO_ASSIGN(const Address self, find_own_operator(c, *s.opername));
  const types::OperatorInfo o = *c.catalog.operator_by_oid(self.object);
  std::string image;
  SystemTable& operators = table(c, pg_operator::kOid);
  if (!operators.find_oid(c.txn, o.oid, image)) return Error(sqlstate::kUndefinedFunction, "operator does not exist");
  Oid restriction = operators.reader(image).oid(pg_operator::c_oprrest);
  Oid join = operators.reader(image).oid(pg_operator::c_oprjoin);
  for (const PgQuery__Node* n : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem& d = *n->def_elem;
    const std::string_view name = d.defname;
    const bool none = d.arg == nullptr || sql::absent(d.arg);
    if (name == "restrict") {
      INDIGO_ASSIGN(restriction, find_estimator(c, none ? NodeList() : option_name(d), false));
    } else if (name == "join") {
      INDIGO_ASSIGN(join, find_estimator(c, none ? NodeList() : option_name(d), true));
    } else if (name == "leftarg" || name == "rightarg" || name == "function" || name == "procedure" ||
               name == "commutator" || name == "negator" || name == "hashes" || name == "merges") {
      return Error(sqlstate::kSyntaxError, "operator attribute " + quoted(name) + " cannot be changed");
    } else {
      return Error(sqlstate::kSyntaxError, "operator attribute " + quoted(name) + " not recognized");
    }
  }
  if (o.left == kInvalidOid && join != kInvalidOid)
    return invalid_definition("only binary operators can have join selectivity");
  if (o.result != oid::kBool && restriction != kInvalidOid)
    return invalid_definition("only boolean operators can have restriction selectivity");
  if (o.result != oid::kBool && join != kInvalidOid)
    return invalid_definition("only boolean operators can have join selectivity");
  INDIGO_TRY(update_row(c, pg_operator::kOid, {Datum::of_oid(o.oid)}, [&](RowValues& row) {
    row.oid(pg_operator::c_oprrest, restriction).oid(pg_operator::c_oprjoin, join);
  }));
  INDIGO_TRY(depend_on_parts(c, o.oid, o.schema, {o.left, o.right, o.result}, {o.function, restriction, join}));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
