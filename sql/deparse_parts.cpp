// Assignments to parts of columns (SET a[1] = ..., c.x = ...): a kept change has the column's whole new value, whose parts are
// told apart again here.
#include "sql/analyze/make.h"
#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

const ExprPtr& without_casts(const ExprPtr& e) {
  if (const auto* domain = try_as<DomainCastExpr>(e)) return without_casts(domain->argument);
  if (const auto* relabel = try_as<RelabelExpr>(e)) return without_casts(relabel->argument);
  return e;
}

bool is_null(const ExprPtr& e) {
  const auto* c = try_as<ConstExpr>(e);
  return c != nullptr && c->value.get().null;
}

// A part of a null, as those of a new row are before.
bool of_null(const ExprPtr& e) {
  const ExprPtr& inner = without_casts(e);
  if (const auto* field = try_as<FieldExpr>(inner)) return of_null(field->argument);
  if (const auto* s = try_as<SubscriptExpr>(inner)) return of_null(s->container);
  return is_null(inner);
}

bool is_part(const ExprPtr& e) {
  const auto* s = try_as<SubscriptExpr>(without_casts(e));
  return s != nullptr && s->assign != nullptr;
}

// The fields that a row differs in from `old`; none when it is a row of its own.
std::vector<size_t> assigned_fields(const RowExpr& row, const ExprPtr& old) {
  std::vector<size_t> out;
  bool parts = false;
  for (size_t i = 0; i < row.fields.size(); i++) {
    const auto* field = try_as<FieldExpr>(row.fields[i]);
    const bool kept = is_null(row.fields[i]) ||
                      (field != nullptr && field->field == static_cast<int>(i) &&
                       (of_null(field->argument) || equal(without_casts(field->argument), without_casts(old))));
    parts = parts || kept || is_part(row.fields[i]);
    if (!kept) out.push_back(i);
  }
  if (!parts || row.names.size() < row.fields.size()) out.clear();
  return out;
}

// The element before, as what is deeper in it was read.
ExprPtr element_of(const SubscriptExpr& e) {
  auto out = std::make_shared<SubscriptExpr>(e);
  out->assign = nullptr;
  out->type = e.element;
  return out;
}

}  // namespace

std::string QueryDeparser::subscripts(const SubscriptExpr& e) const {
  std::string out;
  for (const SubscriptExpr::Index& index : e.indexes) {
    out += "[";
    if (index.slice) out += (index.lower ? value(index.lower) : "") + ":";
    out += (index.upper ? value(index.upper) : "") + "]";
  }
  return out;
}

void QueryDeparser::parts_of(const ExprPtr& e, const ExprPtr& old, const std::string& path,
                             std::vector<AssignedPart>& out) const {
  const ExprPtr& inner = without_casts(e);
  if (const auto* s = try_as<SubscriptExpr>(inner); s != nullptr && s->assign != nullptr) {
    const auto* before = try_as<SubscriptExpr>(without_casts(s->container));
    if (before != nullptr && before->assign != nullptr) parts_of(s->container, old, path, out);
    return parts_of(s->assign, element_of(*s), path + subscripts(*s), out);
  }
  if (const auto* row = try_as<RowExpr>(inner)) {
    const std::vector<size_t> fields = assigned_fields(*row, old);
    for (const size_t i : fields) {
      const auto before = std::make_shared<FieldExpr>();
      before->argument = old;
      before->field = static_cast<int>(i);
      before->type = row->fields[i]->type;
      parts_of(row->fields[i], before, path + "." + types::quote_identifier(row->names[i]), out);
    }
    if (!fields.empty()) return;
  }
  out.push_back({path, path.ends_with("]") ? inner : e});
}

std::vector<QueryDeparser::AssignedPart> QueryDeparser::parts_of(const Query& q, int column, const ExprPtr& e) const {
  std::vector<AssignedPart> out;
  parts_of(e, make_var(0, column, q.entries[0].column_types[static_cast<size_t>(column)]), target_column(q, column),
           out);
  return out;
}

}  // namespace indigo::sql
