#include "engine/ddl/partition/bound_spec.h"

#include <algorithm>

#include "engine/ddl/expression.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "sql/partition/constraint_text.h"
#include "sql/partition/partition_map.h"
#include "sql/stored/print.h"
#include "types/function/registry.h"

namespace indigo::engine::ddl {

namespace {

using sql::partition::Bound;
using sql::partition::BoundValue;
using sql::partition::PartitionMap;

Error invalid(DdlContext& c, std::string message, int location) {
  return Error(sqlstate::kInvalidTableDefinition, std::move(message)).at(position(c, location));
}

class Reader {
 public:
  Reader(DdlContext& c, const RelationInfo& parent, const PgQuery__PartitionBoundSpec& spec)
      : c_(c), parent_(parent), key_(*parent.partition_key), spec_(spec), context_(c.host.session()) {
    context_.set_arena(&arena_);
  }

  Result<Bound> read() {
    Bound out;
    if (spec_.is_default) {
      if (key_.strategy == 'h') return invalid(c_, "a hash-partitioned table may not have a default partition", -1);
      return out;
    }
    out.strategy = key_.strategy;
    const char given = spec_.strategy[0];
    if (given != key_.strategy) {
      const std::string kind = key_.strategy == 'h' ? "hash" : key_.strategy == 'l' ? "list" : "range";
      return invalid(c_, "invalid bound specification for a " + kind + " partition", spec_.location);
    }
    if (given == 'h') return hash(std::move(out));
    if (given == 'l') return list(std::move(out));
    return range(std::move(out));
  }

 private:
  Result<Bound> hash(Bound out) {
    out.modulus = spec_.modulus;
    out.remainder = spec_.remainder;
    if (out.modulus <= 0)
      return invalid(c_, "modulus for hash partition must be an integer value greater than zero", -1);
    if (out.remainder < 0)
      return invalid(c_, "remainder for hash partition must be an integer value greater than or equal to zero", -1);
    if (out.remainder >= out.modulus) return invalid(c_, "remainder for hash partition must be less than modulus", -1);
    return out;
  }

  Result<Bound> list(Bound out) {
    for (const PgQuery__Node* node : nodes(spec_.n_listdatums, spec_.listdatums)) {
      INDIGO_ASSIGN(BoundValue v, value(node, 0));
      // A value that is named twice counts once.
      const bool known = std::any_of(out.lower.begin(), out.lower.end(), [&](const BoundValue& o) {
        if (o.kind != v.kind) return false;
        if (v.kind == BoundValue::Kind::kNull) return true;
        std::string a, b;
        key_.layout.append_column(0, o.value.get(), a);
        key_.layout.append_column(0, v.value.get(), b);
        return a == b;
      });
      if (!known) out.lower.push_back(std::move(v));
    }
    return out;
  }

  Result<Bound> range(Bound out) {
    if (spec_.n_lowerdatums != key_.columns.size())
      return invalid(c_, "FROM must specify exactly one value per partitioning column", -1);
    if (spec_.n_upperdatums != key_.columns.size())
      return invalid(c_, "TO must specify exactly one value per partitioning column", -1);
    INDIGO_ASSIGN(out.lower, points(nodes(spec_.n_lowerdatums, spec_.lowerdatums)));
    INDIGO_ASSIGN(out.upper, points(nodes(spec_.n_upperdatums, spec_.upperdatums)));
    return out;
  }

  Result<std::vector<BoundValue>> points(NodeList list) {
    std::vector<BoundValue> out;
    for (const PgQuery__Node* node : list) {
      BoundValue v;
      std::string_view word;
      if (is(node, PG_QUERY__NODE__NODE_COLUMN_REF) && node->column_ref->n_fields == 1 &&
          is(node->column_ref->fields[0], PG_QUERY__NODE__NODE_STRING)) {
        word = string_of(node->column_ref->fields[0]);
      }
      if (word == "minvalue") {
        v.kind = BoundValue::Kind::kMin;
      } else if (word == "maxvalue") {
        v.kind = BoundValue::Kind::kMax;
      } else {
        INDIGO_ASSIGN(v, value(node, out.size()));
        if (v.kind == BoundValue::Kind::kNull)
          return Error(sqlstate::kInvalidObjectDefinition, "cannot specify NULL in range bound");
      }
      if (!out.empty() && out.back().kind != BoundValue::Kind::kValue && out.back().kind != v.kind) {
        const std::string end = out.back().kind == BoundValue::Kind::kMin ? "MINVALUE" : "MAXVALUE";
        return Error(sqlstate::kDatatypeMismatch, "every bound following " + end + " must also be " + end)
            .at(position(c_, sql::location_of(node)));
      }
      out.push_back(std::move(v));
    }
    return out;
  }

