// Options of foreign data as those who read it look at them: "name=value" of tables, columns, servers and mappings.
// Thread safety: belongs to a session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "catalog/tables/system_table.h"

namespace indigo::engine {

class SessionParts;

struct ForeignOption {
  std::string name, value;
};
std::vector<ForeignOption> split_options(const std::vector<std::string>& options);
// Null: not given.
const std::string* find_option(const std::vector<ForeignOption>& options, std::string_view name);

// true, false, on, off, in any case of letters; none: anything else.
std::optional<bool> option_flag(std::string_view value);

std::vector<ForeignOption> column_options(SessionParts& session, Oid relation, int16_t column);

// Of a row of pg_user_mapping.
std::vector<ForeignOption> mapping_options(const catalog::RowReader& row);

std::vector<ForeignOption> server_options(SessionParts& session, Oid server);

// What a role uses to reach a server.
struct ForeignServer {
  std::string name;
  Oid oid = kInvalidOid, mapping = kInvalidOid;
  std::vector<ForeignOption> of_wrapper, of_server, of_mapping;
};
// 42704: no mapping for the role or for all.
Result<ForeignServer> foreign_server(SessionParts& session, Oid server, Oid role);
Oid foreign_server_named(SessionParts& session, const std::string& name);  // kInvalidOid: none

// "host='h' " for libpq.
void append_connection_option(const ForeignOption& option, std::string& out);

}  // namespace indigo::engine
