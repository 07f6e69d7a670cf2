// hstore's keys, values and pairs as rows.
#include "types/extension/hstore/hstore.h"
#include "types/set/producer.h"

namespace indigo::types::hstore {

namespace {

enum class Part : uint8_t { kKeys, kValues, kPairs };

template <Part kPart>
std::unique_ptr<SetProducer> open_pairs(FuncContext&, const CallInfo&, std::span<const Datum> arguments) {
  if (any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  for (const Pair& pair : pairs_of(arguments[0].str)) {
    std::vector<Datum> row;
    if (kPart != Part::kValues) row.push_back(rows->text(pair.key));
    if (kPart != Part::kKeys) row.push_back(pair.value ? rows->text(*pair.value) : Datum::make_null(Phys::kStr));
    rows->add_in_turn(std::move(row));
  }
  return rows;
}

const SetEntry kSetFunctions[] = {
    {"hstore_skeys", open_pairs<Part::kKeys>},
    {"hstore_svals", open_pairs<Part::kValues>},
    {"hstore_each", open_pairs<Part::kPairs>},
};

}  // namespace

std::span<const SetEntry> set_functions() { return kSetFunctions; }

}  // namespace indigo::types::hstore
