#include "tests/unit/engine/exec_fixture.h"

#include <algorithm>

#include "sql/analyze/analyzer.h"
#include "storage/table.h"
#include "storage/table_options.h"

namespace indigo::engine {
namespace {

class TestExtractor final : public storage::KeyExtractor {
 public:
  TestExtractor(types::RowLayout layout, std::vector<size_t> columns, types::KeyLayout key)
      : layout_(std::move(layout)), columns_(std::move(columns)), key_(std::move(key)) {}
  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    key.clear();
    has_null = false;
    for (size_t i = 0; i < columns_.size(); i++) {
      Datum d = layout_.column(row, columns_[i]);
      has_null |= d.null;
      key_.append_column(i, d, key);
    }
    return Outcome::kKey;
  }

 private:
  types::RowLayout layout_;
  std::vector<size_t> columns_;
  types::KeyLayout key_;
};

types::TypeRef ref(Oid type) { return {type, -1, kInvalidOid}; }

template <class T>
std::shared_ptr<T> typed(Oid type) {
  auto e = std::make_shared<T>();
  e->type = ref(type);
  return e;
}
sql::ExprPtr constant(Oid type, const Datum& d) {
  auto e = typed<sql::ConstExpr>(type);
  e->value = OwnedDatum(d);
  return e;
}

}  // namespace

ExecTest::RelationPtr ExecTest::table(const std::string& name, const std::vector<TestColumn>& columns,
                                      std::vector<std::string> key) {
  auto r = std::make_shared<catalog::RelationInfo>();
  r->oid = next_oid_++;
  r->name = name;
  r->schema = oid::kPublicSchema;
  r->schema_name = "public";
  std::vector<Phys> phys;
  for (const TestColumn& c : columns) {
    types::ColumnInfo info;
    info.name = c.name;
    info.number = static_cast<int16_t>(r->columns.size() + 1);
    info.type = ref(c.type);
    info.not_null = c.not_null || std::find(key.begin(), key.end(), c.name) != key.end();
    r->columns.push_back(info);
    phys.push_back(types::physical_of(c.type));
  }
  r->layout = types::RowLayout(phys);
  std::vector<types::KeyColumn> key_columns;
  catalog::IndexInfo primary;
  for (const std::string& k : key) {
    for (const types::ColumnInfo& c : r->columns) {
      if (c.name != k) continue;
      r->key_columns.push_back(c.number);
      key_columns.push_back({c.type.oid, types::physical_of(c.type.oid), kInvalidOid, false, false, false});
      catalog::IndexColumn ic;
      ic.column = c.number;
      ic.type = c.type;
      primary.columns.push_back(ic);
    }
  }
  if (!key.empty()) {
    r->key = types::KeyLayout(key_columns);
    primary.oid = next_oid_++;
    primary.name = name + "_pkey";
    primary.unique = primary.primary = primary.constraint = true;
    primary.key = r->key;
    r->indexes.push_back(primary);
  }
  r->table = store_->create_table({});
  session_.catalog_.relations[r->oid] = r;
  return r;
}

void ExecTest::index(const RelationPtr& r, const std::string& name, const std::vector<std::string>& columns,
                     bool unique) {
  catalog::IndexInfo info;
  info.oid = next_oid_++;
  info.name = name;
  info.unique = unique;
  info.storage = IndexId(store_->next_id().value);
  std::vector<types::KeyColumn> key;
  std::vector<size_t> at;
  for (const std::string& n : columns) {
    for (size_t c = 0; c < r->columns.size(); c++) {
      if (r->columns[c].name != n) continue;
      catalog::IndexColumn ic;
      ic.column = r->columns[c].number;
      ic.type = r->columns[c].type;
      info.columns.push_back(ic);
      key.push_back({ic.type.oid, types::physical_of(ic.type.oid), kInvalidOid, false, false, true});
      at.push_back(c);
    }
  }
  info.key = types::KeyLayout(key);
  storage::Duplicate duplicate;
  auto status = r->table->create_index(*main_, info.storage, {unique, false},
                                       std::make_shared<TestExtractor>(r->layout, at, info.key), &duplicate);
  ASSERT_EQ(status, storage::StorageStatus::kOk);
  r->indexes.push_back(info);
}

void ExecTest::foreign_key(const RelationPtr& child, const std::string& name, std::vector<int16_t> columns,
                           const RelationPtr& parent, std::vector<int16_t> foreign, char on_delete, char on_update) {
  catalog::ConstraintInfo c;
  c.name = name;
  c.kind = 'f';
  c.columns = std::move(columns);
  c.foreign_relation = parent->oid;
  c.foreign_columns = std::move(foreign);
  c.on_delete = on_delete;
  c.on_update = on_update;
  child->constraints.push_back(c);
  parent->referenced_by.push_back(c);
  parent->referencing_relations.push_back(child->oid);
}

