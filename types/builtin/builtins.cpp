#include "types/builtin/builtins.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "base/once.h"
#include "types/builtin/descriptor_map.h"
#include "types/builtin/function_text.h"
#include "types/generated/columns.h"
#include "types/generated/static_tables.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

// Numbers of the rows in `order` whose string column equals `name`.
std::span<const uint16_t> rows_named(const StaticColumn& column, std::span<const uint16_t> order,
                                     std::string_view name) {
  const auto low =
      std::partition_point(order.begin(), order.end(), [&](uint16_t r) { return column.string(r) < name; });
  const auto high = std::partition_point(low, order.end(), [&](uint16_t r) { return column.string(r) == name; });
  return {low, high};
}

char first_char(std::string_view s) { return s.empty() ? '\0' : s[0]; }

}  // namespace

struct Builtins::Tables {
  const StaticTable& type = static_table_of(pg_type::kOid);
  const StaticTable& proc = static_table_of(pg_proc::kOid);
  const StaticTable& oper = static_table_of(pg_operator::kOid);
  const StaticTable& cast = static_table_of(pg_cast::kOid);
  const StaticTable& aggregate = static_table_of(pg_aggregate::kOid);
  const StaticTable& opclass = static_table_of(pg_opclass::kOid);
  const StaticTable& amop = static_table_of(pg_amop::kOid);

  mutable DescriptorMap<TypeInfo> types;
  mutable DescriptorMap<FunctionInfo> functions;

  mutable Once operators_once, casts_once, aggregates_once, btree_once;
  mutable std::vector<OperatorInfo> operators;  // by row of pg_operator
  mutable absl::flat_hash_map<Oid, const OperatorInfo*> operators_by_oid;
  mutable std::vector<CastInfo> casts;            // by source and target
  mutable std::vector<uint64_t> cast_keys;        // of them
  mutable std::vector<AggregateInfo> aggregates;  // by row of pg_aggregate
  mutable absl::flat_hash_map<std::pair<Oid, int>, Oid> btree_operators;
  mutable absl::flat_hash_map<Oid, int> btree_strategies;

  const std::vector<OperatorInfo>& all_operators() const;
  void fill_btree() const;
  std::shared_ptr<const TypeInfo> make_type(uint32_t row) const;
  std::shared_ptr<const FunctionInfo> make_function(uint32_t row) const;
};

Builtins::Builtins() : tables_(std::make_unique<Tables>()) {}
Builtins::~Builtins() = default;

// ---- types

Phys Builtins::phys_of(Oid type) {
  const TypeDefinition* definition = type_definition(type);
  return definition == nullptr ? Phys::kStr : definition->phys;
}

std::shared_ptr<const TypeInfo> Builtins::Tables::make_type(uint32_t row) const {
  const auto c = [&](int column) -> const StaticColumn& { return type.columns[column]; };
  auto t = std::make_shared<TypeInfo>();
  t->oid = c(pg_type::c_oid).cell(row);
  t->name = c(pg_type::c_typname).string(row);
  t->schema = c(pg_type::c_typnamespace).cell(row);
  t->owner = c(pg_type::c_typowner).cell(row);
  t->phys = phys_of(t->oid);
  t->length = c(pg_type::c_typlen).datum(row).i16;
  t->by_value = c(pg_type::c_typbyval).cell(row) != 0;
  t->kind = first_char(c(pg_type::c_typtype).string(row));
  t->category = first_char(c(pg_type::c_typcategory).string(row));
  if (t->oid == oid::kRecordArray) t->category = 'A';  // an array like others, though pg_type says pseudo-type
  t->preferred = c(pg_type::c_typispreferred).cell(row) != 0;
  t->delimiter = first_char(c(pg_type::c_typdelim).string(row));
  t->alignment = first_char(c(pg_type::c_typalign).string(row));
  t->storage = first_char(c(pg_type::c_typstorage).string(row));
  t->relation = c(pg_type::c_typrelid).cell(row);
  t->element = c(pg_type::c_typelem).cell(row);
  t->array = c(pg_type::c_typarray).cell(row);
  t->input = c(pg_type::c_typinput).cell(row);
  t->output = c(pg_type::c_typoutput).cell(row);
  t->receive = c(pg_type::c_typreceive).cell(row);
  t->send = c(pg_type::c_typsend).cell(row);
  t->modifier_in = c(pg_type::c_typmodin).cell(row);
  t->modifier_out = c(pg_type::c_typmodout).cell(row);
  t->subscript = c(pg_type::c_typsubscript).cell(row);
  t->not_null = c(pg_type::c_typnotnull).cell(row) != 0;
  t->base = c(pg_type::c_typbasetype).cell(row);
  t->base_typmod = c(pg_type::c_typtypmod).datum(row).i32;
  t->collation = c(pg_type::c_typcollation).cell(row);
  t->default_expr = c(pg_type::c_typdefault).string(row);
  if (t->kind == 'd') t->phys = phys_of(t->base);
  if (t->kind == 'r' || t->kind == 'm') {
    const StaticTable& ranges = static_table_of(pg_range::kOid);
    const int key = t->kind == 'r' ? pg_range::c_rngtypid : pg_range::c_rngmultitypid;
    for (uint32_t r = 0; r < ranges.row_count; r++) {
      if (ranges.columns[key].cell(r) != t->oid) continue;
      t->range_subtype = ranges.columns[pg_range::c_rngsubtype].cell(r);
      t->range_partner = ranges.columns[t->kind == 'r' ? pg_range::c_rngmultitypid : pg_range::c_rngtypid].cell(r);
    }
  }
  return t;
}

