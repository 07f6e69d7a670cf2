// CREATE INDEX and the constraints of a table, as statements.
#include "catalog/descriptor/exclusion_info.h"
#include "engine/system/definitions/expression_text.h"
#include "engine/system/definitions/opclass_text.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/deparse.h"
#include "storage/table.h"
#include "types/builtin/builtins.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
using RelationPtr = std::shared_ptr<const RelationInfo>;

std::string column_name(const RelationInfo& table, int16_t number) {
  if (number < 1 || static_cast<size_t>(number) > table.columns.size()) return "?";
  return types::quote_identifier(table.columns[static_cast<size_t>(number) - 1].name);
}
std::string column_list(const RelationInfo& table, std::span<const int16_t> numbers) {
  std::string out;
  for (const int16_t n : numbers) out.append(out.empty() ? "" : ", ").append(column_name(table, n));
  return out;
}

std::string key_text(SessionParts& session, const RelationPtr& table, const IndexColumn& column, bool pretty) {
  if (column.column != 0) return column_name(*table, column.column);
  return key_expression_text(session, column.expression, table, pretty);
}

// As the definition has it: a descriptor has C where the operator class orders by bytes.
Oid collation_of_key(SessionParts& session, const IndexInfo& index, size_t at) {
  Oid out = index.columns[at].type.collation;
  if (out != oid::kCCollation) return out;
  CatalogRows(session).find(pg_index::kOid, index.oid, [&](RowReader row) {
    const auto collations = read_oids(row.str(pg_index::c_indcollation));
    if (at < collations.size()) out = collations[at];
  });
  return out;
}

std::string key_with_options(SessionParts& session, const RelationPtr& table, const IndexInfo& index, size_t at,
                             bool pretty) {
  const IndexColumn& column = index.columns[at];
  std::string out = key_text(session, table, column, pretty);
  Oid natural = kInvalidOid;
  if (column.column > 0 && static_cast<size_t>(column.column) <= table->columns.size()) {
    natural = table->columns[static_cast<size_t>(column.column) - 1].type.collation;
  } else if (const auto expression =
                 sql::analyze_to_print(session.context(), column.expression, table, {kInvalidOid, -1, kInvalidOid});
             expression.ok()) {
    natural = (*expression)->type.collation;
  }
  const Oid collation = collation_of_key(session, index, at);
  if (collation != kInvalidOid && collation != natural) {
    out += " COLLATE " + sql::deparse_collation(session.session_catalog(), collation, false);
  }
  out += opclass_suffix(session, index.oid, static_cast<int16_t>(at + 1), column.opclass, column.type.oid);
  if (column.descending) {
    out += " DESC";
    if (!column.nulls_first) out += " NULLS LAST";
  } else if (column.nulls_first) {
    out += " NULLS FIRST";
  }
  return out;
}

std::string table_name(SessionParts& session, const RelationInfo& table, bool qualified) {
  NameContext names(session);
  return qualified ? types::qualified_relation_name(names.context, table.oid)
                   : types::relation_name(names.context, table.oid);
}

const IndexInfo* index_of(const RelationInfo& table, Oid index) {
  for (const IndexInfo& i : table.indexes)
    if (i.oid == index) return &i;
  return nullptr;
}
// The table of an index; null when there is no such index.
RelationPtr table_of(SessionParts& session, Oid index) {
  Oid table = kInvalidOid;
  CatalogRows(session).find(pg_index::kOid, index, [&](RowReader row) { table = row.oid(pg_index::c_indrelid); });
  return table == kInvalidOid ? nullptr : session.session_catalog().relation(table);
}

