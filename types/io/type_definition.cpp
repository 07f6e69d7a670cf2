#include "types/io/type_definition.h"

#include <array>
#include <vector>

#include "types/function/families.h"

namespace indigo::types {

namespace {

constexpr Oid kTableEnd = 6144;  // above the OIDs of all built-in types

struct DefinitionTable {
  std::array<const TypeDefinition*, kTableEnd> by_oid{};
  std::vector<const TypeDefinition*> all;
  DefinitionTable() {
    for (const TypeFamily family : type_families()) {
      for (const TypeDefinition& definition : family()) {
        by_oid[definition.type] = &definition;
        all.push_back(&definition);
      }
    }
  }
};

const DefinitionTable& definition_table() {
  static const DefinitionTable table;
  return table;
}

}  // namespace

const TypeDefinition* type_definition(Oid type) { return type < kTableEnd ? definition_table().by_oid[type] : nullptr; }

std::span<const TypeDefinition* const> type_definitions() { return definition_table().all; }

}  // namespace indigo::types
