// Operators, casts and aggregates in a session's view: the built-in ones, and those that users have made.
#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/descriptor/range_part.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_indexes.h"
#include "types/builtin/builtins.h"
#include "types/builtin/index_methods.h"
#include "types/oids.h"
#include "types/range/range_keys.h"
#include "types/value/defined_equality.h"

namespace indigo::catalog {

DefinedOperators& SessionCatalog::defined() {
  refresh();
  if (defined_ == nullptr) defined_ = std::make_unique<DefinedOperators>();
  return *defined_;
}

// ---- operators

const OperatorInfo* SessionCatalog::read_operator(const RowReader& row) {
  const Oid oid = row.oid(pg_operator::c_oid);
  auto& known = defined().operators[oid];
  if (known != nullptr) return known.get();
  auto o = std::make_unique<OperatorInfo>();
  o->oid = oid;
  o->name = row.str(pg_operator::c_oprname);
  o->schema = row.oid(pg_operator::c_oprnamespace);
  o->left = row.oid(pg_operator::c_oprleft);
  o->right = row.oid(pg_operator::c_oprright);
  o->result = row.oid(pg_operator::c_oprresult);
  o->function = row.oid(pg_operator::c_oprcode);
  o->commutator = row.oid(pg_operator::c_oprcom);
  o->negator = row.oid(pg_operator::c_oprnegate);
  o->can_merge = row.flag(pg_operator::c_oprcanmerge);
  o->can_hash = row.flag(pg_operator::c_oprcanhash);
  if (const auto f = catalog_.builtins().function(row.oid(pg_operator::c_oprrest))) o->restriction = f->name;
  if (const auto f = catalog_.builtins().function(row.oid(pg_operator::c_oprjoin))) o->join = f->name;
  known = std::move(o);
  return known.get();
}

const std::vector<const OperatorInfo*>& SessionCatalog::own_operators_named(std::string_view name) {
  DefinedOperators& all = defined();
  if (const auto it = all.by_name.find(name); it != all.by_name.end()) return it->second;
  std::vector<const OperatorInfo*> found;
  const SystemTable& table = database_->table(pg_operator::kOid);
  if (table.storage()->has_upper()) {
    reading([&](storage::Transaction& txn) {
      table.scan_index(txn, system_index::kOperatorName, {Datum::of(Str(name))}, [&](RowReader row) {
        if (row.oid(pg_operator::c_oid) >= oid::kFirstUserOid) found.push_back(read_operator(row));
        return true;
      });
    });
  }
  return all.by_name.emplace(std::string(name), std::move(found)).first->second;
}

std::vector<const OperatorInfo*> SessionCatalog::operators_named(std::string_view schema, std::string_view name) {
  std::vector<const OperatorInfo*> out;
  const auto& own = own_operators_named(name);
  const auto add = [&](Oid where) {
    if (where == oid::kPgCatalogSchema) catalog_.builtins().operators_named(name, out);
    for (const OperatorInfo* o : own) {
      if (o->schema == where) out.push_back(o);
    }
  };
  if (!schema.empty()) {
    if (const Oid where = schema_named(schema); where != kInvalidOid) add(where);
  } else if (own.empty()) {
    catalog_.builtins().operators_named(name, out);
  } else {
    for (const Oid where : search_path()) {
      if (where != temp_schema_) add(where);
    }
  }
  return out;
}

const OperatorInfo* SessionCatalog::operator_by_oid(Oid oid) {
  if (oid < oid::kFirstUserOid) return catalog_.builtins().operator_by_oid(oid);
  DefinedOperators& all = defined();
  if (const auto it = all.operators.find(oid); it != all.operators.end()) return it->second.get();
  const OperatorInfo* found = nullptr;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& t = database_->table(pg_operator::kOid);
    if (t.find_oid(txn, oid, image)) found = read_operator(t.reader(image));
  });
  return found;
}

// ---- casts

const CastInfo* SessionCatalog::cast(Oid source, Oid target) {
  if (const CastInfo* built_in = catalog_.builtins().cast(source, target)) return built_in;
  if (!database_->table(pg_cast::kOid).storage()->has_upper()) return nullptr;
  auto& casts = defined().casts;
  const std::pair key(source, target);
  if (const auto it = casts.find(key); it != casts.end()) return it->second.get();
  std::unique_ptr<CastInfo> found;
  reading([&](storage::Transaction& txn) {
    database_->table(pg_cast::kOid)
        .scan_index(txn, system_index::kCastTypes, {Datum::of_oid(source), Datum::of_oid(target)}, [&](RowReader row) {
          found = std::make_unique<CastInfo>();
          found->source = source;
          found->target = target;
          found->function = row.oid(pg_cast::c_castfunc);
          found->context = static_cast<CastContext>(row.chr(pg_cast::c_castcontext));
          found->method = static_cast<CastMethod>(row.chr(pg_cast::c_castmethod));
          return false;
        });
  });
  return casts.emplace(key, std::move(found)).first->second.get();
}

// ---- aggregates

const AggregateInfo* SessionCatalog::aggregate(Oid function) {
  if (function < oid::kFirstUserOid) return catalog_.builtins().aggregate(function);
  auto& aggregates = defined().aggregates;
  if (const auto it = aggregates.find(function); it != aggregates.end()) return it->second.get();
  auto found = reading([&](storage::Transaction& txn) {
    return InfoBuilder(
               *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); })
        .aggregate(function);
  });
  return defined().aggregates.emplace(function, std::move(found)).first->second.get();
}

// ---- operator classes of types that have an order of their own

