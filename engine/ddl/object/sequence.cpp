#include "engine/ddl/object/sequence.h"

#include <charconv>

#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

int64_t type_minimum(Oid type) { return type == oid::kInt2 ? INT16_MIN : type == oid::kInt4 ? INT32_MIN : INT64_MIN; }
int64_t type_maximum(Oid type) { return type == oid::kInt2 ? INT16_MAX : type == oid::kInt4 ? INT32_MAX : INT64_MAX; }

Error invalid(std::string message) { return Error(sqlstate::kInvalidParameterValue, std::move(message)); }

Result<int64_t> integer_option(const PgQuery__DefElem* d) {
  if (const auto value = integer_value(d->arg)) return *value;
  const std::string text = text_value(d->arg);
  int64_t digits = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), digits).ec == std::errc::result_out_of_range)
    return Error(sqlstate::kNumericValueOutOfRange, "value \"" + text + "\" is out of range for type bigint");
  return Error(sqlstate::kInvalidTextRepresentation, "invalid input syntax for type bigint: \"" + text + "\"");
}

// The clauses whose meaning depends on others.
struct SequenceClauses {
  std::optional<int64_t> start, increment, minimum, maximum, cache;
  bool minimum_seen = false, maximum_seen = false;
};

// Writes what stands alone to `d`, the rest to `out`.
Status read_clauses(DdlContext& c, NodeList nodes_of, bool of_identity, SequenceDefinition& d, SequenceClauses& out) {
  std::vector<std::string_view> seen;
  for (const PgQuery__Node* node : nodes_of) {
    const PgQuery__DefElem* e = node->def_elem;
    const std::string_view name = e->defname;
    for (const std::string_view other : seen) {
      if (other == name) {
        return Error(sqlstate::kSyntaxError, "conflicting or redundant options").at(position(c, e->location));
      }
    }
    seen.push_back(name);
    if (name == "as") {
      INDIGO_ASSIGN(const TypeRef type, resolve_type(c, e->arg->type_name));
      if (type.oid != oid::kInt2 && type.oid != oid::kInt4 && type.oid != oid::kInt8) {
        return invalid(of_identity ? "identity column type must be smallint, integer, or bigint"
                                   : "sequence type must be smallint, integer, or bigint");
      }
      d.type = type.oid;
      d.type_seen = true;
    } else if (name == "increment") {
      INDIGO_ASSIGN(out.increment, integer_option(e));
    } else if (name == "start") {
      INDIGO_ASSIGN(out.start, integer_option(e));
    } else if (name == "restart") {
      d.restart_seen = true;
      if (!sql::absent(e->arg)) {
        INDIGO_ASSIGN(d.restart, integer_option(e));
      }
    } else if (name == "maxvalue") {
      out.maximum_seen = true;
      if (!sql::absent(e->arg)) {
        INDIGO_ASSIGN(out.maximum, integer_option(e));
      }
    } else if (name == "minvalue") {
      out.minimum_seen = true;
      if (!sql::absent(e->arg)) {
        INDIGO_ASSIGN(out.minimum, integer_option(e));
      }
    } else if (name == "cache") {
      INDIGO_ASSIGN(out.cache, integer_option(e));
    } else if (name == "cycle") {
      INDIGO_ASSIGN(d.options.cycle, boolean_value(e));
    } else if (name == "owned_by") {
      d.owned_by_seen = true;
      d.owned_by = e->arg->list;
    } else if (name == "sequence_name") {
      d.name = e->arg->list;
    } else if (name == "logged" || name == "unlogged") {
      return unsupported("changing a sequence's persistence");
    } else {
      return Error(sqlstate::kSyntaxError, "option " + quoted(name) + " not recognized").at(position(c, e->location));
    }
  }
  return {};
}

}  // namespace

