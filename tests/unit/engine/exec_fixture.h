// Runs hand-made plans over a real store: tables without a catalog, a session without settings, expressions by operator
// name. Results as text, one line a row, fields joined by '|'.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/descriptor/session_context.h"
#include "engine/exec/execution.h"
#include "sql/plan.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "types/builtin/builtins.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::engine {

namespace oid = indigo::oid;

// Types, functions and operators are PostgreSQL's built-in ones; relations are those a test has made.
class TestCatalog final : public catalog::CatalogView {
 public:
  types::Builtins builtins;
  std::map<Oid, std::shared_ptr<const catalog::RelationInfo>> relations;

  uint64_t version() const override { return 1; }
  Oid database() const override { return 5; }
  std::string_view database_name() const override { return "postgres"; }
  std::vector<Oid> search_path() override { return {oid::kPgCatalogSchema, oid::kPublicSchema}; }
  Oid schema_named(std::string_view name) override { return name == "public" ? oid::kPublicSchema : kInvalidOid; }
  std::string schema_name(Oid schema) override { return schema == oid::kPublicSchema ? "public" : "pg_catalog"; }
  Oid creation_schema() override { return oid::kPublicSchema; }
  std::shared_ptr<const catalog::RelationInfo> relation(Oid o) override {
    return relations.count(o) ? relations[o] : nullptr;
  }
  std::shared_ptr<const catalog::RelationInfo> relation_named(Oid, std::string_view) override { return nullptr; }
  std::shared_ptr<const catalog::RelationInfo> find_relation(std::string_view, std::string_view) override {
    return nullptr;
  }
  std::shared_ptr<const types::TypeInfo> type(Oid o) override { return builtins.type(o); }
  std::shared_ptr<const types::TypeInfo> find_type(std::string_view, std::string_view) override { return nullptr; }
  std::vector<std::shared_ptr<const types::FunctionInfo>> functions_named(std::string_view, std::string_view) override {
    return {};
  }
  std::shared_ptr<const types::FunctionInfo> function(Oid o) override { return builtins.function(o); }
  const types::AggregateInfo* aggregate(Oid o) override { return builtins.aggregate(o); }
  std::vector<const types::OperatorInfo*> operators_named(std::string_view, std::string_view name) override {
    std::vector<const types::OperatorInfo*> out;
    builtins.operators_named(name, out);
    return out;
  }
  const types::OperatorInfo* operator_by_oid(Oid o) override { return builtins.operator_by_oid(o); }
  const types::CastInfo* cast(Oid a, Oid b) override { return builtins.cast(a, b); }
  Oid btree_operator(Oid t, int s) override { return builtins.btree_operator(t, s); }
  int btree_strategy(Oid o) override { return builtins.btree_strategy(o); }
  Oid find_collation(std::string_view, std::string_view) override { return kInvalidOid; }
  std::string collation_name(Oid) override { return "default"; }
  Oid role_named(std::string_view) override { return kInvalidOid; }
  std::string role_name(Oid) override { return "postgres"; }
};

class TestSession final : public catalog::SessionContext {
 public:
  TestCatalog catalog_;
  types::FormatSettings format_;
  int64_t sequence = 0;  // one sequence for all

  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { return catalog_; }
  int64_t transaction_timestamp() override { return 86400000000; }
  int64_t statement_timestamp() override { return 86400000000; }
  std::string current_user() override { return "alice"; }
  std::string session_user() override { return "bob"; }
  int32_t backend_pid() override { return 1; }
  bool setting(std::string_view, std::string&) override { return false; }
  Status set_setting(std::string_view, std::string_view, bool) override { return {}; }
  Result<int64_t> nextval(Oid) override { return ++sequence; }
  Result<int64_t> currval(Oid) override { return sequence; }
  Result<int64_t> lastval() override { return sequence; }
  Status setval(Oid, int64_t value, bool) override {
    sequence = value;
    return {};
  }
  Status sleep(double) override { return {}; }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return {};
  }
  // What the executor asks for is allowed (has_table_privilege_id).
  Result<OwnedDatum> system_value(std::string_view, std::span<const Datum>) override {
    return OwnedDatum(Datum::of(true));
  }
};

