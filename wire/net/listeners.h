// The sockets that a server accepts on: TCP for each listen address, a unix socket in each directory.
//
// A unix socket's path is guarded by PATH.lock, which the kernel unlocks when its holder dies: whatever socket file a killed
// server has left is replaced, and a living server's is never touched.
// Thread safety: none; one owner.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "wire/net/socket.h"

namespace indigo::wire {

struct ListenAddress {
  std::string listen_addresses = "localhost";  // comma list of names and addresses; * is all; empty is none
  int port = 5432;                             // 0: a free one
  std::string socket_directories;              // comma list; empty is none
  mode_t socket_mode = 0777;                   // of the sockets' files
  std::string socket_group;                    // a name or a number; empty: the process'
};

class Listeners {
 public:
  // Errors: a taken port or path, an address that is not this machine's, no socket at all.
  static Result<Listeners> open(const ListenAddress& address);
  Listeners() = default;
  Listeners(Listeners&&) = default;
  Listeners& operator=(Listeners&&) = default;
  ~Listeners() { close(); }

  const std::vector<Socket>& sockets() const { return sockets_; }
  int port() const { return port_; }
  // Of the first unix socket; empty when there is none.
  const std::string& socket_directory() const { return socket_directory_; }
  // Stops listening and removes the socket files.
  void close();

 private:
  Status open_tcp(const std::string& host);
  Status open_unix(const std::string& directory, const ListenAddress& address);

  std::vector<Socket> sockets_;
  std::vector<Socket> locks_;
  std::vector<std::string> paths_;  // of unix sockets
  std::string socket_directory_;
  int port_ = 0;
};

// /var/run/postgresql if this process may write there, else /tmp.
std::string default_socket_directory();

}  // namespace indigo::wire
