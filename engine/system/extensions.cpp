// pg_available_extensions() and its kin: the extensions that are built in, and their versions.
#include "engine/ddl/extension/extension.h"
#include "engine/row_sink.h"
#include "engine/system/families.h"
#include "types/extension/extension.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

Status available_extensions(SessionParts&, std::span<const Datum>, const SystemRowSink& sink) {
  for (const types::Extension& e : types::extensions()) {
    const Datum row[] = {Datum::of(Str(e.name)), Datum::of(Str(e.version)), Datum::of(Str(e.comment))};
    sink(row);
  }
  return {};
}

Status available_versions(SessionParts&, std::span<const Datum>, const SystemRowSink& sink) {
  for (const types::Extension& e : types::extensions()) {
    std::vector<Datum> names;
    for (const std::string_view name : e.required) names.push_back(Datum::of(Str(name)));
    const std::string required = make_array(oid::kName, Phys::kStr, names);
    for (const std::string_view version : types::versions_of(e)) {
      const Datum row[] = {
          Datum::of(Str(e.name)),
          Datum::of(Str(version)),
          Datum::of(true),  // PostgreSQL's default, and what "trusted" makes bearable
          Datum::of(e.trusted),
          Datum::of(e.relocatable),
          e.schema.empty() ? Datum::make_null(Phys::kStr) : Datum::of(Str(e.schema)),
          names.empty() ? Datum::make_null(Phys::kStr) : Datum::of(Str(required)),
          Datum::of(Str(e.comment)),
      };
      sink(row);
    }
  }
  return {};
}

// From each version of it to each other one: source, target, the versions on the way (null: there is none).
Status update_paths(SessionParts&, std::span<const Datum> arguments, const SystemRowSink& sink) {
  INDIGO_ASSIGN(const types::Extension* const e, ddl::available_extension(arguments[0].str));
  const auto versions = types::versions_of(*e);
  for (const std::string_view from : versions) {
    for (const std::string_view to : versions) {
      if (from == to) continue;
      const auto scripts = types::scripts_between(*e, from, to);
      std::string path(from);
      if (scripts) {
        for (const types::ExtensionScript& script : *scripts) path.append("--").append(script.to);
      }
      const Datum row[] = {Datum::of(Str(from)), Datum::of(Str(to)),
                           scripts ? Datum::of(Str(path)) : Datum::make_null(Phys::kStr)};
      sink(row);
    }
  }
  return {};
}

constexpr SystemRows kExtensionRows[] = {
    {"pg_available_extensions", available_extensions},
    {"pg_available_extension_versions", available_versions},
    {"pg_extension_update_paths", update_paths},
};

}  // namespace

std::span<const SystemRows> extension_rows() { return kExtensionRows; }

}  // namespace indigo::engine