std::shared_ptr<const TypeInfo> Builtins::type(Oid oid) const {
  if (const auto* found = tables_->types.find(oid)) return *found;
  const int64_t row = tables_->type.find_oid(oid);
  if (row < 0) return nullptr;
  return tables_->types.insert(oid, tables_->make_type(static_cast<uint32_t>(row)));
}

Oid Builtins::type_named(Oid schema, std::string_view name) const {
  const StaticTable& t = tables_->type;
  for (uint16_t row :
       rows_named(t.columns[pg_type::c_typname], {generated::kTypeByName, generated::kTypeByNameCount}, name)) {
    if (t.columns[pg_type::c_typnamespace].cell(row) == schema) return t.columns[pg_type::c_oid].cell(row);
  }
  return kInvalidOid;
}

// ---- functions

std::shared_ptr<const FunctionInfo> Builtins::Tables::make_function(uint32_t row) const {
  const auto c = [&](int column) -> const StaticColumn& { return proc.columns[column]; };
  auto f = std::make_shared<FunctionInfo>();
  f->oid = c(pg_proc::c_oid).cell(row);
  f->name = c(pg_proc::c_proname).string(row);
  f->schema = c(pg_proc::c_pronamespace).cell(row);
  f->kind = static_cast<FunctionKind>(first_char(c(pg_proc::c_prokind).string(row)));
  f->volatility = static_cast<Volatility>(first_char(c(pg_proc::c_provolatile).string(row)));
  f->strict = c(pg_proc::c_proisstrict).cell(row) != 0;
  f->leakproof = c(pg_proc::c_proleakproof).cell(row) != 0;
  f->returns_set = c(pg_proc::c_proretset).cell(row) != 0;
  f->result = c(pg_proc::c_prorettype).cell(row);
  f->variadic = c(pg_proc::c_provariadic).cell(row);
  f->arguments = read_oids(c(pg_proc::c_proargtypes).string(row));
  f->default_count = static_cast<uint16_t>(c(pg_proc::c_pronargdefaults).cell(row));
  if (f->default_count > 0) f->defaults = split_default_texts(c(pg_proc::c_proargdefaults).string(row));
  f->all_argument_types = read_oids(c(pg_proc::c_proallargtypes).string(row));
  for (const std::string& mode : read_texts(c(pg_proc::c_proargmodes).string(row)))
    f->argument_modes.push_back(mode[0]);
  f->argument_names = read_texts(c(pg_proc::c_proargnames).string(row));
  f->language = c(pg_proc::c_prolang).cell(row) == oid::kSqlLanguage ? "sql" : "internal";
  f->source = c(pg_proc::c_prosrc).string(row);
  f->owner = c(pg_proc::c_proowner).cell(row);
  return f;
}

std::shared_ptr<const FunctionInfo> Builtins::function(Oid oid) const {
  if (const auto* found = tables_->functions.find(oid)) return *found;
  const int64_t row = tables_->proc.find_oid(oid);
  if (row < 0) return nullptr;
  return tables_->functions.insert(oid, tables_->make_function(static_cast<uint32_t>(row)));
}

void Builtins::functions_named(Oid schema, std::string_view name,
                               std::vector<std::shared_ptr<const FunctionInfo>>& out) const {
  const StaticTable& t = tables_->proc;
  for (uint16_t row :
       rows_named(t.columns[pg_proc::c_proname], {generated::kProcByName, generated::kProcByNameCount}, name)) {
    if (t.columns[pg_proc::c_pronamespace].cell(row) == schema)
      out.push_back(function(t.columns[pg_proc::c_oid].cell(row)));
  }
}

