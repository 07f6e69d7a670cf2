#include "wire/auth/hba_line.h"

#include <netdb.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "wire/net/socket_address.h"

namespace indigo::wire {

namespace {

using Type = HbaRule::Type;

constexpr std::pair<std::string_view, Type> kTypes[] = {
    {"local", Type::kLocal},         {"host", Type::kHost},          {"hostssl", Type::kHostSsl},
    {"hostnossl", Type::kHostNoSsl}, {"hostgssenc", Type::kHostGss}, {"hostnogssenc", Type::kHostNoGss},
};

constexpr std::pair<std::string_view, AuthMethod> kMethods[] = {
    {"trust", AuthMethod::kTrust},
    {"reject", AuthMethod::kReject},
    {"password", AuthMethod::kPassword},
    {"md5", AuthMethod::kMd5},
    {"scram-sha-256", AuthMethod::kScramSha256},
    {"peer", AuthMethod::kPeer},
    {"cert", AuthMethod::kCert},
};

// PostgreSQL's, that are not built here.
constexpr std::string_view kAbsentMethods[] = {"ident", "gss", "sspi", "pam", "bsd", "ldap", "radius"};

template <class Table>
auto find_named(const Table& table, std::string_view name) {
  return std::find_if(std::begin(table), std::end(table), [&](const auto& row) { return row.first == name; });
}

bool is_network(const ConfigWord& word, std::string_view keyword) { return !word.quoted && word.text == keyword; }

class LineParser {
 public:
  LineParser(const ConfigLine& line, bool tls_configured) : line_(line), tls_configured_(tls_configured) {}

  ParsedHbaLine parse() {
    out_.rule.line = line_.number;
    out_.error = line_.error;
    if (out_.error.empty()) out_.error = read();
    if (out_.error.empty()) show();
    out_.shown.number = line_.number;
    out_.shown.error = out_.error.empty() ? out_.warning : out_.error;
    return std::move(out_);
  }

 private:
  // Each answers what is wrong, or nothing.
  std::string read() {
    std::string wrong = read_type();
    if (!wrong.empty()) return wrong;
    if (at_end()) return "end-of-line before database specification";
    out_.rule.databases = next();
    if (at_end()) return "end-of-line before role specification";
    out_.rule.users = next();
    if (out_.rule.type != Type::kLocal) wrong = read_address();
    if (wrong.empty()) wrong = read_method();
    while (wrong.empty() && !at_end()) {
      for (const auto& option : next()) {
        if (wrong.empty()) wrong = read_option(option.text);
      }
    }
    if (wrong.empty() && out_.rule.method == AuthMethod::kCert) out_.rule.certificate = ClientCertificate::kVerifyFull;
    return wrong;
  }

  std::string read_type() {
    const ConfigField& field = next();
    if (field.size() > 1) return "multiple values specified for connection type";
    const auto found = find_named(kTypes, field[0].text);
    if (found == std::end(kTypes)) return "invalid connection type \"" + field[0].text + "\"";
    out_.rule.type = found->second;
    if (out_.rule.type == Type::kHostSsl && !tls_configured_) {
      out_.warning = "hostssl record cannot match because SSL is disabled";
    } else if (out_.rule.type == Type::kHostGss) {
      out_.warning = "hostgssenc record cannot match because GSSAPI is not supported by this build";
    }
    return {};
  }

  std::string read_address() {
    if (at_end()) return "end-of-line before IP address specification";
    const ConfigField& field = next();
    if (field.size() > 1) return "multiple values specified for host address";
    const ConfigWord& word = field[0];
    HbaRule& rule = out_.rule;
    if (is_network(word, "all")) return {};
    if (is_network(word, "samehost") || is_network(word, "samenet")) {
      rule.address = word.text == "samehost" ? HbaRule::Address::kSameHost : HbaRule::Address::kSameNet;
      return {};
    }
    const size_t slash = word.text.find('/');
    const std::string host = word.text.substr(0, slash);
    const auto numeric = parse_socket_address(host);
    if (!numeric) {
      rule.address = HbaRule::Address::kName;
      rule.host_name = host;
      return slash == std::string::npos ? ""
                                        : "specifying both host name and CIDR mask is invalid: \"" + word.text + "\"";
    }
    rule.address = HbaRule::Address::kNetwork;
    rule.network = *numeric;
    if (slash == std::string::npos) return read_mask();
    const std::string_view digits = std::string_view(word.text).substr(slash + 1);
    int bits = -1;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    const auto mask = failed == std::errc() && end == digits.data() + digits.size()
                          ? prefix_mask(rule.network.ss_family, bits)
                          : std::nullopt;
    if (!mask) return "invalid CIDR mask in address \"" + word.text + "\"";
    rule.mask = *mask;
    return {};
  }

