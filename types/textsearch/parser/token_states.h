// The grammar of tokens as an automaton: for each state the rules that are tried in order at each character. A rule may
// remember where it stood ("attempt"), so that the next rule of that state is tried there when what follows fails.
// Thread safety: constants.
#pragma once

#include <cstdint>
#include <span>

#include "types/textsearch/parser/token_type.h"

namespace indigo::types {

enum class TokenState : uint8_t {
  kStart,
  kBlank,
  // words
  kAsciiWord,
  kWord,
  kNumberWord,
  // numbers
  kUnsigned,
  kSignedFirst,
  kSigned,
  kUnsignedFractionFirst,
  kUnsignedFraction,
  kSignedFractionFirst,
  kSignedFraction,
  kVersionFirst,
  kVersion,
  kSignBeforeVersion,
  kExponentFirst,
  kExponentSign,
  kExponent,
  // XML
  kEntityFirst,
  kEntity,
  kEntityNumberFirst,
  kEntityNumber,
  kEntityHexFirst,
  kEntityHex,
  kEntityEnd,
  kTagFirst,
  kDeclaration,
  kClosingTagFirst,
  kTagName,
  kEmptyTagEnd,
  kTag,
  kTagQuote,
  kTagDoubleQuote,
  kTagEscape,
  kTagEnd,
  kCommentFirst,
  kCommentSecond,
  kComment,
  kCommentDash,
  kCommentDashes,
  kCommentEnd,
  // hosts, addresses, paths
  kDomainFirst,
  kDomainSecond,
  kDomain,
  kPortFirst,
  kPort,
  kHostPartFirst,
  kHostPart,
  kEmail,
  kFileFirst,
  kFileHome,
  kPathFirst,
  kRelativeFirst,
  kPathParent,
  kFile,
  kFileNext,
  kUrlPathFirst,
  kUrlPathStart,
  kUrlPath,
  kUrl,
  kProtocolFirst,
  kProtocolSecond,
  kProtocolEnd,
  // words with hyphens, first whole and then in parts
  kHyphenAsciiFirst,
  kHyphenAscii,
  kHyphenFirst,
  kHyphen,
  kHyphenNumberFirst,
  kHyphenNumber,
  kHyphenDigits,
  kParts,
  kPartHyphen,
  kPartAscii,
  kPart,
  kPartNumber,
  kPartUnsigned,
  kCount,
  kSame,  // as a target: the state stays
};

// What a rule asks of the character; those at the end look further than it.
enum class TokenTest : uint8_t {
  kAny,
  kEnd,
  kCharacter,
  kAsciiLetter,
  kLetter,
  kDigit,
  kHexDigit,
  kAlphanumeric,
  kNotAlphanumeric,
  kMark,  // of no width of its own: a combining mark
  kSpace,
  kUrlCharacter,
  kIgnored,     // inside <script> and <style>
  kHostWanted,  // this is the host of a URL that was just found
  kHostAhead,
  kUrlPathAhead,
};

// Bits.
using TokenAction = uint16_t;
inline constexpr TokenAction kAccept = 1,  // a token ends before this character
    kBack = 2,                             // to the last attempt's state, and the rule after it
    kAttempt = 4,
                             kCommit = 8,  // the last attempt is forgotten
    kCommitAll = 16,                       // all are
    kMerge = 32,                           // the last attempt's state goes on from here
    kAgain = 64,                           // look at this character again
    kRestart = 128,                        // the next token begins where this one did
    kNoteTag = 256,                        // a tag's name may begin or end what is ignored
    kSplitSign = 512;                      // what was read is a sign and more: read again from its start

struct TokenRule {
  TokenTest test = TokenTest::kAny;
  char character = 0;
  TokenAction action = 0;
  TokenState to = TokenState::kSame;
  TokenType token = TokenType::kNone;
};

// Ends with a rule for any character.
std::span<const TokenRule> token_rules(TokenState state);

}  // namespace indigo::types
