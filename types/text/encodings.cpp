#include "types/text/encodings.h"

#include <algorithm>
#include <memory>
#include <new>

#include <unicode/ucnv.h>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/text/ascii.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace encodings {

enum class EncodingKind : uint8_t { kUtf8, kAscii, kSingleByte, kMultiByte, kUnsupported };
struct Encoding {
  const char* name;
  EncodingKind kind;
  const char* icu;  // its name, where ICU converts
};
struct Close {
  void operator()(UConverter* c) const { ucnv_close(c); }
};
using Converter = std::unique_ptr<UConverter, Close>;

}  // namespace encodings

namespace {

using namespace encodings;  // NOLINT(google-build-using-namespace): the types above, in this file

// In the order of PostgreSQL's numbers.
constexpr Encoding kEncodings[] = {
    {"SQL_ASCII", EncodingKind::kAscii, nullptr},
    {"EUC_JP", EncodingKind::kMultiByte, "EUC-JP"},
    {"EUC_CN", EncodingKind::kMultiByte, "ibm-1383_P110-1999"},
    {"EUC_KR", EncodingKind::kMultiByte, "EUC-KR"},
    {"EUC_TW", EncodingKind::kMultiByte, "EUC-TW"},
    {"EUC_JIS_2004", EncodingKind::kUnsupported, nullptr},
    {"UTF8", EncodingKind::kUtf8, nullptr},
    {"MULE_INTERNAL", EncodingKind::kUnsupported, nullptr},
    {"LATIN1", EncodingKind::kSingleByte, "ISO-8859-1"},
    {"LATIN2", EncodingKind::kSingleByte, "ISO-8859-2"},
    {"LATIN3", EncodingKind::kSingleByte, "ISO-8859-3"},
    {"LATIN4", EncodingKind::kSingleByte, "ISO-8859-4"},
    {"LATIN5", EncodingKind::kSingleByte, "ISO-8859-9"},
    {"LATIN6", EncodingKind::kSingleByte, "ISO-8859-10"},
    {"LATIN7", EncodingKind::kSingleByte, "ISO-8859-13"},
    {"LATIN8", EncodingKind::kSingleByte, "ISO-8859-14"},
    {"LATIN9", EncodingKind::kSingleByte, "ISO-8859-15"},
    {"LATIN10", EncodingKind::kUnsupported, nullptr},
    {"WIN1256", EncodingKind::kSingleByte, "windows-1256"},
    {"WIN1258", EncodingKind::kSingleByte, "windows-1258"},
    {"WIN866", EncodingKind::kSingleByte, "ibm-866"},
    {"WIN874", EncodingKind::kSingleByte, "windows-874"},
    {"KOI8R", EncodingKind::kSingleByte, "KOI8-R"},
    {"WIN1251", EncodingKind::kSingleByte, "windows-1251"},
    {"WIN1252", EncodingKind::kSingleByte, "windows-1252"},
    {"ISO_8859_5", EncodingKind::kSingleByte, "ISO-8859-5"},
    {"ISO_8859_6", EncodingKind::kSingleByte, "ISO-8859-6"},
    {"ISO_8859_7", EncodingKind::kSingleByte, "ISO-8859-7"},
    {"ISO_8859_8", EncodingKind::kSingleByte, "ISO-8859-8"},
    {"WIN1250", EncodingKind::kSingleByte, "windows-1250"},
    {"WIN1253", EncodingKind::kSingleByte, "windows-1253"},
    {"WIN1254", EncodingKind::kSingleByte, "windows-1254"},
    {"WIN1255", EncodingKind::kSingleByte, "windows-1255"},
    {"WIN1257", EncodingKind::kSingleByte, "windows-1257"},
    {"KOI8U", EncodingKind::kSingleByte, "KOI8-U"},
    {"SJIS", EncodingKind::kMultiByte, "ibm-943_P15A-2003"},
    {"BIG5", EncodingKind::kMultiByte, "windows-950-2000"},
    {"GBK", EncodingKind::kMultiByte, "windows-936-2000"},
    {"UHC", EncodingKind::kMultiByte, "windows-949-2000"},
    {"GB18030", EncodingKind::kMultiByte, "gb18030"},
    {"JOHAB", EncodingKind::kUnsupported, nullptr},
    {"SHIFT_JIS_2004", EncodingKind::kUnsupported, nullptr},
};

std::string plain(Str name) {
  std::string out;
  for (const char c : name)
    if (is_alnum(c)) out.push_back(ascii_lower(c));
  return out;
}
// Other names than the encodings' own, as plain() has them.
struct Alias {
  std::string_view alias;
  std::string_view name;
};
constexpr Alias kAliases[] = {
    {"abc", "win1258"},      {"alt", "win866"},       {"iso88591", "latin1"},  {"iso885910", "latin6"},
    {"iso885913", "latin7"}, {"iso885914", "latin8"}, {"iso885915", "latin9"}, {"iso885916", "latin10"},
    {"iso88592", "latin2"},  {"iso88593", "latin3"},  {"iso88594", "latin4"},  {"iso88599", "latin5"},
    {"koi8", "koi8r"},       {"mskanji", "sjis"},     {"shiftjis", "sjis"},    {"tcvn", "win1258"},
    {"tcvn5712", "win1258"}, {"unicode", "utf8"},     {"vscii", "win1258"},    {"win", "win1251"},
    {"win932", "sjis"},      {"win936", "gbk"},       {"win949", "uhc"},       {"win950", "big5"},
};
const Encoding* find_encoding(Str name) {
  std::string wanted = plain(name);
  if (wanted.starts_with("windows") && wanted.size() > 7) wanted = "win" + wanted.substr(7);
  for (const Alias& a : kAliases) {
    if (a.alias != wanted) continue;
    wanted = a.name;
    break;
  }
  for (const Encoding& e : kEncodings)
    if (plain(e.name) == wanted) return &e;
  return nullptr;
}
Error not_converted(const Encoding& e) {
  return Error(sqlstate::kFeatureNotSupported, std::string("conversion of encoding ") + e.name + " is not supported");
}
// `side`: "source" or "destination". Null: the context has the error.
const Encoding* encoding_named(FuncContext& context, Str name, const char* side) {
  if (const Encoding* e = find_encoding(name)) {
    if (e->kind != EncodingKind::kUnsupported) return e;
    context.fail(not_converted(*e));
    return nullptr;
  }
  context.fail(sqlstate::kInvalidParameterValue,
               std::string("invalid ") + side + " encoding name \"" + std::string(name) + "\"");
  return nullptr;
}

Error untranslatable(Str bytes, const char* from, const char* to) {
  return Error(SqlState("22P05"), "character with byte sequence " + byte_list(bytes) + " in encoding \"" + from +
                                      "\" has no equivalent in encoding \"" + to + "\"");
}
Error invalid_bytes(Str bytes, const Encoding& e) {
  return Error(sqlstate::kCharacterNotInRepertoire,
               std::string("invalid byte sequence for encoding \"") + e.name + "\": " + byte_list(bytes));
}
bool valid_utf8(FuncContext& context, Str bytes) {
  const size_t bad = find_invalid_text(bytes);
  if (bad == kAllValid) return true;
  context.fail(invalid_utf8_error(bytes, bad));
  return false;
}

}  // namespace

