#include "sql/plan/rewrite/search_cycle.h"

#include "sql/analyze/make.h"
#include "sql/plan/rewrite/rewrite.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

constexpr Oid kArrayCat{383}, kInt8Increment{1219}, kRecordEqual{2988}, kRecordEqualFunction{2981};
const TypeRef kRecordType{oid::kRecord, -1, kInvalidOid}, kPathType{oid::kRecordArray, -1, kInvalidOid};

ExprPtr call(Oid function, const TypeRef& type, ExprList arguments) {
  auto e = std::make_shared<CallExpr>();
  e->function = function;
  e->type = type;
  e->arguments = std::move(arguments);
  e->strict = function != kArrayCat;
  return e;
}

// One term of the recursion as a subquery, with what is computed above its columns.
class Term {
 public:
  Term(const CommonTable& item, const Entry& term, int columns) : item_(item), term_(term), columns_(columns) {}

  // `self`: the recursive term's entry that reads the rows so far; -1 in the other term.
  std::shared_ptr<const Query> run(int self, const char* alias) {
    auto below = std::make_shared<Query>(*term_.subquery);
    if (self >= 0) pass_on(*below, self);
    Entry entry;
    entry.kind = EntryKind::kSubquery;
    entry.alias = alias;
    for (const TargetEntry& t : below->targets) {
      if (t.hidden) continue;
      entry.column_names.push_back(t.name);
      entry.column_types.push_back(t.expr->type);
    }
    entry.subquery = raised(std::shared_ptr<const Query>(below), 1);
    out_->from = std::make_shared<JoinNode>();
    std::const_pointer_cast<JoinNode>(out_->from)->entry = 0;
    out_->entries.push_back(std::move(entry));
    for (int i = 0; i < columns_; i++) add(column(i));
    int at = columns_;  // of the columns passed on
    if (item_.search) {
      const ExprPtr before = self >= 0 ? column(at++) : nullptr;
      add(item_.search->breadth ? breadth(before) : longer(before, item_.search->columns));
    }
    if (item_.cycle) {
      const ExprPtr mark = self >= 0 ? column(at++) : nullptr;
      const ExprPtr path = self >= 0 ? column(at++) : nullptr;
      add(path ? marked(path) : item_.cycle->other);
      add(longer(path, item_.cycle->columns));
    }
    return out_;
  }

 private:
  // The added columns of the rows so far come out of the term too; rows that have come round go no further.
  void pass_on(Query& q, int self) const {
    const Entry& rows = q.entries[static_cast<size_t>(self)];
    const int first = static_cast<int>(rows.column_types.size()) - added();
    for (int i = 0; i < added(); i++) {
      const auto c = static_cast<size_t>(first + i);
      TargetEntry t;
      t.expr = make_var(self, first + i, rows.column_types[c]);
      t.name = rows.column_names[c];
      q.targets.push_back(std::move(t));
    }
    if (!item_.cycle) return;
    const ExprPtr mark = make_var(self, first + (item_.search ? 1 : 0), item_.cycle->value->type);
    const ExprPtr goes_on = map_levels(item_.cycle->differs, [&](const ExprPtr& n, int) {
      return n->kind == ExprKind::kVar && as<VarExpr>(*n).levels_up == 0 ? mark : ExprPtr();
    });
    q.where = q.where ? make_and({q.where, goes_on}) : goes_on;
  }

  int added() const { return (item_.search ? 1 : 0) + (item_.cycle ? 2 : 0); }

  ExprPtr column(int i) const { return make_var(0, i, out_->entries[0].column_types[static_cast<size_t>(i)]); }

  void add(ExprPtr e) {
    TargetEntry t;
    t.expr = std::move(e);
    out_->targets.push_back(std::move(t));
  }

  ExprPtr row(const std::vector<int>& columns, const ExprPtr& depth = nullptr) const {
    auto out = std::make_shared<RowExpr>();
    out->type = kRecordType;
    if (depth) {
      out->fields.push_back(depth);
      out->names.emplace_back("*DEPTH*");
    }
    for (const int c : columns) {
      out->fields.push_back(column(c));
      out->names.push_back(out_->entries[0].column_names[static_cast<size_t>(c)]);
    }
    return out;
  }

  // The path to this row.
  ExprPtr longer(const ExprPtr& before, const std::vector<int>& columns) const {
    auto here = std::make_shared<ArrayExpr>();
    here->type = kPathType;
    here->element = kRecordType;
    here->elements.push_back(row(columns));
    return before ? call(kArrayCat, kPathType, {before, here}) : here;
  }

  ExprPtr breadth(const ExprPtr& before) const {
    const TypeRef int8{oid::kInt8, -1, kInvalidOid};
    if (!before) return row(item_.search->columns, make_const(int8, Datum::of(int64_t{0})));
    auto depth = std::make_shared<FieldExpr>();
    depth->type = int8;
    depth->argument = before;
    depth->field = 0;
    return row(item_.search->columns, call(kInt8Increment, int8, {depth}));
  }

  ExprPtr marked(const ExprPtr& path) const {
    auto seen = std::make_shared<ArrayCompareExpr>();
    seen->type = {oid::kBool, -1, kInvalidOid};
    seen->left = row(item_.cycle->columns);
    seen->array = path;
    seen->op = kRecordEqual;
    seen->function = kRecordEqualFunction;
    auto out = std::make_shared<CaseExpr>();
    out->type = item_.cycle->value->type;
    out->whens.push_back({seen, item_.cycle->value});
    out->otherwise = item_.cycle->other;
    return out;
  }

  const CommonTable& item_;
  const Entry& term_;
  int columns_;
  std::shared_ptr<Query> out_ = std::make_shared<Query>();
};

int self_reference(const Query& q) {
  for (size_t i = 0; i < q.entries.size(); i++) {
    if (q.entries[i].kind == EntryKind::kCte && q.entries[i].cte_self_reference) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::shared_ptr<const Query> with_search_and_cycle(const CommonTable& item, const std::shared_ptr<const Query>& query) {
  if (!item.search && !item.cycle) return query;
  auto out = std::make_shared<Query>(*query);
  auto root = std::make_shared<SetNode>(*query->set_operation);
  const auto columns = static_cast<int>(root->types.size());
  for (const bool first : {true, false}) {
    Entry& term = out->entries[static_cast<size_t>((first ? root->left : root->right)->entry)];
    const int self = first ? -1 : self_reference(*term.subquery);
    auto wrapped = Term(item, term, columns).run(self, first ? "*TLOCRN*" : "*TROCRN*");
    term.column_names.clear();
    term.column_types.clear();
    for (const TargetEntry& t : wrapped->targets) {
      term.column_names.push_back(t.name);
      term.column_types.push_back(t.expr->type);
    }
    term.subquery = std::move(wrapped);
  }
  const Entry& leftmost = out->entries[static_cast<size_t>(root->left->entry)];
  for (auto i = static_cast<size_t>(columns); i < leftmost.column_types.size(); i++) {
    root->types.push_back(leftmost.column_types[i]);
    TargetEntry t;
    t.expr = make_var(root->left->entry, static_cast<int>(i), leftmost.column_types[i]);
    out->targets.push_back(std::move(t));
  }
  out->set_operation = std::move(root);
  return out;
}

}  // namespace indigo::sql::planning
