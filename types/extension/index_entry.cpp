#include "types/extension/index_entry.h"

#include "types/function/kernel.h"

namespace indigo::types {

namespace {

Datum refuse(FuncContext& context, const TypeRef& type, Str) {
  const auto info = context.session().catalog().type(type.oid);
  context.fail(sqlstate::kFeatureNotSupported,
               "cannot accept a value of type " + (info == nullptr ? std::string("internal") : info->name));
  return Datum::make_null(Phys::kStr);
}
void print_nothing(FuncContext&, const TypeRef&, const Datum&, std::string&) {}

}  // namespace

const TypeDefinition kIndexEntryForms = {kInvalidOid, refuse, print_nothing, nullptr, nullptr};

void uncallable_kernel(FuncContext& context, const CallInfo&, std::span<const Vector* const>, Selection, Vector&) {
  context.fail(sqlstate::kFeatureNotSupported, "a function with arguments of type internal cannot be called");
}

}  // namespace indigo::types