// Built-in indexes have no descriptor: from pg_index alone.
std::optional<IndexInfo> built_in_index(SessionParts& session, Oid index, const RelationInfo& table) {
  IndexInfo out;
  CatalogRows rows(session);
  if (!rows.find(pg_class::kOid, index, [&](RowReader row) { out.name = row.str(pg_class::c_relname); }))
    return std::nullopt;
  rows.find(pg_index::kOid, index, [&](RowReader row) {
    out.unique = row.flag(pg_index::c_indisunique);
    const auto keys = read_i16s(row.str(pg_index::c_indkey));
    const auto classes = read_oids(row.str(pg_index::c_indclass));
    const auto collations = read_oids(row.str(pg_index::c_indcollation));
    for (size_t i = 0; i < keys.size(); i++) {
      IndexColumn c;
      c.column = keys[i];
      if (keys[i] > 0 && static_cast<size_t>(keys[i]) <= table.columns.size())
        c.type = table.columns[static_cast<size_t>(keys[i]) - 1].type;
      if (i < classes.size()) c.opclass = classes[i];
      if (i < collations.size()) c.type.collation = collations[i];
      out.columns.push_back(std::move(c));
    }
  });
  return out;
}

// fillfactor='70' and the like, as WITH (...) takes them.
std::string storage_options(SessionParts& session, Oid index) {
  std::string out;
  CatalogRows(session).find(pg_class::kOid, index, [&](RowReader row) {
    if (row.is_null(pg_class::c_reloptions)) return;
    out = option_list(read_texts(row.str(pg_class::c_reloptions)));
  });
  return out;
}

Result<OwnedDatum> index_definition(SessionParts& session, Oid oid, int32_t column, bool pretty) {
  const RelationPtr table = table_of(session, oid);
  if (table == nullptr) return text_null();
  std::optional<IndexInfo> built_in;
  const IndexInfo* index = index_of(*table, oid);
  if (index == nullptr) {
    built_in = built_in_index(session, oid, *table);
    if (!built_in) return text_null();
    index = &*built_in;
  }
  if (column != 0) {
    const auto key_count = static_cast<int32_t>(index->columns.size());
    if (column >= 1 && column <= key_count)
      return text_value(key_text(session, table, index->columns[static_cast<size_t>(column) - 1], pretty));
    if (column > key_count && column <= key_count + static_cast<int32_t>(index->included.size()))
      return text_value(column_name(*table, index->included[static_cast<size_t>(column - key_count) - 1]));
    return text_value("");
  }
  std::string out = index->unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
  out += types::quote_identifier(index->name) + (table->is_partitioned() ? " ON ONLY " : " ON ") +
         table_name(session, *table, !pretty) + " USING " + (index->method.empty() ? "btree" : index->method) + " (";
  for (size_t i = 0; i < index->columns.size(); i++)
    out += (i == 0 ? "" : ", ") + key_with_options(session, table, *index, i, pretty);
  out += ")";
  if (!index->included.empty()) out += " INCLUDE (" + column_list(*table, index->included) + ")";
  if (index->nulls_not_distinct) out += " NULLS NOT DISTINCT";
  if (const std::string options = storage_options(session, oid); !options.empty()) out += " WITH (" + options + ")";
  if (!index->predicate.empty()) out += " WHERE " + expression_text(session, index->predicate, table, pretty);
  return text_value(out);
}

Result<OwnedDatum> get_index(SessionParts& session, std::span<const Datum> arguments) {
  return index_definition(session, arguments[0].oid(), 0, false);
}
Result<OwnedDatum> get_index_extended(SessionParts& session, std::span<const Datum> arguments) {
  return index_definition(session, arguments[0].oid(), arguments[1].i32, arguments[2].b);
}

// ---- constraints
const char* action_text(char action) {
  switch (action) {
    case 'r': return "RESTRICT";
    case 'c': return "CASCADE";
    case 'n': return "SET NULL";
    case 'd': return "SET DEFAULT";
    default: return nullptr;
  }
}

std::string foreign_key_text(SessionParts& session, const RelationInfo& table, const ConstraintInfo& c) {
  std::string out = "FOREIGN KEY (" + column_list(table, c.columns) + ") REFERENCES ";
  if (const auto target = session.session_catalog().relation(c.foreign_relation))
    out += table_name(session, *target, false) + "(" + column_list(*target, c.foreign_columns) + ")";
  if (c.match == 'f') out += " MATCH FULL";
  if (const char* action = action_text(c.on_update)) out.append(" ON UPDATE ").append(action);
  if (const char* action = action_text(c.on_delete)) out.append(" ON DELETE ").append(action);
  if (!c.delete_set_columns.empty()) out += " (" + column_list(table, c.delete_set_columns) + ")";
  return out;
}

