#include "types/system/delegate.h"

#include "types/io/record.h"
#include "types/oids.h"
#include "types/set/producer.h"

namespace indigo::types {

namespace {
struct Declared {
  bool strict = true;
  std::vector<std::string> fields;  // of the record that it returns: its OUT arguments' names
};

Declared declared(FuncContext& context, Oid function) {
  Declared out;
  const auto info = context.session().catalog().function(function);
  if (info == nullptr) return out;
  out.strict = info->strict;
  for (size_t i = 0; info->result == oid::kRecord && i < info->argument_modes.size(); i++)
    if (info->argument_modes[i] == 'o' && i < info->argument_names.size())
      out.fields.push_back(info->argument_names[i]);
  return out;
}
}  // namespace

void run_system_value(std::string_view name, FuncContext& context, const CallInfo& call,
                      std::span<const Vector* const> arguments, Selection selection, Vector& out) {
  const auto [strict, names] = declared(context, call.function);
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
  if (declared(context, call.function).strict && any_null(arguments)) return empty_set();
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
