#include "wire/server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <new>

#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/auth/digest.h"
#include "engine/settings/setting_table.h"
#include "wire/net/refusal.h"

namespace indigo::wire {

namespace {

// Connections beyond max_connections that may be about to learn that there are too many.
constexpr uint32_t kUnauthenticatedAllowance = 256;

Result<int64_t> integer_setting(engine::Instance& instance, std::string_view name, int64_t otherwise) {
  std::string text = instance.setting(std::string(name));
  auto index = engine::find_setting(name);
  if (text.empty() || !index) return otherwise;
  INDIGO_ASSIGN(std::string value, engine::parse_setting(engine::setting_table()[*index], text));
  int64_t number = otherwise;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

Result<AuthMethod> auth_setting(engine::Instance& instance, const std::string& name, AuthMethod otherwise) {
  std::string text = instance.setting(name);
  if (text.empty()) return otherwise;
  if (auto method = parse_auth_method(text)) return *method;
  return Error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"" + name + "\": \"" + text + "\"");
}

// Where a TCP client comes from; IPv4 inside IPv6 counts as IPv4.
ClientAddress describe(const sockaddr_storage& address) {
  ClientAddress client;
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    client.origin = (ntohl(v4.sin_addr.s_addr) >> 24) == 127 ? Origin::kLoopback : Origin::kRemote;
    client.host = inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    client.port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    bool loopback =
        IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr) || (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr) && v6.sin6_addr.s6_addr[12] == 127);
    client.origin = loopback ? Origin::kLoopback : Origin::kRemote;
    client.host = inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    client.port = ntohs(v6.sin6_port);
  }
  return client;
}

}  // namespace

Result<ServerOptions> ServerOptions::from(engine::Instance& instance) {
  ServerOptions options;
  INDIGO_ASSIGN(int64_t workers, integer_setting(instance, "workers", 0));
  INDIGO_ASSIGN(int64_t connections, integer_setting(instance, "max_connections", options.max_connections));
  INDIGO_ASSIGN(int64_t seconds, integer_setting(instance, "authentication_timeout", 60));
  options.workers = static_cast<int>(workers);
  options.max_connections = static_cast<uint32_t>(connections);
  options.authentication_timeout = std::chrono::seconds(seconds);
  INDIGO_ASSIGN(options.rules.local, auth_setting(instance, "local_auth", options.rules.local));
  INDIGO_ASSIGN(options.rules.loopback, auth_setting(instance, "loopback_auth", options.rules.loopback));
  INDIGO_ASSIGN(options.rules.remote, auth_setting(instance, "remote_auth", options.rules.remote));
  return options;
}

Result<std::unique_ptr<Server>> Server::start(engine::Instance& instance, Listeners listeners,
                                              const ServerOptions& options) {
  std::unique_ptr<Server> server(new Server);
  server->listeners_ = std::move(listeners);
  server->max_connections_ = options.max_connections;
  server->shared_.instance = &instance;
  server->shared_.rules = options.rules;
  server->shared_.authentication_timeout = options.authentication_timeout;
  server->shared_.max_connections = options.max_connections;
  INDIGO_ASSIGN(server->shared_.secret, engine::auth::random_bytes(32, "secret"));
  int count = options.workers > 0 ? options.workers : static_cast<int>(std::thread::hardware_concurrency());
  for (int i = 0; i < std::max(count, 1); i++) {
    INDIGO_ASSIGN(auto worker, Worker::start(i));
    server->workers_.push_back(std::move(worker));
  }
  for (const auto& worker : server->workers_) {
    std::vector<Worker*> peers;
    for (const auto& other : server->workers_) {
      if (other != worker) peers.push_back(other.get());
    }
    worker->set_peers(std::move(peers));
  }
  server->stop_event_ = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  server->spare_ = Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  server->acceptor_ = std::thread([s = server.get()] { s->accept_all(); });
  return server;
}

Server::~Server() { stop(kNoDeadline); }

bool Server::stop(Deadline deadline) {
  if (acceptor_.joinable()) {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(stop_event_.fd(), &one, sizeof one);
    acceptor_.join();
    listeners_.close();
    for (auto& worker : workers_) {
      worker->interrupt_all(InterruptReason::kShutdown);
      worker->stop();
    }
    shared_.instance->shutdown(deadline);
  }
  bool all = true;
  for (auto& worker : workers_) all = worker->join(deadline) && all;
  return all;
}

uint32_t Server::connections() const {
  uint32_t sum = 0;
  for (const auto& worker : workers_) sum += worker->load();
  return sum;
}

void Server::accept_all() {
  pthread_setname_np(pthread_self(), "acceptor");
  std::vector<pollfd> polled;
  for (const auto& socket : listeners_.sockets()) polled.push_back({socket.fd(), POLLIN, 0});
  polled.push_back({stop_event_.fd(), POLLIN, 0});
  while (true) {
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    if (polled.back().revents != 0) return;
    for (const auto& ready : polled) {
      if (ready.revents != 0) accept_from(ready.fd);
    }
  }
}

void Server::accept_from(int listener) {
  while (true) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    Socket client(accept4(listener, reinterpret_cast<sockaddr*>(&address), &length, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (client.valid()) {
      if (address.ss_family == AF_INET || address.ss_family == AF_INET6) {
        int on = 1;
        setsockopt(client.fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(client.fd(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
      }
      dispatch(std::move(client), describe(address));
      continue;
    }
    if (errno == EMFILE || errno == ENFILE) {
      // Take the client with the spare descriptor and send it away, or poll would tell of it forever.
      spare_.reset();
      Socket refused(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
      log_warning("out of file descriptors: connection refused");
      if (refused.valid()) refuse_connection(refused.fd(), Refusal::kDescriptors);
      refused.reset();
      spare_ = Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC));
      return;
    }
    if (errno != EINTR && errno != ECONNABORTED) return;
  }
}

void Server::dispatch(Socket socket, ClientAddress address) {
  if (connections() >= max_connections_ + kUnauthenticatedAllowance) {
    return refuse_connection(socket.fd(), Refusal::kConnections);
  }
  // The least loaded worker; among equals, one after the other.
  size_t best = next_worker_++ % workers_.size();
  for (size_t i = 0; i < workers_.size(); i++) {
    if (workers_[i]->load() < workers_[best]->load()) best = i;
  }
  std::shared_ptr<Socket> shared_socket;
  try {
    // A std::function must be copyable, a socket is not.
    shared_socket = std::make_shared<Socket>(std::move(socket));
    Task::Body body = [this, shared_socket, address = std::move(address)](Task& task) {
      run_connection(shared_, std::move(*shared_socket), address, task);
    };
    workers_[best]->spawn(std::move(body),
                          [shared_socket] { refuse_connection(shared_socket->fd(), Refusal::kMemory); });
  } catch (const std::bad_alloc&) {
    refuse_connection(shared_socket != nullptr ? shared_socket->fd() : socket.fd(), Refusal::kMemory);
  }
}

}  // namespace indigo::wire
