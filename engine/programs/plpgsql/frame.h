// The variables of one running PL/pgSQL function.
//
// Invariants:
// 1. `parameters` has the value of every scalar variable at its number; places behind them are for fields and rows, and
//    are filled before a fragment that needs them is evaluated.
// 2. A string in `parameters` borrows from the `bytes` of its variable.
// Thread safety: none; one call.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "sql/plpgsql/program.h"
#include "types/value/datum.h"

namespace indigo::engine::programs {

using types::TypeRef;

// A record's or composite variable's value: its fields, those of dropped columns with type 0.
struct RecordValue {
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  std::vector<OwnedDatum> values;
  bool assigned = false;  // a record variable has no fields before
  bool null = true;
  uint64_t shape = 0;  // of the types and names; 0: none

  int find(std::string_view name) const;
  // After types or names have changed.
  void set_shape();
};

struct Value {
  std::string bytes;                    // of a scalar's string
  std::unique_ptr<RecordValue> record;  // of variables that have fields
  std::string image;                    // of the record, when some fragment has asked for it
};

struct Frame {
  std::vector<Value> values;
  std::vector<Datum> parameters;
  const sql::plpgsql::Statement* statement = nullptr;  // that runs
  const char* phase = nullptr;                         // what runs when it is no statement
  int phase_line = 0;
  uint64_t row_count = 0;
  bool taken = false;  // from PlpgsqlFunction's, which gets it back

  // A scalar variable's value.
  const Datum& scalar(int variable) const { return parameters[static_cast<size_t>(variable)]; }
  void set_scalar(int variable, const Datum& value) {
    Datum& place = parameters[static_cast<size_t>(variable)];
    place = value;
    if (value.phys != Phys::kStr || value.null) return;
    std::string& bytes = values[static_cast<size_t>(variable)].bytes;
    bytes.assign(value.str);  // which may be a part of it
    place.str = bytes;
  }
};

}  // namespace indigo::engine::programs
