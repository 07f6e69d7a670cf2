// uuid-ossp 1.1: UUIDs of versions 1, 3, 4 and 5 (RFC 4122).
#include "types/extension/extension.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <new>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "base/entropy.h"
#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function uuid_nil() returns uuid as 'MODULE_PATHNAME', 'uuid_nil' language c immutable strict parallel safe;
create function uuid_ns_dns() returns uuid as 'MODULE_PATHNAME', 'uuid_ns_dns' language c immutable strict parallel safe;
create function uuid_ns_url() returns uuid as 'MODULE_PATHNAME', 'uuid_ns_url' language c immutable strict parallel safe;
create function uuid_ns_oid() returns uuid as 'MODULE_PATHNAME', 'uuid_ns_oid' language c immutable strict parallel safe;
create function uuid_ns_x500() returns uuid as 'MODULE_PATHNAME', 'uuid_ns_x500' language c immutable strict parallel safe;
create function uuid_generate_v1() returns uuid as 'MODULE_PATHNAME', 'uuid_generate_v1' language c volatile strict parallel safe;
create function uuid_generate_v1mc() returns uuid as 'MODULE_PATHNAME', 'uuid_generate_v1mc' language c volatile strict parallel safe;
create function uuid_generate_v3(namespace uuid, name text) returns uuid as 'MODULE_PATHNAME', 'uuid_generate_v3' language c immutable strict parallel safe;
create function uuid_generate_v4() returns uuid as 'MODULE_PATHNAME', 'uuid_generate_v4' language c volatile strict parallel safe;
create function uuid_generate_v5(namespace uuid, name text) returns uuid as 'MODULE_PATHNAME', 'uuid_generate_v5' language c immutable strict parallel safe;
)sql";

// The namespaces of RFC 4122, appendix C, differ in one byte.
template <uint8_t kWhich>
Uuid name_space() {
  return {{0x6b, 0xa7, 0xb8, kWhich, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}};
}
Uuid nil() { return {}; }

Uuid stamped(Uuid u, uint8_t version) {
  u.bytes[6] = static_cast<uint8_t>((u.bytes[6] & 0x0f) | version << 4);
  u.bytes[8] = static_cast<uint8_t>((u.bytes[8] & 0x3f) | 0x80);
  return u;
}

bool random_bytes(FuncContext& context, void* to, size_t count) {
  if (fill_random(to, count)) return true;
  context.fail(sqlstate::kInternalError, "could not generate random values");
  return false;
}

// Of a namespace and a name (section 4.3).
Uuid of_name(const EVP_MD* algorithm, Uuid space, Str name, uint8_t version) {
  std::string text(reinterpret_cast<const char*>(space.bytes), sizeof space.bytes);
  text.append(name);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  const MustNotFail scope;  // what OpenSSL could not set up the first time it never tries again
  const bool made = EVP_Digest(text.data(), text.size(), digest.data(), nullptr, algorithm, nullptr) == 1;
  ERR_clear_error();
  if (!made) throw std::bad_alloc();  // these algorithms fail for nothing else
  Uuid u{};
  std::copy_n(digest.begin(), sizeof u.bytes, u.bytes);
  return stamped(u, version);
}
Uuid version_3(Uuid space, Str name) { return of_name(EVP_md5(), space, name, 3); }
Uuid version_5(Uuid space, Str name) { return of_name(EVP_sha1(), space, name, 5); }

Uuid version_4(FuncContext& context) {
  Uuid u{};
  random_bytes(context, u.bytes, sizeof u.bytes);
  return stamped(u, 4);
}

// Ticks of 100 ns since 1582-10-15; never the same twice in this process.
uint64_t next_tick() {
  using Ticks = std::chrono::duration<uint64_t, std::ratio<1, 10'000'000>>;
  constexpr uint64_t kUnixEpoch = 0x01b21dd213814000;
  static std::atomic<uint64_t> last{0};
  const uint64_t now =
      kUnixEpoch + std::chrono::duration_cast<Ticks>(std::chrono::system_clock::now().time_since_epoch()).count();
  uint64_t before = last.load(std::memory_order_relaxed);
  while (!last.compare_exchange_weak(before, std::max(now, before + 1), std::memory_order_relaxed)) {
  }
  return std::max(now, before + 1);
}

// Version 1 with a random node (section 4.5): the machine's address stays private. `process_wide` keeps one node and
// clock sequence, so that the times alone tell its values apart.
Uuid of_time(FuncContext& context, bool process_wide) {
  static const std::optional<std::array<uint8_t, 8>> first = [] {
    std::array<uint8_t, 8> bytes;
    return fill_random(bytes.data(), bytes.size()) ? std::optional(bytes) : std::nullopt;
  }();
  Uuid u{};
  if (process_wide && first) {
    std::copy(first->begin(), first->end(), u.bytes + 8);
  } else if (!random_bytes(context, u.bytes + 8, 8)) {
    return u;
  }
  u.bytes[10] |= 1;  // a multicast address: no network card has it
  const uint64_t tick = next_tick();
  for (int i = 0; i < 4; i++) u.bytes[i] = static_cast<uint8_t>(tick >> (24 - 8 * i));
  for (int i = 0; i < 2; i++) u.bytes[4 + i] = static_cast<uint8_t>(tick >> (40 - 8 * i));
  for (int i = 0; i < 2; i++) u.bytes[6 + i] = static_cast<uint8_t>(tick >> (56 - 8 * i));
  return stamped(u, 1);
}
Uuid version_1(FuncContext& context) { return of_time(context, true); }
Uuid version_1_multicast(FuncContext& context) { return of_time(context, false); }

const ScalarEntry kFunctions[] = {
    {"uuid_nil", kernel<nil>},
    {"uuid_ns_dns", kernel<name_space<0x10>>},
    {"uuid_ns_url", kernel<name_space<0x11>>},
    {"uuid_ns_oid", kernel<name_space<0x12>>},
    {"uuid_ns_x500", kernel<name_space<0x14>>},
    {"uuid_generate_v1", kernel<version_1>},
    {"uuid_generate_v1mc", kernel<version_1_multicast>},
    {"uuid_generate_v3", kernel<version_3>},
    {"uuid_generate_v4", kernel<version_4>},
    {"uuid_generate_v5", kernel<version_5>},
};

}  // namespace

const Extension& uuid_ossp_extension() {
  static const Extension extension{.name = "uuid-ossp",
                                   .version = "1.1",
                                   .comment = "generate universally unique identifiers (UUIDs)",
                                   .schema = {},
                                   .required = {},
                                   .definitions = kDefinitions,
                                   .functions = kFunctions};
  return extension;
}

}  // namespace indigo::types