  std::string column_name(size_t i) const {
    const catalog::PartitionKeyColumn& k = key_.columns[i];
    return k.column > 0 ? parent_.columns[static_cast<size_t>(k.column) - 1].name
                        : sql::print_stored(c_.host.session(), k.expression, parent_);
  }

  Result<BoundValue> value(const PgQuery__Node* node, size_t column) {
    BoundValue out;
    TypeRef type = key_.columns[column].type;
    if (is(node, PG_QUERY__NODE__NODE_A_CONST)) {
      const PgQuery__AConst& constant = *node->a_const;
      if (constant.isnull) {
        out.kind = BoundValue::Kind::kNull;
        return out;
      }
      // The common case: a string or an integer, read by the type itself.
      std::string text;
      if (constant.val_case == PG_QUERY__A__CONST__VAL_SVAL) text = constant.sval->sval;
      const bool whole = type.oid == oid::kInt4 || type.oid == oid::kInt8 || type.oid == oid::kInt2;
      if (whole && constant.val_case == PG_QUERY__A__CONST__VAL_IVAL) text = std::to_string(constant.ival->ival);
      if (constant.val_case == PG_QUERY__A__CONST__VAL_SVAL || !text.empty()) {
        const Datum d = types::type_input(context_, type, text);
        if (context_.failed()) return Error(std::move(*context_.take_error())).at(position(c_, constant.location));
        out.value = OwnedDatum(d);
        return out;
      }
    }
    type.typmod = -1;
    auto stored = store_expression(c_, node, ExpressionUse::kPartitionBound, nullptr, type);
    if (!stored.ok()) {
      auto error = stored.take_error();
      if (error->state != sqlstate::kDatatypeMismatch) return Error(std::move(*error));
      return Error(sqlstate::kDatatypeMismatch, "specified value cannot be cast to type " + type_text(c_, type) +
                                                    " for column " + quoted(column_name(column)))
          .at(position(c_, sql::location_of(node)));
    }
    std::optional<OwnedDatum> found;
    INDIGO_ASSIGN(const std::string text, expression_text(c_, stored->tree, nullptr));
    const std::string query = "SELECT (" + text + ")::" + type_text(c_, key_.columns[column].type);
    INDIGO_TRY(c_.host.run_query(query, [&](const ResultShape&, const Chunk& chunk) -> Status {
      if (chunk.rows() > 0) found = OwnedDatum(chunk.columns[0].datum(chunk.selection[0]));
      return {};
    }));
    if (!found || found->get().null) {
      out.kind = BoundValue::Kind::kNull;
    } else {
      out.value = *std::move(found);
    }
    return out;
  }

