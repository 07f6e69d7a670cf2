// Who may come in, and what they must prove: the rules of PostgreSQL's pg_hba.conf. The first rule whose connection type,
// database, user and address match decides; when none does, nobody comes in.
//
//   local      DATABASE USER         METHOD [OPTIONS]
//   host...    DATABASE USER ADDRESS METHOD [OPTIONS]
//
// Methods: trust, reject, scram-sha-256, md5, password, peer (unix sockets), cert (TLS). PostgreSQL's others are refused when
// the file is read, as it does where it was built without them.
// Immutable. Thread safety: all functions, from any thread.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/front_door.h"
#include "wire/auth/config_file.h"

namespace indigo::wire {

enum class AuthMethod : uint8_t { kTrust, kReject, kPassword, kMd5, kScramSha256, kPeer, kCert };
// What a client's certificate must show beside what the method asks.
enum class ClientCertificate : uint8_t { kNotAsked, kVerifyCa, kVerifyFull };

struct HbaRule {
  enum class Type : uint8_t { kLocal, kHost, kHostSsl, kHostNoSsl, kHostGss, kHostNoGss };
  enum class Address : uint8_t { kAll, kSameHost, kSameNet, kNetwork, kName };

  int line = 0;
  Type type = Type::kLocal;
  ConfigField databases, users;
  Address address = Address::kAll;
  sockaddr_storage network{}, mask{};  // kNetwork
  std::string host_name;               // kName: a name, or .suffix
  AuthMethod method = AuthMethod::kReject;
  ClientCertificate certificate = ClientCertificate::kNotAsked;
  bool match_by_dn = false;  // clientname=DN
  std::string map;           // of the ident file
};

// One who wants to come in.
struct Applicant {
  bool local = false;
  sockaddr_storage address{};  // unless local
  bool tls = false;
  std::string database, user;
  // Whether `user` is the role or, directly or not, a member of it; superusers are members by grant only.
  std::function<bool(const std::string& role)> is_member;
  // The address's name, checked both ways; empty: it has none. Asked at most once, by rules with names.
  std::function<std::string()> host_name;
  // Whether the name resolves to the address.
  std::function<bool(const std::string& name)> resolves;
};

class HbaRules {
 public:
  // Errors (22023): the first line that is wrong, with its number.
  static Result<HbaRules> parse(std::string_view text, const std::string& folder, bool tls_configured);
  // All lines as pg_hba_file_rules shows them.
  static std::vector<engine::HbaLine> describe(std::string_view text, const std::string& folder, bool tls_configured);

  // nullptr: no rule matches.
  const HbaRule* match(const Applicant& applicant) const;

 private:
  std::vector<HbaRule> rules_;
};

}  // namespace indigo::wire
