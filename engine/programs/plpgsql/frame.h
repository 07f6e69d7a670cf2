// The variables of one running PL/pgSQL function.
//
// Invariants:
// 1. `parameters` has the value of every scalar variable at its number; places behind them are for fields and rows, and
//    are filled before a fragment that needs them is evaluated.
// 2. A string in `parameters` borrows from the `bytes` of its variable.
// Thread safety: none; one call.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catalog/descriptor/relation_info.h"
#include "engine/exec/scalar/scalar_node.h"
#include "sql/plpgsql/program.h"
#include "types/oids.h"
#include "types/value/datum.h"
#include "types/value/vector.h"

namespace indigo::engine::programs {

using types::TypeRef;

// A record's or composite variable's value: its fields, those of dropped columns with type 0.
struct RecordValue {
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  std::vector<OwnedDatum> values;
  bool assigned = false;  // a record variable has no fields before
  bool null = true;
  bool changed = false;            // since a trigger's row was put into it
  uint64_t shape = 0;              // of the types and names; 0: none
  Oid row_type = kInvalidOid;      // of a variable of type record: the named type that its row is of
  std::vector<OwnedDatum> system;  // ctid and so on, in the order of their numbers; none: nulls

  int find(std::string_view name) const;
  // Of a system column (catalog/tables/system_columns.h).
  Datum system_value(int16_t number) const;
  // After types or names have changed.
  void set_shape();
  // What an expression over the row as a whole depends on.
  uint64_t shape_of_row() const { return shape ^ (row_type * 0x9e3779b97f4a7c15); }
  // The type of the row, where that of the variable is `declared`.
  Oid type_of_row(Oid declared) const {
    return declared == oid::kRecord && row_type != kInvalidOid ? row_type : declared;
  }
};

struct Value {
  std::string bytes;                    // of a scalar's string
  std::unique_ptr<RecordValue> record;  // of variables that have fields
  std::string image;                    // of the record, when some fragment has asked for it
};

// A row of a query on its way to its variables.
class KeptRow {
 public:
  void keep(const Chunk& chunk, uint32_t row);
  // The first `count` of its columns; lives until the next row is kept.
  std::span<const Datum> values(size_t count) const { return {shown_.data(), std::min(count, shown_.size())}; }
  void forget() { owned_.clear(); }

 private:
  std::vector<OwnedDatum> owned_;  // those that have strings
  std::vector<Datum> shown_;
};

struct Frame {
  std::vector<Value> values;
  std::vector<Datum> parameters;
  const sql::plpgsql::Statement* statement = nullptr;  // that runs
  const char* phase = nullptr;                         // what runs when it is no statement
  int phase_line = 0;
  uint64_t row_count = 0;
  KeptRow row;
  // The catalog's version and Preparation::generation as they were when `state_known` was set; whatever may have changed them
  // takes that back. Expressions that only compute do not.
  uint64_t catalog_version = 0, plan_generation = 0;
  bool state_known = false;

  // A scalar variable's value.
  const Datum& scalar(int variable) const { return parameters[static_cast<size_t>(variable)]; }
  void set_scalar(int variable, const Datum& value) {
    Datum& place = parameters[static_cast<size_t>(variable)];
    exec::copy_scalar(place, value);
    if (value.phys == Phys::kStr && !value.null) keep_string(variable, value.str);
  }
  // Calls change(bytes) with the string that a variable has for itself; answers what that does, or false where it has none.
  template <class Change>
  bool change_string(int variable, Change change) {
    Datum& place = parameters[static_cast<size_t>(variable)];
    std::string& bytes = values[static_cast<size_t>(variable)].bytes;
    if (place.null || place.str.data() != bytes.data() || place.str.size() != bytes.size()) return false;
    const bool changed = change(bytes);
    place.str = bytes;
    return changed;
  }
  void set_integer(int variable, int32_t value) { exec::set_value(parameters[static_cast<size_t>(variable)], value); }

 private:
  void keep_string(int variable, Str value) {
    Datum& place = parameters[static_cast<size_t>(variable)];
    std::string& bytes = values[static_cast<size_t>(variable)].bytes;
    bytes.assign(value);  // which may be a part of it
    place.str = bytes;
  }
};

}  // namespace indigo::engine::programs