Oid SessionCatalog::own_default_opclass(Oid type, Oid method) {
  Oid found = kInvalidOid;
  reading([&](storage::Transaction& txn) {
    database_->table(pg_opclass::kOid)
        .scan_index(txn, system_index::kOpclassName, {Datum::of_oid(method)}, [&](RowReader row) {
          if (row.oid(pg_opclass::c_opcintype) != type || !row.flag(pg_opclass::c_opcdefault)) return true;
          found = row.oid(pg_opclass::c_oid);
          return false;
        });
  });
  return found;
}

Oid SessionCatalog::own_btree_operator(Oid type, int strategy) {
  const std::pair key(type, strategy);
  if (const auto& known = defined().btree_operators; known.contains(key)) return known.at(key);
  const Oid opclass = own_default_opclass(type, default_access_method().oid);
  Oid found = kInvalidOid;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& classes = database_->table(pg_opclass::kOid);
    if (!classes.find_oid(txn, opclass, image)) return;
    const Oid family = classes.reader(image).oid(pg_opclass::c_opcfamily);
    database_->table(pg_amop::kOid)
        .scan_index(txn, system_index::kAmopFamily, {Datum::of_oid(family), Datum::of_oid(type), Datum::of_oid(type)},
                    [&](RowReader row) {
                      if (row.i16(pg_amop::c_amopstrategy) != strategy) return true;
                      found = row.oid(pg_amop::c_amopopr);
                      return false;
                    });
  });
  defined().btree_operators.emplace(key, found);
  return found;
}

int SessionCatalog::own_btree_strategy(Oid op) {
  if (const auto& known = defined().btree_strategies; known.contains(op)) return known.at(op);
  const OperatorInfo* info = operator_by_oid(op);
  const auto left = info == nullptr ? nullptr : type(info->left);
  int strategy = 0;
  const bool ordered = left != nullptr && has_own_class(*left);
  if (const Oid opclass = ordered ? own_default_opclass(left->oid, default_access_method().oid) : kInvalidOid) {
    reading([&](storage::Transaction& txn) { strategy = catalog::strategy_in_class(*database_, txn, opclass, op); });
  }
  defined().btree_strategies.emplace(op, strategy);
  return strategy;
}

int SessionCatalog::strategy_in_class(Oid opclass, Oid op) {
  return reading([&](storage::Transaction& txn) { return catalog::strategy_in_class(*database_, txn, opclass, op); });
}

Oid SessionCatalog::operator_in_class(Oid opclass, int strategy) {
  return reading(
      [&](storage::Transaction& txn) { return catalog::operator_in_class(*database_, txn, opclass, strategy); });
}

CatalogView::OrderingClass SessionCatalog::ordering_class(Oid op) {
  return reading([&](storage::Transaction& txn) { return catalog::ordering_class(*database_, txn, op); });
}

// Ranges have their classes from anyrange, whatever their bounds' order.
bool SessionCatalog::has_own_class(const TypeInfo& type) {
  if (!type.comparison.empty()) return true;
  const Collator* own = type.kind == 'r' || type.kind == 'm' || type.kind == 'd' ? nullptr : defined_order(type.oid);
  return own != nullptr && own->ordered();
}

const Collator* SessionCatalog::range_order(Oid type_oid) {
  const auto info = type_oid < oid::kFirstUserOid ? nullptr : type(type_oid);
  if (info == nullptr || (info->kind != 'r' && info->kind != 'm')) return nullptr;
  if (const auto& known = defined().orders; known.contains(type_oid)) return known.at(type_oid);
  const Collator* found = nullptr;
  if (const auto part = range_part(*this, *info); part && !part->plain()) {
    found = catalog_.keys_of_type(database_->oid(), type_oid, kInvalidOid, [&](types::ClassCalls& calls) {
      return std::make_unique<const Collator>(std::make_shared<const types::RangeKeys>(
          calls, info->kind == 'm', part->order, part->element, part->canonical));
    });
  }
  defined().orders.emplace(type_oid, found);
  return found;
}

// Of a type that has no order.
const Collator* SessionCatalog::hashed_equality(Oid type_oid) {
  const Oid opclass = own_default_opclass(type_oid, oid::kHashMethod);
  const OperatorInfo* equality =
      opclass < oid::kFirstUserOid ? nullptr : operator_by_oid(operator_in_class(opclass, 3));
  if (equality == nullptr) return nullptr;
  const auto hash = reading([&](storage::Transaction& txn) { return function_of_class(*database_, txn, opclass); });
  if (!hash) return nullptr;
  return catalog_.keys_of_type(database_->oid(), type_oid, opclass, [&](types::ClassCalls& calls) {
    return std::make_unique<const Collator>(
        std::make_shared<const types::DefinedEquality>(calls, *hash, equality->oid, equality->function));
  });
}

const Collator* SessionCatalog::defined_order(Oid type_oid) {
  if (const Collator* of_range = range_order(type_oid)) return of_range;
  if (!database_->table(pg_opclass::kOid).storage()->has_upper()) return nullptr;
  if (const auto& known = defined().orders; known.contains(type_oid)) return known.at(type_oid);
  const Collator* found = nullptr;
  defined().orders.emplace(type_oid, nullptr);  // while it is looked for, default_opclass() asks again
  const auto info = type(type_oid);
  if (info != nullptr && info->kind == 'd') {
    found = defined_order(info->base);
  } else if (const Oid opclass = own_default_opclass(type_oid, default_access_method().oid);
             opclass >= oid::kFirstUserOid) {
    const bool by_extension = info != nullptr && (!info->comparison.empty() || info->definition != nullptr);
    if (!by_extension) found = collator(opclass);
  } else if (opclass == kInvalidOid && info != nullptr && default_opclass(type_oid) == kInvalidOid) {
    found = hashed_equality(type_oid);
  }
  defined().orders[type_oid] = found;
  return found;
}

}  // namespace indigo::catalog
