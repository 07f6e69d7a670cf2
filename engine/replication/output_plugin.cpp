#include "engine/replication/output_plugin.h"

#include <algorithm>
#include <cstring>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::replication {

namespace {

struct PluginEntry {
  const char* name;
  std::unique_ptr<OutputPlugin> (*make)(SessionParts& session);
};
constexpr PluginEntry kPlugins[] = {{"pgoutput", make_pgoutput}, {"test_decoding", make_test_decoding}};

}  // namespace

bool plugin_exists(std::string_view name) {
  return std::any_of(std::begin(kPlugins), std::end(kPlugins), [&](const PluginEntry& p) { return p.name == name; });
}

Result<std::unique_ptr<OutputPlugin>> make_output_plugin(std::string_view name, SessionParts& session) {
  for (const PluginEntry& plugin : kPlugins) {
    if (plugin.name == name) return plugin.make(session);
  }
  return Error(SqlState("58P01"), "could not access file \"" + std::string(name) + "\": No such file or directory");
}

OutputPlugin::OutputPlugin(SessionParts& session) : session_(session), context_(session.context()) {
  context_.set_arena(&arena_);
}

Status OutputPlugin::tell(const CommittedChanges& changes, const SlotInfo& slot, uint64_t from, const Out& out) {
  using Kind = CommittedChanges::Kind;
  const PreparedPlace& prepared = changes.prepared;
  const bool two_phase = slot.two_phase && changes.kind >= Kind::kPrepare && tells_prepare(prepared.name);
  const bool behind = prepared.prepare >= slot.two_phase_at;
  switch (changes.kind) {
    case Kind::kMessage:
    case Kind::kTransaction: break;
    case Kind::kPrepare: return two_phase && behind ? write(changes, true, out) : Status();
    case Kind::kRollbackPrepared: return two_phase && behind ? write_end(changes, out) : Status();
    case Kind::kCommitPrepared: {
      if (!two_phase) break;
      const bool told = changes.prepared_before() ? behind : from >= prepared.end;
      if (!told) INDIGO_TRY(write(changes, true, out));
      return write_end(changes, out);
    }
  }
  return write(changes, false, out);
}

OutputPlugin::Then::Then(SessionParts& parts, const ChangedTable& of)
    : table(&of),
      catalog(parts.session_catalog(), of.types),
      session(catalog, &parts.context().format()),
      context(session) {}

OutputPlugin::Then& OutputPlugin::then(const ChangedTable& table) {
  if (!then_ || then_->table != &table) {
    then_.emplace(session_, table);
    then_->context.set_arena(&arena_);
  }
  return *then_;
}

types::FuncContext& OutputPlugin::context_for(const ChangedTable& table, const types::TypeRef& type) {
  arena_.reset();
  return type.oid < oid::kFirstUserOid ? context_ : then(table).context;
}

void OutputPlugin::look_at_catalog() {
  then_.reset();
  const uint64_t version = session_.session_catalog().version();
  if (version == catalog_version_) return;
  catalog_version_ = version;
  forget();
}

bool OutputPlugin::identity_changes(const RowChange& change) {
  const ReplicaIdentity& identity = *change.identity;
  const types::RowLayout& layout = change.relation->layout;
  return std::any_of(identity.columns.begin(), identity.columns.end(), [&](int16_t number) {
    const size_t column = static_cast<size_t>(number) - 1;
    const Datum before = layout.column(change.old_row, column), after = layout.column(change.new_row, column);
    if (before.null || after.null) return before.null != after.null;
    if (before.phys == Phys::kStr) return before.str != after.str;
    return std::memcmp(&before.block, &after.block, phys_bytes(before.phys)) != 0;
  });
}

Status OutputPlugin::value_text(const types::TypeRef& type, const Datum& value, std::string& out) {
  arena_.reset();
  types::type_output(context_, type, value, out);
  if (context_.failed()) return context_.take_error();
  return {};
}

Status OutputPlugin::value_text(const ChangedTable& table, const types::TypeRef& type, const Datum& value,
                                std::string& out) {
  types::FuncContext& context = context_for(table, type);
  types::type_output(context, type, value, out);
  if (context.failed()) return context.take_error();
  return {};
}

Status OutputPlugin::value_binary(const ChangedTable& table, const types::TypeRef& type, const Datum& value,
                                  std::string& out) {
  types::FuncContext& context = context_for(table, type);
  types::type_send(context, type, value, out);
  if (context.failed()) return context.take_error();
  return {};
}

std::string OutputPlugin::type_name(const ChangedTable& table, Oid type) {
  return types::format_type(catalog_of(table), type);
}

}  // namespace indigo::engine::replication
