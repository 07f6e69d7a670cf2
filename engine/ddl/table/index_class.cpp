#include "engine/ddl/table/index_class.h"

#include "catalog/catalog.h"
#include "types/builtin/builtins.h"
#include "types/builtin/index_methods.h"

namespace indigo::engine::ddl {

using catalog::AccessMethod;

std::string class_name(DdlContext& c, Oid opclass) {
  std::string name;
  table(c, catalog::pg_opclass::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(catalog::pg_opclass::c_oid) == opclass) name = row.str(catalog::pg_opclass::c_opcname);
    return name.empty();
  });
  return name;
}

namespace {

// The class of a type that the values are of, too: an implicit cast without a function leads there.
Oid alike_default_class(DdlContext& c, const AccessMethod& method, Oid type) {
  for (const Oid like : {Oid{oid::kInet}, Oid{oid::kText}, Oid{oid::kOid}}) {
    const types::CastInfo* cast = c.catalog.cast(type, like);
    if (cast == nullptr || cast->method != types::CastMethod::kBinary || cast->context != types::CastContext::kImplicit)
      continue;
    Oid found = c.catalog.catalog().builtins().default_opclass(method.classes, like);
    if (found == kInvalidOid) found = c.catalog.own_default_opclass(like, method.classes);
    if (found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

// The default class of a method whose classes are not those of a tree's types.
Oid own_default_class(DdlContext& c, const AccessMethod& method, Oid type) {
  const types::Builtins& builtins = c.catalog.catalog().builtins();
  for (int depth = 0; depth < 64 && type != kInvalidOid; depth++) {
    if (const Oid found = builtins.default_opclass(method.classes, type == oid::kVarchar ? oid::kText : type);
        found != kInvalidOid) {
      return found;
    }
    const TypePtr info = c.catalog.type(type);
    if (info == nullptr) break;
    if (info->is_array()) {
      const Oid own = c.catalog.own_default_opclass(type, method.classes);  // intarray's, of int4[]
      return own != kInvalidOid ? own : builtins.default_opclass(method.classes, oid::kAnyArray);
    }
    if (info->kind == 'r') return builtins.default_opclass(method.classes, oid::kAnyRange);
    if (info->kind == 'm') return builtins.default_opclass(method.classes, oid::kAnyMultirange);
    if (info->kind == 'e') return c.catalog.own_default_opclass(oid::kAnyEnum, method.classes);
    if (info->kind == 'b') {
      const Oid own = c.catalog.own_default_opclass(type, method.classes);
      return own != kInvalidOid ? own : alike_default_class(c, method, type);
    }
    type = info->base;
  }
  return kInvalidOid;
}

}  // namespace

// Default classes of a built-in type have one name in all methods that search for equal values.
Result<Oid> default_class(DdlContext& c, const AccessMethod& method, Oid type) {
  const bool own_only = !method.searchable() || method.classes == oid::kHashMethod;
  Oid opclass = method.searchable() ? c.catalog.default_opclass(type) : kInvalidOid;
  if (own_only && opclass == kInvalidOid) {
    opclass = own_default_class(c, method, type);
  } else if (method.searchable() && opclass != kInvalidOid && method.classes != catalog::default_access_method().oid) {
    opclass = opclass < oid::kFirstUserOid
                  ? c.catalog.catalog().builtins().opclass_named(method.classes, class_name(c, opclass))
                  : own_default_class(c, method, type);
  }
  if (opclass != kInvalidOid) return opclass;
  return Error(sqlstate::kUndefinedObject, "data type " + type_text(c, {type, -1, kInvalidOid}) +
                                               " has no default operator class for access method " +
                                               quoted(method.name))
      .with_hint(
          "You must specify an operator class for the index or define a default operator class for the data type.");
}

}  // namespace indigo::engine::ddl
