#include "types/system/delegate.h"

#include "types/io/record.h"
#include "types/oids.h"
#include "types/set/producer.h"

namespace indigo::types {

namespace {
bool is_strict(FuncContext& context, Oid function) {
  const auto info = context.session().catalog().function(function);
  return info == nullptr || info->strict;
}

// The fields of a record are called as the function's OUT arguments are.
std::vector<std::string> field_names(FuncContext& context, Oid function) {
  const auto info = context.session().catalog().function(function);
  std::vector<std::string> names;
  if (info == nullptr || info->result != oid::kRecord) return names;
  for (size_t i = 0; i < info->argument_modes.size() && i < info->argument_names.size(); i++)
    if (info->argument_modes[i] == 'o') names.push_back(info->argument_names[i]);
  return names;
}
}  // namespace

void run_system_value(std::string_view name, FuncContext& context, const CallInfo& call,
                      std::span<const Vector* const> arguments, Selection selection, Vector& out) {
  const bool strict = is_strict(context, call.function);
  const std::vector<std::string> names = field_names(context, call.function);
  std::vector<Datum> values(arguments.size());
  for (uint32_t i = 0; i < selection.count; i++) {
    const uint32_t r = selection[i];
    for (size_t a = 0; a < arguments.size(); a++) values[a] = arguments[a]->datum(r);
    if (strict && any_null(values)) {
      out.set_datum(r, Datum::make_null(out.phys()));
      continue;
    }
    Result<OwnedDatum> result = context.session().system_value(name, values);
    if (!result) return context.fail(std::move(result.error()));
    Datum value = result->get();
    if (value.null) {
      value = Datum::make_null(out.phys());
    } else if (!names.empty()) {
      const RecordFields fields = read_record(value.str);
      value.str = context.arena().copy(make_record(fields.type, fields.types, fields.values, names));
    } else if (value.phys == Phys::kStr) {
      value.str = context.arena().copy(value.str);
    }
    out.set_datum(r, value);
  }
}

std::unique_ptr<SetProducer> open_system_rows(std::string_view name, FuncContext& context, const CallInfo& call,
                                              std::span<const Datum> arguments) {
  if (is_strict(context, call.function) && any_null(arguments)) return empty_set();
  auto rows = std::make_unique<RowSet>();
  const Status status = context.session().system_rows(name, arguments, [&](std::span<const Datum> row) {
    std::vector<Datum> kept;
    kept.reserve(row.size());
    for (const Datum& d : row) kept.push_back(rows->keep(d));
    rows->add(std::move(kept));
  });
  if (!status.ok()) context.fail(Error(status.error()));
  return rows;
}

}  // namespace indigo::types
