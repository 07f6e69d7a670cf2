// Facts about relations: files, properties of indexes, what may be changed through them.
#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/access_method.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/object_privileges.h"
#include "catalog/row_security.h"
#include "catalog/tables/sequence_table.h"
#include "engine/foreign/session_foreign_host.h"
#include "engine/session/required_privileges.h"
#include "engine/session/sequence_values.h"
#include "engine/session/transaction_block.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/privilege_check.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/change/target_view.h"
#include "storage/durability.h"
#include "storage/table.h"
#include "types/io/record.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

OwnedDatum value_of_oid(Oid oid) { return OwnedDatum(Datum::of_oid(oid)); }
OwnedDatum null_bool() { return null_value(Phys::kBool); }

// The system tables that PostgreSQL finds its files by have no number in pg_class, but their OID's.
Oid filenode_of(const RowReader& row) {
  const char kind = row.chr(pg_class::c_relkind);
  if (kind != 'r' && kind != 'i' && kind != 'S' && kind != 'm' && kind != 't') return kInvalidOid;
  const Oid node = row.oid(pg_class::c_relfilenode);
  return node != kInvalidOid ? node : row.oid(pg_class::c_oid);
}

Result<OwnedDatum> filenode(SessionParts& session, std::span<const Datum> arguments) {
  Oid out = kInvalidOid;
  CatalogRows(session).find(pg_class::kOid, arguments[0].oid(), [&](RowReader row) { out = filenode_of(row); });
  return out == kInvalidOid ? null_value(Phys::kI32) : value_of_oid(out);
}
// Where PostgreSQL's file would be; tables have no files of their own.
Result<OwnedDatum> filepath(SessionParts& session, std::span<const Datum> arguments) {
  Oid node = kInvalidOid;
  bool shared = false;
  CatalogRows(session).find(pg_class::kOid, arguments[0].oid(), [&](RowReader row) {
    node = filenode_of(row);
    shared = row.flag(pg_class::c_relisshared);
  });
  if (node == kInvalidOid) return text_null();
  const std::string directory = shared ? "global" : "base/" + std::to_string(session.session_catalog().database());
  return text_value(directory + "/" + std::to_string(node));
}
Result<OwnedDatum> filenode_relation(SessionParts& session, std::span<const Datum> arguments) {
  constexpr Oid kDefaultTablespace = 1663;
  const Oid tablespace = arguments[0].oid() == kDefaultTablespace ? kInvalidOid : arguments[0].oid();
  Oid out = kInvalidOid;
  if (arguments[1].oid() == kInvalidOid) return null_value(Phys::kI32);
  CatalogRows(session).scan(pg_class::kOid, {}, [&](RowReader row) {
    // A primary key has its table's number: the table is what is asked for.
    if (filenode_of(row) == arguments[1].oid() && row.oid(pg_class::c_reltablespace) == tablespace &&
        (out == kInvalidOid || row.chr(pg_class::c_relkind) != 'i')) {
      out = row.oid(pg_class::c_oid);
    }
    return true;
  });
  return out == kInvalidOid ? null_value(Phys::kI32) : value_of_oid(out);
}

Result<OwnedDatum> is_publishable(SessionParts& session, std::span<const Datum> arguments) {
  std::optional<bool> out;
  CatalogRows(session).find(pg_class::kOid, arguments[0].oid(), [&](RowReader row) {
    out = row.chr(pg_class::c_relkind) == 'r' && row.chr(pg_class::c_relpersistence) == 'p' &&
          row.oid(pg_class::c_oid) >= oid::kFirstUserOid;
  });
  return out ? value_of(*out) : null_bool();
}
// Which changes a relation takes, as bits of PostgreSQL's CmdType (UPDATE 4, INSERT 8, DELETE 16): by its rules, by INSTEAD OF
// triggers where asked, or as an automatically updatable view by what is below it.
class UpdatableRelation {
 public:
  static constexpr int32_t kUpdate = 4, kInsert = 8, kDelete = 16, kAll = kUpdate | kInsert | kDelete;

