#include "engine/settings/private_settings.h"

#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "engine/session/session_impl.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

constexpr auto kPrivate = std::to_array<std::string_view>({
    "config_file",
    "data_directory",
    "dynamic_library_path",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "jit_provider",
    "krb_server_keyfile",
    "log_directory",
    "log_filename",
    "primary_conninfo",
    "session_preload_libraries",
    "shared_preload_libraries",
    "ssl_ciphers",
    "ssl_dh_params_file",
    "ssl_ecdh_curve",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "ssl_passphrase_command",
    "unix_socket_directories",
});

}  // namespace

bool may_see_setting(SessionImpl& session, std::string_view name) {
  const auto index = find_setting(name);
  if (!index) return true;
  const std::string_view canonical = setting_table()[*index].name;
  if (std::find(kPrivate.begin(), kPrivate.end(), canonical) == kPrivate.end()) return true;
  return session.session_catalog().has_privileges_of(session.user(), oid::kReadAllSettingsRole);
}

Status check_may_see_setting(SessionImpl& session, std::string_view name) {
  if (may_see_setting(session, name)) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "must be superuser or have privileges of pg_read_all_settings to examine \"" + std::string(name) + "\"");
}

}  // namespace indigo::engine
