// Functions by their pg_proc OID: the implementations behind the catalog's rows. One family per file; a family is a table
// of entries that registry.cpp concatenates. Extending it: add a file with a table and one line in registry.cpp.
//
// A kernel computes one output row for each selected row. Strict functions never see nulls: the wrappers in
// types/function/kernel.h (scalar<...>) write the loop, the null handling and the error stop around a plain C++ function.
// Thread safety: immutable after construction at first use.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "types/function/context.h"
#include "types/type_info.h"
#include "types/value/vector.h"

namespace indigo::types {

// The call as resolved: polymorphic functions look at the actual types.
struct CallInfo {
  Oid function = kInvalidOid;
  TypeRef result;
  std::vector<TypeRef> arguments;
  Oid collation = kInvalidOid;  // the input collation
  // VARIADIC "any" functions (concat, format, jsonb_build_object ...): the last argument is the VARIADIC array itself.
  // Otherwise their arguments arrive one by one. Functions with a typed VARIADIC parameter always get an array.
  bool variadic_array = false;
  // Hypothetical-set aggregates: the directions of the WITHIN GROUP columns.
  struct SortDirection {
    bool descending, nulls_first;
  };
  std::vector<SortDirection> within_group;
};

// Computes out[r] for each r of `selection`; `out` is initialised to the result's Phys with enough capacity.
// On an error calls context.fail and returns; rows before the failing one are already set.
using ScalarKernel = void (*)(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                              Selection selection, Vector& out);

struct ScalarFunction {
  Oid oid;
  ScalarKernel kernel;
};

// Ordered-set and hypothetical-set aggregates are called like the others: with their rows in the WITHIN GROUP order, and
// each row's arguments are the aggregated columns, then the direct arguments.
// An aggregate's state is `state_bytes` of zeroed, 16-aligned memory for each group.
struct AggregateFunction {
  Oid oid;
  uint32_t state_bytes;
  // For each i: row selection[i] goes into states[i].
  void (*update)(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments,
                 Selection selection, void* const* states);
  void (*finalize)(FuncContext& context, const CallInfo& call, void* state, Vector& out, uint32_t row);
  void (*destroy)(void* state);  // null when the state owns nothing
  // Takes a row back out (moving window frames); null, or answering false: the frame is recomputed.
  bool (*retract)(FuncContext& context, const CallInfo& call, std::span<const Vector* const> arguments, uint32_t row,
                  void* state);
};

// A set-returning function's running call: fills `columns` with up to `capacity` rows; 0 at the end. The columns are the
// function's OUT parameters; one of a composite type or record without them gives one column of composite values.
class SetProducer {
 public:
  virtual ~SetProducer() = default;
  virtual uint32_t next(FuncContext& context, std::span<Vector> columns, uint32_t capacity) = 0;
};
struct SetFunction {
  Oid oid;
  std::unique_ptr<SetProducer> (*open)(FuncContext& context, const CallInfo& call, std::span<const Datum> arguments);
};

// Null when the function exists in the catalog but is not built here (the analyzer answers 0A000).
const ScalarFunction* find_scalar(Oid function);
const AggregateFunction* find_aggregate(Oid function);
const SetFunction* find_set(Oid function);

// ---- types: text and binary forms. `type` carries the modifier; array and composite types recurse through the catalog.
// Input: on failure context.fail(...) and returns a null. Results' bytes are in context.arena().
Datum type_input(FuncContext& context, const TypeRef& type, Str text);
Datum type_receive(FuncContext& context, const TypeRef& type, Str bytes);
// Appends; never fails for values that input accepted.
void type_output(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
void type_send(FuncContext& context, const TypeRef& type, const Datum& value, std::string& out);
bool type_has_io(FuncContext& context, Oid type);

// Type modifiers: text of `numeric(10,2)`'s "(10,2)"; parse of the modifier list (typmodin).
std::string typmod_output(Oid type, int32_t typmod);
Result<int32_t> typmod_input(Oid type, std::span<const std::string> arguments);
// Of any type, an extension's included.
std::string typmod_output(const TypeInfo& type, int32_t typmod);
Result<int32_t> typmod_input(const TypeInfo& type, std::span<const std::string> arguments);

// ---- order, equality and hash of a type's default operator class. Arguments are never null.
// `collator` is that of the collation they are compared under (null: C order), also for the elements of arrays.
// The texts in records are compared in C order.
struct TypeOrder {
  int (*compare)(const Datum& a, const Datum& b, const Collator* collator);  // null when the type has no order
  bool (*equal)(const Datum& a, const Datum& b, const Collator* collator);
  uint64_t (*hash)(const Datum& value, const Collator* collator);  // equal values have equal hashes
};
// Built-in types, their arrays and record; null when the type has none. Equal integers of different widths have equal
// hashes, and so have equal float4 and float8.
const TypeOrder* type_order(Oid type);
// Any type: also enums (by their labels' OIDs), composite types, domains over built-in types, and arrays of these.
const TypeOrder* type_order(const TypeInfo& type);
// What a collator with values() orders: any type. By the function; or by labels (types/value/order_labels.h), whose order is one
// even where the function contradicts itself.
const TypeOrder& defined_order();
const TypeOrder& labelled_order();
bool is_array_type(Oid type);  // built-in array types (pg_type.typcategory A)

// How values of a type are held (types/value/physical.h). User-defined types: kStr, enums kI32 (label oid), domains as their base.
Phys physical_of(Oid type);

}  // namespace indigo::types
