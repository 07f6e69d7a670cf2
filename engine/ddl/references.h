// What analyzed expressions and queries mention: the objects that must stay while somebody keeps the tree (pg_depend).
// As PostgreSQL's find_expr_references: results of functions and types of columns are the functions' and columns' business.
// Thread safety: reads one session's catalog view.
#pragma once

#include <set>
#include <vector>

#include "engine/ddl/drop/dependency.h"
#include "sql/query.h"

namespace indigo::engine::ddl {

class References {
 public:
  explicit References(catalog::CatalogView& catalog) : catalog_(catalog) {}

  // Outside of queries: columns of entry 0 are noted by number alone.
  void expression(const sql::ExprPtr& e);
  void query(const sql::Query& q);
  void clear() {
    addresses_.clear();
    columns_.clear();
    refused_constant_ = kInvalidOid;
  }

  const std::set<Address>& addresses() const { return addresses_; }
  const std::set<int16_t>& columns() const { return columns_; }
  // A constant of this type cannot be kept: what it means belongs to no database. kInvalidOid: there is none.
  Oid refused_constant() const { return refused_constant_; }

 private:
  void add(Oid class_id, Oid object, int32_t sub = 0) {
    if (object != kInvalidOid) addresses_.insert({class_id, object, sub});
  }
  // Answers whether to continue below it.
  bool node(const sql::Expr& e);
  void type(const TypeRef& t);
  void constant(const sql::ConstExpr& e);
  void column(const sql::VarExpr& v);
  void column_of(const sql::Entry& entry, int column);
  void entry(const sql::Entry& e);

  catalog::CatalogView& catalog_;
  std::vector<const sql::Query*> around_;  // outermost first
  std::set<Address> addresses_;
  std::set<int16_t> columns_;
  Oid refused_constant_ = kInvalidOid;
};

// The columns that the changes among a kept query's WITH items set.
void add_changed_columns(const sql::Query& around, std::set<Address>& out);

}  // namespace indigo::engine::ddl
