// tsvector: text and binary forms, order.
#include "types/textsearch/tsvector.h"

#include <algorithm>

#include <absl/hash/hash.h>

#include "base/fiber/long_sort.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/function/compare.h"
#include "types/function/errors.h"
#include "types/function/families.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/textsearch/tsquery.h"
#include "types/textsearch/word_reader.h"

namespace indigo::types {

namespace {

void append_u16(uint16_t v, std::string& out) { send_integer(v, out); }
void append_u32(uint32_t v, std::string& out) { send_integer(v, out); }
uint16_t read_u16(Str bytes, size_t at) { return big_endian(load_unaligned<uint16_t>(bytes.data() + at)); }
uint32_t read_u32(Str bytes, size_t at) { return big_endian(load_unaligned<uint32_t>(bytes.data() + at)); }

// Bytes that PostgreSQL's form takes for words and places, which the limit and the order count.
size_t add_word_bytes(size_t bytes, size_t word, size_t places) {
  bytes += word;
  if (places > 0) bytes = (bytes + 1) / 2 * 2 + 2 + 2 * places;
  return bytes;
}

Datum tsvector_null() { return Datum::make_null(Phys::kStr); }

Datum fail_too_long(FuncContext& context, size_t bytes) {
  context.fail(sqlstate::kProgramLimitExceeded, "string is too long for tsvector (" + std::to_string(bytes) +
                                                    " bytes, max " + std::to_string(kMaxTsVectorBytes) + " bytes)");
  return tsvector_null();
}

Datum tsvector_in(FuncContext& context, const TypeRef&, Str text) {
  WordReader reader(context, text, WordReader::Syntax::kVector);
  std::vector<Lexeme> lexemes;
  Lexeme lexeme;
  size_t bytes = 0;
  while (reader.read(lexeme.word, lexeme.places)) {
    if (lexeme.word.size() > kMaxLexemeBytes) {
      context.fail(sqlstate::kProgramLimitExceeded, "word is too long (" + std::to_string(lexeme.word.size()) +
                                                        " bytes, max " + std::to_string(kMaxLexemeBytes) + " bytes)");
      return tsvector_null();
    }
    if (bytes > kMaxTsVectorBytes) return fail_too_long(context, bytes);
    bytes += lexeme.word.size();
    lexemes.push_back(lexeme);
  }
  if (context.failed()) return tsvector_null();
  normalise_lexemes(lexemes);
  return make_tsvector(context, lexemes);
}

void tsvector_out(FuncContext&, const TypeRef&, const Datum& value, std::string& out) {
  bool first = true;
  for (const LexemeView& lexeme : lexemes_of(value.str)) {
    if (!first) out.push_back(' ');
    first = false;
    append_quoted_word(lexeme.word, out);
    for (size_t i = 0; i < lexeme.places(); i++) {
      out.push_back(i == 0 ? ':' : ',');
      out.append(std::to_string(place_position(lexeme.place(i))));
      const uint16_t weight = place_weight(lexeme.place(i));
      if (weight > 0) out.push_back(" CBA"[weight]);
    }
  }
}

Datum fail_received(FuncContext& context, std::string message) {
  context.fail(sqlstate::kInternalError, "invalid tsvector: " + std::move(message));
  return tsvector_null();
}
Datum tsvector_receive(FuncContext& context, const TypeRef&, Str bytes) {
  const auto short_message = [&context] {
    context.fail(sqlstate::kProtocolViolation, "insufficient data left in message");
    return tsvector_null();
  };
  if (bytes.size() < 4) return short_message();
  const auto count = static_cast<int32_t>(read_u32(bytes, 0));
  if (count < 0 || count > (1 << 20)) {
    context.fail(sqlstate::kInternalError, "invalid size of tsvector");
    return tsvector_null();
  }
  std::vector<Lexeme> lexemes;
  size_t at = 4;
  bool sorted = true;
  for (int32_t i = 0; i < count; i++) {
    note_work(64);
    const size_t end = bytes.find('\0', at);
    if (end == Str::npos) {
      context.fail(sqlstate::kProtocolViolation, "invalid string in message");
      return tsvector_null();
    }
    Lexeme lexeme{std::string(bytes.substr(at, end - at)), {}};
    if (!check_encoding(context, lexeme.word)) return tsvector_null();
    if (end + 3 > bytes.size()) return short_message();
    const size_t places = read_u16(bytes, end + 1);
    if (lexeme.word.size() > kMaxLexemeBytes) return fail_received(context, "lexeme too long");
    if (places > kMaxPlaces) return fail_received(context, "unexpected number of positions");
    if (end + 3 + 2 * places > bytes.size()) return short_message();
    for (size_t p = 0; p < places; p++) {
      const uint16_t place = read_u16(bytes, end + 3 + 2 * p);
      if (p > 0 && place_position(place) <= place_position(lexeme.places.back())) {
        context.fail(sqlstate::kInternalError, "position information is misordered");
        return tsvector_null();
      }
      lexeme.places.push_back(place);
    }
    if (i > 0 && lexemes.back().word >= lexeme.word) {
      if (lexemes.back().word == lexeme.word) return fail_received(context, "duplicate lexeme");
      sorted = false;
    }
    at = end + 3 + 2 * places;
    lexemes.push_back(std::move(lexeme));
  }
  if (at != bytes.size()) {
    fail_binary(context, "incorrect binary data format");
    return tsvector_null();
  }
  if (!sorted) normalise_lexemes(lexemes);
  return make_tsvector(context, lexemes);
}

void image_send(FuncContext&, const TypeRef&, const Datum& value, std::string& out) { out.append(value.str); }

size_t tsvector_bytes(const std::vector<LexemeView>& lexemes) {
  size_t bytes = 0;
  for (const LexemeView& lexeme : lexemes) bytes = add_word_bytes(bytes, lexeme.word.size(), lexeme.places());
  return bytes + 4 * lexemes.size();
}

int tsvector_order(const Datum& a, const Datum& b, const Collator*) { return compare_tsvectors(a.str, b.str); }
bool tsvector_equal(const Datum& a, const Datum& b, const Collator*) { return a.str == b.str; }
uint64_t tsvector_hash(const Datum& v, const Collator*) {
  return absl::HashOf(absl::string_view(v.str.data(), v.str.size()));
}
constexpr TypeOrder kTsVectorOrder{tsvector_order, tsvector_equal, tsvector_hash};

const TypeDefinition kTextSearchTypes[] = {
    {oid::kTsVector, tsvector_in, tsvector_out, tsvector_receive, image_send, Phys::kStr, &kTsVectorOrder},
    {oid::kTsQuery, tsquery_input, tsquery_output, tsquery_receive, image_send, Phys::kStr, &kTsQueryOrder},
};

}  // namespace

int weight_of_letter(char c) {
  switch (c) {
    case 'A':
    case 'a': return 3;
    case 'B':
    case 'b': return 2;
    case 'C':
    case 'c': return 1;
    case 'D':
    case 'd': return 0;
    default: return -1;
  }
}

void append_quoted_word(Str word, std::string& out) {
  out.push_back('\'');
  for (const char c : word) {
    if (c == '\'' || c == '\\') out.push_back(c);
    out.push_back(c);
  }
  out.push_back('\'');
}

std::vector<LexemeView> lexemes_of(Str image) {
  std::vector<LexemeView> lexemes(read_u32(image, 0));
  note_work(16 * lexemes.size());
  size_t at = 4;
  for (LexemeView& lexeme : lexemes) {
    const size_t end = image.find('\0', at);
    const size_t places = read_u16(image, end + 1);
    lexeme = {image.substr(at, end - at), image.substr(end + 3, 2 * places)};
    at = end + 3 + 2 * places;
  }
  return lexemes;
}
std::vector<Lexeme> copy_lexemes(Str image) {
  std::vector<Lexeme> lexemes;
  for (const LexemeView& view : lexemes_of(image)) {
    Lexeme lexeme{std::string(view.word), {}};
    for (size_t i = 0; i < view.places(); i++) lexeme.places.push_back(view.place(i));
    lexemes.push_back(std::move(lexeme));
  }
  return lexemes;
}

Datum make_tsvector(FuncContext& context, const std::vector<Lexeme>& lexemes) {
  size_t bytes = 0;
  std::string image;
  append_u32(static_cast<uint32_t>(lexemes.size()), image);
  for (const Lexeme& lexeme : lexemes) {
    bytes = add_word_bytes(bytes, lexeme.word.size(), lexeme.places.size());
    image.append(lexeme.word);
    image.push_back('\0');
    append_u16(static_cast<uint16_t>(lexeme.places.size()), image);
    for (const uint16_t place : lexeme.places) append_u16(place, image);
  }
  if (bytes > kMaxTsVectorBytes) return fail_too_long(context, bytes);
  return Datum::of(context.arena().copy(image));
}

void normalise_places(std::vector<uint16_t>& places) {
  std::sort(places.begin(), places.end(), [](uint16_t a, uint16_t b) {
    return place_position(a) != place_position(b) ? place_position(a) < place_position(b) : a > b;
  });
  size_t kept = 0;
  for (size_t i = 0; i < places.size(); i++) {
    if (kept > 0 && place_position(places[kept - 1]) == place_position(places[i])) continue;
    places[kept++] = places[i];
    if (kept == kMaxPlaces || place_position(places[i]) == kMaxPlacePosition) break;
  }
  places.resize(kept);
}
void normalise_lexemes(std::vector<Lexeme>& lexemes) {
  note_work(64 * lexemes.size());
  std::stable_sort(lexemes.begin(), lexemes.end(),
                   noted_order([](const Lexeme& a, const Lexeme& b) { return a.word < b.word; }));
  size_t kept = 0;
  for (size_t i = 0; i < lexemes.size(); i++) {
    if (kept > 0 && lexemes[kept - 1].word == lexemes[i].word) {
      std::vector<uint16_t>& places = lexemes[kept - 1].places;
      places.insert(places.end(), lexemes[i].places.begin(), lexemes[i].places.end());
      continue;
    }
    if (kept != i) lexemes[kept] = std::move(lexemes[i]);
    kept++;
  }
  lexemes.resize(kept);
  for (Lexeme& lexeme : lexemes) normalise_places(lexeme.places);
}

// As PostgreSQL has it: the size counts first, and more or later places come before fewer or earlier ones.
int compare_tsvectors(Str a, Str b) {
  const std::vector<LexemeView> x = lexemes_of(a), y = lexemes_of(b);
  if (const int c = three_way(tsvector_bytes(x), tsvector_bytes(y))) return c;
  if (const int c = three_way(x.size(), y.size())) return c;
  for (size_t i = 0; i < x.size(); i++) {
    if (const int c = three_way(y[i].places() > 0, x[i].places() > 0)) return c;
    if (const int c = three_way(x[i].word, y[i].word)) return c;
    if (const int c = three_way(y[i].places(), x[i].places())) return c;
    for (size_t p = 0; p < x[i].places(); p++) {
      const uint16_t left = x[i].place(p), right = y[i].place(p);
      if (const int c = three_way(place_position(right), place_position(left))) return c;
      if (const int c = three_way(place_weight(right), place_weight(left))) return c;
    }
  }
  return 0;
}

// As compare_tsvectors goes; what comes first when it is greater is written inverted.
void append_tsvector_key(Str image, std::string& out) {
  const std::vector<LexemeView> lexemes = lexemes_of(image);
  append_u32(static_cast<uint32_t>(tsvector_bytes(lexemes)), out);
  append_u32(static_cast<uint32_t>(lexemes.size()), out);
  for (const LexemeView& lexeme : lexemes) {
    out.push_back(lexeme.places() > 0 ? 0 : 1);
    out.append(lexeme.word);
    out.push_back('\0');
    append_u16(static_cast<uint16_t>(~lexeme.places()), out);
    for (size_t p = 0; p < lexeme.places(); p++) {
      append_u16(static_cast<uint16_t>(~place_position(lexeme.place(p))), out);
      out.push_back(static_cast<char>(~place_weight(lexeme.place(p))));
    }
  }
}

std::span<const TypeDefinition> text_search_types() { return kTextSearchTypes; }

}  // namespace indigo::types
