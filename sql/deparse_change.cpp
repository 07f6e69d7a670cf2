// INSERT, UPDATE, DELETE, MERGE as they are kept: the target is entry 0, nothing is filled in.
#include <algorithm>
#include <map>
#include <set>

#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

const char* overriding(Overriding what) {
  return what == Overriding::kUserValue     ? "OVERRIDING USER VALUE "
         : what == Overriding::kSystemValue ? "OVERRIDING SYSTEM VALUE "
                                            : "";
}

// SET (a, b) = (SELECT ...): the field of the subquery's row that a value is.
const FieldExpr* assigned_together(const ExprPtr& e) {
  if (const auto* field = try_as<FieldExpr>(e)) {
    const auto* link = try_as<SubLinkExpr>(field->argument);
    return link != nullptr && link->form == SubLinkExpr::Form::kMultiAssign ? field : nullptr;
  }
  const auto* call = try_as<CallExpr>(e);
  if (call != nullptr && call->form != CallExpr::Form::kImplicitCast) return nullptr;
  if (call != nullptr) return assigned_together(call->arguments[0]);
  const auto* io = try_as<IoCastExpr>(e);
  const auto* array = try_as<ArrayCastExpr>(e);
  const auto* domain = try_as<DomainCastExpr>(e);
  const auto* relabel = try_as<RelabelExpr>(e);
  return io != nullptr        ? assigned_together(io->argument)
         : array != nullptr   ? assigned_together(array->argument)
         : domain != nullptr  ? assigned_together(domain->argument)
         : relabel != nullptr ? assigned_together(relabel->argument)
                              : nullptr;
}

// The column of INSERT's source that a value is, converted perhaps.
const VarExpr* source_column(const ExprPtr& e) {
  if (const auto* v = try_as<VarExpr>(e)) return v;
  const VarExpr* found = nullptr;
  for_each_child(*e, [&](const ExprPtr& child) { found = found != nullptr ? found : source_column(child); });
  return found;
}

}  // namespace

std::string QueryDeparser::change(const Query& q, int level, bool show_names) const {
  if (q.target != 0 || q.instead_event != 0) return fail();
  std::string out = q.command == CommandKind::kInsert   ? insert(q, level)
                    : q.command == CommandKind::kUpdate ? update(q, level)
                    : q.command == CommandKind::kMerge  ? merge(q, level)
                                                        : deletion(q, level);
  for (size_t i = 0; i < q.returning.size(); i++) {
    const TargetEntry& t = q.returning[i];
    out += i == 0 ? line(level, 2) + "RETURNING " : "," + line(level, 4);
    out += item(t.expr, true);
    if (own_name(q, *t.expr, show_names) != t.name) out += " AS " + types::quote_identifier(t.name);
  }
  return out;
}

std::string QueryDeparser::target(const Query& q, bool as) const {
  const Entry& e = q.entries[0];
  const auto found = catalog_.find_relation("", e.relation->name);
  std::string out = e.only && q.command != CommandKind::kInsert ? "ONLY " : "";
  if (found == nullptr || found->oid != e.relation->oid) out += types::quote_identifier(e.relation->schema_name) + ".";
  out += types::quote_identifier(e.relation->name);
  if (e.alias_written || entry_name(e) != e.relation->name)
    out += (as ? " AS " : " ") + types::quote_identifier(entry_name(e));
  return out;
}

std::string QueryDeparser::target_column(const Query& q, int column) {
  return types::quote_identifier(q.entries[0].relation->columns[static_cast<size_t>(column)].name);
}

std::string QueryDeparser::insert_list(const std::vector<AssignedPart>& parts, bool by_source, bool several,
                                       std::string& values) const {
  std::vector<std::pair<int, const AssignedPart*>> ordered;
  for (const AssignedPart& part : parts) {
    const VarExpr* v = by_source && several ? source_column(part.value) : nullptr;
    if (by_source && several && v == nullptr) return fail();
    ordered.emplace_back(v != nullptr ? v->column : 0, &part);
  }
  // The parts of one column stand together, their values where the source has them.
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [at, part] : ordered) {
    out += (out.empty() ? "(" : ", ") + part->target;
    if (!by_source) values += (values.empty() ? "" : ", ") + assigned(part->value);
  }
  return out.empty() ? out : out + ") ";
}

std::string QueryDeparser::insert(const Query& q, int level) const {
  const Entry* source = q.from == nullptr ? nullptr : &q.entries[static_cast<size_t>(q.from->entry)];
  const bool rows = source != nullptr && source->kind == EntryKind::kValues;
  std::vector<AssignedPart> parts;
  for (size_t i = 0; i < q.targets.size(); i++) {
    const ExprPtr& value = rows ? cell(*source, 0, q.targets[i].expr) : q.targets[i].expr;
    for (AssignedPart& part : parts_of(q, q.insert_columns[i], value)) parts.push_back(std::move(part));
  }
  std::string out = " INSERT INTO " + target(q, true) + " ", values;
  out += insert_list(parts, source != nullptr && !rows, parts.size() > q.targets.size(), values);
  out += overriding(q.overriding);
  if (q.targets.empty()) {
    out += "DEFAULT VALUES";
  } else if (source == nullptr) {
    out.pop_back();
    out += line(level, 2) + "VALUES (" + values + ")";
  } else if (rows) {
    out += "VALUES " + inserted_rows(q, *source, parts);
  } else {
    out += text(*source->subquery, {}, level + 1, false);
  }
  if (q.on_conflict) out += on_conflict(q, level);
  return out;
}

const ExprPtr& QueryDeparser::cell(const Entry& rows, size_t row, const ExprPtr& target) {
  const VarExpr* v = source_column(target);
  return v == nullptr ? target : rows.values[row][static_cast<size_t>(v->column)];
}