  DdlContext& c_;
  const RelationInfo& parent_;
  const catalog::PartitionKey& key_;
  const PgQuery__PartitionBoundSpec& spec_;
  Arena arena_;
  types::FuncContext context_;
};

std::string points_text(types::FuncContext& context, const catalog::PartitionKey& key,
                        const std::vector<BoundValue>& values) {
  std::string out;
  for (size_t i = 0; i < values.size(); i++) {
    if (i > 0) out += ", ";
    out += sql::partition::bound_value_text(context, key.columns[i].type, values[i]);
  }
  return "(" + out + ")";
}

// A modulus divides the next larger one, so that every larger one is divided by all smaller.
Status check_modulus(DdlContext& c, const RelationInfo& parent, const PartitionMap& map, const Bound& bound) {
  int below = -1, above = -1;
  for (size_t i = 0; i < parent.children.size(); i++) {
    const int32_t m = map.bound(static_cast<int>(i)).modulus;
    const int32_t r = map.bound(static_cast<int>(i)).remainder;
    const auto later = [&](int other) {
      const Bound& o = map.bound(other);
      return m > o.modulus || (m == o.modulus && r > o.remainder);
    };
    if (m < bound.modulus && (below < 0 || later(below))) below = static_cast<int>(i);
    if (m > bound.modulus && (above < 0 || !later(above))) above = static_cast<int>(i);
  }
  const auto refuse = [&](int other, std::string_view relation) {
    const RelationPtr r = current(c, parent.children[static_cast<size_t>(other)]);
    return Error(sqlstate::kInvalidObjectDefinition,
                 "every hash partition modulus must be a factor of the next larger modulus")
        .with_detail("The new modulus " + std::to_string(bound.modulus) + " is not " + std::string(relation) + " " +
                     std::to_string(map.bound(other).modulus) + ", the modulus of existing partition " +
                     quoted(r->name) + ".");
  };
  if (below >= 0 && bound.modulus % map.bound(below).modulus != 0) return refuse(below, "divisible by");
  if (above >= 0 && map.bound(above).modulus % bound.modulus != 0) return refuse(above, "a factor of");
  return {};
}

}  // namespace

Result<Bound> read_bound_spec(DdlContext& c, const RelationInfo& parent, const PgQuery__PartitionBoundSpec& spec) {
  return Reader(c, parent, spec).read();
}

Status check_default_partition(DdlContext& c, const RelationPtr& parent, const Bound& bound) {
  INDIGO_ASSIGN(const auto map, PartitionMap::of(c.host.session(), *parent));
  if (map->default_partition() < 0 || bound.strategy == 'd') return {};
  const Oid oid = parent->children[static_cast<size_t>(map->default_partition())];
  INDIGO_TRY(lock_object(c, oid, TableLockMode::kAccessExclusive));
  INDIGO_ASSIGN(const std::string condition, sql::partition::bound_condition(c.host.session(), *parent, bound));
  INDIGO_ASSIGN(const std::vector<Oid> all, with_descendants(c, oid, TableLockMode::kAccessExclusive));
  for (const Oid below : all) {
    const RelationPtr leaf = current(c, below);
    if (leaf->is_partitioned()) continue;
    if (leaf->is_foreign()) {
      warning(c, sqlstate::kCheckViolation,
              "skipped scanning foreign table " + quoted(leaf->name) + " which is a partition of default partition " +
                  quoted(current(c, oid)->name));
      continue;
    }
    bool found = false;
    const std::string query = "SELECT 1 FROM " + qualified(*leaf) + " WHERE " + condition + " LIMIT 1";
    INDIGO_TRY(c.host.run_query(query, [&](const ResultShape&, const Chunk& chunk) -> Status {
      found |= chunk.rows() > 0;
      return {};
    }));
    if (!found) continue;
    Error error(sqlstate::kCheckViolation, "updated partition constraint for default partition " + quoted(leaf->name) +
                                               " would be violated by some row");
    error.schema = leaf->schema_name;
    error.table = leaf->name;
    return error;
  }
  return {};
}

Status check_new_bound(DdlContext& c, const RelationInfo& parent, std::string_view name, const Bound& bound,
                       const PgQuery__PartitionBoundSpec& spec) {
  INDIGO_ASSIGN(const auto map, PartitionMap::of(c.host.session(), parent));
  if (bound.strategy == 'r') {
    const auto low = map->point(bound.lower), high = map->point(bound.upper);
    if (low.compare(high.key, high.end) >= 0) {
      types::FuncContext context(c.host.session());
      Arena arena;
      context.set_arena(&arena);
      return Error(sqlstate::kInvalidObjectDefinition, "empty range bound specified for partition " + quoted(name))
          .with_detail("Specified lower bound " + points_text(context, *parent.partition_key, bound.lower) +
                       " is greater than or equal to upper bound " +
                       points_text(context, *parent.partition_key, bound.upper) + ".")
          .at(position(c, spec.n_lowerdatums > 0 ? sql::location_of(spec.lowerdatums[0]) : spec.location));
    }
  }
  if (bound.strategy == 'h') INDIGO_TRY(check_modulus(c, parent, *map, bound));
  size_t at = 0;
  const int other = map->overlapping(bound, at);
  if (other < 0) return {};
  const RelationPtr r = current(c, parent.children[static_cast<size_t>(other)]);
  if (bound.strategy == 'd') {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "partition " + quoted(name) + " conflicts with existing default partition " + quoted(r->name))
        .at(position(c, spec.location));
  }
  int location = spec.location;
  if (bound.strategy == 'l' && at < spec.n_listdatums) location = sql::location_of(spec.listdatums[at]);
  if (bound.strategy == 'r') {
    const bool upper = at == 1;
    if (upper ? spec.n_upperdatums > 0 : spec.n_lowerdatums > 0)
      location = sql::location_of(upper ? spec.upperdatums[0] : spec.lowerdatums[0]);
  }
  return Error(sqlstate::kInvalidObjectDefinition,
               "partition " + quoted(name) + " would overlap partition " + quoted(r->name))
      .at(position(c, location));
}

}  // namespace indigo::engine::ddl