namespace {

// Only the sequence of an identity column that is made has its name among the options.
Status refuse_name(DdlContext& c, NodeList options) {
  for (const PgQuery__Node* node : options) {
    if (std::string_view(node->def_elem->defname) != "sequence_name") continue;
    return Error(sqlstate::kSyntaxError, "invalid sequence option SEQUENCE NAME")
        .at(position(c, node->def_elem->location));
  }
  return {};
}

}  // namespace

Result<SequenceDefinition> sequence_definition(DdlContext& c, NodeList nodes_of, const SequenceDefinition* base,
                                               Oid default_type) {
  SequenceDefinition d;
  if (base != nullptr) d = *base;
  const Oid old_type = d.type;
  const bool is_new = base == nullptr;
  if (is_new) d.type = default_type;
  SequenceClauses clauses;
  INDIGO_TRY(read_clauses(c, nodes_of, is_new && default_type != oid::kInt8, d, clauses));
  catalog::SequenceOptions& o = d.options;
  if (clauses.increment) {
    if (*clauses.increment == 0) return invalid("INCREMENT must not be zero");
    o.increment = *clauses.increment;
  }
  // A change of type takes bounds along that were the ends of the old type's range, whichever way the sequence runs.
  const bool new_type = !is_new && d.type_seen;
  const bool reset_max = new_type && o.maximum == type_maximum(old_type);
  const bool reset_min = new_type && o.minimum == type_minimum(old_type);
  const std::string type_name = type_text(c, {d.type, -1, kInvalidOid});
  if (clauses.maximum) {
    o.maximum = *clauses.maximum;
  } else if (is_new || clauses.maximum_seen || reset_max) {
    o.maximum = o.increment > 0 || reset_max ? type_maximum(d.type) : -1;
  }
  if (o.maximum < type_minimum(d.type) || o.maximum > type_maximum(d.type)) {
    return invalid("MAXVALUE (" + std::to_string(o.maximum) + ") is out of range for sequence data type " + type_name);
  }
  if (clauses.minimum) {
    o.minimum = *clauses.minimum;
  } else if (is_new || clauses.minimum_seen || reset_min) {
    o.minimum = o.increment < 0 || reset_min ? type_minimum(d.type) : 1;
  }
  if (o.minimum < type_minimum(d.type) || o.minimum > type_maximum(d.type)) {
    return invalid("MINVALUE (" + std::to_string(o.minimum) + ") is out of range for sequence data type " + type_name);
  }
  if (o.minimum >= o.maximum) {
    return invalid("MINVALUE (" + std::to_string(o.minimum) + ") must be less than MAXVALUE (" +
                   std::to_string(o.maximum) + ")");
  }
  if (clauses.start) {
    o.start = *clauses.start;
  } else if (is_new) {
    o.start = o.increment > 0 ? o.minimum : o.maximum;
  }
  if (o.start < o.minimum) {
    return invalid("START value (" + std::to_string(o.start) + ") cannot be less than MINVALUE (" +
                   std::to_string(o.minimum) + ")");
  }
  if (o.start > o.maximum) {
    return invalid("START value (" + std::to_string(o.start) + ") cannot be greater than MAXVALUE (" +
                   std::to_string(o.maximum) + ")");
  }
  if (d.restart_seen) {
    const int64_t restart = d.restart.value_or(o.start);
    const auto beyond = [&](std::string_view bound, int64_t limit) {
      return invalid("RESTART value (" + std::to_string(restart) + ") cannot be " + std::string(bound) + " (" +
                     std::to_string(limit) + ")");
    };
    if (restart < o.minimum) return beyond("less than MINVALUE", o.minimum);
    if (restart > o.maximum) return beyond("greater than MAXVALUE", o.maximum);
  }
  if (clauses.cache) {
    if (*clauses.cache <= 0) return invalid("CACHE (" + std::to_string(*clauses.cache) + ") must be greater than zero");
    o.cache = *clauses.cache;
  }
  return d;
}

