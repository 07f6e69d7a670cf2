// Rows of system tables for system functions: the newest committed state plus the transaction's own changes.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>

#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/tables/system_table.h"
#include "engine/session/session_parts.h"
#include "engine/system/families.h"
#include "types/system/object_name.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::engine {

using catalog::RowReader;

class CatalogRows {
 public:
  explicit CatalogRows(SessionParts& session) : session_(session) {}

  // Calls read(row) when there is such a row.
  template <class F>
  bool find(Oid table, std::initializer_list<Datum> key, F&& read) {
    catalog::SystemTable& t = session_.session_catalog().database_object().table(table);
    return session_.session_catalog().reading([&](storage::Transaction& txn) {
      std::string image;
      if (!t.find(txn, key, image)) return false;
      read(t.reader(image));
      return true;
    });
  }
  template <class F>
  bool find(Oid table, Oid oid, F&& read) {
    return find(table, {Datum::of_oid(oid)}, std::forward<F>(read));
  }
  // Every row whose key, or key of that secondary index, begins with `prefix`, until visit answers false.
  template <class F>
  void scan(Oid table, std::initializer_list<Datum> prefix, F&& visit) {
    catalog::SystemTable& t = session_.session_catalog().database_object().table(table);
    session_.session_catalog().reading([&](storage::Transaction& txn) { t.scan(txn, prefix, visit); });
  }
  template <class F>
  void scan_index(Oid table, int index, std::initializer_list<Datum> prefix, F&& visit) {
    catalog::SystemTable& t = session_.session_catalog().database_object().table(table);
    session_.session_catalog().reading([&](storage::Transaction& txn) { t.scan_index(txn, index, prefix, visit); });
  }

 private:
  SessionParts& session_;
};

// A context for the function library's helpers (names of objects and types).
struct NameContext {
  explicit NameContext(SessionParts& session) : context(session.context()) { context.set_arena(&arena); }
  Arena arena;
  types::FuncContext context;
};

inline OwnedDatum text_value(std::string_view s) { return OwnedDatum(text_datum(s)); }
inline OwnedDatum text_null() { return null_value(Phys::kStr); }
inline Result<OwnedDatum> text_or_null(const std::optional<std::string>& s) { return s ? text_value(*s) : text_null(); }

}  // namespace indigo::engine
