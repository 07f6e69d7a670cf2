#include "types/textsearch/parser/token_states.h"

#include <array>
#include <initializer_list>
#include <vector>

namespace indigo::types {

namespace {

using S = TokenState;
using T = TokenType;
using Is = TokenTest;
using Rules = std::vector<TokenRule>;

TokenRule step(Is test, S to = S::kSame, TokenAction action = 0) { return {test, 0, action, to, T::kNone}; }
TokenRule step(char c, S to = S::kSame, TokenAction action = 0) { return {Is::kCharacter, c, action, to, T::kNone}; }
TokenRule attempt(Is test, S to) { return step(test, to, kAttempt); }
TokenRule attempt(char c, S to) { return step(c, to, kAttempt); }
TokenRule accept(Is test, T token, S to = S::kStart, TokenAction action = 0) {
  return {test, 0, static_cast<TokenAction>(kAccept | action), to, token};
}
TokenRule back(Is test = Is::kAny) { return step(test, S::kSame, kBack); }

// What stands between: at the text's end and at any other character the same happens.
Rules or_back(std::initializer_list<TokenRule> rules) {
  Rules out{back(Is::kEnd)};
  out.insert(out.end(), rules);
  out.push_back(back());
  return out;
}
Rules or_accept(T token, std::initializer_list<TokenRule> rules, S to = S::kStart, TokenAction action = 0) {
  Rules out{accept(Is::kEnd, token, to, action)};
  out.insert(out.end(), rules);
  out.push_back(accept(Is::kAny, token, to, action));
  return out;
}

Rules number_rules(S state) {
  const TokenRule exponent[] = {attempt('e', S::kExponentFirst), attempt('E', S::kExponentFirst)};
  switch (state) {
    case S::kUnsigned:
      return or_accept(
          T::kUnsignedInteger,
          {step(Is::kDigit), attempt('.', S::kDomainFirst), attempt('.', S::kUnsignedFractionFirst), exponent[0],
           exponent[1], attempt('-', S::kHostPartFirst), attempt('_', S::kHostPartFirst), attempt('@', S::kEmail),
           attempt(Is::kAsciiLetter, S::kHostPart), step(Is::kLetter, S::kNumberWord), step(Is::kMark, S::kNumberWord),
           attempt('/', S::kFileFirst)});
    case S::kSignedFirst: return or_back({step(Is::kDigit, S::kSigned, kCommit)});
    case S::kSigned:
      return or_accept(T::kSignedInteger,
                       {step(Is::kDigit), attempt('.', S::kSignedFractionFirst), exponent[0], exponent[1]});
    case S::kUnsignedFractionFirst: return or_back({step(Is::kDigit, S::kUnsignedFraction, kCommit)});
    case S::kUnsignedFraction:
      return or_accept(T::kDecimal, {step(Is::kDigit), attempt('.', S::kVersionFirst), exponent[0], exponent[1]});
    case S::kSignedFractionFirst: return or_back({step(Is::kDigit, S::kSignedFraction, kCommit)});
    case S::kSignedFraction:
      return or_accept(T::kDecimal, {step(Is::kDigit), attempt('.', S::kSignBeforeVersion), exponent[0], exponent[1]});
    case S::kSignBeforeVersion: return or_back({accept(Is::kDigit, T::kBlank, S::kUnsigned, kCommitAll | kSplitSign)});
    case S::kVersionFirst: return or_back({step(Is::kDigit, S::kVersion, kCommit)});
    case S::kVersion: return or_accept(T::kVersion, {step(Is::kDigit), attempt('.', S::kVersionFirst)});
    case S::kExponentFirst:
      return or_back(
          {step(Is::kDigit, S::kExponent, kCommit), step('+', S::kExponentSign), step('-', S::kExponentSign)});
    case S::kExponentSign: return or_back({step(Is::kDigit, S::kExponent, kCommit)});
    default: return or_accept(T::kScientific, {step(Is::kDigit)});
  }
}

Rules xml_rules(S state) {
  switch (state) {
    case S::kEntityFirst:
      return or_back({step('#', S::kEntityNumberFirst), step(Is::kAsciiLetter, S::kEntity), step(':', S::kEntity),
                      step('_', S::kEntity)});
    case S::kEntity:
      return or_back({step(Is::kAlphanumeric), step(':'), step('_'), step('.'), step('-'), step(';', S::kEntityEnd)});
    case S::kEntityNumberFirst:
      return or_back(
          {step('x', S::kEntityHexFirst), step('X', S::kEntityHexFirst), step(Is::kDigit, S::kEntityNumber)});
    case S::kEntityNumber: return or_back({step(Is::kDigit), step(';', S::kEntityEnd)});
    case S::kEntityHexFirst: return or_back({step(Is::kHexDigit, S::kEntityHex)});
    case S::kEntityHex: return or_back({step(Is::kHexDigit), step(';', S::kEntityEnd)});
    case S::kEntityEnd: return {accept(Is::kAny, T::kEntity, S::kStart, kCommit)};
    case S::kTagFirst:
      return or_back({attempt('/', S::kClosingTagFirst), attempt('!', S::kCommentFirst), attempt('?', S::kDeclaration),
                      attempt(Is::kAsciiLetter, S::kTagName), attempt(':', S::kTagName), attempt('_', S::kTagName)});
    case S::kDeclaration: return or_back({step('x', S::kTag)});
    case S::kClosingTagFirst: return or_back({step(Is::kAsciiLetter, S::kTagName)});
    case S::kTagName:
      return or_back({step('/', S::kEmptyTagEnd), step('>', S::kTagEnd, kNoteTag), step(Is::kSpace, S::kTag, kNoteTag),
                      step(Is::kAlphanumeric), step(':'), step('_'), step('.'), step('-')});
    case S::kEmptyTagEnd: return or_back({step('>', S::kTagEnd)});
    case S::kTag: {
      Rules rules{back(Is::kEnd),           step('>', S::kTagEnd, kNoteTag),
                  step('\'', S::kTagQuote), step('"', S::kTagDoubleQuote),
                  step(Is::kAsciiLetter),   step(Is::kDigit)};
      for (const char c : {'=', '-', '_', '#', '/', ':', '.', '&', '?', '%', '~'}) rules.push_back(step(c));
      rules.push_back(step(Is::kSpace));
      rules.push_back(back());
      return rules;
    }
    case S::kTagQuote: return {back(Is::kEnd), attempt('\\', S::kTagEscape), step('\'', S::kTag), step(Is::kAny)};
    case S::kTagDoubleQuote: return {back(Is::kEnd), attempt('\\', S::kTagEscape), step('"', S::kTag), step(Is::kAny)};
    case S::kTagEscape: return {back(Is::kEnd), step(Is::kAny, S::kSame, kMerge)};
    case S::kCommentFirst: return or_back({step('-', S::kCommentSecond), step('D', S::kTag), step('d', S::kTag)});
    case S::kCommentSecond: return or_back({step('-', S::kComment)});
    case S::kComment: return {back(Is::kEnd), step('-', S::kCommentDash), step(Is::kAny)};
    case S::kCommentDash: return {back(Is::kEnd), step('-', S::kCommentDashes), step(Is::kAny, S::kComment)};
    case S::kCommentDashes: return {back(Is::kEnd), step('-'), step('>', S::kCommentEnd), step(Is::kAny, S::kComment)};
    default: return {accept(Is::kAny, T::kTag, S::kStart, kCommitAll)};  // the ends of tags and comments
  }
}

// A host's name or port goes on as this: the rest of a URL, or nothing.
void add_host_end(Rules& rules) {
  rules.push_back(accept(Is::kHostWanted, T::kHost, S::kUrlPathStart, kCommitAll));
  rules.push_back(attempt('/', S::kUrl));
  rules.push_back(accept(Is::kAny, T::kHost, S::kStart, kCommitAll));
}

Rules host_rules(S state) {
  const TokenRule parts[] = {attempt('-', S::kHostPartFirst), attempt('_', S::kHostPartFirst),
                             attempt('.', S::kDomainFirst), attempt('@', S::kEmail)};
  switch (state) {
    case S::kDomainFirst: return or_back({step(Is::kAsciiLetter, S::kDomainSecond), step(Is::kDigit, S::kHostPart)});
    case S::kDomainSecond:
      return or_back({step(Is::kAsciiLetter, S::kDomain), attempt(Is::kDigit, S::kHostPart), parts[0], parts[1],
                      parts[2], parts[3]});
    case S::kDomain: {
      Rules rules{accept(Is::kEnd, T::kHost, S::kStart, kCommitAll),
                  step(Is::kAsciiLetter),
                  attempt(Is::kDigit, S::kHostPart),
                  attempt(':', S::kPortFirst),
                  parts[0],
                  parts[1],
                  parts[2],
                  parts[3],
                  back(Is::kDigit)};
      add_host_end(rules);
      return rules;
    }
    case S::kPortFirst: return or_back({step(Is::kDigit, S::kPort)});
    case S::kPort: {
      Rules rules{accept(Is::kEnd, T::kHost, S::kStart, kCommitAll), step(Is::kDigit)};
      add_host_end(rules);
      return rules;
    }
    case S::kHostPartFirst: return or_back({step(Is::kDigit, S::kHostPart), step(Is::kAsciiLetter, S::kHostPart)});
    case S::kHostPart:
      return or_back({step(Is::kAsciiLetter), step(Is::kDigit), parts[3], parts[2], parts[0], parts[1]});
    default: return {back(Is::kHostWanted), accept(Is::kHostAhead, T::kEmail, S::kStart, kCommitAll), back()};
  }
}

Rules path_rules(S state) {
  switch (state) {
    case S::kFileFirst:
      return or_back({step(Is::kAsciiLetter, S::kFile), step(Is::kDigit, S::kFile), step('.', S::kPathFirst),
                      step('_', S::kFile), attempt('~', S::kFileHome)});
    case S::kFileHome:
      return or_back({step(Is::kAsciiLetter, S::kFile), step(Is::kDigit, S::kFile), step('_', S::kFile),
                      step('/', S::kFileFirst)});
    case S::kPathFirst:
      return or_back({step(Is::kAsciiLetter, S::kFile), step(Is::kDigit, S::kFile), step('_', S::kFile),
                      step('.', S::kPathParent), step('/', S::kFileFirst)});
    case S::kRelativeFirst: return or_back({step('.', S::kPathParent), step('/', S::kFileFirst)});
    case S::kPathParent:
      return {accept(Is::kEnd, T::kFile, S::kStart, kCommit),
              attempt('/', S::kFileFirst),
              {Is::kCharacter, '/', kAccept | kCommit, S::kStart, T::kFile},
              accept(Is::kSpace, T::kFile, S::kStart, kCommit),
              back()};
    case S::kFile:
      return or_accept(T::kFile, {step(Is::kAsciiLetter), step(Is::kDigit), attempt('.', S::kFileNext), step('_'),
                                  step('-'), attempt('/', S::kFileFirst)});
    case S::kFileNext:
      return or_back({step(Is::kAsciiLetter, S::kFile, kCommit), step(Is::kDigit, S::kFile, kCommit),
                      step('_', S::kFile, kCommit)});
    case S::kUrlPathFirst: return or_back({step(Is::kUrlCharacter, S::kUrlPath)});
    case S::kUrlPathStart: return {step(Is::kAny, S::kUrlPath)};
    case S::kUrlPath: return or_accept(T::kUrlPath, {step(Is::kUrlCharacter)});
    case S::kUrl: return or_back({accept(Is::kUrlPathAhead, T::kUrl, S::kStart, kCommitAll | kRestart)});
    case S::kProtocolFirst: return or_back({step('/', S::kProtocolSecond)});
    case S::kProtocolSecond: return or_back({step('/', S::kProtocolEnd)});
    default: return {accept(Is::kAny, T::kProtocol, S::kStart, kCommitAll)};
  }
}

Rules hyphen_rules(S state) {
  constexpr TokenAction kWhole = kCommitAll | kRestart;
  switch (state) {
    case S::kHyphenAsciiFirst:
      return or_back(
          {step(Is::kAsciiLetter, S::kHyphenAscii), step(Is::kLetter, S::kHyphen), step(Is::kDigit, S::kHyphenDigits)});
    case S::kHyphenAscii:
      return or_accept(T::kHyphenAsciiWord,
                       {step(Is::kAsciiLetter), step(Is::kLetter, S::kHyphen), step(Is::kMark, S::kHyphen),
                        step(Is::kDigit, S::kHyphenNumber), attempt('-', S::kHyphenAsciiFirst)},
                       S::kParts, kWhole);
    case S::kHyphenFirst: return or_back({step(Is::kLetter, S::kHyphen), step(Is::kDigit, S::kHyphenDigits)});
    case S::kHyphen:
      return or_accept(
          T::kHyphenWord,
          {step(Is::kLetter), step(Is::kMark), step(Is::kDigit, S::kHyphenNumber), attempt('-', S::kHyphenFirst)},
          S::kParts, kWhole);
    case S::kHyphenNumberFirst:
      return or_back({step(Is::kLetter, S::kHyphenNumber), step(Is::kDigit, S::kHyphenDigits)});
    case S::kHyphenNumber:
      return or_accept(T::kHyphenNumberWord,
                       {step(Is::kAlphanumeric), step(Is::kMark), attempt('-', S::kHyphenNumberFirst)}, S::kParts,
                       kWhole);
    case S::kHyphenDigits:
      return or_back({step(Is::kDigit), step(Is::kLetter, S::kHyphenNumber), step(Is::kMark, S::kHyphenNumber)});
    case S::kParts:
      return {step(Is::kEnd, S::kStart, kAgain), step(Is::kAsciiLetter, S::kPartAscii),
              step(Is::kLetter, S::kPart),       attempt(Is::kDigit, S::kPartUnsigned),
              attempt('-', S::kPartHyphen),      step(Is::kAny, S::kStart, kAgain)};
    case S::kPartHyphen:
      return or_back(
          {accept(Is::kAlphanumeric, T::kBlank, S::kParts, kCommit), accept(Is::kMark, T::kBlank, S::kParts, kCommit)});
    case S::kPartAscii:
      return {accept(Is::kEnd, T::kAsciiWordPart), step(Is::kAsciiLetter),
              step(Is::kLetter, S::kPart),         step(Is::kMark, S::kPart),
              step(Is::kDigit, S::kPartNumber),    accept(Is::kAny, T::kAsciiWordPart, S::kParts)};
    case S::kPart:
      return {accept(Is::kEnd, T::kWordPart), step(Is::kLetter), step(Is::kMark), step(Is::kDigit, S::kPartNumber),
              accept(Is::kAny, T::kWordPart, S::kParts)};
    case S::kPartNumber:
      return {accept(Is::kEnd, T::kNumberWordPart), step(Is::kAlphanumeric), step(Is::kMark),
              accept(Is::kAny, T::kNumberWordPart, S::kParts)};
    default:
      return or_back(
          {step(Is::kDigit), step(Is::kLetter, S::kPartNumber, kCommit), step(Is::kMark, S::kPartNumber, kCommit)});
  }
}

Rules word_rules(S state) {
  switch (state) {
    case S::kStart:
      return {step(Is::kEnd),
              attempt('<', S::kTagFirst),
              step(Is::kIgnored, S::kBlank),
              attempt(Is::kAsciiLetter, S::kAsciiWord),
              attempt(Is::kLetter, S::kWord),
              attempt(Is::kDigit, S::kUnsigned),
              attempt('-', S::kSignedFirst),
              attempt('+', S::kSignedFirst),
              attempt('&', S::kEntityFirst),
              attempt('~', S::kFileHome),
              attempt('/', S::kFileFirst),
              attempt('.', S::kRelativeFirst),
              step(Is::kAny, S::kBlank)};
    case S::kBlank: {
      Rules rules{
          accept(Is::kEnd, T::kBlank), {Is::kCharacter, '<', kAccept, S::kStart, T::kBlank}, step(Is::kIgnored)};
      for (const char c : {'-', '+', '&', '/'}) rules.push_back({Is::kCharacter, c, kAccept, S::kStart, T::kBlank});
      rules.push_back(step(Is::kNotAlphanumeric));
      rules.push_back(accept(Is::kAny, T::kBlank));
      return rules;
    }
    case S::kAsciiWord:
      return or_accept(T::kAsciiWord,
                       {step(Is::kAsciiLetter), attempt('.', S::kDomainFirst), attempt('.', S::kFileNext),
                        attempt('-', S::kHostPartFirst), attempt('-', S::kHyphenAsciiFirst),
                        attempt('_', S::kHostPartFirst), attempt('@', S::kEmail), attempt(':', S::kProtocolFirst),
                        attempt('/', S::kFileFirst), attempt(Is::kDigit, S::kHostPart),
                        step(Is::kDigit, S::kNumberWord), step(Is::kLetter, S::kWord), step(Is::kMark, S::kWord)});
    case S::kWord:
      return or_accept(T::kWord, {step(Is::kLetter), step(Is::kMark), step(Is::kDigit, S::kNumberWord),
                                  attempt('-', S::kHyphenFirst)});
    default:
      return or_accept(T::kNumberWord,
                       {step(Is::kAlphanumeric), step(Is::kMark), attempt('@', S::kEmail), attempt('/', S::kFileFirst),
                        attempt('.', S::kFileNext), attempt('-', S::kHyphenNumberFirst)});
  }
}

Rules rules_of(S state) {
  if (state <= S::kNumberWord) return word_rules(state);
  if (state <= S::kExponent) return number_rules(state);
  if (state <= S::kCommentEnd) return xml_rules(state);
  if (state <= S::kEmail) return host_rules(state);
  if (state <= S::kProtocolEnd) return path_rules(state);
  return hyphen_rules(state);
}

}  // namespace

std::span<const TokenRule> token_rules(TokenState state) {
  static const auto kRules = [] {
    std::array<Rules, static_cast<size_t>(S::kCount)> all;
    for (size_t i = 0; i < all.size(); i++) all[i] = rules_of(static_cast<S>(i));
    return all;
  }();
  return kRules[static_cast<size_t>(state)];
}

}  // namespace indigo::types