Result<Oid> create_sequence(DdlContext& c, std::string_view name, Oid schema, char persistence, Oid owner,
                            const SequenceDefinition& d) {
  const Oid oid = next_oid(c);
  NewRelation r;
  r.oid = oid;
  r.name = name;
  r.schema = schema;
  r.kind = RelationKind::kSequence;
  r.persistence = persistence;
  r.owner = owner;
  r.filenode = oid;
  r.column_count = 3;
  INDIGO_TRY(insert_class(c, r));
  const std::pair<std::string_view, Oid> columns[] = {
      {"last_value", oid::kInt8}, {"log_cnt", oid::kInt8}, {"is_called", oid::kBool}};
  int16_t number = 0;
  for (const auto& [column_name, type] : columns) {
    NewColumn column;
    column.name = column_name;
    column.type.oid = type;
    column.not_null = true;
    INDIGO_TRY(insert_attribute(c, oid, ++number, column));
  }
  INDIGO_TRY(insert_system_attributes(c, oid));
  INDIGO_TRY(insert_sequence_row(c, oid, d.type, d.options));
  INDIGO_TRY(adopt_sequence(c, oid, {d.restart.value_or(d.options.start), false}, persistence));
  INDIGO_TRY(update_class(c, oid, [](RowValues& v) { v.i32(pg_class::c_relpages, 1).f32(pg_class::c_reltuples, 1); }));
  INDIGO_TRY(record_dependency(c, {pg_class::kOid, oid, 0}, {pg_namespace::kOid, schema, 0}, 'n'));
  return oid;
}

bool read_sequence(DdlContext& c, Oid sequence, SequenceDefinition& out) {
  const SystemTable& t = table(c, pg_sequence::kOid);
  std::string image;
  if (!t.find_oid(c.txn, sequence, image)) return false;
  const RowReader row = t.reader(image);
  out.type = row.oid(pg_sequence::c_seqtypid);
  out.options.start = row.i64(pg_sequence::c_seqstart);
  out.options.increment = row.i64(pg_sequence::c_seqincrement);
  out.options.maximum = row.i64(pg_sequence::c_seqmax);
  out.options.minimum = row.i64(pg_sequence::c_seqmin);
  out.options.cache = row.i64(pg_sequence::c_seqcache);
  out.options.cycle = row.flag(pg_sequence::c_seqcycle);
  return true;
}

namespace {

Oid filenode_of(DdlContext& c, Oid relation) {
  const SystemTable& t = table(c, pg_class::kOid);
  std::string image;
  return t.find_oid(c.txn, relation, image) ? t.reader(image).oid(pg_class::c_relfilenode) : kInvalidOid;
}

// OWNED BY table.column | NONE.
Status set_owner_column(DdlContext& c, const RelationPtr& sequence, const PgQuery__List* owned_by) {
  const NodeList parts = nodes(owned_by->n_items, owned_by->items);
  const Address self{pg_class::kOid, sequence->oid, 0};
  for (const Dependent& d : references_of(c, self)) {
    if (d.type == 'i') {
      return Error(sqlstate::kFeatureNotSupported, "cannot change ownership of identity sequence")
          .with_detail("Sequence " + quoted(sequence->name) + " is linked to table " +
                       quoted(current(c, d.address.object)->name) + ".");
    }
  }
  RelationPtr relation;
  int16_t column = 0;
  if (!(parts.size() == 1 && string_of(parts[0]) == "none")) {
    if (parts.size() < 2) {
      return Error(sqlstate::kSyntaxError, "invalid OWNED BY option")
          .with_hint("Specify OWNED BY table.column or OWNED BY NONE.");
    }
    const auto q = sql::qualified_name(parts.first(parts.size() - 1));
    INDIGO_TRY(check_schema_usage(c, q.schema));
    relation = c.catalog.find_relation(q.schema, q.name);
    if (relation == nullptr) {
      return Error(sqlstate::kUndefinedTable,
                   "relation " + quoted(sql::name_list_text(parts.first(parts.size() - 1))) + " does not exist");
    }
    if (relation->kind != RelationKind::kTable && relation->kind != RelationKind::kView && !relation->is_foreign() &&
        !relation->is_partitioned()) {
      return Error(sqlstate::kWrongObjectType, "sequence cannot be owned by relation " + quoted(relation->name))
          .with_detail(not_supported_for(relation->kind));
    }
    const ColumnInfo* found = relation->find_column(string_of(parts.back()));
    if (found == nullptr) {
      return Error(sqlstate::kUndefinedColumn, "column " + quoted(string_of(parts.back())) + " of relation " +
                                                   quoted(relation->name) + " does not exist");
    }
    if (relation->owner != sequence->owner) {
      return Error(sqlstate::kObjectNotInPrerequisiteState, "sequence must have same owner as table it is linked to");
    }
    if (relation->schema != sequence->schema) {
      return Error(sqlstate::kObjectNotInPrerequisiteState, "sequence must be in same schema as table it is linked to");
    }
    column = found->number;
  }
  // Keep the schema, forget an earlier owner.
  std::vector<Dependent> keep;
  for (const Dependent& d : references_of(c, self)) {
    if (d.type != 'a') keep.push_back(d);
  }
  INDIGO_TRY(remove_dependencies_of(c, self));
  for (const Dependent& d : keep) INDIGO_TRY(record_dependency(c, self, d.address, d.type));
  if (relation != nullptr) INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, relation->oid, column}, 'a'));
  return {};
}

}  // namespace