  UpdatableRelation(SessionParts& session, bool triggers) : session_(session), triggers_(triggers) {}

  // `columns`: numbers of those that are to take values, 0-based; null: any.
  Result<int32_t> changes(const catalog::RelationInfo& relation, const std::vector<int>* columns) {
    INDIGO_TRY(check_stack_depth());
    INDIGO_TRY(catalog::check_reachable(relation));
    if (relation.kind == catalog::RelationKind::kTable || relation.is_partitioned()) return kAll;
    int32_t out = by_rules(relation);
    if (triggers_) out |= by_triggers(relation);
    if (relation.is_foreign()) out |= foreign_changes(session_, relation);
    if (relation.kind == catalog::RelationKind::kView && out != kAll) {
      INDIGO_ASSIGN(const int32_t automatic, as_view(relation, columns));
      out |= automatic;
    }
    return out;
  }

 private:
  static int32_t by_rules(const catalog::RelationInfo& relation) {
    int32_t out = 0;
    if (relation.rules == nullptr) return out;
    for (const catalog::RuleInfo& rule : relation.rules->rules) {
      if (rule.instead && !rule.conditional && rule.event >= '2') out |= 1 << (rule.event - '0');
    }
    return out;
  }

  static int32_t by_triggers(const catalog::RelationInfo& relation) {
    if (relation.triggers == nullptr) return 0;
    const auto takes = [&](int16_t event) {
      return relation.triggers->any(catalog::kTriggerRow, catalog::kTriggerInstead, event);
    };
    return (takes(catalog::kTriggerUpdate) ? kUpdate : 0) | (takes(catalog::kTriggerInsert) ? kInsert : 0) |
           (takes(catalog::kTriggerDelete) ? kDelete : 0);
  }

  Result<int32_t> as_view(const catalog::RelationInfo& view, const std::vector<int>* columns) {
    INDIGO_ASSIGN(const auto query, sql::analyze_view(session_.context(), view));
    if (sql::view_obstacle(*query, false) != nullptr) return 0;
    const auto entry = query->from->entry;
    std::vector<int> below;  // columns of what the view reads
    int number = 0;
    for (const sql::TargetEntry& t : query->targets) {
      if (t.hidden) continue;
      const auto* v = sql::try_as<sql::VarExpr>(t.expr);
      const bool wanted = columns == nullptr || std::find(columns->begin(), columns->end(), number) != columns->end();
      if (wanted && v != nullptr && v->levels_up == 0 && v->entry == entry && v->column >= 0)
        below.push_back(v->column);
      number++;
    }
    const int32_t out = below.empty() ? kDelete : kAll;
    const catalog::RelationInfo& source = *query->entries[static_cast<size_t>(entry)].relation;
    if (source.kind == catalog::RelationKind::kTable || source.is_partitioned()) return out;
    INDIGO_ASSIGN(const int32_t behind, changes(source, &below));
    return out & behind;
  }

  SessionParts& session_;
  bool triggers_;
};

Result<OwnedDatum> is_updatable(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr) return OwnedDatum(Datum::of(int32_t{0}));
  INDIGO_ASSIGN(const int32_t bits, UpdatableRelation(session, arguments[1].b).changes(*relation, nullptr));
  return OwnedDatum(Datum::of(bits));
}
Result<OwnedDatum> column_is_updatable(SessionParts& session, std::span<const Datum> arguments) {
  const int16_t number = arguments[1].i16;
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (number <= 0 || relation == nullptr) return value_of(false);
  const std::vector<int> columns{number - 1};
  constexpr int32_t kBoth = UpdatableRelation::kUpdate | UpdatableRelation::kDelete;
  INDIGO_ASSIGN(const int32_t bits, UpdatableRelation(session, arguments[2].b).changes(*relation, &columns));
  return value_of((bits & kBoth) == kBoth);
}

