// What the engine asks of the part of a server that lets clients in, which lies above it: a reload of its files, and their
// lines for pg_hba_file_rules and pg_ident_file_mappings; and what that part tells of a client's encryption.
// Thread safety: FrontDoor's functions, from any thread.
#pragma once

#include <string>
#include <vector>

namespace indigo::engine {

// A connection's encryption, as pg_stat_ssl shows it. The client's parts are empty when it has shown no certificate.
struct TlsDescription {
  std::string version;  // "TLSv1.3"
  std::string cipher;
  int bits = 0;
  std::string client_dn;          // /C=.../CN=...
  std::string client_rfc2253_dn;  // CN=...,C=...
  std::string client_common_name;
  std::string client_serial;  // decimal
  std::string issuer_dn;
};

// A line of an hba file: the fields of pg_hba_file_rules. With an error, the others are empty.
struct HbaLine {
  int number = 0;
  std::string type;
  std::vector<std::string> databases;
  std::vector<std::string> users;
  std::string address;  // empty for `local`
  std::string netmask;
  std::string method;
  std::vector<std::string> options;  // name=value
  std::string error;
};

// A line of an ident file: the fields of pg_ident_file_mappings.
struct IdentLine {
  int number = 0;
  std::string map_name;
  std::string system_name;
  std::string user_name;
  std::string error;
};

class FrontDoor {
 public:
  virtual ~FrontDoor() = default;
  // Reads certificates and rules again; what cannot be read is logged, and what was stays.
  virtual void reload() = 0;
  // The files as they are now, read for each call.
  virtual std::vector<HbaLine> hba_lines() = 0;
  virtual std::vector<IdentLine> ident_lines() = 0;
};

}  // namespace indigo::engine
