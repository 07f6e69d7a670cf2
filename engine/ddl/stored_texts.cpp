#include "engine/ddl/stored_texts.h"

#include <algorithm>
#include <set>

#include "engine/ddl/expression.h"
#include "engine/ddl/rows.h"
#include "sql/analyze/analyzer.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"

namespace indigo::engine::ddl {

namespace {

struct StoredText {
  Oid table = kInvalidOid;  // the system table
  Oid key = kInvalidOid;
  int column = -1;
  bool query = false;
};

// Where the dependent object keeps its texts.
std::vector<StoredText> texts_of(DdlContext& c, const Address& object) {
  switch (object.class_id) {
    case pg_attrdef::kOid: return {{pg_attrdef::kOid, object.object, pg_attrdef::c_adbin, false}};
    case pg_rewrite::kOid: return {{pg_rewrite::kOid, object.object, pg_rewrite::c_ev_action, true}};
    case pg_constraint::kOid: return {{pg_constraint::kOid, object.object, pg_constraint::c_conbin, false}};
    case pg_type::kOid:
      return {{pg_type::kOid, object.object, pg_type::c_typdefaultbin, false},
              {pg_type::kOid, object.object, pg_type::c_typdefault, false}};
    case pg_class::kOid: break;
    default: return {};
  }
  if (object.sub == 0) {
    return {{pg_index::kOid, object.object, pg_index::c_indexprs, false},
            {pg_index::kOid, object.object, pg_index::c_indpred, false}};
  }
  std::vector<StoredText> out;  // of a generated column
  table(c, pg_attrdef::kOid)
      .scan_index(c.txn, system_index::kAttrdefColumn,
                  {Datum::of_oid(object.object), Datum::of(static_cast<int16_t>(object.sub))}, [&](RowReader row) {
                    out.push_back({pg_attrdef::kOid, row.oid(pg_attrdef::c_oid), pg_attrdef::c_adbin, false});
                    return true;
                  });
  return out;
}

// Whose descriptor holds the text.
std::vector<Oid> owners(const StoredText& text, RowReader row) {
  switch (text.table) {
    case pg_attrdef::kOid: return {row.oid(pg_attrdef::c_adrelid)};
    case pg_rewrite::kOid: return {row.oid(pg_rewrite::c_ev_class)};
    case pg_constraint::kOid: return {row.oid(pg_constraint::c_conrelid), row.oid(pg_constraint::c_contypid)};
    case pg_index::kOid: return {row.oid(pg_index::c_indrelid), text.key};
    default: return {text.key};
  }
}

}  // namespace

Status edit_dependent_texts(DdlContext& c, const Address& referenced, const TextEdit& edit) {
  std::set<Address> seen;
  for (const Dependent& d : dependents_of(c, referenced)) {
    if (!seen.insert(d.address).second) continue;
    for (const StoredText& text : texts_of(c, d.address)) {
      std::string image;
      const SystemTable& t = table(c, text.table);
      if (!t.find_oid(c.txn, text.key, image) || t.reader(image).is_null(text.column)) continue;
      const std::string before(t.reader(image).str(text.column));
      std::vector<Oid> touched = owners(text, t.reader(image));
      INDIGO_ASSIGN(const std::string after, edit(before, text.query));
      if (after == before) continue;
      INDIGO_TRY(
          update_row(c, text.table, {Datum::of_oid(text.key)}, [&](RowValues& v) { v.str(text.column, after); }));
      std::erase(touched, kInvalidOid);
      c.catalog.changed(std::move(touched));
    }
  }
  return {};
}

Status rename_type_in_dependents(DdlContext& c, Oid type, std::string_view new_schema, std::string_view new_name) {
  const auto info = c.catalog.type(type);
  if (info == nullptr) return {};
  const std::string schema = c.catalog.schema_name(info->schema), name = info->name;
  const auto edit = [&](std::string_view text, bool query) {
    return rename_type_in(text, query, schema, name, new_schema, new_name);
  };
  INDIGO_TRY(edit_dependent_texts(c, {pg_type::kOid, type, 0}, edit));
  return info->array == kInvalidOid ? Status() : edit_dependent_texts(c, {pg_type::kOid, info->array, 0}, edit);
}

namespace {

// Where a query names one column of one relation.
class ColumnPlaces {
 public:
  ColumnPlaces(Oid relation, int column) : relation_(relation), column_(column) {}