const AggregateInfo* Builtins::aggregate(Oid function) const {
  const StaticTable& t = tables_->aggregate;
  tables_->aggregates_once.call([&] {
    for (uint32_t row = 0; row < t.row_count; row++) {
      AggregateInfo a;
      a.function = t.columns[pg_aggregate::c_aggfnoid].cell(row);
      a.kind = first_char(t.columns[pg_aggregate::c_aggkind].string(row));
      a.direct_arguments = t.columns[pg_aggregate::c_aggnumdirectargs].datum(row).i16;
      a.sort_operator = t.columns[pg_aggregate::c_aggsortop].cell(row);
      a.plain.transition = t.columns[pg_aggregate::c_aggtransfn].cell(row);
      a.plain.final = t.columns[pg_aggregate::c_aggfinalfn].cell(row);
      a.plain.state = t.columns[pg_aggregate::c_aggtranstype].cell(row);
      tables_->aggregates.push_back(a);
    }
  });
  const int64_t row = t.find_oid(function);
  return row < 0 ? nullptr : &tables_->aggregates[static_cast<size_t>(row)];
}

Oid Builtins::aggregate_like(const AggregateInfo& wanted, std::span<const Oid> arguments) const {
  const StaticTable& t = tables_->aggregate;
  if (t.row_count > 0) aggregate(t.columns[pg_aggregate::c_aggfnoid].cell(0));
  for (const AggregateInfo& a : tables_->aggregates) {
    if (a.kind != wanted.kind || a.plain.transition != wanted.plain.transition || a.plain.final != wanted.plain.final ||
        a.plain.state != wanted.plain.state)
      continue;
    const auto f = function(a.function);
    const auto takes = [&](Oid declared, Oid argument) {
      const auto info = declared == oid::kAnyNonArray ? type(argument) : nullptr;
      return declared == argument || (info != nullptr && info->kind == 'b' && !info->is_array());
    };
    if (f != nullptr && std::equal(f->arguments.begin(), f->arguments.end(), arguments.begin(), arguments.end(), takes))
      return a.function;
  }
  return kInvalidOid;
}

// ---- operators and casts

const std::vector<OperatorInfo>& Builtins::Tables::all_operators() const {
  operators_once.call([&] {
    const auto proc_name = [&](Oid function) -> std::string {
      const int64_t row = proc.find_oid(function);
      return row < 0 ? std::string() : std::string(proc.columns[pg_proc::c_proname].string(static_cast<uint32_t>(row)));
    };
    operators.reserve(oper.row_count);
    const auto c = [&](int column) -> const StaticColumn& { return oper.columns[column]; };
    for (uint32_t row = 0; row < oper.row_count; row++) {
      OperatorInfo o;
      o.oid = c(pg_operator::c_oid).cell(row);
      o.name = c(pg_operator::c_oprname).string(row);
      o.schema = c(pg_operator::c_oprnamespace).cell(row);
      o.left = c(pg_operator::c_oprleft).cell(row);
      o.right = c(pg_operator::c_oprright).cell(row);
      o.result = c(pg_operator::c_oprresult).cell(row);
      o.function = c(pg_operator::c_oprcode).cell(row);
      o.commutator = c(pg_operator::c_oprcom).cell(row);
      o.negator = c(pg_operator::c_oprnegate).cell(row);
      o.can_merge = c(pg_operator::c_oprcanmerge).cell(row) != 0;
      o.can_hash = c(pg_operator::c_oprcanhash).cell(row) != 0;
      o.restriction = proc_name(c(pg_operator::c_oprrest).cell(row));
      o.join = proc_name(c(pg_operator::c_oprjoin).cell(row));
      operators.push_back(std::move(o));
    }
    for (const OperatorInfo& o : operators) operators_by_oid.emplace(o.oid, &o);
  });
  return operators;
}

const OperatorInfo* Builtins::operator_by_oid(Oid oid) const {
  tables_->all_operators();
  const auto found = tables_->operators_by_oid.find(oid);
  return found == tables_->operators_by_oid.end() ? nullptr : found->second;
}

void Builtins::operators_named(std::string_view name, std::vector<const OperatorInfo*>& out) const {
  const auto& all = tables_->all_operators();
  const auto rows = rows_named(tables_->oper.columns[pg_operator::c_oprname],
                               {generated::kOperatorByName, generated::kOperatorByNameCount}, name);
  out.reserve(out.size() + rows.size());
  for (const uint16_t row : rows) out.push_back(&all[row]);
}

