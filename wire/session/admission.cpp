#include "wire/session/admission.h"

#include <netdb.h>
#include <pwd.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <optional>

#include "base/sqlstate.h"
#include "wire/messages/authentication.h"
#include "wire/net/socket_address.h"
#include "wire/session/authenticator.h"

namespace indigo::wire {

namespace {

std::string where(const ClientAddress& address, const StartupRequest& request, bool tls) {
  const std::string host = address.local() ? "[local]" : socket_address_text(address.peer);
  return "host \"" + host + "\", user \"" + request.options.user + "\", database \"" + request.options.database +
         "\", " + (tls ? "SSL encryption" : "no encryption");
}

Error failed(AuthMethod method, const std::string& user) {
  const char* name = "password";
  switch (method) {
    case AuthMethod::kTrust: name = "\"trust\""; break;
    case AuthMethod::kPeer: name = "Peer"; break;
    case AuthMethod::kCert: name = "certificate"; break;
    case AuthMethod::kReject:
    case AuthMethod::kPassword:
    case AuthMethod::kMd5:
    case AuthMethod::kScramSha256: break;
  }
  return Error(sqlstate::kInvalidAuthorization, std::string(name) + " authentication failed for user \"" + user + "\"");
}

std::string name_of(const sockaddr_storage& address) {
  std::array<char, NI_MAXHOST> name{};
  const int found = getnameinfo(reinterpret_cast<const sockaddr*>(&address), sizeof address, name.data(), name.size(),
                                nullptr, 0, NI_NAMEREQD);
  return found == 0 ? name.data() : "";
}

bool resolves_to(const std::string& name, const sockaddr_storage& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  const std::string wanted = socket_address_text(address);
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    sockaddr_storage one{};
    std::copy_n(reinterpret_cast<const char*>(at->ai_addr), at->ai_addrlen, reinterpret_cast<char*>(&one));
    if (socket_address_text(without_mapping(one)) == wanted) return true;
  }
  return false;
}

// The name of the user that a unix socket's other end runs as; nullopt when the system has none.
std::optional<std::string> peer_name(int socket) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return std::nullopt;
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(credentials.uid, &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr) return std::nullopt;
  return std::string(found->pw_name);
}

class Admission {
 public:
  Admission(SharedState& shared, const Door::Knowledge& door, Stream& stream, Task& task, const ClientAddress& address,
            const StartupRequest& request, Deadline deadline)
      : shared_(shared),
        door_(door),
        stream_(stream),
        task_(task),
        address_(address),
        request_(request),
        deadline_(deadline) {}

  Status run() {
    const std::string place = where(address_, request_, stream_.tls() != nullptr);
    const HbaRule* rule = door_.rules.match(applicant());
    if (rule == nullptr) return Error(sqlstate::kInvalidAuthorization, "no pg_hba.conf entry for " + place);
    if (rule->method == AuthMethod::kReject) {
      return Error(sqlstate::kInvalidAuthorization, "pg_hba.conf rejects connection for " + place);
    }
    if (rule->certificate != ClientCertificate::kNotAsked &&
        (stream_.tls() == nullptr || !stream_.tls()->has_client_certificate())) {
      return Error(sqlstate::kInvalidAuthorization, "connection requires a valid client certificate");
    }
    if (rule->method == AuthMethod::kPeer) INDIGO_TRY(check_peer(*rule));
    Authenticator authenticator(stream_, task_, *shared_.calls, deadline_, shared_.secret);
    INDIGO_TRY(authenticator.run(rule->method, user(), shared_.instance->credentials(user())));
    if (rule->certificate == ClientCertificate::kVerifyFull) INDIGO_TRY(check_certificate(*rule));
    Authentication{Authentication::Request::kOk, {}}.encode(stream_.out());
    return {};
  }

 private:
  const std::string& user() const { return request_.options.user; }

  Applicant applicant() {
    Applicant out;
    out.local = address_.local();
    out.address = address_.peer;
    out.tls = stream_.tls() != nullptr;
    out.database = request_.options.database;
    out.user = user();
    out.is_member = [this](const std::string& role) { return shared_.instance->is_member(user(), role); };
    out.host_name = [this] {
      if (!host_name_) blocking([this] { host_name_ = name_of(address_.peer); });
      return *host_name_;
    };
    out.resolves = [this](const std::string& name) {
      bool found = false;
      blocking([&] { found = resolves_to(name, address_.peer); });
      return found;
    };
    return out;
  }

  Status check_peer(const HbaRule& rule) {
    std::optional<std::string> name;
    blocking([&] { name = peer_name(stream_.socket()); });
    if (name && door_.identities.allows(rule.map, *name, user())) return {};
    return failed(rule.method, user());
  }

  Status check_certificate(const HbaRule& rule) {
    const engine::TlsDescription tls = stream_.tls()->describe();
    const std::string& name = rule.match_by_dn ? tls.client_rfc2253_dn : tls.client_common_name;
    if (!name.empty() && door_.identities.allows(rule.map, name, user())) return {};
    return failed(rule.method, user());
  }

  void blocking(const std::function<void()>& call) { shared_.calls->run(task_, call); }

  SharedState& shared_;
  const Door::Knowledge& door_;
  Stream& stream_;
  Task& task_;
  const ClientAddress& address_;
  const StartupRequest& request_;
  Deadline deadline_;
  std::optional<std::string> host_name_;
};

}  // namespace

Status admit(SharedState& shared, const Door::Knowledge& door, Stream& stream, Task& task, const ClientAddress& address,
             const StartupRequest& request, Deadline deadline) {
  return Admission(shared, door, stream, task, address, request, deadline).run();
}

}  // namespace indigo::wire