  void visit(const std::shared_ptr<const sql::Query>& q) {
    if (q == nullptr || !seen_.insert(q.get()).second) return;
    std::vector<std::shared_ptr<const sql::Query>> inner;
    enclosing_.push_back(q.get());
    sql::visit_query(*q, [&](const sql::Expr& e, int depth) {
      if (e.kind == sql::ExprKind::kSubLink && depth == 0) inner.push_back(sql::as<sql::SubLinkExpr>(e).query);
      if (e.kind == sql::ExprKind::kVar && depth == 0) see(sql::as<sql::VarExpr>(e));
      return true;
    });
    for (const sql::Entry& entry : q->entries) {
      if (entry.relation == nullptr && entry.subquery != nullptr) visit(entry.subquery);
    }
    for (const sql::CommonTable& table : q->ctes) visit(table.query);
    for (const auto& query : inner) visit(query);
    enclosing_.pop_back();
  }

  const std::set<int>& locations() const { return locations_; }

 private:
  void see(const sql::VarExpr& v) {
    const auto up = static_cast<size_t>(v.levels_up);
    if (up >= enclosing_.size() || v.column != column_ || v.entry < 0) return;
    const sql::Query& owner = *enclosing_[enclosing_.size() - 1 - up];
    if (static_cast<size_t>(v.entry) >= owner.entries.size()) return;
    const auto& relation = owner.entries[static_cast<size_t>(v.entry)].relation;
    if (relation != nullptr && relation->oid == relation_) locations_.insert(v.location);
  }

  Oid relation_;
  int column_;
  std::vector<const sql::Query*> enclosing_;
  std::set<const sql::Query*> seen_;
  std::set<int> locations_;
};

bool joins_by_name(const PgQuery__Node* node, std::string_view column) {
  bool found = false;
  sql::walk_tree(&node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__join_expr__descriptor) {
      const auto* join = reinterpret_cast<const PgQuery__JoinExpr*>(m);
      found |= join->is_natural != 0;
      for (const PgQuery__Node* name : nodes(join->n_using_clause, join->using_clause)) {
        found |= string_of(name) == column;
      }
    }
    return !found;
  });
  return found;
}

// ORDER BY, GROUP BY and DISTINCT ON may repeat an item of the select list: what they name is known from there only.
void add_repeated(const PgQuery__Node* node, std::string_view column, std::set<int>& locations) {
  const auto text_of = [&](const PgQuery__Node* n) -> std::string {
    if (!is(n, PG_QUERY__NODE__NODE_COLUMN_REF)) return {};
    const NodeList fields = nodes(n->column_ref->n_fields, n->column_ref->fields);
    if (fields.size() < 2 || string_of(fields.back()) != column) return {};
    return sql::name_list_text(fields);
  };
  sql::walk_tree(&node->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor != &pg_query__select_stmt__descriptor) return true;
    const auto* s = reinterpret_cast<const PgQuery__SelectStmt*>(m);
    std::set<std::string> renamed;
    for (const PgQuery__Node* target : nodes(s->n_target_list, s->target_list)) {
      const PgQuery__Node* value = target->res_target->val;
      const std::string text = text_of(value);
      if (!text.empty() && locations.contains(value->column_ref->location)) renamed.insert(text);
    }
    const auto repeat = [&](const PgQuery__Node* item) {
      if (renamed.contains(text_of(item))) locations.insert(item->column_ref->location);
    };
    for (const PgQuery__Node* item : nodes(s->n_sort_clause, s->sort_clause)) repeat(item->sort_by->node);
    for (const PgQuery__Node* item : nodes(s->n_group_clause, s->group_clause)) repeat(item);
    for (const PgQuery__Node* item : nodes(s->n_distinct_clause, s->distinct_clause)) {
      if (item != nullptr) repeat(item);
    }
    return true;
  });
}

}  // namespace

Result<std::string> rename_column_in_query(DdlContext& c, std::string_view text, Oid relation, int16_t number,
                                           std::string_view from, std::string_view to) {
  const std::string statement(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  const PgQuery__Node* node = parsed->statements().front().node;
  if (joins_by_name(node, from)) {
    return Error(sqlstate::kFeatureNotSupported, "renaming a column that a view joins by name is not supported");
  }
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed,
                sql::analyze(c.host.session(), {node, statement, {}, false, {}, false}));
  ColumnPlaces places(relation, number - 1);
  places.visit(analyzed.query);
  std::set<int> locations = places.locations();
  add_repeated(node, from, locations);
  return rename_columns_at(statement, *node, locations, from, to);
}

}  // namespace indigo::engine::ddl
