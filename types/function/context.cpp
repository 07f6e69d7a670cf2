#include "types/function/context.h"

#include <memory>
#include <string>
#include <utility>

namespace indigo::types {

void FuncContext::find_default() {
  CatalogContext& catalog = session_.catalog();
  default_collator_ = catalog.collator(oid::kDefaultCollation);
  default_letters_ = catalog.letters(oid::kDefaultCollation);
  knows_default_ = true;
}

void FuncContext::fail(Error error) {
  if (!error_) error_ = boxed(std::move(error));
}

void FuncContext::fail(SqlState state, std::string message) { fail(Error(state, std::move(message))); }

void FuncContext::fail(SqlState state, const char* message) { fail(Error(state, message)); }

}  // namespace indigo::types