const CastInfo* Builtins::cast(Oid source, Oid target) const {
  const StaticTable& t = tables_->cast;
  const auto key_of = [](Oid from, Oid to) { return uint64_t{from} << 32 | to; };
  tables_->casts_once.call([&] {
    for (const uint16_t row : std::span(generated::kCastByPair, generated::kCastByPairCount)) {
      CastInfo c;
      c.source = t.columns[pg_cast::c_castsource].cell(row);
      c.target = t.columns[pg_cast::c_casttarget].cell(row);
      c.function = t.columns[pg_cast::c_castfunc].cell(row);
      c.context = static_cast<CastContext>(first_char(t.columns[pg_cast::c_castcontext].string(row)));
      c.method = static_cast<CastMethod>(first_char(t.columns[pg_cast::c_castmethod].string(row)));
      tables_->casts.push_back(c);
      tables_->cast_keys.push_back(key_of(c.source, c.target));
    }
  });
  const std::vector<uint64_t>& keys = tables_->cast_keys;
  const uint64_t key = key_of(source, target);
  const auto it = std::lower_bound(keys.begin(), keys.end(), key);
  return it != keys.end() && *it == key ? &tables_->casts[static_cast<size_t>(it - keys.begin())] : nullptr;
}

// ---- btree classes

void Builtins::Tables::fill_btree() const {
  btree_once.call([&] {
    // Default class by input type gives the family; its operators on (type, type) by strategy.
    std::unordered_map<Oid, Oid> families;  // input type -> family
    for (uint32_t row = 0; row < opclass.row_count; row++) {
      if (opclass.columns[pg_opclass::c_opcmethod].cell(row) != oid::kBtreeMethod ||
          opclass.columns[pg_opclass::c_opcdefault].cell(row) == 0) {
        continue;
      }
      families[opclass.columns[pg_opclass::c_opcintype].cell(row)] = opclass.columns[pg_opclass::c_opcfamily].cell(row);
    }
    for (uint32_t row = 0; row < amop.row_count; row++) {
      if (amop.columns[pg_amop::c_amopmethod].cell(row) != oid::kBtreeMethod) continue;
      const Oid family = amop.columns[pg_amop::c_amopfamily].cell(row);
      const Oid left = amop.columns[pg_amop::c_amoplefttype].cell(row);
      const Oid right = amop.columns[pg_amop::c_amoprighttype].cell(row);
      const int strategy = amop.columns[pg_amop::c_amopstrategy].datum(row).i16;
      const Oid op = amop.columns[pg_amop::c_amopopr].cell(row);
      const auto it = families.find(left);
      if (it == families.end() || it->second != family) continue;  // text_pattern_ops and the like
      if (left == right) btree_operators[{left, strategy}] = op;
      btree_strategies[op] = strategy;
    }
  });
}

Oid Builtins::btree_operator(Oid type, int strategy) const {
  tables_->fill_btree();
  const auto it = tables_->btree_operators.find({type, strategy});
  return it == tables_->btree_operators.end() ? kInvalidOid : it->second;
}

int Builtins::btree_strategy(Oid op) const {
  tables_->fill_btree();
  const auto it = tables_->btree_strategies.find(op);
  return it == tables_->btree_strategies.end() ? 0 : it->second;
}

Oid Builtins::default_opclass(Oid method, Oid type) const {
  const StaticTable& t = tables_->opclass;
  for (uint32_t row = 0; row < t.row_count; row++) {
    if (t.columns[pg_opclass::c_opcmethod].cell(row) == method &&
        t.columns[pg_opclass::c_opcintype].cell(row) == type && t.columns[pg_opclass::c_opcdefault].cell(row) != 0) {
      return t.columns[pg_opclass::c_oid].cell(row);
    }
  }
  return kInvalidOid;
}

Oid Builtins::opclass_named(Oid method, std::string_view name) const {
  const StaticTable& t = tables_->opclass;
  for (uint32_t row = 0; row < t.row_count; row++) {
    if (t.columns[pg_opclass::c_opcmethod].cell(row) == method &&
        t.columns[pg_opclass::c_opcname].string(row) == name) {
      return t.columns[pg_opclass::c_oid].cell(row);
    }
  }
  return kInvalidOid;
}

Oid Builtins::opclass_family(Oid opclass) const {
  const int64_t row = tables_->opclass.find_oid(opclass);
  return row < 0 ? kInvalidOid : tables_->opclass.columns[pg_opclass::c_opcfamily].cell(static_cast<uint32_t>(row));
}

Oid Builtins::opclass_input(Oid opclass) const {
  const int64_t row = tables_->opclass.find_oid(opclass);
  return row < 0 ? kInvalidOid : tables_->opclass.columns[pg_opclass::c_opcintype].cell(static_cast<uint32_t>(row));
}

}  // namespace indigo::types
