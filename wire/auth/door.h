// The door: who may come in and how, and under which certificate. What it knows comes from files (hba_file, ident_file, ssl_*)
// and is read again by SIGHUP and pg_reload_conf(); a file that has become wrong is logged, and what it said before stays.
//
// Without hba_file the rules are those of local_auth (unix sockets), loopback_auth (127.0.0.0/8 and ::1) and remote_auth.
//
// Invariant: an applicant is judged by one Knowledge from beginning to end.
// Thread safety: all functions, from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/front_door.h"
#include "wire/auth/hba.h"
#include "wire/auth/ident_map.h"
#include "wire/tls/tls_context.h"

namespace indigo::wire {

struct DoorSettings {
  std::string hba_file, ident_file;  // empty: none
  std::string local_auth = "trust", loopback_auth = "trust", remote_auth = "scram-sha-256";
  bool tls = false;
  TlsSettings tls_files;
};

class Door final : public engine::FrontDoor {
 public:
  struct Knowledge {
    std::shared_ptr<const TlsContext> tls;  // null: TLS is off
    HbaRules rules;
    IdentMap identities;
  };

  // Errors (22023): any file that is missing or wrong.
  static Result<std::unique_ptr<Door>> open(DoorSettings settings);

  std::shared_ptr<const Knowledge> knowledge() const;

  void reload() override;
  std::vector<engine::HbaLine> hba_lines() override;
  std::vector<engine::IdentLine> ident_lines() override;

 private:
  explicit Door(DoorSettings settings) : settings_(std::move(settings)) {}
  Result<std::string> hba_text() const;
  Result<HbaRules> load_rules() const;
  Result<IdentMap> load_identities() const;

  const DoorSettings settings_;
  mutable std::mutex mutex_;  // guards knowledge_
  std::shared_ptr<const Knowledge> knowledge_;
};

}  // namespace indigo::wire
