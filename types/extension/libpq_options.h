// The options of libpq that objects of foreign data and connection strings may have, as PostgreSQL 15 lists them.
#pragma once

#include <string_view>

namespace indigo::types {

// Of a server: neither who connects, nor what a client says of itself.
inline constexpr std::string_view kLibpqServerOptions[] = {"service",
                                                           "passfile",
                                                           "channel_binding",
                                                           "connect_timeout",
                                                           "dbname",
                                                           "host",
                                                           "hostaddr",
                                                           "port",
                                                           "options",
                                                           "application_name",
                                                           "keepalives",
                                                           "keepalives_idle",
                                                           "keepalives_interval",
                                                           "keepalives_count",
                                                           "tcp_user_timeout",
                                                           "sslmode",
                                                           "sslcompression",
                                                           "sslcert",
                                                           "sslkey",
                                                           "sslrootcert",
                                                           "sslcrl",
                                                           "sslcrldir",
                                                           "sslsni",
                                                           "requirepeer",
                                                           "ssl_min_protocol_version",
                                                           "ssl_max_protocol_version",
                                                           "gssencmode",
                                                           "krbsrvname",
                                                           "gsslib",
                                                           "target_session_attrs"};

}  // namespace indigo::types
