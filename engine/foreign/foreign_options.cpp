#include "engine/foreign/foreign_options.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "types/text/ascii.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

namespace pg_foreign_server = catalog::pg_foreign_server;
namespace pg_foreign_data_wrapper = catalog::pg_foreign_data_wrapper;
namespace pg_user_mapping = catalog::pg_user_mapping;

std::vector<ForeignOption> options_of(const RowReader& row, int column) {
  return row.is_null(column) ? std::vector<ForeignOption>() : split_options(read_texts(row.str(column)));
}

}  // namespace

std::vector<ForeignOption> split_options(const std::vector<std::string>& options) {
  std::vector<ForeignOption> out;
  for (const std::string& o : options) {
    const size_t equals = std::min(o.find('='), o.size());
    out.push_back({o.substr(0, equals), equals < o.size() ? o.substr(equals + 1) : std::string()});
  }
  return out;
}

const std::string* find_option(const std::vector<ForeignOption>& options, std::string_view name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const ForeignOption& o) { return o.name == name; });
  return found == options.end() ? nullptr : &found->value;
}

std::optional<bool> option_flag(std::string_view value) {
  std::string word(value);
  for (char& c : word) c = types::ascii_lower(c);
  if (word == "true" || word == "on") return true;
  if (word == "false" || word == "off") return false;
  return std::nullopt;
}

std::vector<ForeignOption> column_options(SessionParts& session, Oid relation, int16_t column) {
  std::vector<ForeignOption> out;
  CatalogRows(session).find(
      catalog::pg_attribute::kOid, {Datum::of_oid(relation), Datum::of(column)},
      [&](const RowReader& row) { out = options_of(row, catalog::pg_attribute::c_attfdwoptions); });
  return out;
}

std::vector<ForeignOption> mapping_options(const RowReader& row) {
  return options_of(row, pg_user_mapping::c_umoptions);
}

std::vector<ForeignOption> server_options(SessionParts& session, Oid server) {
  std::vector<ForeignOption> out;
  CatalogRows(session).find(pg_foreign_server::kOid, server,
                            [&](const RowReader& row) { out = options_of(row, pg_foreign_server::c_srvoptions); });
  return out;
}

Result<ForeignServer> foreign_server(SessionParts& session, Oid server, Oid role) {
  ForeignServer out;
  out.oid = server;
  Oid wrapper = kInvalidOid;
  CatalogRows rows(session);
  rows.find(pg_foreign_server::kOid, server, [&](const RowReader& row) {
    out.name = row.str(pg_foreign_server::c_srvname);
    wrapper = row.oid(pg_foreign_server::c_srvfdw);
    out.of_server = options_of(row, pg_foreign_server::c_srvoptions);
  });
  rows.find(pg_foreign_data_wrapper::kOid, wrapper,
            [&](const RowReader& row) { out.of_wrapper = options_of(row, pg_foreign_data_wrapper::c_fdwoptions); });
  catalog::SessionCatalog& all = session.session_catalog();
  bool own = false;
  all.reading([&](storage::Transaction& txn) {
    all.database_object().table(pg_user_mapping::kOid).scan(txn, {}, [&](RowReader row) {
      const Oid of = row.oid(pg_user_mapping::c_umuser);
      if (row.oid(pg_user_mapping::c_umserver) != server || (of != role && (of != kInvalidOid || own))) return true;
      own = of == role;
      out.mapping = row.oid(pg_user_mapping::c_oid);
      out.of_mapping = options_of(row, pg_user_mapping::c_umoptions);
      return true;
    });
  });
  if (out.mapping != kInvalidOid) return out;
  return Error(sqlstate::kUndefinedObject, "user mapping not found for \"" + all.role_name(role) + "\"");
}

Oid foreign_server_named(SessionParts& session, const std::string& name) {
  catalog::SessionCatalog& all = session.session_catalog();
  Oid out = kInvalidOid;
  all.reading([&](storage::Transaction& txn) {
    all.database_object().table(pg_foreign_server::kOid).scan(txn, {}, [&](RowReader row) {
      if (row.str(pg_foreign_server::c_srvname) == name) out = row.oid(pg_foreign_server::c_oid);
      return out == kInvalidOid;
    });
  });
  return out;
}

void append_connection_option(const ForeignOption& option, std::string& out) {
  out.append(option.name).append("='");
  for (const char c : option.value) {
    if (c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  out += "' ";
}

}  // namespace indigo::engine
