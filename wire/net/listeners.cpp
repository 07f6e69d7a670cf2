#include "wire/net/listeners.h"

#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include "base/server_log.h"
#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

constexpr int kBacklog = 4096;

Error failure(const std::string& what) { return Error(sqlstate::kConnectionFailure, what + ": " + strerror(errno)); }

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string_view part = list.substr(0, comma);
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    size_t first = part.find_first_not_of(' ');
    if (first == std::string_view::npos) continue;
    parts.emplace_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

int bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  if (address.ss_family == AF_INET6) return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

// Whether a server answers on the unix socket at `path`.
bool is_alive(const sockaddr_un& address) {
  Socket probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // EAGAIN: somebody listens, but the queue is full.
  return connect(probe.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
}

Status give_to_group(const std::string& path, const std::string& group) {
  if (group.empty()) return {};
  gid_t id = 0;
  if (const ::group* entry = getgrnam(group.c_str())) {
    id = entry->gr_gid;
  } else {
    const auto [end, failed] = std::from_chars(group.data(), group.data() + group.size(), id);
    if (failed != std::errc() || end != group.data() + group.size()) {
      return Error(sqlstate::kInvalidParameterValue, "group \"" + group + "\" does not exist");
    }
  }
  if (chown(path.c_str(), static_cast<uid_t>(-1), id) == 0) return {};
  return failure("could not set group of file \"" + path + "\"");
}

// A port that is free now, for a server with unix sockets only.
int free_port() {
  Socket probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(probe.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 0;
  return bound_port(probe.fd());
}

}  // namespace

std::string default_socket_directory() {
  constexpr const char* kUsual = "/var/run/postgresql";
  return access(kUsual, W_OK | X_OK) == 0 ? kUsual : "/tmp";
}

Result<Listeners> Listeners::open(const ListenAddress& address) {
  // With a port of the system's choice, another address may find it taken: choose again.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; attempt++) {
    Listeners listeners;
    listeners.port_ = address.port;
    Status status;
    for (const auto& host : split_list(address.listen_addresses)) {
      status = listeners.open_tcp(host);
      if (!status.ok()) break;
    }
    if (status.ok() && listeners.port_ == 0) listeners.port_ = free_port();
    if (status.ok()) {
      for (const auto& directory : split_list(address.socket_directories)) {
        status = listeners.open_unix(directory, address);
        if (!status.ok()) break;
      }
    }
    if (!status.ok()) {
      if (address.port == 0 && attempt < kAttempts) continue;
      return status.take_error();
    }
    if (listeners.sockets_.empty()) {
      return Error(sqlstate::kConnectionFailure, "there is no address to listen on");
    }
    return listeners;
  }
}

Status Listeners::open_tcp(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  int failed = getaddrinfo(host == "*" ? nullptr : host.c_str(), "0", &hints, &found);
  if (failed != 0 && host == "localhost") {  // a machine without /etc/hosts has loopback all the same
    hints.ai_flags = 0;
    failed = getaddrinfo(nullptr, "0", &hints, &found);
  }
  if (failed != 0) {
    return Error(sqlstate::kConnectionFailure,
                 "could not translate host name \"" + host + "\" to address: " + gai_strerror(failed));
  }
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(found, &freeaddrinfo);
  bool any = false;
  for (addrinfo* at = found; at; at = at->ai_next) {
    Socket listener(socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listener.valid()) continue;  // no IPv6 here
    int on = 1;
    setsockopt(listener.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (at->ai_family == AF_INET6) {
      setsockopt(listener.fd(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
      reinterpret_cast<sockaddr_in6*>(at->ai_addr)->sin6_port = htons(static_cast<uint16_t>(port_));
    } else {
      reinterpret_cast<sockaddr_in*>(at->ai_addr)->sin_port = htons(static_cast<uint16_t>(port_));
    }
    std::string where = "\"" + host + "\", port " + std::to_string(port_);
    if (bind(listener.fd(), at->ai_addr, at->ai_addrlen) != 0) {
      if (errno == EADDRNOTAVAIL && at->ai_next != nullptr) continue;
      if (errno == EADDRNOTAVAIL && any) continue;
      return failure("could not listen on " + where);
    }
    if (listen(listener.fd(), kBacklog) != 0) return failure("could not listen on " + where);
    if (port_ == 0) port_ = bound_port(listener.fd());
    sockets_.push_back(std::move(listener));
    any = true;
  }
  if (!any) return Error(sqlstate::kConnectionFailure, "could not listen on \"" + host + "\"");
  return {};
}

Status Listeners::open_unix(const std::string& directory, const ListenAddress& options) {
  std::string path = directory + "/.s.PGSQL." + std::to_string(port_);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error(sqlstate::kConnectionFailure, "unix-domain socket path \"" + path + "\" is too long");
  }
  path.copy(address.sun_path, path.size());

  std::string lock_path = path + ".lock";
  Socket lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!lock.valid()) return failure("could not create lock file \"" + lock_path + "\"");
  if (flock(lock.fd(), LOCK_EX | LOCK_NB) != 0 || is_alive(address)) {
    return Error(sqlstate::kConnectionFailure, "another server listens on \"" + path + "\"");
  }
  std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock.fd(), 0) != 0 || write(lock.fd(), pid.data(), pid.size()) < 0) {
    return failure("could not write lock file \"" + lock_path + "\"");
  }
  unlink(path.c_str());
  Socket listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  mode_t old = umask(~options.socket_mode & 0777);
  int bound = bind(listener.fd(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  umask(old);
  if (bound == 0) INDIGO_TRY(give_to_group(path, options.socket_group));
  if (bound != 0 || listen(listener.fd(), kBacklog) != 0) return failure("could not listen on \"" + path + "\"");
  if (socket_directory_.empty()) socket_directory_ = directory;
  sockets_.push_back(std::move(listener));
  locks_.push_back(std::move(lock));
  paths_.push_back(path);
  return {};
}

void Listeners::close() {
  sockets_.clear();
  for (const auto& path : paths_) {
    unlink(path.c_str());
    unlink((path + ".lock").c_str());
  }
  paths_.clear();
  locks_.clear();
}

}  // namespace indigo::wire
