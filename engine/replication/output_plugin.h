// What makes of committed changes the messages that a slot's reader gets: test_decoding's lines, pgoutput's protocol.
// Extending it: a class and a line in make_output_plugin().
// Thread safety: none; belongs to the session that reads, in a transaction of which its values are shown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/memory/arena.h"
#include "engine/replication/changed_table.h"
#include "engine/replication/row_change.h"
#include "engine/replication/slot_info.h"
#include "engine/session/session_parts.h"
#include "sql/deparse_session.h"
#include "types/function/context.h"

namespace indigo::engine::replication {

using PluginOption = std::pair<std::string, std::optional<std::string>>;

class OutputPlugin {
 public:
  // One message, and the position that it belongs to.
  using Out = std::function<Status(uint64_t position, std::string_view data)>;

  explicit OutputPlugin(SessionParts& session);
  virtual ~OutputPlugin() = default;

  virtual Status set_options(std::span<const PluginOption> options) = 0;
  // Whether what it makes need not be text.
  virtual bool binary() const = 0;
  // Whether its options ask for a slot that is told of transactions when they are prepared.
  virtual bool asks_for_two_phase() const { return false; }
  // What the slot is told of these changes, if anything; it has been told what lies before `from`.
  Status tell(const CommittedChanges& changes, const SlotInfo& slot, uint64_t from, const Out& out);

 protected:
  // From its beginning to its commit; `prepares`: or to its PREPARE.
  virtual Status write(const CommittedChanges& changes, bool prepares, const Out& out) = 0;
  // COMMIT PREPARED or ROLLBACK PREPARED, without the changes.
  virtual Status write_end(const CommittedChanges& changes, const Out& out) = 0;
  // Whether a transaction of this name is told when it is prepared; else when it has committed, as every other.
  virtual bool tells_prepare(std::string_view /*name*/) const { return true; }
  // The identity's columns differ between the two rows.
  static bool identity_changes(const RowChange& change);
  // Its text; appends. Types are as they were when the table was changed, and so are their names.
  Status value_text(const ChangedTable& table, const types::TypeRef& type, const Datum& value, std::string& out);
  Status value_binary(const ChangedTable& table, const types::TypeRef& type, const Datum& value, std::string& out);
  std::string type_name(const ChangedTable& table, Oid type);
  // Of a type that is built in.
  Status value_text(const types::TypeRef& type, const Datum& value, std::string& out);
  // The catalog has changed since: what was derived from it is no more.
  virtual void forget() {}
  void look_at_catalog();
  CatalogThen& catalog_of(const ChangedTable& table) { return then(table).catalog; }
  uint64_t catalog_version() const { return catalog_version_; }
  SessionParts& session() { return session_; }

 private:
  struct Then {
    Then(SessionParts& session, const ChangedTable& table);
    const ChangedTable* table;
    CatalogThen catalog;
    sql::CatalogOnlySession session;
    types::FuncContext context;
  };
  Then& then(const ChangedTable& table);
  types::FuncContext& context_for(const ChangedTable& table, const types::TypeRef& type);

  SessionParts& session_;
  Arena arena_;
  types::FuncContext context_;
  std::optional<Then> then_;  // of the table that was asked for last, while one transaction's changes are written
  uint64_t catalog_version_ = 0;
};

bool plugin_exists(std::string_view name);
// 58P01 for one that is not here.
Result<std::unique_ptr<OutputPlugin>> make_output_plugin(std::string_view name, SessionParts& session);

std::unique_ptr<OutputPlugin> make_test_decoding(SessionParts& session);
std::unique_ptr<OutputPlugin> make_pgoutput(SessionParts& session);

}  // namespace indigo::engine::replication
