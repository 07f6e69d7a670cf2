#include "engine/replication/output_plugin.h"

#include <algorithm>
#include <cstring>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "types/function/registry.h"

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

void OutputPlugin::look_at_catalog() {
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

Status OutputPlugin::value_binary(const types::TypeRef& type, const Datum& value, std::string& out) {
  arena_.reset();
  types::type_send(context_, type, value, out);
  if (context_.failed()) return context_.take_error();
  return {};
}

}  // namespace indigo::engine::replication
