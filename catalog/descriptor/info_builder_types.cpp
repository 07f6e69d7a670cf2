// Descriptors of types and functions.
#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "types/builtin/builtins.h"
#include "types/builtin/function_text.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::catalog {

std::shared_ptr<const TypeInfo> InfoBuilder::type(Oid oid) {
  if (oid < oid::kFirstUserOid) return database_.catalog().builtins().type(oid);
  std::string image;
  const SystemTable& table = database_.table(pg_type::kOid);
  if (!table.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = table.reader(image);
  auto t = std::make_shared<TypeInfo>();
  t->oid = oid;
  t->name = row.str(pg_type::c_typname);
  t->schema = row.oid(pg_type::c_typnamespace);
  t->owner = row.oid(pg_type::c_typowner);
  t->length = row.i16(pg_type::c_typlen);
  t->by_value = row.flag(pg_type::c_typbyval);
  t->kind = row.chr(pg_type::c_typtype);
  t->category = row.chr(pg_type::c_typcategory);
  t->preferred = row.flag(pg_type::c_typispreferred);
  t->delimiter = row.chr(pg_type::c_typdelim);
  t->alignment = row.chr(pg_type::c_typalign);
  t->storage = row.chr(pg_type::c_typstorage);
  t->relation = row.oid(pg_type::c_typrelid);
  t->element = row.oid(pg_type::c_typelem);
  t->array = row.oid(pg_type::c_typarray);
  t->input = row.oid(pg_type::c_typinput);
  t->output = row.oid(pg_type::c_typoutput);
  t->receive = row.oid(pg_type::c_typreceive);
  t->send = row.oid(pg_type::c_typsend);
  t->modifier_in = row.oid(pg_type::c_typmodin);
  t->modifier_out = row.oid(pg_type::c_typmodout);
  t->subscript = row.oid(pg_type::c_typsubscript);
  t->not_null = row.flag(pg_type::c_typnotnull);
  t->base = row.oid(pg_type::c_typbasetype);
  t->base_typmod = row.i32(pg_type::c_typtypmod);
  t->collation = row.oid(pg_type::c_typcollation);
  t->default_expr = row.str(pg_type::c_typdefaultbin);
  switch (t->kind) {
    case 'e':
      t->phys = Phys::kI32;
      database_.table(pg_enum::kOid)
          .scan_index(txn_, system_index::kEnumType, {Datum::of_oid(oid)}, [&](RowReader label) {
            t->enum_labels.emplace_back(label.str(pg_enum::c_enumlabel));
            t->enum_label_oids.push_back(label.oid(pg_enum::c_oid));
            return true;
          });
      break;
    case 'd':
      if (const auto base = types_(t->base)) t->phys = base->phys;
      database_.table(pg_constraint::kOid)
          .scan_index(txn_, system_index::kConstraintType, {Datum::of_oid(oid)}, [&](RowReader c) {
            t->checks.push_back(
                {std::string(c.str(pg_constraint::c_conname)), std::string(c.str(pg_constraint::c_conbin))});
            return true;
          });
      std::sort(t->checks.begin(), t->checks.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      break;
    case 'r':
    case 'm':
      t->phys = Phys::kStr;
      add_range(*t);
      break;
    default:
      t->phys = Phys::kStr;
      if (t->kind == 'b' && !t->is_array()) add_base_type(*t);
  }
  keep_member_order(t);
  return t;
}

std::shared_ptr<const FunctionInfo> InfoBuilder::function(Oid oid) {
  if (oid < oid::kFirstUserOid) return database_.catalog().builtins().function(oid);
  std::string image;
  const SystemTable& table = database_.table(pg_proc::kOid);
  if (!table.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = table.reader(image);
  auto f = std::make_shared<FunctionInfo>();
  f->oid = oid;
  f->name = row.str(pg_proc::c_proname);
  f->schema = row.oid(pg_proc::c_pronamespace);
  f->kind = static_cast<FunctionKind>(row.chr(pg_proc::c_prokind));
  f->volatility = static_cast<Volatility>(row.chr(pg_proc::c_provolatile));
  f->strict = row.flag(pg_proc::c_proisstrict);
  f->leakproof = row.flag(pg_proc::c_proleakproof);
  f->returns_set = row.flag(pg_proc::c_proretset);
  f->result = row.oid(pg_proc::c_prorettype);
  f->variadic = row.oid(pg_proc::c_provariadic);
  f->arguments = read_oids(row.str(pg_proc::c_proargtypes));
  f->default_count = static_cast<uint16_t>(row.i16(pg_proc::c_pronargdefaults));
  f->defaults = types::split_default_texts(row.str(pg_proc::c_proargdefaults));
  f->all_argument_types = read_oids(row.str(pg_proc::c_proallargtypes));
  for (const std::string& mode : read_texts(row.str(pg_proc::c_proargmodes))) f->argument_modes.push_back(mode[0]);
  f->argument_names = read_texts(row.str(pg_proc::c_proargnames));
  const Oid language = row.oid(pg_proc::c_prolang);
  f->language = language == oid::kSqlLanguage       ? "sql"
                : language == oid::kPlpgsqlLanguage ? "plpgsql"
                : language == oid::kCLanguage       ? "c"
                                                    : "internal";
  f->source = row.str(pg_proc::c_prosrc);
  if (!row.is_null(pg_proc::c_probin)) f->library = row.str(pg_proc::c_probin);
  f->statements = row.str(pg_proc::c_prosqlbody);
  f->owner = row.oid(pg_proc::c_proowner);
  f->security_definer = row.flag(pg_proc::c_prosecdef);
  f->settings = read_texts(row.str(pg_proc::c_proconfig));
  f->cost = row.f32(pg_proc::c_procost);
  f->rows = row.f32(pg_proc::c_prorows);
  return f;
}

}  // namespace indigo::catalog
