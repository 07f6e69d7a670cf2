#include "wire/server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <new>

#include "base/fiber/thread_start.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/auth/digest.h"
#include "engine/settings/setting_table.h"
#include "wire/net/refusal.h"
#include "wire/net/socket_address.h"

namespace indigo::wire {

namespace {

// Connections beyond max_connections: as many as the anteroom holds, which sends the oldest of them away when one more comes, and
// those that are on their way out.
constexpr uint32_t kUnauthenticatedAllowance = 2 * Anteroom::kMostGuests;
// For handshakes and names: one that waits for a name server leaves another.
constexpr int kBlockingThreads = 2;

Result<int64_t> integer_setting(engine::Instance& instance, std::string_view name, int64_t otherwise) {
  std::string text = instance.setting(std::string(name));
  auto index = engine::find_setting(name);
  if (text.empty() || !index) return otherwise;
  INDIGO_ASSIGN(std::string value, engine::parse_setting(engine::setting_table()[*index], text));
  int64_t number = otherwise;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

DoorSettings door_settings(engine::Instance& instance) {
  DoorSettings door;
  const auto take = [&](const char* name, std::string& into) {
    std::string text = instance.setting(name);
    if (!text.empty()) into = std::move(text);
  };
  take("hba_file", door.hba_file);
  take("ident_file", door.ident_file);
  take("local_auth", door.local_auth);
  take("loopback_auth", door.loopback_auth);
  take("remote_auth", door.remote_auth);
  door.tls = instance.setting("ssl") == "on";
  take("ssl_cert_file", door.tls_files.cert_file);
  take("ssl_key_file", door.tls_files.key_file);
  take("ssl_ca_file", door.tls_files.ca_file);
  take("ssl_crl_file", door.tls_files.crl_file);
  take("ssl_crl_dir", door.tls_files.crl_dir);
  take("ssl_ciphers", door.tls_files.ciphers);
  door.tls_files.prefer_server_ciphers = instance.setting("ssl_prefer_server_ciphers") != "off";
  take("ssl_ecdh_curve", door.tls_files.ecdh_curve);
  take("ssl_dh_params_file", door.tls_files.dh_params_file);
  take("ssl_min_protocol_version", door.tls_files.min_protocol_version);
  take("ssl_max_protocol_version", door.tls_files.max_protocol_version);
  take("ssl_passphrase_command", door.tls_files.passphrase_command);
  return door;
}

// Both ends of a TCP connection; of a unix socket only that it is one.
ClientAddress describe(const sockaddr_storage& address, const Socket& socket) {
  ClientAddress client;
  client.peer.ss_family = client.own.ss_family = AF_UNIX;
  if (address.ss_family != AF_INET && address.ss_family != AF_INET6) return client;
  client.peer = without_mapping(address);
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  if (getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&own), &length) == 0) client.own = without_mapping(own);
  return client;
}

}  // namespace

Result<ServerOptions> ServerOptions::from(engine::Instance& instance) {
  ServerOptions options;
  INDIGO_ASSIGN(int64_t workers, integer_setting(instance, "workers", 0));
  INDIGO_ASSIGN(int64_t connections, integer_setting(instance, "max_connections", options.max_connections));
  INDIGO_ASSIGN(int64_t seconds, integer_setting(instance, "authentication_timeout", 60));
  INDIGO_ASSIGN(const int64_t stalled_ms, integer_setting(instance, "log_stalled_worker_after", 0));
  INDIGO_ASSIGN(const int64_t relieve_ms, integer_setting(instance, "relieve_worker_after", 0));
  options.patience.log_after = std::chrono::milliseconds(stalled_ms);
  options.patience.relieve_after = std::chrono::milliseconds(relieve_ms);
  options.workers = static_cast<int>(workers);
  options.max_connections = static_cast<uint32_t>(connections);
  options.authentication_timeout = std::chrono::seconds(seconds);
  options.door = door_settings(instance);
  return options;
}

Result<std::unique_ptr<Server>> Server::start(engine::Instance& instance, Listeners listeners,
                                              const ServerOptions& options) {
  std::unique_ptr<Server> server(new Server);
  server->listeners_ = std::move(listeners);
  server->max_connections_ = options.max_connections;
  server->shared_.instance = &instance;
  INDIGO_ASSIGN(server->door_, Door::open(options.door));
  INDIGO_ASSIGN(server->calls_, BlockingCalls::start(kBlockingThreads));
  server->shared_.door = server->door_.get();
  server->shared_.calls = server->calls_.get();
  instance.set_front_door(server->door_.get());
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
  if (std::max(options.patience.log_after, options.patience.relieve_after) > Clock::duration::zero()) {
    std::vector<Worker*> watched;
    for (const auto& worker : server->workers_) watched.push_back(worker.get());
    INDIGO_ASSIGN(server->watchdog_, Watchdog::start(options.patience, watched,
                                                     [&instance](int32_t pid) { return instance.statement_of(pid); }));
  }
  instance.set_workers(server.get());
  server->stop_event_ = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  server->spare_ = Socket(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  server->acceptor_ = std::thread([s = server.get()] { s->accept_all(); });
  return server;
}

Server::~Server() {
  stop(kNoDeadline);
  if (shared_.instance == nullptr) return;
  shared_.instance->set_front_door(nullptr);
  shared_.instance->set_workers(nullptr);
}

bool Server::stop(Deadline deadline) {
  const bool began = acceptor_.joinable();
  if (began) {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = write(stop_event_.fd(), &one, sizeof one);
    acceptor_.join();
    listeners_.close();
  }
  // Also of a server that could not begin whole.
  for (auto& worker : workers_) {
    worker->interrupt_all(InterruptReason::kShutdown);
    worker->stop();
  }
  if (began) shared_.instance->shutdown(deadline);
  bool all = true;
  for (auto& worker : workers_) all = worker->join(deadline) && all;
  return all;
}

std::vector<engine::WorkerState> Server::worker_states() {
  std::vector<engine::WorkerState> states;
  states.reserve(workers_.size());
  for (const auto& worker : workers_) states.push_back(worker->state());
  return states;
}

uint32_t Server::connections() const {
  uint32_t sum = 0;
  for (const auto& worker : workers_) sum += worker->load();
  return sum;
}

void Server::accept_all() {
  begin_thread("acceptor");
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
      const ClientAddress from = describe(address, client);
      dispatch(std::move(client), from);
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

void Server::dispatch(Socket socket, const ClientAddress& address) {
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
    Task::Body body = [this, shared_socket, address](Task& task) {
      run_connection(shared_, std::move(*shared_socket), address, task);
    };
    workers_[best]->spawn(std::move(body),
                          [shared_socket] { refuse_connection(shared_socket->fd(), Refusal::kMemory); });
  } catch (const std::bad_alloc&) {
    refuse_connection(shared_socket != nullptr ? shared_socket->fd() : socket.fd(), Refusal::kMemory);
  }
}

}  // namespace indigo::wire
