// Packets of OpenPGP: their headers, of the old and the new form.
#include "types/extension/pgcrypto/open_pgp.h"

namespace indigo::types::pgcrypto::pgp {

namespace {

constexpr size_t kMostBytes = size_t{16} << 20;  // of one length, as pgcrypto has it
constexpr size_t kPartBits = 14;                 // of the parts that long packets are written in

void append_length(size_t length, std::string& out) {
  if (length < 192) {
    out.push_back(static_cast<char>(length));
  } else if (length < 8384) {
    out.push_back(static_cast<char>((length - 192) / 256 + 192));
    out.push_back(static_cast<char>((length - 192) % 256));
  } else {
    out.push_back('\xff');
    for (const int shift : {24, 16, 8, 0}) out.push_back(static_cast<char>(length >> shift));
  }
}

bool take_number(Str& from, size_t bytes, size_t& out) {
  Str taken;
  if (!take(from, bytes, taken)) return false;
  out = 0;
  for (const char c : taken) out = out << 8 | static_cast<uint8_t>(c);
  return true;
}

// Of the new form; `part`: another length follows behind as many bytes.
Failure take_length(Str& from, size_t& length, bool& part) {
  uint8_t first = 0, second = 0;
  part = false;
  if (!take_byte(from, first)) return kCorrupt;
  if (first < 192) {
    length = first;
  } else if (first < 224) {
    if (!take_byte(from, second)) return kCorrupt;
    length = (size_t{first} - 192) * 256 + second + 192;
  } else if (first == 255) {
    if (!take_number(from, 4, length)) return kCorrupt;
  } else {
    length = size_t{1} << (first & 0x1f);
    part = true;
  }
  return length > kMostBytes ? kCorrupt : nullptr;
}

}  // namespace

bool take(Str& from, size_t count, Str& bytes) {
  if (from.size() < count) return false;
  bytes = from.substr(0, count);
  from.remove_prefix(count);
  return true;
}
bool take_byte(Str& from, uint8_t& byte) {
  Str one;
  if (!take(from, 1, one)) return false;
  byte = static_cast<uint8_t>(one[0]);
  return true;
}

void append_packet(Tag tag, Str body, std::string& out) {
  out.push_back(static_cast<char>(0xc0 | static_cast<uint8_t>(tag)));
  constexpr size_t kPart = size_t{1} << kPartBits;
  while (body.size() > kPart) {
    out.push_back(static_cast<char>(0xe0 | kPartBits));
    out.append(body.substr(0, kPart));
    body.remove_prefix(kPart);
  }
  append_length(body.size(), out);
  out.append(body);
}

Failure PacketReader::next(Packet& packet, bool open) {
  uint8_t head = 0;
  if (!take_byte(rest_, head) || (head & 0x80) == 0) return kCorrupt;
  packet.body.clear();
  Str bytes;
  size_t length = 0;
  if ((head & 0x40) == 0) {
    packet.tag = static_cast<Tag>(head >> 2 & 0x0f);
    const int kind = head & 3;
    if (kind == 3) {
      if (!open) return kCorrupt;
      packet.body = rest_;
      rest_ = {};
      return nullptr;
    }
    if (!take_number(rest_, size_t{1} << kind, length) || length > kMostBytes || !take(rest_, length, bytes))
      return kCorrupt;
    packet.body = bytes;
    return nullptr;
  }
  packet.tag = static_cast<Tag>(head & 0x3f);
  for (bool part = true; part;) {
    if (const Failure failure = take_length(rest_, length, part)) return failure;
    if (!take(rest_, length, bytes)) return kCorrupt;
    packet.body.append(bytes);
  }
  return nullptr;
}

}  // namespace indigo::types::pgcrypto::pgp
