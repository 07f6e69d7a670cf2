#include "wire/auth/hba.h"

#include <absl/strings/match.h>

#include "base/sqlstate.h"
#include "wire/auth/hba_line.h"
#include "wire/net/socket_address.h"

namespace indigo::wire {

namespace {

using Type = HbaRule::Type;

bool is_keyword(const ConfigWord& word, std::string_view keyword) { return !word.quoted && word.text == keyword; }

bool type_matches(Type type, const Applicant& applicant) {
  if (applicant.local) return type == Type::kLocal;
  switch (type) {
    case Type::kLocal: return false;
    case Type::kHostSsl: return applicant.tls;
    case Type::kHostNoSsl: return !applicant.tls;
    case Type::kHostGss: return false;
    case Type::kHost:
    case Type::kHostNoGss: return true;
  }
  return false;
}

bool database_matches(const ConfigField& databases, const Applicant& applicant) {
  for (const auto& word : databases) {
    if (is_keyword(word, "all")) return true;
    if (is_keyword(word, "sameuser")) {
      if (applicant.database == applicant.user) return true;
    } else if (is_keyword(word, "samegroup") || is_keyword(word, "samerole")) {
      if (applicant.is_member(applicant.database)) return true;
    } else if (!is_keyword(word, "replication") && word.text == applicant.database) {
      return true;
    }
  }
  return false;
}

bool user_matches(const ConfigField& users, const Applicant& applicant) {
  for (const auto& word : users) {
    if (!word.quoted && word.text.starts_with('+')) {
      if (applicant.is_member(word.text.substr(1))) return true;
    } else if (is_keyword(word, "all") || word.text == applicant.user) {
      return true;
    }
  }
  return false;
}

// Names are compared without case; a rule's .suffix stands for all names that end so.
bool name_matches(const std::string& pattern, const std::string& name) {
  const auto equal = [](std::string_view a, std::string_view b) {
    return absl::EqualsIgnoreCase({a.data(), a.size()}, {b.data(), b.size()});
  };
  if (!pattern.starts_with('.')) return equal(pattern, name);
  return name.size() > pattern.size() && equal(std::string_view(name).substr(name.size() - pattern.size()), pattern);
}

bool address_matches(const HbaRule& rule, const Applicant& applicant) {
  switch (rule.address) {
    case HbaRule::Address::kAll: return true;
    case HbaRule::Address::kSameHost: return is_local_address(applicant.address, false);
    case HbaRule::Address::kSameNet: return is_local_address(applicant.address, true);
    case HbaRule::Address::kNetwork: return in_network(applicant.address, rule.network, rule.mask);
    case HbaRule::Address::kName: break;
  }
  const std::string name = applicant.host_name();
  return !name.empty() && name_matches(rule.host_name, name) && applicant.resolves(name);
}

}  // namespace

Result<HbaRules> HbaRules::parse(std::string_view text, const std::string& folder, bool tls_configured) {
  HbaRules rules;
  for (const auto& line : parse_config(text, folder)) {
    ParsedHbaLine parsed = parse_hba_line(line, tls_configured);
    if (!parsed.error.empty()) {
      return Error(sqlstate::kInvalidParameterValue, parsed.error)
          .with_detail("line " + std::to_string(line.number) + " of the hba file: \"" + line.text + "\"");
    }
    rules.rules_.push_back(std::move(parsed.rule));
  }
  if (rules.rules_.empty()) return Error(sqlstate::kInvalidParameterValue, "the hba file contains no entries");
  return rules;
}

std::vector<engine::HbaLine> HbaRules::describe(std::string_view text, const std::string& folder, bool tls_configured) {
  std::vector<engine::HbaLine> lines;
  for (const auto& line : parse_config(text, folder)) {
    lines.push_back(std::move(parse_hba_line(line, tls_configured).shown));
  }
  return lines;
}

const HbaRule* HbaRules::match(const Applicant& applicant) const {
  for (const auto& rule : rules_) {
    if (!type_matches(rule.type, applicant)) continue;
    if (!applicant.local && !address_matches(rule, applicant)) continue;
    if (database_matches(rule.databases, applicant) && user_matches(rule.users, applicant)) return &rule;
  }
  return nullptr;
}

}  // namespace indigo::wire
