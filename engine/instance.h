// A whole database server without sockets: the composition root of engine, catalog and storage. Two can live in one
// process. Thread safety: all functions are safe from any thread; sessions belong to one user at a time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/front_door.h"
#include "engine/session.h"
#include "engine/worker_states.h"
#include "types/value/locale.h"

namespace indigo::engine {

struct DataSource;

struct InstanceOptions {
  std::map<std::string, std::string> settings;  // -c name=value
  std::string data_directory;                   // empty: everything in memory
  std::string image_directory;                  // without a data directory: what that one has, which is only read
  // Without both: this file is mapped (engine/durability/mapped_image.h). With `image_directory` it is written if that is
  // possible.
  std::string image_file;
  std::shared_ptr<DataSource> data_source;  // in the place of data_directory (engine/durability/data_directory.h)
  // Of the databases of a new instance (C without it). 22023 for one that has been made with another.
  std::optional<types::Locale> locale;
  std::string os_user;  // gets a superuser role and a database, when not empty or "postgres"
};

struct ConnectOptions {
  std::string user = "postgres";
  std::string database;                         // empty: the user's name
  std::map<std::string, std::string> settings;  // startup parameters and options=-c ...
  std::string client_address;                   // for pg_stat_activity; empty for unix sockets
  int client_port = -1;
  std::string server_address;
  int server_port = -1;
  std::optional<TlsDescription> tls;
  bool replication =
      false;  // replication=database: the session knows the commands of engine/replication/walsender.h, too
};

// What authentication needs to know of a role.
struct RoleCredentials {
  bool exists = false;
  bool can_login = false;
  std::string password;  // pg_authid.rolpassword: SCRAM verifier, md5 hash, or empty
};

class Instance {
 public:
  virtual ~Instance() = default;
  static Result<std::unique_ptr<Instance>> open(const InstanceOptions& options);

  virtual RoleCredentials credentials(const std::string& user) = 0;
  // Whether `user` is `role` or, directly or not, its member; superusers as others.
  virtual bool is_member(const std::string& user, const std::string& role) = 0;
  // Asked by pg_reload_conf() and the views of its files; nullptr: there is none.
  virtual void set_front_door(FrontDoor* door) = 0;
  // Asked by indigo_stat_workers; nullptr: there are none.
  virtual void set_workers(WorkerStates* workers) = 0;
  // After authentication. Errors: 3D000, 28000, 53300, 57P03, bad settings (22023, 42704).
  // `waiter` is the session's own sleeper: cancel and terminate requests reach it.
  virtual Result<std::unique_ptr<Session>> connect(const ConnectOptions& options, Waiter& waiter) = 0;
  // CancelRequest: no answer, wrong keys are ignored.
  virtual void cancel(int32_t pid, int32_t key) = 0;
  // What a session has in pg_stat_activity, for the log: without passwords. Empty when there is no such session.
  virtual std::string statement_of(int32_t pid) = 0;
  // What ALTER SYSTEM has kept takes effect, as far as it can without a restart.
  virtual void reload_settings() {}
  // The server's own setting (port, listen_addresses, max_connections ...).
  virtual std::string setting(const std::string& name) = 0;
  // Interrupts every session with kShutdown; returns when all have ended or the deadline has passed.
  virtual bool shutdown(Deadline deadline) = 0;
};

}  // namespace indigo::engine
