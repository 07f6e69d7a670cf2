// isn: numbers of products. EAN13 is the form of all; ISBN, ISMN, ISSN and UPC are ranges of it that have short forms, too.
//
// A value: the thirteen digits, shifted left by one; the lowest bit says that the check digit was wrong when it was read.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace indigo::types::isn {

enum class Kind : uint8_t { kNone, kEan13, kIsbn, kIsmn, kIssn, kUpc };
const char* name_of(Kind kind);

// What twelve digits and a check digit stand for.
Kind kind_of(std::string_view digits);
// `weak`: a wrong check digit marks the number, and is no error.
Result<int64_t> read_number(std::string_view text, Kind accepted, bool weak);
// With hyphens; in the form of before 2007 where the kind has one and `short_form` asks for it.
std::string print_number(int64_t value, bool short_form);
// 22P02 unless the number is of this kind.
Result<int64_t> number_as(int64_t value, Kind kind);

// Where the digits behind 978 (Kind::kIsbn), 979 (kNone: books, kIsmn: music) have their hyphens: the lengths of the group and
// the publisher. None: no range has them.
struct Parts {
  size_t group, publisher;
};
std::optional<Parts> parts_of_book(std::string_view digits, std::string_view prefix);
std::optional<Parts> parts_of_music(std::string_view digits);
// Is there a country with this prefix of three digits?
bool is_ean_prefix(std::string_view digits);

}  // namespace indigo::types::isn
