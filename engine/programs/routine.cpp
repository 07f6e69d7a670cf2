#include "engine/programs/routine.h"

#include "catalog/descriptor/session_catalog.h"
#include "engine/session/session_parts.h"
#include "engine/settings/applied_settings.h"
#include "sql/analyze/type/coerce.h"
#include "storage/store.h"
#include "types/function/registry.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

TypeRef type_of(SessionParts& session, Oid type) {
  const auto info = session.session_catalog().type(type);
  return {type, -1, info != nullptr ? info->collation : kInvalidOid};
}

uint64_t shape_of(std::span<const TypeRef> types, std::span<const std::string> names) {
  uint64_t shape = 0xcbf29ce484222325;
  const auto mix = [&](uint64_t v) { shape = (shape ^ v) * 0x100000001b3; };
  for (size_t i = 0; i < types.size(); i++) {
    mix(types[i].oid);
    mix(static_cast<uint32_t>(types[i].typmod));
    mix(types[i].collation);
    for (const char c : names[i]) mix(static_cast<unsigned char>(c));
    mix(0x100);
  }
  return shape | 1;
}

void RowList::init(SessionParts& session, std::vector<TypeRef> columns, std::vector<std::string> column_names) {
  types = std::move(columns);
  names = std::move(column_names);
  std::vector<Phys> phys;
  for (const TypeRef& type : types) {
    const auto info = session.session_catalog().type(type.oid);
    phys.push_back(info != nullptr ? info->phys : Phys::kI32);
  }
  exec::SpillSpace& space = *session.applied_settings().spill;
  store.init(std::move(phys), space.may_spill() ? &space : nullptr);
}

RoutineResult result_of(SessionParts& session, const types::FunctionInfo& info, const TypeRef& result,
                        std::span<const TypeRef> arguments) {
  RoutineResult out;
  out.type = result;
  out.set = info.returns_set;
  catalog::CatalogView& view = session.session_catalog();
  if (result.oid != oid::kRecord) {
    // The rows of a PL/pgSQL function are its domain's base type's: it does not check what they are to be.
    const bool of_base = info.returns_set && info.language == "plpgsql";
    const auto relation = types::fields_relation(view, of_base ? sql::base_type(view, result.oid) : result.oid);
    if (relation == nullptr) return out;
    out.row = true;
    for (const auto& column : relation->columns) {
      out.columns.push_back(column.dropped ? TypeRef{kInvalidOid, -1, kInvalidOid} : column.type);
      out.names.push_back(column.name);
    }
    return out;
  }
  out.row = true;
  std::vector<Oid> actual;
  for (const TypeRef& a : arguments) actual.push_back(a.oid);
  for (size_t i = 0; i < info.all_argument_types.size(); i++) {
    const char mode = i < info.argument_modes.size() ? info.argument_modes[i] : 'i';
    if (mode != 'o' && mode != 'b' && mode != 't') continue;
    out.columns.push_back(
        type_of(session, sql::resolve_output(view, actual, info.arguments, info.all_argument_types[i])));
    const bool named = i < info.argument_names.size() && !info.argument_names[i].empty();
    out.names.push_back(named ? info.argument_names[i] : "column" + std::to_string(out.names.size() + 1));
  }
  // One OUT parameter of a function is its result itself.
  if (out.columns.size() == 1 && out.columns[0].oid == oid::kRecord && info.kind != types::FunctionKind::kProcedure) {
    out.columns.clear();
    out.names.clear();
  }
  out.known = !out.columns.empty();
  return out;
}

}  // namespace indigo::engine::programs
