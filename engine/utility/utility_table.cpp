// Every utility statement's handler. A family of handlers is a table in its own file; this file joins them.
#include <unordered_map>

#include "base/sqlstate.h"
#include "engine/ddl/ddl.h"
#include "engine/session/session_impl.h"
#include "engine/utility/families.h"
#include "engine/utility/utility.h"

namespace indigo::engine {

const UtilityHandler* find_utility(const PgQuery__Node* node) {
  static const auto table = [] {
    std::unordered_map<int, const UtilityHandler*> all;
    for (auto family : {transaction_utilities(), constraint_utilities(), setting_utilities(), prepared_utilities(),
                        cursor_utilities(), copy_utilities(), explain_utilities(), maintenance_utilities()}) {
      for (const UtilityHandler& handler : family) all.emplace(handler.node, &handler);
    }
    return all;
  }();
  auto at = table.find(node->node_case);
  if (at != table.end()) return at->second;
  return is_ddl(*node) ? &definition_utility() : nullptr;
}

std::string statement_name(const PgQuery__Node* node) {
  const auto* field = protobuf_c_message_descriptor_get_field(&pg_query__node__descriptor, node->node_case);
  if (node->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT && node->create_table_as_stmt->is_select_into) {
    return "SELECT INTO";
  }
  if (field == nullptr) return "this statement";
  std::string name = field->name;  // "vacuum_stmt"
  if (name.ends_with("_stmt")) name.resize(name.size() - 5);
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return name;
}

Status prevent_in_block(UtilityCall& call, const char* statement) {
  if (call.session.block().in_block() || !call.top_level) {
    return Error(sqlstate::kActiveSqlTransaction, std::string(statement) + " cannot run inside a transaction block");
  }
  return {};
}

Status send_text_row(UtilityCall& call, std::span<const std::string> values) {
  Chunk chunk;
  for (const std::string& value : values) {
    chunk.columns.emplace_back(Phys::kStr, 1);
    chunk.columns.back().set(0, Str(value));
  }
  chunk.selection = {nullptr, 1};
  return call.shape == nullptr ? Status() : call.sink.rows(*call.shape, chunk);
}

}  // namespace indigo::engine
