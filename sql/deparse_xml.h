// The XML constructs of the grammar as text again (sql/xml_constructs.h).
// Thread safety: part of one deparsing.
#pragma once

#include <functional>
#include <string>

#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

struct XmlDeparser {
  catalog::CatalogView& catalog;
  std::string& out;
  bool always_qualify;
  std::function<void(const Expr& e, bool implicit)> print;
  // What IS DOCUMENT is said of.
  std::function<void(const Expr& e)> nested;

  // False when the function is none of them.
  bool print_construct(const CallExpr& call) const;

 private:
  void print_table(const ExprList& arguments) const;
  void print_rest(const ExprList& list, size_t from, const char* before) const;
  // The values behind argument `names`, with those names; the answer is the next argument.
  size_t print_named(const ExprList& list, size_t names) const;
};

}  // namespace indigo::sql