std::string exclusion_constraint_text(SessionParts& session, const RelationPtr& table, const ConstraintInfo& c,
                                      bool pretty) {
  const IndexInfo* index = index_of(*table, c.index);
  if (index == nullptr) return "";
  std::string out = "EXCLUDE USING " + index->method + " (";
  const std::vector<Oid> operators = exclusion_operators(c);
  for (size_t i = 0; i < index->columns.size(); i++) {
    out += (i == 0 ? "" : ", ") + key_with_options(session, table, *index, i, pretty) + " WITH ";
    const auto* op = i < operators.size() ? session.session_catalog().operator_by_oid(operators[i]) : nullptr;
    if (op == nullptr) continue;
    const auto* seen = sql::find_operator_quietly(session.session_catalog(), "", op->name, op->left, op->right);
    out += seen == op ? op->name
                      : "OPERATOR(" + types::quote_identifier(session.session_catalog().schema_name(op->schema)) + "." +
                            op->name + ")";
  }
  out += ")";
  if (!index->included.empty()) out += " INCLUDE (" + column_list(*table, index->included) + ")";
  if (const std::string options = storage_options(session, c.index); !options.empty()) out += " WITH (" + options + ")";
  if (!index->predicate.empty()) out += " WHERE (" + expression_text(session, index->predicate, table, pretty) + ")";
  return out;
}

std::string constraint_text(SessionParts& session, const RelationPtr& table, const ConstraintInfo& c, bool pretty,
                            bool only_here) {
  std::string out;
  switch (c.kind) {
    case 'c':
      out = "CHECK (" + expression_text(session, c.expression, table, pretty) + ")";
      if (only_here) out += " NO INHERIT";
      break;
    case 'f': out = foreign_key_text(session, *table, c); break;
    case 'x': out = exclusion_constraint_text(session, table, c, pretty); break;
    default: {
      out = c.kind == 'p' ? "PRIMARY KEY (" : "UNIQUE ";
      const IndexInfo* index = index_of(*table, c.index);
      if (c.kind == 'u') out += index != nullptr && index->nulls_not_distinct ? "NULLS NOT DISTINCT (" : "(";
      out += column_list(*table, c.columns) + ")";
      if (index != nullptr && !index->included.empty())
        out += " INCLUDE (" + column_list(*table, index->included) + ")";
    }
  }
  if (c.deferrable) out += " DEFERRABLE";
  if (c.deferred) out += " INITIALLY DEFERRED";
  if (!c.validated) out += " NOT VALID";
  return out;
}

Result<OwnedDatum> get_constraint(SessionParts& session, std::span<const Datum> arguments) {
  const bool pretty = arguments.size() > 1 && arguments[1].b;
  Oid relation = kInvalidOid, domain = kInvalidOid;
  std::string check;
  bool validated = true, only_here = false;
  if (!CatalogRows(session).find(pg_constraint::kOid, arguments[0].oid(), [&](RowReader row) {
        relation = row.oid(pg_constraint::c_conrelid);
        domain = row.oid(pg_constraint::c_contypid);
        check = row.str(pg_constraint::c_conbin);
        validated = row.flag(pg_constraint::c_convalidated);
        only_here = row.chr(pg_constraint::c_contype) == 'c' && row.flag(pg_constraint::c_connoinherit);
      }))
    return text_null();
  if (relation == kInvalidOid)  // a domain's
    return text_value("CHECK (" + domain_check_text(session, check, domain, pretty) + ")" +
                      (validated ? "" : " NOT VALID"));
  const auto table = session.session_catalog().relation(relation);
  if (table == nullptr) return text_null();
  for (const ConstraintInfo& c : table->constraints)
    if (c.oid == arguments[0].oid()) return text_value(constraint_text(session, table, c, pretty, only_here));
  return text_null();
}

constexpr SystemValue kIndexDefinitionValues[] = {
    {"pg_get_indexdef", get_index},
    {"pg_get_indexdef_ext", get_index_extended},
    {"pg_get_constraintdef", get_constraint},
    {"pg_get_constraintdef_ext", get_constraint},
};

}  // namespace

std::span<const SystemValue> index_definition_values() { return kIndexDefinitionValues; }

}  // namespace indigo::engine