void ExecTest::fill(const RelationPtr& r, const std::vector<std::vector<std::string>>& rows) {
  std::vector<Oid> types;
  for (const auto& c : r->columns) types.push_back(c.type.oid);
  Arena arena;
  types::FuncContext functions(session_);
  functions.set_arena(&arena);
  std::vector<sql::ExprList> lists;
  for (const auto& row : rows) {
    sql::ExprList list;
    for (size_t c = 0; c < types.size(); c++) {
      if (row[c] == "null") {
        list.push_back(null(types[c]));
      } else {
        list.push_back(constant(types[c], types::type_input(functions, ref(types[c]), row[c])));
      }
    }
    lists.push_back(list);
  }
  std::string result = run(insert(r, values(types, lists)), sql::CommandKind::kInsert);
  ASSERT_EQ(result, "");
}

sql::ExprPtr ExecTest::col(int column, Oid type, int input) {
  auto e = typed<sql::ColumnExpr>(type);
  e->column = column;
  e->input = input;
  return e;
}
sql::ExprPtr ExecTest::i4(int32_t v) { return constant(oid::kInt4, Datum::of(v)); }
sql::ExprPtr ExecTest::i8(int64_t v) { return constant(oid::kInt8, Datum::of(v)); }
sql::ExprPtr ExecTest::text(const std::string& v) { return constant(oid::kText, Datum::of(Str(v))); }
sql::ExprPtr ExecTest::boolean(bool v) { return constant(oid::kBool, Datum::of(v)); }
sql::ExprPtr ExecTest::null(Oid type) { return constant(type, Datum::make_null(types::physical_of(type))); }
sql::ExprPtr ExecTest::slot(int s, Oid type) {
  auto e = typed<sql::RuntimeParamExpr>(type);
  e->slot = s;
  return e;
}
sql::ExprPtr ExecTest::param(int i, Oid type) {
  auto e = typed<sql::ParamExpr>(type);
  e->index = i;
  return e;
}
sql::ExprPtr ExecTest::op(const std::string& name, sql::ExprPtr a, sql::ExprPtr b) {
  for (const types::OperatorInfo* o : session_.catalog_.operators_named("", name)) {
    if (o->left != a->type.oid || o->right != b->type.oid) continue;
    auto e = typed<sql::CallExpr>(o->result);
    e->function = o->function;
    e->op = o->oid;
    e->form = sql::CallExpr::Form::kOperator;
    e->arguments = {std::move(a), std::move(b)};
    return e;
  }
  ADD_FAILURE() << "no operator " << name;
  return nullptr;
}
sql::ExprPtr ExecTest::call(Oid function, sql::ExprList arguments) {
  auto info = session_.catalog_.function(function);
  auto e = typed<sql::CallExpr>(info->result);
  e->function = function;
  e->strict = info->strict;
  e->returns_set = info->returns_set;
  e->volatility = info->volatility;
  e->arguments = std::move(arguments);
  return e;
}
sql::ExprPtr ExecTest::all(sql::ExprList arguments) {
  auto e = typed<sql::BoolExpr>(oid::kBool);
  e->arguments = std::move(arguments);
  return e;
}
sql::ExprPtr ExecTest::any(sql::ExprList arguments) {
  auto e = typed<sql::BoolExpr>(oid::kBool);
  e->op = sql::BoolExpr::Op::kOr;
  e->arguments = std::move(arguments);
  return e;
}
std::shared_ptr<sql::AggregateExpr> ExecTest::aggregate(Oid function, Oid result, sql::ExprList arguments) {
  auto e = typed<sql::AggregateExpr>(result);
  e->function = function;
  e->star = arguments.empty();
  e->arguments = std::move(arguments);
  return e;
}

std::vector<sql::PlanColumn> ExecTest::columns_of(const sql::ExprList& list) {
  std::vector<sql::PlanColumn> columns;
  for (const auto& e : list) columns.push_back({"c", e->type});
  return columns;
}
std::vector<sql::PlanColumn> ExecTest::joined(const sql::PlanPtr& a, const sql::PlanPtr& b) {
  auto columns = a->columns;
  columns.insert(columns.end(), b->columns.begin(), b->columns.end());
  return columns;
}

