#include "wire/auth/door.h"

#include "base/server_log.h"
#include "wire/auth/config_file.h"

namespace indigo::wire {

namespace {

void complain(const std::string& what, const Error& error) {
  log_error(what + " was not reloaded: " + error.message + (error.detail.empty() ? "" : " (" + error.detail + ")"));
}

}  // namespace

Result<std::unique_ptr<Door>> Door::open(DoorSettings settings) {
  std::unique_ptr<Door> door(new Door(std::move(settings)));
  auto knowledge = std::make_shared<Knowledge>();
  if (door->settings_.tls) {
    INDIGO_ASSIGN(knowledge->tls, TlsContext::load(door->settings_.tls_files));
  }
  INDIGO_ASSIGN(knowledge->rules, door->load_rules());
  INDIGO_ASSIGN(knowledge->identities, door->load_identities());
  door->knowledge_ = std::move(knowledge);
  return door;
}

std::shared_ptr<const Door::Knowledge> Door::knowledge() const {
  const std::lock_guard lock(mutex_);
  return knowledge_;
}

void Door::reload() {
  const auto before = knowledge();
  auto after = std::make_shared<Knowledge>();
  after->tls = before->tls;
  if (settings_.tls) {
    auto tls = TlsContext::load(settings_.tls_files);
    if (!tls.ok()) complain("SSL configuration", tls.error());
    if (tls.ok()) after->tls = *std::move(tls);
  }
  auto rules = load_rules();
  if (!rules.ok()) complain("hba file \"" + settings_.hba_file + "\"", rules.error());
  after->rules = rules.ok() ? *std::move(rules) : before->rules;
  auto identities = load_identities();
  if (!identities.ok()) complain("ident file \"" + settings_.ident_file + "\"", identities.error());
  after->identities = identities.ok() ? *std::move(identities) : before->identities;
  const std::lock_guard lock(mutex_);
  knowledge_ = std::move(after);
}

Result<std::string> Door::hba_text() const {
  if (!settings_.hba_file.empty()) return read_config_file(settings_.hba_file);
  return "local all all " + settings_.local_auth + "\nhost all all 127.0.0.0/8 " + settings_.loopback_auth +
         "\nhost all all ::1/128 " + settings_.loopback_auth + "\nhost all all all " + settings_.remote_auth + "\n";
}

Result<HbaRules> Door::load_rules() const {
  INDIGO_ASSIGN(const std::string text, hba_text());
  return HbaRules::parse(text, folder_of(settings_.hba_file), settings_.tls);
}

Result<IdentMap> Door::load_identities() const {
  if (settings_.ident_file.empty()) return IdentMap();
  INDIGO_ASSIGN(const std::string text, read_config_file(settings_.ident_file));
  return IdentMap::parse(text, folder_of(settings_.ident_file));
}

std::vector<engine::HbaLine> Door::hba_lines() {
  const Result<std::string> text = hba_text();
  if (!text.ok()) return {};
  return HbaRules::describe(*text, folder_of(settings_.hba_file), settings_.tls);
}

std::vector<engine::IdentLine> Door::ident_lines() {
  if (settings_.ident_file.empty()) return {};
  const Result<std::string> text = read_config_file(settings_.ident_file);
  if (!text.ok()) return {};
  return IdentMap::describe(*text, folder_of(settings_.ident_file));
}

}  // namespace indigo::wire
