// inet_ops: a network is kept as the cell of its addresses, of which the first 64 bits count; IPv4 and IPv6 apart.
#include "types/inverted/inverted_class.h"
#include "types/network/address.h"

namespace indigo::types {

namespace {

enum NetworkStrategy : uint8_t {
  kNetworkOverlaps = 3,
  kNetworkEqual = 18,
  kNetworkWithin = 24,
  kNetworkWithinOrEqual = 25,
  kNetworkContains = 26,
  kNetworkContainsOrEqual = 27,
};

CellBox box_of(const NetworkAddress& network) {
  const uint64_t address = coordinate_of(Bytes(reinterpret_cast<const char*>(network.bytes), network.size()));
  const uint64_t host = network.bits >= 64 ? 0 : ~uint64_t{0} >> network.bits;
  return {1, {address & ~host}, {address | host}};
}

std::string family_of(const NetworkAddress& network) { return std::string(1, static_cast<char>(network.family)); }

void network_keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const NetworkAddress network = NetworkAddress::from_image(value.str);
  append_cell(box_of(network), keys.emplace_back(family_of(network)));
}

KeyQuery network_query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  const NetworkAddress network = NetworkAddress::from_image(value.str);
  CellBox box = box_of(network);
  std::string key = family_of(network);
  if (strategy == kNetworkEqual) {
    append_cell(box, key);
    return with_key(std::move(key));
  }
  // What contains it has its first address.
  if (strategy == kNetworkContains || strategy == kNetworkContainsOrEqual) box.high[0] = box.low[0];
  return with_cells(std::move(key), box);
}

constexpr StrategySet kNetworkStrategies = {kNetworkOverlaps,      kNetworkEqual,    kNetworkWithin,
                                            kNetworkWithinOrEqual, kNetworkContains, kNetworkContainsOrEqual};

}  // namespace

const InvertedClass kNetworkGist = {
    "inet_gist_consistent", InvertedClass::Element::kNone, kNetworkStrategies, network_keys_of, network_query_of, true};
const InvertedClass kNetworkSpgist = {
    "inet_spg_config", InvertedClass::Element::kNone, kNetworkStrategies, network_keys_of, network_query_of, true};

}  // namespace indigo::types
