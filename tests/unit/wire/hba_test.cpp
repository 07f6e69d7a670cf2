#include "wire/auth/hba.h"

#include <gtest/gtest.h>

#include "wire/auth/ident_map.h"
#include "wire/net/socket_address.h"

namespace indigo::wire {
namespace {

engine::HbaLine describe(const std::string& line, bool tls = false) {
  const auto lines = HbaRules::describe(line, "/nowhere", tls);
  return lines.size() == 1 ? lines[0] : engine::HbaLine{.error = std::to_string(lines.size()) + " lines"};
}

// What PostgreSQL 15's pg_hba_file_rules says of each line, without TLS.
TEST(Hba, ErrorsArePostgresqls) {
  constexpr std::pair<const char*, const char*> kLines[] = {
      {"local all all", "end-of-line before authentication method"},
      {"hostx all all trust", "invalid connection type \"hostx\""},
      {"host all all 127.0.0.1/33 trust", "invalid CIDR mask in address \"127.0.0.1/33\""},
      {"host all all 127.0.0.1 trust", "invalid IP mask \"trust\": Name or service not known"},
      {"host all all localhost/24 md5", "specifying both host name and CIDR mask is invalid: \"localhost/24\""},
      {"host all all all peer", "peer authentication is only supported on local sockets"},
      {"local all all cert", "cert authentication is only supported on hostssl connections"},
      {"hostssl all all all cert clientcert=verify-ca",
       "clientcert can only be set to \"verify-full\" when using \"cert\" authentication"},
      {"host all all all trust clientcert=verify-ca", "clientcert can only be configured for \"hostssl\" rows"},
      {"host all all all bsd", "invalid authentication method \"bsd\": not supported by this build"},
      {"host all all all foo", "invalid authentication method \"foo\""},
      {"host all all ", "end-of-line before IP address specification"},
      {"host all", "end-of-line before role specification"},
      {"host", "end-of-line before database specification"},
      {"host all all 1.2.3.4/24 trust foo=bar", "unrecognized authentication option name: \"foo\""},
      {"host all all 1.2.3.4/24 trust foo", "authentication option not in name=value format: foo"},
      {"host all all 1.2.3.4/24 trust map=x",
       "authentication option \"map\" is only valid for authentication methods ident, peer, gssapi, sspi, and cert"},
      {"host all all a,b trust", "multiple values specified for host address"},
      {"host all all all trust,md5", "multiple values specified for authentication type"},
      {"host all all 1.2.3.4 ::1 trust", "IP address and mask do not match"},
      {"host all all 1.2.3.4", "end-of-line before netmask specification"},
      {"hostssl all all all trust", "hostssl record cannot match because SSL is disabled"},
  };
  for (const auto& [line, error] : kLines) EXPECT_EQ(describe(line).error, error) << line;
}

TEST(Hba, LinesAreShownAsPostgresqlDoes) {
  const auto quoted = describe("host a,b \"c d\",+e ::1/128 scram-sha-256 # a comment");
  EXPECT_EQ(quoted.error, "");
  EXPECT_EQ(quoted.databases, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(quoted.users, (std::vector<std::string>{"c d", "+e"}));
  EXPECT_EQ(quoted.address, "::1");
  EXPECT_EQ(quoted.netmask, "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(quoted.method, "scram-sha-256");
  EXPECT_EQ(describe("host all all 127.0.0.1 255.255.255.0 trust").netmask, "255.255.255.0");
  EXPECT_EQ(describe("host all all .example.org md5").address, ".example.org");
  EXPECT_EQ(describe("local all all ident").method, "peer");
  EXPECT_EQ(describe("local all all peer map=x").options, std::vector<std::string>{"map=x"});
  EXPECT_EQ(describe("hostssl all all all cert", true).options, std::vector<std::string>{"clientcert=verify-full"});
  EXPECT_EQ(describe("host all \\\nall all trust").method, "trust");
  EXPECT_EQ(describe("host \"a\"\"b\" all all trust").databases, std::vector<std::string>{"a\"b"});
}

class Matching : public testing::Test {
 protected:
  // The line that decides, 0 for none.
  static int line(const std::string& rules, const Applicant& applicant) {
    const auto parsed = HbaRules::parse(rules, "/nowhere", true);
    EXPECT_TRUE(parsed.ok()) << rules;
    const HbaRule* rule = parsed.ok() ? parsed->match(applicant) : nullptr;
    return rule == nullptr ? 0 : rule->line;
  }
  static Applicant from(const std::string& address, bool tls = false) {
    Applicant applicant;
    applicant.local = address.empty();
    if (!address.empty()) applicant.address = *parse_socket_address(address);
    applicant.tls = tls;
    applicant.database = "db";
    applicant.user = "alice";
    applicant.is_member = [](const std::string& role) { return role == "alice" || role == "staff"; };
    applicant.host_name = [] { return std::string("db1.Example.org"); };
    applicant.resolves = [](const std::string& name) { return name == "db1.Example.org"; };
    return applicant;
  }
};

TEST_F(Matching, TheFirstRuleThatFitsDecides) {
  const std::string rules =
      "local all all trust\n"
      "hostssl all all 10.0.0.0/8 trust\n"
      "hostnossl all all 10.0.0.0/8 reject\n"
      "host all all 10.1.0.0/16 trust\n";
  EXPECT_EQ(line(rules, from("")), 1);
  EXPECT_EQ(line(rules, from("10.1.2.3", true)), 2);
  EXPECT_EQ(line(rules, from("10.1.2.3", false)), 3);
  EXPECT_EQ(line(rules, from("11.1.2.3", true)), 0);
  EXPECT_EQ(line(rules, from("::1", true)), 0);
}

TEST_F(Matching, DatabasesAndUsers) {
  EXPECT_EQ(line("host other,db all all trust", from("1.2.3.4")), 1);
  EXPECT_EQ(line("host sameuser all all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host samerole all all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host replication all all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host \"all\" all all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host all +staff all trust", from("1.2.3.4")), 1);
  EXPECT_EQ(line("host all \"+staff\" all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host all +others all trust", from("1.2.3.4")), 0);
  EXPECT_EQ(line("host all bob,alice all trust", from("1.2.3.4")), 1);
}

TEST_F(Matching, Names) {
  EXPECT_EQ(line("host all all db1.example.org trust", from("1.2.3.4")), 1);
  EXPECT_EQ(line("host all all .example.org trust", from("1.2.3.4")), 1);
  EXPECT_EQ(line("host all all .other.org trust", from("1.2.3.4")), 0);
  Applicant liar = from("1.2.3.4");
  liar.resolves = [](const std::string&) { return false; };  // the owner of an address may give it any name
  EXPECT_EQ(line("host all all .example.org trust", liar), 0);
}

TEST_F(Matching, Networks) {
  EXPECT_EQ(line("host all all samehost trust", from("127.0.0.1")), 1);
  EXPECT_EQ(line("host all all samehost trust", from("127.0.0.2")), 0);
  EXPECT_EQ(line("host all all samenet trust", from("127.0.0.2")), 1);
  EXPECT_EQ(line("host all all 2001:db8::/33 trust", from("2001:db8:7fff::1")), 1);
  EXPECT_EQ(line("host all all 2001:db8::/33 trust", from("2001:db8:8000::1")), 0);
  EXPECT_EQ(line("host all all 0.0.0.0/0 trust", from("::1")), 0);
}

TEST(Hba, NoEntriesAndWrongLinesAreErrors) {
  EXPECT_FALSE(HbaRules::parse("# nothing\n", "/nowhere", false).ok());
  const auto wrong = HbaRules::parse("local all all trust\n\nlocal all all", "/nowhere", false);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().detail.find("line 3"), std::string::npos);
  EXPECT_FALSE(HbaRules::parse("local @absent all trust", "/nowhere", false).ok());
}

TEST(IdentMap, NamesAndPatterns) {
  const auto map = IdentMap::parse("m root postgres\nm /^(.*)@example$ \\1\nm /^any all\nother x y\n", "/nowhere");
  ASSERT_TRUE(map.ok());
  EXPECT_TRUE(map->allows("", "alice", "alice"));
  EXPECT_FALSE(map->allows("", "alice", "bob"));
  EXPECT_TRUE(map->allows("m", "root", "postgres"));
  EXPECT_TRUE(map->allows("m", "bob@example", "bob"));
  EXPECT_FALSE(map->allows("m", "bob@example", "alice"));
  EXPECT_FALSE(map->allows("m", "x", "y"));
  EXPECT_FALSE(map->allows("m", "postgres", "postgres"));
  EXPECT_FALSE(IdentMap::parse("m root", "/nowhere").ok());
  EXPECT_FALSE(IdentMap::parse("m /( root", "/nowhere").ok());
  EXPECT_EQ(IdentMap::describe("m root", "/nowhere")[0].error, "missing entry at end of line");
}

}  // namespace
}  // namespace indigo::wire
