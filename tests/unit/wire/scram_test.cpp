#include "wire/auth/scram.h"

#include <gtest/gtest.h>

#include "engine/auth/base64.h"

namespace indigo::wire {
namespace {

using engine::auth::base64_decode;
using engine::auth::ScramVerifier;

// The example of RFC 7677.
constexpr std::string_view kSalt = "W22ZaJ0SNY7soEsUEjb6gQ==";
constexpr std::string_view kServerNonce = "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";

TEST(Scram, FollowsRfc7677) {
  ScramExchange exchange(ScramVerifier::make("pencil", *base64_decode(kSalt)), std::string(kServerNonce), {});
  auto first = exchange.first("n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096");
  auto final = exchange.final(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  ASSERT_TRUE(final.ok());
  EXPECT_EQ(*final, "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
}

TEST(Scram, WrongProofGivesNoSignature) {
  ScramExchange exchange(ScramVerifier::make("other", *base64_decode(kSalt)), std::string(kServerNonce), {});
  ASSERT_TRUE(exchange.first("n,,n=user,r=rOprNGfwEbeRWgbNEkqO").ok());
  auto final = exchange.final(
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  ASSERT_TRUE(final.ok());
  EXPECT_EQ(*final, "");
}

TEST(Scram, MalformedMessagesAreRefused) {
  for (std::string_view bad : {"", "n", "n,", "x,,n=,r=a", "n,,", "n,,n=", "n,,r=a", "n,,n=,r=", "n,,m=x,n=,r=a",
                               "p=tls,,n=,r=a", "n,a=u,n=,r=a"}) {
    ScramExchange exchange(ScramVerifier::make("x", "salt", 1), "NONCE", {});
    EXPECT_FALSE(exchange.first(bad).ok()) << bad;
  }
  for (std::string_view bad : {"", "c=", "c=biws", "c=biws,r=aNONCE", "c=eSws,r=aNONCE,p=AAAA", "c=biws,r=b,p=AAAA",
                               "c=biws,r=aNONCE,p=AAAA"}) {
    ScramExchange exchange(ScramVerifier::make("x", "salt", 1), "NONCE", {});
    ASSERT_TRUE(exchange.first("n,,n=,r=a").ok());
    EXPECT_FALSE(exchange.final(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace indigo::wire