struct TextConverter::Implementation {
  const encodings::Encoding& encoding;
  encodings::Converter converter;

  bool multi_byte() const { return encoding.kind == EncodingKind::kMultiByte; }
  // C1 controls stand for themselves only where the encoding has them.
  bool hole(uint32_t character) const {
    return character < 0xA0 && !multi_byte() && std::string_view(encoding.name).starts_with("WIN");
  }

  // The character at `from`, which moves behind it.
  Status next(const char*& from, const char* end, std::string& out) const {
    const char* const begin = from;
    UErrorCode code = U_ZERO_ERROR;
    const UChar32 character = ucnv_getNextUChar(converter.get(), &from, multi_byte() ? end : from + 1, &code);
    if (U_SUCCESS(code) && !hole(static_cast<uint32_t>(character))) {
      utf8_append(static_cast<uint32_t>(character), out);
      return {};
    }
    if (code == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
    ucnv_resetToUnicode(converter.get());
    const bool malformed = code == U_TRUNCATED_CHAR_FOUND || code == U_ILLEGAL_CHAR_FOUND;
    const auto length = static_cast<size_t>(std::clamp<ptrdiff_t>(end - begin, 1, malformed ? 2 : from - begin));
    const Str bytes(begin, multi_byte() ? length : 1);
    if (multi_byte() && malformed) return invalid_bytes(bytes, encoding);
    return untranslatable(bytes, encoding.name, "UTF8");
  }

  // False: the encoding does not have it.
  bool append(uint32_t point, std::string& out) const {
    if (hole(point)) return false;
    UChar units[2] = {static_cast<UChar>(point), 0};
    int32_t count = 1;
    if (point >= 0x10000) {
      units[0] = static_cast<UChar>(0xD7C0 + (point >> 10));
      units[1] = static_cast<UChar>(0xDC00 + (point & 0x3FF));
      count = 2;
    }
    char bytes[8];
    UErrorCode code = U_ZERO_ERROR;
    const int32_t n = ucnv_fromUChars(converter.get(), bytes, sizeof bytes, units, count, &code);
    if (U_FAILURE(code) || n < 1 || (n > 1 && !multi_byte())) return false;
    out.append(bytes, static_cast<size_t>(n));
    return true;
  }
};

TextConverter::TextConverter(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
TextConverter::~TextConverter() = default;
const char* TextConverter::name() const { return implementation_->encoding.name; }

Status TextConverter::to_utf8(Str bytes, std::string& out) const {
  const char *at = bytes.data(), *end = at + bytes.size();
  while (at < end) {
    if (static_cast<uint8_t>(*at) < 0x80) {
      out.push_back(*at++);
    } else {
      INDIGO_TRY(implementation_->next(at, end, out));
    }
  }
  return {};
}

Status TextConverter::from_utf8(Str text, std::string& out) const {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8_length(text[i]);
    if (length == 1) {
      out.push_back(text[i]);
    } else if (!implementation_->append(utf8_decode(text, i), out)) {
      return untranslatable(text.substr(i, length), "UTF8", name());
    }
    i += length;
  }
  return {};
}

void TextConverter::from_utf8_or_mark(Str text, std::string& out) const {
  for (size_t i = 0; i < text.size(); i += utf8_length(text[i])) {
    if (utf8_length(text[i]) == 1) {
      out.push_back(text[i]);
    } else if (!implementation_->append(utf8_decode(text, i), out)) {
      out.push_back('?');
    }
  }
}

Result<std::unique_ptr<TextConverter>> TextConverter::open(Str name) {
  const Encoding* const e = find_encoding(name);
  if (e == nullptr) {
    return Error(sqlstate::kInvalidParameterValue, "invalid encoding name \"" + std::string(name) + "\"");
  }
  if (e->kind == EncodingKind::kUtf8 || e->kind == EncodingKind::kAscii) return std::unique_ptr<TextConverter>();
  if (e->kind == EncodingKind::kUnsupported) return not_converted(*e);
  UErrorCode code = U_ZERO_ERROR;
  const MustNotFail scope;  // what ICU could not set up the first time it never tries again
  Converter c(ucnv_open(e->icu, &code));
  if (code == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
  if (U_FAILURE(code)) return not_converted(*e);
  ucnv_setFromUCallBack(c.get(), UCNV_FROM_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &code);
  ucnv_setToUCallBack(c.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &code);
  return std::unique_ptr<TextConverter>(
      new TextConverter(std::unique_ptr<Implementation>(new Implementation{*e, std::move(c)})));
}

namespace {

Str to_utf8(FuncContext& context, Str bytes, const Encoding& e) {
  std::string out;
  auto converter = TextConverter::open(e.name);
  Status status = converter.ok() ? (*converter)->to_utf8(bytes, out) : Status(converter.take_error());
  if (status.ok()) return context.arena().copy(out);
  context.fail(std::move(*status.take_error()));
  return {};
}
Str from_utf8(FuncContext& context, Str text, const Encoding& e) {
  std::string out;
  auto converter = TextConverter::open(e.name);
  Status status = converter.ok() ? (*converter)->from_utf8(text, out) : Status(converter.take_error());
  if (status.ok()) return context.arena().copy(out);
  context.fail(std::move(*status.take_error()));
  return {};
}

// PostgreSQL converts directly among the Cyrillic encodings and among the Central European ones.
bool converts_directly(const Encoding& from, const Encoding& to) {
  static constexpr std::string_view kGroups[][4] = {{"KOI8R", "WIN1251", "WIN866", "ISO_8859_5"},
                                                    {"LATIN2", "WIN1250"}};
  return std::any_of(std::begin(kGroups), std::end(kGroups), [&](const auto& group) {
    const auto has = [&](const Encoding& e) {
      return std::find(std::begin(group), std::end(group), std::string_view(e.name)) != std::end(group);
    };
    return has(from) && has(to);
  });
}
Str convert_directly(FuncContext& context, Str bytes, const Encoding& from, const Encoding& to) {
  Str out = to_utf8(context, bytes, from);
  if (!context.failed()) out = from_utf8(context, out, to);
  if (!context.failed()) return out;
  context.take_error();
  for (size_t i = 0; i < bytes.size(); i++) {  // which was it?
    const Str utf8 = to_utf8(context, bytes.substr(i, 1), from);
    if (!context.failed()) from_utf8(context, utf8, to);
    if (!context.failed()) continue;
    context.take_error();
    context.fail(untranslatable(bytes.substr(i, 1), from.name, to.name));
    break;
  }
  return {};
}

bool has_no_zero(FuncContext& context, Str bytes, const Encoding& encoding) {
  if (bytes.find('\0') == Str::npos) return true;
  context.fail(sqlstate::kCharacterNotInRepertoire,
               std::string("invalid byte sequence for encoding \"") + encoding.name + "\": 0x00");
  return false;
}

Str convert(FuncContext& context, Str bytes, const Encoding& from, const Encoding& to) {
  if (from.kind == EncodingKind::kUtf8 || from.kind == EncodingKind::kAscii) {
    if (from.kind == EncodingKind::kAscii && !has_no_zero(context, bytes, from)) return {};
    const bool checked = from.kind == EncodingKind::kUtf8 || to.kind == EncodingKind::kUtf8;
    if (checked && !valid_utf8(context, bytes)) return {};
    if (to.icu == nullptr || from.kind == EncodingKind::kAscii) return bytes;
    return from_utf8(context, bytes, to);
  }
  if (&from == &to) return bytes;
  if (!has_no_zero(context, bytes, from)) return {};
  if (to.kind == EncodingKind::kAscii) return bytes;
  if (to.kind == EncodingKind::kUtf8) return to_utf8(context, bytes, from);
  if (converts_directly(from, to)) return convert_directly(context, bytes, from, to);
  context.fail(sqlstate::kUndefinedFunction, std::string("default conversion function for encoding \"") + from.name +
                                                 "\" to \"" + to.name + "\" does not exist");
  return {};
}

}  // namespace

std::string encoding_name(int32_t number) {
  return number >= 0 && static_cast<size_t>(number) < std::size(kEncodings) ? kEncodings[number].name : "";
}
int32_t encoding_number(Str name) {
  const Encoding* e = find_encoding(name);
  return e == nullptr ? -1 : static_cast<int32_t>(e - kEncodings);
}

Str convert_between(FuncContext& context, Str bytes, Str source, Str destination) {
  const Encoding* from = encoding_named(context, source, "source");
  if (from == nullptr) return {};
  const Encoding* to = encoding_named(context, destination, "destination");
  return to == nullptr ? Str() : convert(context, bytes, *from, *to);
}
Str convert_from(FuncContext& context, Str bytes, Str source) {
  return convert_between(context, bytes, source, "UTF8");
}
Str convert_to(FuncContext& context, Str text, Str destination) {
  return convert_between(context, text, "UTF8", destination);
}

int32_t length_in_encoding(FuncContext& context, Str bytes, Str name) {
  const Encoding* e = encoding_named(context, name, "");
  if (e == nullptr) {
    if (context.take_error()->state != sqlstate::kFeatureNotSupported) {
      context.fail(sqlstate::kInvalidParameterValue, "invalid encoding name \"" + std::string(name) + "\"");
    } else {
      context.fail(sqlstate::kFeatureNotSupported, "length in encoding \"" + std::string(name) + "\" is not supported");
    }
    return 0;
  }
  if (e->kind == EncodingKind::kMultiByte) {
    const Str text = to_utf8(context, bytes, *e);
    return context.failed() ? 0 : static_cast<int32_t>(utf8_count(text));
  }
  if (e->kind != EncodingKind::kUtf8) return has_no_zero(context, bytes, *e) ? static_cast<int32_t>(bytes.size()) : 0;
  return valid_utf8(context, bytes) ? static_cast<int32_t>(utf8_count(bytes)) : 0;
}

namespace {

// What stands for each byte from 160 (WIN1250: 128) to 255.
struct AsciiTable {
  const char* encoding;
  int first;
  Str letters;
};
constexpr AsciiTable kAsciiTables[] = {
    {"LATIN1", 160,
     "  cL Y  \"Ca  -R     'u .,      ?AAAAAAACEEEEIIII NOOOOOxOUUUUYTBaaaaaaaceeeeiiii nooooo/ouuuuyty"},
    {"LATIN2", 160,
     " A L LS \"SSTZ-ZZ a,l'ls ,sstz\"zzRAAAALCCCEEEEIIDDNNOOOOxRUUUUYTBraaaalccceeeeiiddnnoooo/ruuuuyt."},
    {"LATIN9", 160, "  cL YS sCa  -R     Zu .z   EeY?AAAAAAACEEEEIIII NOOOOOxOUUUUYTBaaaaaaaceeeeiiii nooooo/ouuuuyty"},
    {"WIN1250", 128,
     "  ' \"    %S<STZZ `'\"\".--  s>stzz   L A  \"CS  -RZ  ,l'u .,as "
     "L\"lzRAAAALCCCEEEEIIDDNNOOOOxRUUUUYTBraaaalccceeee"
     "iiddnnoooo/ruuuuyt "},
};
Str ascii_of(FuncContext& context, Str text, Str encoding) {
  for (const AsciiTable& table : kAsciiTables) {
    if (table.encoding != encoding) continue;
    std::string out;
    for (const char c : text) {
      const int byte = static_cast<uint8_t>(c);
      out.push_back(byte < 128 ? c : byte < table.first ? ' ' : table.letters[static_cast<size_t>(byte - table.first)]);
    }
    return context.arena().copy(out);
  }
  context.fail(sqlstate::kFeatureNotSupported,
               "encoding conversion from " + std::string(encoding) + " to ASCII not supported");
  return {};
}

}  // namespace

Str to_ascii_default(FuncContext& context, Str text) { return ascii_of(context, text, "UTF8"); }
Str to_ascii_named(FuncContext& context, Str text, Str name) {
  const Encoding* e = find_encoding(name);
  if (e != nullptr) return ascii_of(context, text, e->name);
  context.fail(sqlstate::kUndefinedObject, std::string(name) + " is not a valid encoding name");
  return {};
}
Str to_ascii_numbered(FuncContext& context, Str text, int32_t number) {
  const std::string name = encoding_name(number);
  if (!name.empty()) return ascii_of(context, text, name);
  context.fail(sqlstate::kUndefinedObject, std::to_string(number) + " is not a valid encoding code");
  return {};
}

}  // namespace indigo::types