  std::string read_mask() {
    if (at_end()) return "end-of-line before netmask specification";
    const ConfigField& field = next();
    if (field.size() > 1) return "multiple values specified for netmask";
    const auto mask = parse_socket_address(field[0].text);
    if (!mask) return "invalid IP mask \"" + field[0].text + "\": Name or service not known";
    if (mask->ss_family != out_.rule.network.ss_family) return "IP address and mask do not match";
    out_.rule.mask = *mask;
    return {};
  }

  std::string read_method() {
    if (at_end()) return "end-of-line before authentication method";
    const ConfigField& field = next();
    if (field.size() > 1) return "multiple values specified for authentication type";
    HbaRule& rule = out_.rule;
    std::string_view name = field[0].text;
    if (rule.type == Type::kLocal && name == "ident") name = "peer";  // as ever
    const auto found = find_named(kMethods, name);
    if (found == std::end(kMethods)) {
      const bool known =
          std::find(std::begin(kAbsentMethods), std::end(kAbsentMethods), name) != std::end(kAbsentMethods);
      return "invalid authentication method \"" + field[0].text + "\"" + (known ? ": not supported by this build" : "");
    }
    rule.method = found->second;
    if (rule.method == AuthMethod::kPeer && rule.type != Type::kLocal) {
      return "peer authentication is only supported on local sockets";
    }
    if (rule.method == AuthMethod::kCert && rule.type != Type::kHostSsl) {
      return "cert authentication is only supported on hostssl connections";
    }
    return {};
  }

  std::string read_option(const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) return "authentication option not in name=value format: " + text;
    const std::string name = text.substr(0, equals), value = text.substr(equals + 1);
    HbaRule& rule = out_.rule;
    if (name == "map") {
      if (rule.method != AuthMethod::kPeer && rule.method != AuthMethod::kCert) {
        return "authentication option \"map\" is only valid for authentication methods ident, peer, gssapi, sspi, and "
               "cert";
      }
      rule.map = value;
      return {};
    }
    if (name == "clientcert") return read_client_certificate(value);
    if (name != "clientname") return "unrecognized authentication option name: \"" + name + "\"";
    if (rule.type != Type::kHostSsl) return "clientname can only be configured for \"hostssl\" rows";
    if (value != "CN" && value != "DN") return "invalid value for clientname: \"" + value + "\"";
    rule.match_by_dn = value == "DN";
    return {};
  }

  std::string read_client_certificate(const std::string& value) {
    HbaRule& rule = out_.rule;
    if (rule.type != Type::kHostSsl) return "clientcert can only be configured for \"hostssl\" rows";
    if (value == "verify-full") {
      rule.certificate = ClientCertificate::kVerifyFull;
    } else if (value != "verify-ca") {
      return "invalid value for clientcert: \"" + value + "\"";
    } else if (rule.method == AuthMethod::kCert) {
      return "clientcert can only be set to \"verify-full\" when using \"cert\" authentication";
    } else {
      rule.certificate = ClientCertificate::kVerifyCa;
    }
    return {};
  }

  void show() {
    const HbaRule& rule = out_.rule;
    engine::HbaLine& shown = out_.shown;
    for (const auto& [name, type] : kTypes) {
      if (type == rule.type) shown.type = name;
    }
    for (const auto& [name, method] : kMethods) {
      if (method == rule.method) shown.method = name;
    }
    for (const auto& word : rule.databases) shown.databases.push_back(word.text);
    for (const auto& word : rule.users) shown.users.push_back(word.text);
    if (rule.type != Type::kLocal) {
      switch (rule.address) {
        case HbaRule::Address::kAll: shown.address = "all"; break;
        case HbaRule::Address::kSameHost: shown.address = "samehost"; break;
        case HbaRule::Address::kSameNet: shown.address = "samenet"; break;
        case HbaRule::Address::kName: shown.address = rule.host_name; break;
        case HbaRule::Address::kNetwork:
          shown.address = socket_address_text(rule.network);
          shown.netmask = socket_address_text(rule.mask);
          break;
      }
    }
    if (!rule.map.empty()) shown.options.push_back("map=" + rule.map);
    if (rule.certificate == ClientCertificate::kVerifyCa) shown.options.emplace_back("clientcert=verify-ca");
    if (rule.certificate == ClientCertificate::kVerifyFull) shown.options.emplace_back("clientcert=verify-full");
  }

  bool at_end() const { return next_ == line_.fields.size(); }
  const ConfigField& next() { return line_.fields[next_++]; }

  const ConfigLine& line_;
  bool tls_configured_;
  size_t next_ = 0;
  ParsedHbaLine out_;
};

}  // namespace

ParsedHbaLine parse_hba_line(const ConfigLine& line, bool tls_configured) {
  return LineParser(line, tls_configured).parse();
}

}  // namespace indigo::wire