struct TestColumn {
  std::string name;
  Oid type;
  bool not_null = false;
};

class ExecTest : public ::testing::Test {
 protected:
  using RelationPtr = std::shared_ptr<catalog::RelationInfo>;

  ExecTest() : store_(storage::Store::create({})), main_(store_->begin(storage::Isolation::kReadCommitted, 1)) {
    main_->take_statement_snapshot();
  }
  ~ExecTest() override {
    if (main_ != nullptr) store_->rollback(*main_);
  }

  // ---- tables. key: names of the primary key's columns; empty: a hidden row id.
  RelationPtr table(const std::string& name, const std::vector<TestColumn>& columns, std::vector<std::string> key);
  void index(const RelationPtr& r, const std::string& name, const std::vector<std::string>& columns, bool unique);
  static void foreign_key(const RelationPtr& child, const std::string& name, std::vector<int16_t> columns,
                          const RelationPtr& parent, std::vector<int16_t> foreign, char on_delete, char on_update);
  // Rows as texts by column type; "null" is null.
  void fill(const RelationPtr& r, const std::vector<std::vector<std::string>>& rows);

  // ---- expressions
  static sql::ExprPtr col(int column, Oid type, int input = 0);
  static sql::ExprPtr i4(int32_t v);
  static sql::ExprPtr i8(int64_t v);
  static sql::ExprPtr text(const std::string& v);
  static sql::ExprPtr boolean(bool v);
  static sql::ExprPtr null(Oid type);
  static sql::ExprPtr slot(int s, Oid type);
  static sql::ExprPtr param(int i, Oid type);
  sql::ExprPtr op(const std::string& name, sql::ExprPtr a, sql::ExprPtr b);
  sql::ExprPtr call(Oid function, sql::ExprList arguments);
  static sql::ExprPtr all(sql::ExprList arguments);
  static sql::ExprPtr any(sql::ExprList arguments);
  std::shared_ptr<sql::AggregateExpr> aggregate(Oid function, Oid result, sql::ExprList arguments);
  static sql::SortKey key(sql::ExprPtr e, bool descending = false) {
    return {std::move(e), descending, descending, kInvalidOid};
  }

  // ---- plans
  std::shared_ptr<sql::TableScanPlan> scan(const RelationPtr& r, std::vector<int> columns);
  std::shared_ptr<sql::ValuesPlan> values(const std::vector<Oid>& types, std::vector<sql::ExprList> rows);
  std::shared_ptr<sql::ProjectPlan> project(sql::PlanPtr input, sql::ExprList list);
  std::shared_ptr<sql::FilterPlan> filter(sql::PlanPtr input, sql::ExprPtr condition);
  std::shared_ptr<sql::LimitPlan> limit(sql::PlanPtr input, int64_t n, int64_t offset = 0);
  std::shared_ptr<sql::SortPlan> sort(sql::PlanPtr input, std::vector<sql::SortKey> keys);
  static std::vector<sql::PlanColumn> columns_of(const sql::ExprList& list);
  static std::vector<sql::PlanColumn> joined(const sql::PlanPtr& a, const sql::PlanPtr& b);
  // INSERT of the source's columns into all columns of the table, in order.
  std::shared_ptr<sql::InsertPlan> insert(const RelationPtr& r, sql::PlanPtr source);

  std::shared_ptr<sql::PlannedStatement> statement(sql::PlanPtr root,
                                                   sql::CommandKind command = sql::CommandKind::kSelect);
  // Runs a statement as the transaction's next command; the rows, or "ERROR 22012: message".
  std::string run(const std::shared_ptr<sql::PlannedStatement>& s, storage::Transaction* txn = nullptr);
  std::string run(sql::PlanPtr root, sql::CommandKind command = sql::CommandKind::kSelect);
  std::string run(Execution& execution, const sql::PlannedStatement& s, storage::Transaction& txn,
                  uint32_t max_rows = 0);
  std::string contents(const RelationPtr& r);
  void commit();

  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<storage::Transaction> main_;
  TestSession session_;
  std::vector<Datum> parameters_;
  uint64_t work_memory_ = 0;
  uint64_t affected_ = 0;
  std::string detail_;  // of the last error
  Oid next_oid_ = 20000;
};

}  // namespace indigo::engine
