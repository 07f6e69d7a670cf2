// The kinds of tokens that the default parser finds, numbered as ts_token_type() shows them.
// Thread safety: constants.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace indigo::types {

enum class TokenType : uint8_t {
  kNone = 0,
  kAsciiWord,
  kWord,
  kNumberWord,
  kEmail,
  kUrl,
  kHost,
  kScientific,
  kVersion,
  kNumberWordPart,
  kWordPart,
  kAsciiWordPart,
  kBlank,
  kTag,
  kProtocol,
  kHyphenNumberWord,
  kHyphenAsciiWord,
  kHyphenWord,
  kUrlPath,
  kFile,
  kDecimal,
  kSignedInteger,
  kUnsignedInteger,
  kEntity,
};
inline constexpr int kTokenTypes = 23;

struct TokenTypeName {
  std::string_view alias, description;
};
// From number 1 on.
std::span<const TokenTypeName> token_type_names();

}  // namespace indigo::types