Status reset_sequence(DdlContext& c, Oid sequence, int64_t last_value, bool is_called) {
  const Oid old = filenode_of(c, sequence);
  const Oid filenode = next_oid(c);
  const RelationPtr relation = current(c, sequence);
  INDIGO_TRY(adopt_sequence(c, filenode, {last_value, is_called}, relation == nullptr ? 'p' : relation->persistence));
  release_physical(c, old);
  INDIGO_TRY(update_class(c, sequence, [&](RowValues& v) { v.oid(pg_class::c_relfilenode, filenode); }));
  c.catalog.changed({sequence});
  return {};
}

Status execute_create_sequence(DdlContext& c, const PgQuery__CreateSeqStmt& s) {
  const std::string_view persistence = s.sequence->relpersistence;
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, *s.sequence, persistence == "t"));
  const std::string name = truncated_name(s.sequence->relname);
  if (c.catalog.relation_oid(schema, name) != kInvalidOid) {
    if (s.if_not_exists) {
      notice(c, "relation " + quoted(name) + " already exists, skipping", sqlstate::kDuplicateTable);
      return {};
    }
    return Error(sqlstate::kDuplicateTable, "relation " + quoted(name) + " already exists");
  }
  INDIGO_TRY(refuse_name(c, nodes(s.n_options, s.options)));
  INDIGO_ASSIGN(const SequenceDefinition d, sequence_definition(c, nodes(s.n_options, s.options), nullptr, oid::kInt8));
  const char kind = schema == c.catalog.temp_schema() ? 't' : persistence.empty() ? 'p' : persistence[0];
  INDIGO_ASSIGN(const Oid oid, create_sequence(c, name, schema, kind, c.catalog.user(), d));
  if (d.owned_by != nullptr) INDIGO_TRY(set_owner_column(c, current(c, oid), d.owned_by));
  return {};
}