std::string QueryDeparser::inserted_rows(const Query& q, const Entry& rows,
                                         const std::vector<AssignedPart>& first) const {
  std::string out;
  for (size_t r = 0; r < rows.values.size(); r++) {
    std::string line;
    size_t at = 0;
    for (size_t i = 0; i < q.targets.size(); i++) {
      for (const AssignedPart& part : parts_of(q, q.insert_columns[i], cell(rows, r, q.targets[i].expr))) {
        if (at >= first.size() || first[at++].target != part.target) return fail();
        line += (line.empty() ? "" : ",") + assigned(part.value);
      }
    }
    out += (out.empty() ? "(" : ", (") + line + ")";
  }
  return out;
}

std::string QueryDeparser::on_conflict(const Query& q, int level) const {
  const OnConflict& c = *q.on_conflict;
  std::string out = " ON CONFLICT";
  for (const catalog::IndexInfo& index : q.entries[0].relation->indexes) {
    if (c.arbiters.empty() || index.oid != c.arbiters[0]) continue;
    std::string columns;
    for (const catalog::IndexColumn& k : index.columns) {
      if (k.column == 0) return fail();
      columns += (columns.empty() ? "" : ", ") + target_column(q, k.column - 1);
    }
    if (!index.predicate.empty()) return fail();
    out += "(" + columns + ")";
  }
  if (!c.update) return out + " DO NOTHING";
  out += " DO UPDATE SET " + set_list(q, c.assignments);
  if (c.where != nullptr) out += joined(line(level, 2) + "WHERE ", value(c.where));
  return out;
}

std::string QueryDeparser::set_list(const Query& q, const std::vector<Assignment>& list) const {
  std::vector<AssignedPart> parts;
  for (const Assignment& a : list) {
    for (AssignedPart& part : parts_of(q, a.column, a.value)) parts.push_back(std::move(part));
  }
  std::string out;
  std::set<const Expr*> printed;
  for (const AssignedPart& part : parts) {
    const FieldExpr* of_row = assigned_together(part.value);
    if (of_row != nullptr && !printed.insert(of_row->argument.get()).second) continue;
    if (!out.empty()) out += ", ";
    out += of_row != nullptr ? set_together(parts, of_row->argument) : part.target + " = " + assigned(part.value);
  }
  return out;
}

std::string QueryDeparser::set_together(const std::vector<AssignedPart>& parts, const ExprPtr& link) const {
  std::map<int, std::string> targets;
  for (const AssignedPart& part : parts) {
    const FieldExpr* field = assigned_together(part.value);
    if (field != nullptr && field->argument == link) targets[field->field] = part.target;
  }
  std::string out;
  for (const auto& [number, target] : targets) out += (out.empty() ? "(" : ", ") + target;
  return out + ") = (" + text(*as<SubLinkExpr>(*link).query, {}, level(), false) + ")";
}

std::string QueryDeparser::sources(const Query& q, const char* word, int level) const {
  const JoinNodePtr rest = without_target(q.from);
  return rest == nullptr ? "" : line(level, 3) + word + from_list(q, *rest, level);
}

JoinNodePtr QueryDeparser::without_target(const JoinNodePtr& n) {
  if (n->leaf) return n->entry == 0 ? nullptr : n;
  const JoinNodePtr left = without_target(n->left);
  if (left == n->left) return n;
  if (left == nullptr) return n->right;
  auto copy = std::make_shared<JoinNode>(*n);
  copy->left = left;
  return copy;
}

std::string QueryDeparser::update(const Query& q, int level) const {
  return " UPDATE " + target(q, false) + " SET " + set_list(q, q.assignments) + sources(q, "FROM ", level) +
         condition(q, level);
}

std::string QueryDeparser::deletion(const Query& q, int level) const {
  return " DELETE FROM " + target(q, false) + sources(q, "USING ", level) + condition(q, level);
}

std::string QueryDeparser::condition(const Query& q, int level) const {
  return q.where == nullptr ? "" : joined(line(level, 2) + "WHERE ", value(q.where));
}

std::string QueryDeparser::merge(const Query& q, int level) const {
  std::string out = " MERGE INTO " + target(q, false) + sources(q, "USING ", level);
  if (q.from->condition != nullptr) out += joined(line(level, 3) + "ON ", value(q.from->condition));
  for (const MergeAction& action : q.merge_actions) {
    out += line(level, 3) + (action.match == MergeAction::Match::kMatched ? "WHEN MATCHED" : "WHEN NOT MATCHED");
    if (action.condition != nullptr) out += joined(line(level, 4) + "AND ", value(action.condition));
    out += line(level, 4) + "THEN ";
    switch (action.command) {
      case CommandKind::kInsert: out += merge_insert(q, action, level); break;
      case CommandKind::kUpdate: out += "UPDATE SET " + set_list(q, action.assignments); break;
      case CommandKind::kDelete: out += "DELETE"; break;
      default: out += "DO NOTHING"; break;
    }
  }
  return out;
}

std::string QueryDeparser::merge_insert(const Query& q, const MergeAction& action, int level) const {
  std::vector<AssignedPart> parts;
  for (size_t i = 0; i < action.named; i++) {
    const Assignment& a = action.assignments[i];
    for (AssignedPart& part : parts_of(q, a.column, a.value)) parts.push_back(std::move(part));
  }
  std::string values;
  const std::string columns = insert_list(parts, false, false, values);
  std::string out = "INSERT " + columns + overriding(action.overriding);
  if (columns.empty()) return out + "DEFAULT VALUES";
  out.pop_back();
  return out + line(level, 5) + "VALUES (" + values + ")";
}
}  // namespace indigo::sql
