// One session of definition statements over a real store and catalog, without the engine's session: statements run one by one
// in their own transactions, or between begin() and commit()/rollback(). Queries that DDL asks for are recorded and answer no
// rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/vacuum.h"
#include "engine/row_sink.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"

namespace indigo::engine {

class FakeSession final : public catalog::SessionContext {
 public:
  explicit FakeSession(catalog::SessionCatalog& catalog) : catalog_(catalog) {}
  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { return catalog_; }
  int64_t transaction_timestamp() override { return 0; }
  int64_t statement_timestamp() override { return 0; }
  std::string current_user() override { return "postgres"; }
  std::string session_user() override { return "postgres"; }
  int32_t backend_pid() override { return 1; }
  bool setting(std::string_view name, std::string& value) override {
    value = "1";
    return name == "work_mem";
  }
  Status set_setting(std::string_view, std::string_view, bool) override { return {}; }
  Result<int64_t> nextval(Oid) override { return none(); }
  Result<int64_t> currval(Oid) override { return none(); }
  Result<int64_t> lastval() override { return none(); }
  Status setval(Oid, int64_t, bool) override { return none(); }
  Status sleep(double) override { return {}; }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return none();
  }
  Result<OwnedDatum> system_value(std::string_view function, std::span<const Datum> arguments) override {
    if (function != "has_schema_privilege_id") return none();
    return OwnedDatum(Datum::of(catalog_.may_use_schema(arguments[0].oid())));
  }

 private:
  static Error none() { return Error(sqlstate::kFeatureNotSupported, "no such thing in this test"); }
  catalog::SessionCatalog& catalog_;
  types::FormatSettings format_;
};

class FakeHost final : public DdlHost {
 public:
  explicit FakeHost(catalog::SessionCatalog& catalog) : session_(catalog) {}
  Status check_foreign_truncate(const catalog::RelationInfo&) override { return {}; }
  Status truncate_foreign(std::span<const std::shared_ptr<const catalog::RelationInfo>>, bool, bool) override {
    return {};
  }
  catalog::SessionContext& session() override { return session_; }
  void notice(Severity severity, const Error& text) override {
    notices.push_back((severity == Severity::kWarning ? "WARNING: " : "NOTICE: ") + text.message +
                      (text.detail.empty() ? "" : " | " + text.detail));
  }
  Status run_query(std::string_view sql, const Rows&) override {
    queries.emplace_back(sql);
    return {};
  }
  Status run_query_as(Oid, std::string_view sql, const Rows& rows) override { return run_query(sql, rows); }
  Status run_query(const PgQuery__Node*, std::string_view, const Shape&, const Rows&) override {
    return Error(sqlstate::kFeatureNotSupported, "no queries in this test");
  }
  std::vector<std::string> notices, queries;

 private:
  FakeSession session_;
};

class DefinitionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = storage::Store::create({});
    auto made = catalog::Catalog::create(*store_, "");
    ASSERT_TRUE(made.ok());
    catalog_ = std::move(*made);
    view_ = std::make_unique<catalog::SessionCatalog>(*catalog_, catalog_->database_named("postgres"), 1);
    view_->set_user(10);
    host_ = std::make_unique<FakeHost>(*view_);
  }
  void TearDown() override {
    if (txn_ != nullptr) rollback();
  }

  void begin() {
    txn_ = store_->begin(storage::Isolation::kReadCommitted, 1);
    view_->bind(txn_.get());
  }
  void commit() {
    ASSERT_EQ(store_->commit(*txn_), storage::StorageStatus::kOk);
    end();
  }
  void rollback() {
    store_->rollback(*txn_);
    end();
  }

  // ANALYZE is not a definition of its own: VACUUM does it as well.
  static Result<std::string> execute(DdlContext& context, const PgQuery__Node& node) {
    if (node.node_case != PG_QUERY__NODE__NODE_VACUUM_STMT) return execute_ddl(context, node);
    INDIGO_TRY(ddl::execute_vacuum(context, *node.vacuum_stmt));
    return std::string("ANALYZE");
  }

  // The tag, or "SQLSTATE message | detail | hint".
  std::string run(const std::string& sql) {
    auto parsed = sql::parse(sql);
    if (!parsed.ok()) return text(parsed.error());
    const bool own = txn_ == nullptr;
    if (own) {
      begin();
    }
    std::string out;
    for (const auto& statement : (*parsed)->statements()) {
      DdlContext context{*view_, *txn_, *host_, sql};
      auto result = execute(context, *statement.node);
      txn_->next_command();
      out = result.ok() ? *result : text(result.error());
      if (!result.ok()) {
        if (own) rollback();
        return out;
      }
    }
    if (own) commit();
    return out;
  }

  std::shared_ptr<const catalog::RelationInfo> table(std::string_view name) { return view_->find_relation("", name); }

  // Puts a row of int4 columns into a table (its key from its descriptor).
  void insert(std::string_view name, const std::vector<int32_t>& values) {
    const bool own = txn_ == nullptr;
    if (own) begin();
    const auto r = table(name);
    std::vector<Datum> row;
    for (const int32_t v : values) row.push_back(Datum::of(v));
    std::string image, key;
    r->layout.encode(row, image);
    if (r->has_hidden_row_id()) {
      const uint64_t id = big_endian(r->table->next_row_id());
      key.assign(reinterpret_cast<const char*>(&id), sizeof id);
    } else {
      for (size_t i = 0; i < r->key_columns.size(); i++) {
        r->key.append_column(i, row[static_cast<size_t>(r->key_columns[i]) - 1], key);
      }
    }
    ASSERT_EQ(r->table->insert(*txn_, key, image, nullptr), storage::StorageStatus::kOk);
    txn_->next_command();
    if (own) commit();
  }

  // The int4 columns of every row in the tree's order; -1 for nulls.
  std::vector<std::vector<int32_t>> rows(std::string_view name) {
    const bool own = txn_ == nullptr;
    if (own) begin();
    std::vector<std::vector<int32_t>> out;
    const auto r = table(name);
    const auto cursor = r->table->scan(*txn_, txn_->newest_view(), storage::KeyRange::all());
    storage::RowRef refs[16];
    size_t count = 0;
    while (cursor->next(refs, count) == storage::StorageStatus::kOk && count > 0) {
      for (size_t i = 0; i < count; i++) {
        auto& row = out.emplace_back();
        for (size_t k = 0; k < r->columns.size(); k++) {
          const Datum d = r->layout.column(refs[i].row, k);
          row.push_back(d.null ? -1 : d.i32);
        }
      }
    }
    if (own) rollback();
    return out;
  }

  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<catalog::Catalog> catalog_;
  std::unique_ptr<catalog::SessionCatalog> view_;
  std::unique_ptr<FakeHost> host_;
  std::unique_ptr<storage::Transaction> txn_;

 private:
  void end() {
    view_->bind(nullptr);
    txn_.reset();
  }
  static std::string text(const Error& e) {
    std::string out = std::string(e.state.text()) + " " + e.message;
    if (!e.detail.empty()) out += " | " + e.detail;
    if (!e.hint.empty()) out += " | " + e.hint;
    return out;
  }
};

}  // namespace indigo::engine
