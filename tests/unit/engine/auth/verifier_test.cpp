#include "engine/auth/verifier.h"

#include <gtest/gtest.h>

#include "engine/auth/base64.h"
#include "engine/auth/saslprep.h"

namespace indigo::engine::auth {
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

TEST(StoredPassword, KeepsWellFormedVerifiersOnly) {
  const std::string scram = ScramVerifier::make("secret", "0123456789abcdef").text();
  const std::string md5 = md5_verifier("secret", "bob");
  for (const std::string& verifier : {scram, md5}) {
    for (PasswordEncryption e : {PasswordEncryption::kMd5, PasswordEncryption::kScramSha256})
      EXPECT_EQ(*stored_password(verifier, "bob", e), verifier);
  }
  // What only looks like a verifier is a password, and stored as one.
  for (std::string bad : {scram.substr(0, scram.size() - 1), scram + "x", "SCRAM-SHA-256$4096:a$b:c"s,
                          "SCRAM-SHA-256$:"s, md5 + "0", "md5" + std::string(32, 'G'), "MD5" + md5.substr(3)}) {
    auto stored = stored_password(bad, "bob", PasswordEncryption::kScramSha256);
    ASSERT_TRUE(stored.ok());
    EXPECT_NE(*stored, bad);
    EXPECT_TRUE(password_matches(bad, "bob", *stored)) << bad;
  }
}

TEST(StoredPassword, IsHashedAsAsked) {
  EXPECT_EQ(*stored_password("secret", "bob", PasswordEncryption::kMd5), md5_verifier("secret", "bob"));
  auto one = stored_password("secret", "bob", PasswordEncryption::kScramSha256);
  auto two = stored_password("secret", "bob", PasswordEncryption::kScramSha256);
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(password_matches("secret", "bob", *one));
}

// The verifier is of the prepared password, so every spelling of it that SASLprep unites logs in.
TEST(StoredPassword, IsPrepared) {
  auto stored = stored_password("a\u00a0\u2168", "bob", PasswordEncryption::kScramSha256);
  EXPECT_TRUE(password_matches("a IX", "bob", *stored));
  const auto verifier = ScramVerifier::parse(*stored);
  ASSERT_TRUE(verifier);
  EXPECT_EQ(verifier->text(), ScramVerifier::make("a IX", verifier->salt).text());
}

TEST(StoredPassword, RefusesWhatWouldHoldAWorkerAtEachLogin) {
  ScramVerifier verifier = ScramVerifier::make("secret", "0123456789abcdef", 1);
  verifier.iterations = kMaxScramIterations + 1;
  EXPECT_FALSE(stored_password(verifier.text(), "bob", PasswordEncryption::kScramSha256).ok());
}

TEST(Saslprep, NormalisesWhatItMay) {
  EXPECT_EQ(saslprep("plain"), "plain");
  EXPECT_EQ(saslprep("I\u00adX"), "IX");        // mapped to nothing
  EXPECT_EQ(saslprep("a\u00a0b"), "a b");       // a space
  EXPECT_EQ(saslprep("\u2168"), "IX");          // NFKC
  EXPECT_EQ(saslprep("\xff\xfe"), "\xff\xfe");  // invalid: as it is
}

}  // namespace
}  // namespace indigo::engine::auth
