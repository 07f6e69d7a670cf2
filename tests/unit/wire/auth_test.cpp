#include <gtest/gtest.h>

#include "base/sqlstate.h"
#include "wire/auth/base64.h"
#include "wire/auth/saslprep.h"
#include "wire/auth/scram.h"
#include "wire/auth/verifier.h"

namespace indigo::wire {
namespace {

using namespace std::string_literals;

TEST(Base64, RoundTripsAndRefusesOtherText) {
  for (std::string bytes : {""s, "f"s, "fo"s, "foo"s, "foob"s, "\0\xff\x80"s}) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)), bytes);
  }
  EXPECT_EQ(base64_encode("fooba"), "Zm9vYmE=");
  for (std::string_view bad : {"Zg", "Zg=", "Z===", "Zg==Zg==", "Zm9v!!!!", "Zm 9v"}) {
    EXPECT_FALSE(base64_decode(bad)) << bad;
  }
}

// The example of RFC 7677.
constexpr std::string_view kSalt = "W22ZaJ0SNY7soEsUEjb6gQ==";
constexpr std::string_view kServerNonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

TEST(Scram, FollowsRfc7677) {
  ScramExchange exchange(ScramVerifier::make("pencil", *base64_decode(kSalt)), std::string(kServerNonce));
  auto first = exchange.first("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
  auto final = exchange.final(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  ASSERT_TRUE(final.ok());
  EXPECT_EQ(*final, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

TEST(Scram, WrongProofGivesNoSignature) {
  ScramExchange exchange(ScramVerifier::make("other", *base64_decode(kSalt)), std::string(kServerNonce));
  ASSERT_TRUE(exchange.first("n,,n=user,r=rOprNGfwEbeRWgbNEkqO").ok());
  auto final = exchange.final(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  ASSERT_TRUE(final.ok());
  EXPECT_EQ(*final, "");
}

TEST(Scram, MalformedMessagesAreRefused) {
  for (std::string_view bad : {"", "n", "n,", "x,,n=,r=a", "n,,", "n,,n=", "n,,r=a", "n,,n=,r=", "n,,m=x,n=,r=a",
                               "p=tls,,n=,r=a", "n,a=u,n=,r=a"}) {
    ScramExchange exchange(ScramVerifier::make("x", "salt", 1));
    EXPECT_FALSE(exchange.first(bad).ok()) << bad;
  }
  for (std::string_view bad : {"", "c=", "c=biws", "c=biws,r=aNONCE", "c=eSws,r=aNONCE,p=AAAA", "c=biws,r=b,p=AAAA",
                               "c=biws,r=aNONCE,p=AAAA"}) {
    ScramExchange exchange(ScramVerifier::make("x", "salt", 1), "NONCE");
    ASSERT_TRUE(exchange.first("n,,n=,r=a").ok());
    EXPECT_FALSE(exchange.final(bad).ok()) << bad;
  }
}

// Stored by PostgreSQL 15 for the password 'secret'.
TEST(Verifier, ReadsWhatPostgresStores) {
  ScramVerifier made = ScramVerifier::make("secret", "0123456789abcdef");
  auto read = ScramVerifier::parse(made.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->stored_key, made.stored_key);
  EXPECT_EQ(read->iterations, 4096);
  EXPECT_TRUE(password_matches("secret", "u", made.text()));
  EXPECT_FALSE(password_matches("Secret", "u", made.text()));
  EXPECT_EQ(md5_verifier("secret", "bob"), "md5" + md5_hex("secretbob"));
  EXPECT_TRUE(password_matches("secret", "bob", md5_verifier("secret", "bob")));
  EXPECT_FALSE(password_matches("secret", "alice", md5_verifier("secret", "bob")));
  for (std::string_view bad :
       {"", "SCRAM-SHA-256$", "SCRAM-SHA-256$4096:AAAA$BBBB:CCCC", "SCRAM-SHA-256$x:AAAA$:", "md5", "plain"}) {
    EXPECT_FALSE(ScramVerifier::parse(bad)) << bad;
    EXPECT_FALSE(password_matches("", "u", bad)) << bad;
  }
}

TEST(Verifier, MockOfAnUnknownRoleIsSteady) {
  EXPECT_EQ(ScramVerifier::mock("s", "u").salt, ScramVerifier::mock("s", "u").salt);
  EXPECT_NE(ScramVerifier::mock("s", "u").salt, ScramVerifier::mock("s", "v").salt);
}

TEST(Saslprep, NormalisesWhatItMay) {
  EXPECT_EQ(saslprep("plain"), "plain");
  EXPECT_EQ(saslprep("I\u00adX"), "IX");        // mapped to nothing
  EXPECT_EQ(saslprep("a\u00a0b"), "a b");       // a space
  EXPECT_EQ(saslprep("\u2168"), "IX");          // NFKC
  EXPECT_EQ(saslprep("\xff\xfe"), "\xff\xfe");  // invalid: as it is
}

}  // namespace
}  // namespace indigo::wire
