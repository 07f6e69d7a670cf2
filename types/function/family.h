// The families of functions: each is a table in one file, declared in families.h, listed by families.cpp, joined by registry.cpp.
//
// An entry's name is the function's prosrc ("int4pl"): it stands for every pg_proc row with that source. Functions whose
// source does not name them (SQL functions, aggregates) are written as pg_proc's name and argument types: "sum(int4)".
// Thread safety: constants.
#pragma once

#include <span>

#include "types/function/registry.h"

namespace indigo::types {

struct ScalarEntry {
  const char* name;
  ScalarKernel kernel;
};
struct AggregateEntry {
  const char* name;
  AggregateFunction function;  // its oid is filled in by the registry
};
struct SetEntry {
  const char* name;
  std::unique_ptr<SetProducer> (*open)(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments);
};

using ScalarFamily = std::span<const ScalarEntry> (*)();
using AggregateFamily = std::span<const AggregateEntry> (*)();
using SetFamily = std::span<const SetEntry> (*)();

// Every family, for the registry and its test.
std::span<const ScalarFamily> scalar_families();
std::span<const AggregateFamily> aggregate_families();
std::span<const SetFamily> set_families();

// The pg_proc rows that a name stands for.
std::vector<Oid> functions_of_entry(std::string_view name);

}  // namespace indigo::types
