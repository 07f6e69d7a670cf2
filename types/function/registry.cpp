#include "types/function/registry.h"

#include <absl/container/flat_hash_map.h>

#include "types/builtin/builtins.h"
#include "types/builtin/static_table.h"
#include "types/function/families.h"
#include "types/function/routine_call.h"
#include "types/generated/columns.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr Oid kInternalLanguage = 12;

std::string bare_type_name(Oid oid) {
  const StaticTable& types = static_table_of(pg_type::kOid);
  const int64_t row = types.find_oid(oid);
  return row < 0 ? std::string("?") : std::string(types.columns[pg_type::c_typname].string(static_cast<uint32_t>(row)));
}

// "sum(int4)"
std::string signature(const StaticTable& procs, uint32_t row) {
  std::string text(procs.columns[pg_proc::c_proname].string(row));
  const ArrayView arguments(procs.columns[pg_proc::c_proargtypes].string(row));
  for (int32_t i = 0; i < arguments.count(); i++)
    text.append(i == 0 ? "(" : ",").append(bare_type_name(arguments.element(i).oid()));
  return text.append(arguments.count() == 0 ? "()" : ")");
}

// Calls visit(oid, entry name) for each built-in function.
template <class Visit>
void for_each_function(const Visit& visit) {
  const StaticTable& procs = static_table_of(pg_proc::kOid);
  for (uint32_t row = 0; row < procs.row_count; row++) {
    const Oid oid = procs.columns[pg_proc::c_oid].cell(row);
    const std::string_view source = procs.columns[pg_proc::c_prosrc].string(row);
    if (procs.columns[pg_proc::c_prolang].cell(row) == kInternalLanguage && source != "aggregate_dummy") {
      visit(oid, source);
    } else {
      visit(oid, std::string_view(signature(procs, row)));
    }
  }
}

// One kind of function by OID: entries, and an index into them for each built-in OID.
template <class Function>
struct Table {
  std::vector<Function> functions;
  std::vector<uint16_t> index = std::vector<uint16_t>(catalog_oid_end());

  static constexpr size_t catalog_oid_end() { return 16384; }
  void add(Oid oid, Function function) {
    functions.push_back(function);
    index[oid] = static_cast<uint16_t>(functions.size());
  }
  const Function* find(Oid oid) const {
    return oid < index.size() && index[oid] != 0 ? &functions[index[oid] - 1] : nullptr;
  }
};

struct Registry {
  Table<ScalarFunction> scalars;
  Table<AggregateFunction> aggregates;
  Table<SetFunction> sets;

  Registry() {
    absl::flat_hash_map<absl::string_view, const ScalarEntry*> scalar_entries;
    absl::flat_hash_map<absl::string_view, const AggregateEntry*> aggregate_entries;
    absl::flat_hash_map<absl::string_view, const SetEntry*> set_entries;
    for (ScalarFamily family : scalar_families())
      for (const ScalarEntry& e : family()) scalar_entries.emplace(e.name, &e);
    for (AggregateFamily family : aggregate_families())
      for (const AggregateEntry& e : family()) aggregate_entries.emplace(e.name, &e);
    for (SetFamily family : set_families())
      for (const SetEntry& e : family()) set_entries.emplace(e.name, &e);
    for_each_function([&](Oid oid, std::string_view name) {
      const absl::string_view key(name.data(), name.size());
      if (const auto it = scalar_entries.find(key); it != scalar_entries.end())
        scalars.add(oid, ScalarFunction{oid, it->second->kernel});
      if (const auto it = aggregate_entries.find(key); it != aggregate_entries.end()) {
        AggregateFunction function = it->second->function;
        function.oid = oid;
        aggregates.add(oid, function);
      }
      if (const auto it = set_entries.find(key); it != set_entries.end())
        sets.add(oid, SetFunction{oid, it->second->open});
    });
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

std::vector<Oid> functions_of_entry(std::string_view name) {
  std::vector<Oid> result;
  for_each_function([&](Oid oid, std::string_view candidate) {
    if (candidate == name) result.push_back(oid);
  });
  return result;
}

const ScalarFunction* find_scalar(Oid function) {
  return function >= oid::kFirstUserOid ? &routine_scalar() : registry().scalars.find(function);
}
const AggregateFunction* find_aggregate(Oid function) {
  return function >= oid::kFirstUserOid ? &routine_aggregate() : registry().aggregates.find(function);
}
const SetFunction* find_set(Oid function) {
  return function >= oid::kFirstUserOid ? &routine_set() : registry().sets.find(function);
}

Phys physical_of(Oid type) { return Builtins::phys_of(type); }

bool is_array_type(Oid type) {
  const StaticTable& types = static_table_of(pg_type::kOid);
  const int64_t row = types.find_oid(type);
  if (row < 0) return false;
  const auto r = static_cast<uint32_t>(row);
  // record[] is of the pseudo-types' category, but its values are arrays like others.
  return (type == oid::kRecordArray || types.columns[pg_type::c_typcategory].string(r) == "A") &&
         types.columns[pg_type::c_typelem].cell(r) != 0;
}

}  // namespace indigo::types