std::shared_ptr<sql::TableScanPlan> ExecTest::scan(const RelationPtr& r, std::vector<int> columns) {
  auto p = std::make_shared<sql::TableScanPlan>();
  p->relation = r;
  for (int c : columns) {
    Oid type = c >= 0 ? r->columns[static_cast<size_t>(c)].type.oid : c == sql::kRowKeyColumn ? oid::kBytea : oid::kOid;
    p->columns.push_back({c >= 0 ? r->columns[static_cast<size_t>(c)].name : "key", ref(type)});
  }
  p->scan_columns = std::move(columns);
  return p;
}
std::shared_ptr<sql::ValuesPlan> ExecTest::values(const std::vector<Oid>& types, std::vector<sql::ExprList> rows) {
  auto p = std::make_shared<sql::ValuesPlan>();
  for (Oid t : types) p->columns.push_back({"c", ref(t)});
  p->rows_of = std::move(rows);
  return p;
}
std::shared_ptr<sql::ProjectPlan> ExecTest::project(sql::PlanPtr input, sql::ExprList list) {
  auto p = std::make_shared<sql::ProjectPlan>();
  p->inputs = {std::move(input)};
  p->columns = columns_of(list);
  p->projection = std::move(list);
  return p;
}
std::shared_ptr<sql::FilterPlan> ExecTest::filter(sql::PlanPtr input, sql::ExprPtr condition) {
  auto p = std::make_shared<sql::FilterPlan>();
  p->columns = input->columns;
  p->inputs = {std::move(input)};
  p->condition = std::move(condition);
  return p;
}
std::shared_ptr<sql::LimitPlan> ExecTest::limit(sql::PlanPtr input, int64_t n, int64_t offset) {
  auto p = std::make_shared<sql::LimitPlan>();
  p->columns = input->columns;
  p->inputs = {std::move(input)};
  p->limit = i8(n);
  if (offset != 0) p->offset = i8(offset);
  return p;
}
std::shared_ptr<sql::SortPlan> ExecTest::sort(sql::PlanPtr input, std::vector<sql::SortKey> keys) {
  auto p = std::make_shared<sql::SortPlan>();
  p->columns = input->columns;
  p->inputs = {std::move(input)};
  p->keys = std::move(keys);
  return p;
}
std::shared_ptr<sql::InsertPlan> ExecTest::insert(const RelationPtr& r, sql::PlanPtr source) {
  auto p = std::make_shared<sql::InsertPlan>();
  p->relation = r;
  for (size_t c = 0; c < source->columns.size(); c++) {
    p->assignments.push_back({static_cast<int>(c), col(static_cast<int>(c), source->columns[c].type.oid)});
  }
  p->inputs = {std::move(source)};
  return p;
}

std::shared_ptr<sql::PlannedStatement> ExecTest::statement(sql::PlanPtr root, sql::CommandKind command) {
  auto s = std::make_shared<sql::PlannedStatement>();
  s->command = command;
  for (const auto& c : root->columns) {
    sql::TargetEntry t;
    t.name = c.name;
    s->targets.push_back(t);
  }
  s->root = std::move(root);
  return s;
}

std::string ExecTest::run(sql::PlanPtr root, sql::CommandKind command) {
  return run(statement(std::move(root), command));
}

std::string ExecTest::run(const std::shared_ptr<sql::PlannedStatement>& s, storage::Transaction* txn) {
  auto execution = Execution::create(s);
  return run(*execution, *s, txn != nullptr ? *txn : *main_);
}

std::string ExecTest::run(Execution& execution, const sql::PlannedStatement& s, storage::Transaction& txn,
                          uint32_t max_rows) {
  txn.next_command();
  txn.take_statement_snapshot();
  ExecutionContext context{*store_, txn, txn.view(), session_, parameters_, work_memory_};
  std::string out;
  auto fail = [&](const Error& e) {
    detail_ = e.detail;
    out += "ERROR " + std::string(e.state.text()) + ": " + e.message;
    return out;
  };
  Status opened = execution.open(context);
  if (!opened.ok()) return fail(opened.error());
  Arena arena;
  types::FuncContext functions(session_);
  functions.set_arena(&arena);
  while (true) {
    auto chunk = execution.next(max_rows);
    if (!chunk.ok()) {
      fail(chunk.error());
      break;
    }
    if (*chunk == nullptr) break;
    EXPECT_GT((*chunk)->rows(), 0u);
    EXPECT_LE((*chunk)->rows(), max_rows > 0 ? max_rows : kChunkRows);
    for (uint32_t i = 0; i < (*chunk)->rows(); i++) {
      uint32_t r = (*chunk)->selection[i];
      for (size_t c = 0; c < (*chunk)->columns.size(); c++) {
        if (c > 0) out += '|';
        const Vector& v = (*chunk)->columns[c];
        if (v.is_null(r)) {
          out += "null";
        } else {
          types::type_output(functions, s.root->columns[c].type, v.datum(r), out);
        }
      }
      out += '\n';
    }
  }
  affected_ = execution.affected_rows();
  execution.close();
  return out;
}

std::string ExecTest::contents(const RelationPtr& r) {
  std::vector<int> columns;
  for (size_t c = 0; c < r->columns.size(); c++) columns.push_back(static_cast<int>(c));
  return run(scan(r, columns));
}

void ExecTest::commit() {
  ASSERT_EQ(store_->commit(*main_), storage::StorageStatus::kOk);
  main_ = store_->begin(storage::Isolation::kReadCommitted, 1);
  main_->take_statement_snapshot();
}

}  // namespace indigo::engine
