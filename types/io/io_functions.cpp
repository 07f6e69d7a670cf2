// The types' input, output and send functions, called by name: int4in('1'), textin(regtypeout(t)), array_send(ARRAY[1]). Which
// there are stands in pg_type. (Receive functions take `internal`, which no statement has.)
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "types/builtin/static_table.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/generated/columns.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

Datum input(FuncContext& context, const CallInfo& call, Str text) { return type_input(context, call.result, text); }

Datum input_modified(FuncContext& context, const CallInfo& call, Str text, int32_t, int32_t modifier) {
  return type_input(context, {call.result.oid, modifier, call.result.collation}, text);
}

std::string output(FuncContext& context, const CallInfo& call, Datum value) {
  std::string out;
  type_output(context, call.arguments[0], value, out);
  return out;
}

std::string send(FuncContext& context, const CallInfo& call, Datum value) {
  std::string out;
  type_send(context, call.arguments[0], value, out);
  return out;
}

constexpr Oid kAnyCompatibleArray = 5078, kAnyCompatibleRange = 5080, kAnyCompatibleMultirange = 4538;

struct Entries {
  std::deque<std::string> names;
  std::vector<ScalarEntry> entries;

  Entries() {
    // Those of enums, which are all users' own.
    entries.push_back({"enum_out", kernel<output>});
    entries.push_back({"enum_send", kernel<send>});
    const StaticTable& types = static_table_of(pg_type::kOid);
    std::set<std::string, std::less<>> seen;
    const auto add = [&](std::string_view name, ScalarKernel kernel) {
      if (name.empty() || kernel == nullptr || !seen.emplace(name).second) return;
      entries.push_back({names.emplace_back(name).c_str(), kernel});
    };
    for (uint32_t row = 0; row < types.row_count; row++) {
      const char kind = types.columns[pg_type::c_typtype].string(row).front();
      const Oid type = types.columns[pg_type::c_oid].cell(row);
      // Pseudo-types have no values, but for these.
      const bool values = kind != 'p' || type == oid::kRecord || type == oid::kCstring || type == oid::kUnknown ||
                          type == oid::kAnyArray || type == kAnyCompatibleArray || type == kAnyCompatibleRange ||
                          type == kAnyCompatibleMultirange || type == oid::kAnyEnum || type == oid::kAnyRange ||
                          type == oid::kAnyMultirange;
      if (!values) continue;
      add(source_of(types.columns[pg_type::c_typoutput].cell(row)), kernel<output>);
      add(source_of(types.columns[pg_type::c_typsend].cell(row)), kernel<send>);
      if (kind == 'b' || type == oid::kCstring || type == oid::kUnknown) {  // the others' need to be told of which type
        const Oid function = types.columns[pg_type::c_typinput].cell(row);
        add(source_of(function), input_kernel(source_of(function), function));
      }
    }
  }

  static uint32_t row_of(Oid function) {
    return static_cast<uint32_t>(static_table_of(pg_proc::kOid).find_oid(function));
  }
  static std::string_view source_of(Oid function) {
    if (function == kInvalidOid) return {};
    return static_table_of(pg_proc::kOid).columns[pg_proc::c_prosrc].string(row_of(function));
  }
  static ScalarKernel input_kernel(std::string_view name, Oid function) {
    if (name == "array_in") return nullptr;  // of any array, as far as a call tells
    const auto count = static_table_of(pg_proc::kOid).columns[pg_proc::c_pronargs].cell(row_of(function));
    return count == 3 ? ScalarKernel{kernel<input_modified>} : count == 1 ? ScalarKernel{kernel<input>} : nullptr;
  }
};

}  // namespace

std::span<const ScalarEntry> io_functions() {
  static const Entries made;
  return made.entries;
}

}  // namespace indigo::types
