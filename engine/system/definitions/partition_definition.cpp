// Partitions as system functions show them: keys, constraints, trees.
#include "engine/row_sink.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/definitions/expression_text.h"
#include "engine/system/definitions/opclass_text.h"
#include "sql/deparse.h"
#include "sql/partition/constraint_text.h"
#include "storage/table.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

Result<OwnedDatum> partition_key_text(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || relation->partition_key == nullptr) return text_null();
  const PartitionKey& key = *relation->partition_key;
  std::string out = key.strategy == 'r' ? "RANGE (" : key.strategy == 'l' ? "LIST (" : "HASH (";
  for (size_t i = 0; i < key.columns.size(); i++) {
    const PartitionKeyColumn& k = key.columns[i];
    if (i > 0) out += ", ";
    Oid natural = kInvalidOid;
    if (k.column > 0) {
      const ColumnInfo& column = relation->columns[static_cast<size_t>(k.column) - 1];
      out += types::quote_identifier(column.name);
      natural = column.type.collation;
    } else {
      out += key_expression_text(session, k.expression, relation, false);
      if (const auto type = session.session_catalog().type(k.type.oid)) natural = type->collation;
    }
    if (k.type.collation != kInvalidOid && k.type.collation != natural) {
      out += " COLLATE " + sql::deparse_collation(session.session_catalog(), k.type.collation, false);
    }
    out += opclass_suffix(session, k.opclass, k.type.oid);
  }
  return text_value(out + ")");
}

Result<OwnedDatum> partition_constraint_text(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr || !relation->is_partition) return text_null();
  if (relation->table == nullptr && !relation->is_partitioned() && !relation->is_foreign()) return text_null();
  INDIGO_ASSIGN(const std::string condition, sql::partition::partition_condition(session.context(), *relation));
  if (condition.empty()) return text_null();
  return text_value(expression_text(session, condition, relation, false));
}

// The relation, or the partitioned index, and what it is a partition of, up to the root.
std::vector<Oid> ancestors(SessionParts& session, Oid oid) {
  std::vector<Oid> out;
  for (auto at = session.session_catalog().relation(oid); at != nullptr && out.size() < 100;) {
    if (!at->is_partition && !at->is_partitioned() && at->kind != RelationKind::kPartitionedIndex) break;
    out.push_back(at->oid);
    if (!at->is_partition || at->is_detaching || at->parents.empty()) break;
    at = session.session_catalog().relation(at->parents[0]);
  }
  return out;
}

Result<OwnedDatum> partition_root(SessionParts& session, std::span<const Datum> arguments) {
  const std::vector<Oid> all = ancestors(session, arguments[0].oid());
  return all.empty() ? null_value(Phys::kI32) : OwnedDatum(Datum::of_oid(all.back()));
}

Status partition_ancestors(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  for (const Oid oid : ancestors(session, arguments[0].oid())) sink(std::vector<Datum>{Datum::of_oid(oid)});
  return {};
}

Status partition_tree(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  const Oid root = arguments[0].oid();
  if (ancestors(session, root).empty()) return {};
  struct Node {
    Oid oid, parent;
    int32_t level;
  };
  std::vector<Node> all{{root, kInvalidOid, 0}};
  for (size_t i = 0; i < all.size(); i++) {
    const Node node = all[i];
    const auto r = session.session_catalog().relation(node.oid);
    if (r == nullptr) continue;
    const bool leaf = !r->is_partitioned() && r->kind != RelationKind::kPartitionedIndex;
    Oid parent = node.parent;
    if (i == 0 && r->is_partition && !r->is_detaching && !r->parents.empty()) parent = r->parents[0];
    sink(std::vector<Datum>{Datum::of_oid(node.oid),
                            parent == kInvalidOid ? Datum::make_null(Phys::kI32) : Datum::of_oid(parent),
                            Datum::of(leaf), Datum::of(node.level)});
    for (const Oid child : r->children) all.push_back({child, node.oid, node.level + 1});
  }
  return {};
}

constexpr SystemValue kPartitionDefinitionValues[] = {{"pg_get_partkeydef", partition_key_text},
                                                      {"pg_get_partition_constraintdef", partition_constraint_text},
                                                      {"pg_partition_root", partition_root}};
constexpr SystemRows kPartitionDefinitionRows[] = {{"pg_partition_ancestors", partition_ancestors},
                                                   {"pg_partition_tree", partition_tree}};

}  // namespace

std::span<const SystemValue> partition_definition_values() { return kPartitionDefinitionValues; }
std::span<const SystemRows> partition_definition_rows() { return kPartitionDefinitionRows; }

}  // namespace indigo::engine