Status alter_sequence(DdlContext& c, const RelationPtr& sequence, NodeList options) {
  SequenceDefinition before;
  if (!read_sequence(c, sequence->oid, before)) return gone_error(true);
  INDIGO_TRY(refuse_name(c, options));
  INDIGO_ASSIGN(const SequenceDefinition after, sequence_definition(c, options, &before, before.type));
  const auto counter = c.catalog.database_object().physical(filenode_of(c, sequence->oid)).sequence;
  if (counter == nullptr) return gone_error(true);
  catalog::Sequence::State state = counter->state();
  if (after.restart_seen) {
    state = {after.restart.value_or(after.options.start), false};
  } else if (state.last_value < after.options.minimum || state.last_value > after.options.maximum) {
    return Error(sqlstate::kInvalidParameterValue,
                 "RESTART value (" + std::to_string(state.last_value) + ") cannot be " +
                     (state.last_value < after.options.minimum
                          ? "less than MINVALUE (" + std::to_string(after.options.minimum)
                          : "greater than MAXVALUE (" + std::to_string(after.options.maximum)) +
                     ")");
  }
  INDIGO_TRY(update_row(c, pg_sequence::kOid, {Datum::of_oid(sequence->oid)}, [&](RowValues& v) {
    v.oid(pg_sequence::c_seqtypid, after.type)
        .i64(pg_sequence::c_seqstart, after.options.start)
        .i64(pg_sequence::c_seqincrement, after.options.increment)
        .i64(pg_sequence::c_seqmax, after.options.maximum)
        .i64(pg_sequence::c_seqmin, after.options.minimum)
        .i64(pg_sequence::c_seqcache, after.options.cache)
        .flag(pg_sequence::c_seqcycle, after.options.cycle);
  }));
  INDIGO_TRY(reset_sequence(c, sequence->oid, state.last_value, state.is_called));
  if (after.owned_by != nullptr && after.owned_by_seen) INDIGO_TRY(set_owner_column(c, sequence, after.owned_by));
  return {};
}

Status alter_sequence_type(DdlContext& c, const RelationPtr& sequence, Oid type) {
  PgQuery__String name = PG_QUERY__STRING__INIT;
  const TypePtr info = c.catalog.type(type);
  name.sval = const_cast<char*>(info->name.c_str());
  PgQuery__Node part = PG_QUERY__NODE__INIT;
  part.node_case = PG_QUERY__NODE__NODE_STRING;
  part.string = &name;
  PgQuery__Node* parts[] = {&part};
  PgQuery__TypeName type_name = PG_QUERY__TYPE_NAME__INIT;
  type_name.n_names = 1;
  type_name.names = parts;
  type_name.typemod = -1;
  PgQuery__Node argument = PG_QUERY__NODE__INIT;
  argument.node_case = PG_QUERY__NODE__NODE_TYPE_NAME;
  argument.type_name = &type_name;
  PgQuery__DefElem option = PG_QUERY__DEF_ELEM__INIT;
  option.defname = const_cast<char*>("as");
  option.arg = &argument;
  PgQuery__Node element = PG_QUERY__NODE__INIT;
  element.node_case = PG_QUERY__NODE__NODE_DEF_ELEM;
  element.def_elem = &option;
  PgQuery__Node* options[] = {&element};
  return alter_sequence(c, sequence, nodes(1, options));
}

Status execute_alter_sequence(DdlContext& c, const PgQuery__AlterSeqStmt& s) {
  INDIGO_ASSIGN(const RelationPtr sequence,
                open_relation(c, s.sequence, TableLockMode::kShareRowExclusive, s.missing_ok, check_definable));
  if (sequence == nullptr) {
    notice(c, "relation " + quoted(s.sequence->relname) + " does not exist, skipping");
    return {};
  }
  if (sequence->kind != RelationKind::kSequence) {
    return Error(sqlstate::kWrongObjectType, quoted(sequence->name) + " is not a sequence");
  }
  INDIGO_TRY(alter_sequence(c, sequence, nodes(s.n_options, s.options)));
  return {};
}

Status check_not_linked(DdlContext& c, const RelationInfo& sequence, std::string refusal) {
  for (const Dependent& d : references_of(c, {pg_class::kOid, sequence.oid, 0})) {
    if (d.type != 'a' && d.type != 'i') continue;
    return Error(sqlstate::kFeatureNotSupported, std::move(refusal))
        .with_detail("Sequence " + quoted(sequence.name) + " is linked to table " +
                     quoted(current(c, d.address.object)->name) + ".");
  }
  return {};
}

}  // namespace indigo::engine::ddl