// ---- properties of methods and their indexes
// Of an index; null if it is none.
const catalog::AccessMethod* method_of(SessionParts& session, Oid oid) {
  Oid method = kInvalidOid;
  if (!CatalogRows(session).find(pg_index::kOid, oid, [](RowReader) {})) return nullptr;
  CatalogRows(session).find(pg_class::kOid, oid, [&](RowReader row) { method = row.oid(pg_class::c_relam); });
  return catalog::access_method(method);
}
Result<OwnedDatum> property_value(catalog::AccessMethod::Property property) {
  return property.known ? value_of(property.value) : null_bool();
}
Result<OwnedDatum> method_property(SessionParts&, std::span<const Datum> arguments) {
  const catalog::AccessMethod* method = catalog::access_method(arguments[0].oid());
  return method == nullptr ? null_bool() : property_value(method->property(types::to_lower(arguments[1].str)));
}
Result<OwnedDatum> index_property(SessionParts& session, std::span<const Datum> arguments) {
  const catalog::AccessMethod* method = method_of(session, arguments[0].oid());
  return method == nullptr ? null_bool() : property_value(method->index_property(types::to_lower(arguments[1].str)));
}
Result<OwnedDatum> index_column_property(SessionParts& session, std::span<const Datum> arguments) {
  std::vector<int16_t> options;
  int16_t columns = 0;
  const bool found = CatalogRows(session).find(pg_index::kOid, arguments[0].oid(), [&](RowReader row) {
    options = read_i16s(row.str(pg_index::c_indoption));
    columns = row.i16(pg_index::c_indnatts);
  });
  const int32_t column = arguments[1].i32;
  if (!found || column < 1 || column > columns) return null_bool();
  const std::string property = types::to_lower(arguments[2].str);
  const bool key = static_cast<size_t>(column) <= options.size();
  const int16_t option = key ? options[static_cast<size_t>(column) - 1] : int16_t{0};
  const bool descending = (option & 1) != 0, nulls_first = (option & 2) != 0;
  const catalog::AccessMethod* method = method_of(session, arguments[0].oid());
  if (method == nullptr) return null_bool();
  if (!method->ordered) {
    for (const char* name : {"asc", "desc", "nulls_first", "nulls_last", "orderable", "distance_orderable",
                             "returnable", "search_array", "search_nulls"}) {
      if (property != name) continue;
      const std::string_view of = method->name;
      const bool spatial = of == "gist" || of == "spgist";
      return value_of((property == "returnable" && spatial) ||
                      (property == "search_nulls" && (spatial || of == "brin")));
    }
    return null_bool();
  }
  if (property == "asc") return key ? value_of(!descending) : null_bool();
  if (property == "desc") return key ? value_of(descending) : null_bool();
  if (property == "nulls_first") return key ? value_of(nulls_first) : null_bool();
  if (property == "nulls_last") return key ? value_of(!nulls_first) : null_bool();
  if (property == "orderable") return value_of(key);
  if (property == "distance_orderable") return value_of(false);
  if (property == "returnable") return value_of(true);
  if (property == "search_array" || property == "search_nulls") return key ? value_of(true) : null_bool();
  return null_bool();
}

Result<OwnedDatum> sequence_last_value(SessionParts& session, std::span<const Datum> arguments) {
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  const auto* table = relation == nullptr ? nullptr : dynamic_cast<SequenceTable*>(relation->table.get());
  if (table == nullptr) {
    return Error(
        sqlstate::kWrongObjectType,
        "\"" + (relation == nullptr ? std::to_string(arguments[0].oid()) : relation->name) + "\" is not a sequence");
  }
  const uint32_t held =
      catalog::object_privileges(session.session_catalog(), catalog::kRelationAcl, arguments[0].oid(), session.user());
  if ((held & (types::kPrivilegeSelect | types::kPrivilegeUsage)) == 0) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for sequence " + relation->name);
  }
  Lsn needed;
  const auto state = table->sequence()->state(&needed);
  if (session.block().transaction() != nullptr) storage::need_durable(*session.block().transaction(), needed);
  return state.is_called ? value_of(state.last_value) : null_value(Phys::kI64);
}

