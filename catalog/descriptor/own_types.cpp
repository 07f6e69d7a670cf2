// Descriptors of what users define over functions: base types and aggregates.
#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "types/builtin/builtins.h"
#include "types/extension/extension.h"
#include "types/io/type_definition.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace {

// The built-in type whose text form this function reads; kInvalidOid when it is none of ours.
Oid type_of_input(const types::Builtins& builtins, const FunctionInfo& input) {
  if (input.language != "internal") return kInvalidOid;
  std::vector<std::shared_ptr<const FunctionInfo>> named;
  builtins.functions_named(oid::kPgCatalogSchema, input.source, named);
  for (const auto& f : named) {
    if (f->source != input.source || f->arguments.empty() || f->arguments[0] != oid::kCstring) continue;
    const auto type = builtins.type(f->result);
    if (type != nullptr && type->input == f->oid) return type->oid;
  }
  return kInvalidOid;
}

}  // namespace

void InfoBuilder::add_base_type(TypeInfo& type) {
  const auto input = function(type.input);
  if (input == nullptr) return;
  type.like = type_of_input(database_.catalog().builtins(), *input);
  if (const auto like = types_(type.like)) type.phys = like->phys;
  const types::Extension* module = input->language == "c" ? types::find_module(input->library) : nullptr;
  if (module != nullptr) type.definition = types::find_type_forms(*module, input->source);
  if (type.definition != nullptr) type.phys = type.definition->phys;
  Oid family = kInvalidOid;
  database_.table(pg_opclass::kOid)
      .scan_index(txn_, system_index::kOpclassName, {Datum::of_oid(default_access_method().oid)}, [&](RowReader row) {
        if (row.oid(pg_opclass::c_opcintype) != type.oid || !row.flag(pg_opclass::c_opcdefault)) return true;
        family = row.oid(pg_opclass::c_opcfamily);
        return false;
      });
  if (family == kInvalidOid) return;
  database_.table(pg_amproc::kOid)
      .scan_index(txn_, system_index::kAmprocFamily,
                  {Datum::of_oid(family), Datum::of_oid(type.oid), Datum::of_oid(type.oid)}, [&](RowReader row) {
                    if (row.i16(pg_amproc::c_amprocnum) != 1) return true;
                    const auto f = function(row.oid(pg_amproc::c_amproc));
                    if (f != nullptr && (type.definition != nullptr ||
                                         (f->language == "c" && types::collator_of_comparison(f->source) != nullptr)))
                      type.comparison = f->source;
                    return false;
                  });
}

void InfoBuilder::add_range(TypeInfo& type) {
  const bool range = type.kind == 'r';
  const auto take = [&](RowReader row) {
    if (row.oid(range ? pg_range::c_rngtypid : pg_range::c_rngmultitypid) != type.oid) return true;
    type.range_subtype = row.oid(pg_range::c_rngsubtype);
    type.range_partner = row.oid(range ? pg_range::c_rngmultitypid : pg_range::c_rngtypid);
    return false;
  };
  const SystemTable& ranges = database_.table(pg_range::kOid);
  if (range) {
    ranges.scan(txn_, {Datum::of_oid(type.oid)}, take);
  } else {
    ranges.scan(txn_, {}, take);
  }
}

std::unique_ptr<AggregateInfo> InfoBuilder::aggregate(Oid function_oid) {
  std::string image;
  const SystemTable& table = database_.table(pg_aggregate::kOid);
  if (!table.find_oid(txn_, function_oid, image)) return nullptr;
  const RowReader row = table.reader(image);
  auto a = std::make_unique<AggregateInfo>();
  a->function = function_oid;
  a->kind = row.chr(pg_aggregate::c_aggkind);
  a->direct_arguments = row.i16(pg_aggregate::c_aggnumdirectargs);
  a->sort_operator = row.oid(pg_aggregate::c_aggsortop);
  a->plain.transition = row.oid(pg_aggregate::c_aggtransfn);
  a->plain.final = row.oid(pg_aggregate::c_aggfinalfn);
  a->plain.state = row.oid(pg_aggregate::c_aggtranstype);
  a->plain.final_extra = row.flag(pg_aggregate::c_aggfinalextra);
  if (!row.is_null(pg_aggregate::c_agginitval)) a->plain.initial = row.str(pg_aggregate::c_agginitval);
  a->moving.transition = row.oid(pg_aggregate::c_aggmtransfn);
  a->moving.inverse = row.oid(pg_aggregate::c_aggminvtransfn);
  a->moving.final = row.oid(pg_aggregate::c_aggmfinalfn);
  a->moving.state = row.oid(pg_aggregate::c_aggmtranstype);
  a->moving.final_extra = row.flag(pg_aggregate::c_aggmfinalextra);
  if (!row.is_null(pg_aggregate::c_aggminitval)) a->moving.initial = row.str(pg_aggregate::c_aggminitval);
  if (a->plain.state == oid::kInternal) {
    const auto f = function(function_oid);
    if (f != nullptr) a->same_as = database_.catalog().builtins().aggregate_like(*a, f->arguments);
  }
  return a;
}

}  // namespace indigo::catalog
