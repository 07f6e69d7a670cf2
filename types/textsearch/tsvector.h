// tsvector: words in order, each with its places.
//
//   image: uint32 count, then for each word its bytes, a zero byte, uint16 number of places, the places. All big-endian: the
//   binary form of the protocol is the image.
// A place is a position (1 to 16383, the low 14 bits) and a weight (A 3, B 2, C 1, D 0).
// Invariants:
// 1. Words are distinct and ascend by bytes; they have no zero bytes and at most 2046 bytes.
// 2. Places ascend by position, each once, at most 256 of them.
// Thread safety: values and pure functions; views borrow the image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::types {

inline constexpr size_t kMaxLexemeBytes = 2046, kMaxTsVectorBytes = (1 << 20) - 1;
inline constexpr uint16_t kMaxPlacePosition = (1 << 14) - 1;
inline constexpr size_t kMaxPlaces = 256;

constexpr uint16_t place_position(uint16_t place) { return place & kMaxPlacePosition; }
constexpr uint16_t place_weight(uint16_t place) { return static_cast<uint16_t>(place >> 14); }
constexpr uint16_t make_place(int64_t position, uint16_t weight) {
  return static_cast<uint16_t>((position < kMaxPlacePosition ? position : kMaxPlacePosition) | (weight << 14));
}

struct Lexeme {
  std::string word;
  std::vector<uint16_t> places;
};
struct LexemeView {
  Str word;
  Str raw;  // the places' bytes
  size_t places() const { return raw.size() / 2; }
  uint16_t place(size_t i) const {
    return static_cast<uint16_t>((static_cast<uint8_t>(raw[2 * i]) << 8) | static_cast<uint8_t>(raw[2 * i + 1]));
  }
};

std::vector<LexemeView> lexemes_of(Str image);
std::vector<Lexeme> copy_lexemes(Str image);
// Of sorted lexemes; null and an error when they take more than a megabyte.
Datum make_tsvector(FuncContext& context, const std::vector<Lexeme>& lexemes);
// Sorts words and places and makes both unique: of one position the highest weight stays.
void normalise_lexemes(std::vector<Lexeme>& lexemes);
void normalise_places(std::vector<uint16_t>& places);
int compare_tsvectors(Str a, Str b);
// Bytes in the same order.
void append_tsvector_key(Str image, std::string& out);
// The weight of a letter, -1: none.
int weight_of_letter(char c);
// Quoted as both types print words.
void append_quoted_word(Str word, std::string& out);

}  // namespace indigo::types