Result<OwnedDatum> sequence_parameters(SessionParts& session, std::span<const Datum> arguments) {
  constexpr uint32_t kAny = types::kPrivilegeSelect | types::kPrivilegeUpdate | types::kPrivilegeUsage;
  const auto relation = session.session_catalog().relation(arguments[0].oid());
  if (relation == nullptr) {
    return Error(sqlstate::kUndefinedTable,
                 "relation with OID " + std::to_string(arguments[0].oid()) + " does not exist");
  }
  INDIGO_TRY(check_sequence_privilege(session.session_catalog(), relation->oid, relation->name, kAny));
  const TypeRef number{oid::kInt8, -1, kInvalidOid};
  const TypeRef types[] = {
      number, number, number, number, {oid::kBool, -1, kInvalidOid}, number, {oid::kOid, -1, kInvalidOid}};
  std::string record;
  CatalogRows(session).find(pg_sequence::kOid, arguments[0].oid(), [&](RowReader row) {
    const Datum values[] = {row.datum(pg_sequence::c_seqstart), row.datum(pg_sequence::c_seqmin),
                            row.datum(pg_sequence::c_seqmax),   row.datum(pg_sequence::c_seqincrement),
                            row.datum(pg_sequence::c_seqcycle), row.datum(pg_sequence::c_seqcache),
                            row.datum(pg_sequence::c_seqtypid)};
    record = types::make_record(oid::kRecord, types, values);
  });
  if (record.empty()) {
    return Error(sqlstate::kInternalError, "cache lookup failed for sequence " + std::to_string(arguments[0].oid()));
  }
  return text_value(record);
}

Result<OwnedDatum> row_security(SessionParts& session, std::span<const Datum> arguments) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto relation = catalog.relation(arguments[0].oid());
  return value_of(relation != nullptr &&
                  catalog::row_security_of(catalog, *relation, session.user()) == catalog::RowSecurity::kActive);
}

Result<OwnedDatum> row_security_by_name(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid oid, find_object(session, kTableClass, arguments[0].str));
  const Datum argument[] = {Datum::of_oid(oid)};
  return row_security(session, argument);
}

// What an identity column's default comes to; SQL has no name for it.
Result<OwnedDatum> next_identity(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const int64_t value, session.sequences().next_identity(arguments[0].oid()));
  return value_of(value);
}

// What the building of an index does; only trees tell.
Result<OwnedDatum> build_step(SessionParts&, std::span<const Datum> arguments) {
  constexpr std::string_view kSteps[] = {"initializing", "scanning table", "sorting live tuples", "sorting dead tuples",
                                         "loading tuples in tree"};
  const catalog::AccessMethod* method = catalog::access_method(arguments[0].oid());
  const int64_t step = arguments[1].i64;
  if (method == nullptr || !method->ordered || step < 1 || step > static_cast<int64_t>(std::size(kSteps)))
    return null_value(Phys::kStr);
  return OwnedDatum(text_datum(kSteps[step - 1]));
}

constexpr SystemValue kRelationsValues[] = {
    {"next_identity", next_identity},
    {"pg_relation_filenode", filenode},
    {"pg_relation_filepath", filepath},
    {"pg_filenode_relation", filenode_relation},
    {"pg_relation_is_publishable", is_publishable},
    {"pg_relation_is_updatable", is_updatable},
    {"pg_column_is_updatable", column_is_updatable},
    {"pg_indexam_has_property", method_property},
    {"pg_indexam_progress_phasename", build_step},
    {"pg_index_has_property", index_property},
    {"pg_index_column_has_property", index_column_property},
    {"pg_sequence_last_value", sequence_last_value},
    {"pg_sequence_parameters", sequence_parameters},
    {"row_security_active", row_security},
    {"row_security_active_name", row_security_by_name},
};

}  // namespace

std::span<const SystemValue> relation_values() { return kRelationsValues; }

}  // namespace indigo::engine
