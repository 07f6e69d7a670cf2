#include "catalog/descriptor/session_catalog.h"

#include <algorithm>

#include "base/check.h"
#include "base/fiber/stack_exhausted.h"
#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/class_order.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/object_privileges.h"
#include "catalog/tables/system_indexes.h"
#include "storage/store.h"
#include "storage/table.h"
#include "types/builtin/builtins.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::catalog {

SessionCatalog::SessionCatalog(Catalog& catalog, std::shared_ptr<Database> database, uint64_t session)
    : catalog_(catalog), database_(std::move(database)), database_name_(database_->name()), session_(session) {
  database_->add_session(1);
}

SessionCatalog::~SessionCatalog() { database_->add_session(-1); }

// ---- the engine's side

void SessionCatalog::adopt(std::shared_ptr<Database> image) {
  INDIGO_CHECK(txn_ == nullptr && image->oid() == database_->oid());
  if (temp_number_ != 0) database_->return_temp_number(temp_number_);
  database_ = std::move(image);
  database_name_ = database_->name();
  commit_actions_.clear();
  collators_.clear();
  letters_.clear();
  set_temp_schema(kInvalidOid, 0);
}

void SessionCatalog::set_search_path(std::vector<std::string> elements) {
  if (elements == path_elements_) return;
  path_elements_ = std::move(elements);
  path_valid_ = false;
  clear_names();
}

void SessionCatalog::set_user(Oid role) {
  if (role == user_) return;
  user_ = role;
  path_valid_ = false;
  clear_names();
  usable_schemas_.clear();
}

bool SessionCatalog::is_foreign_temporary(const RelationInfo& relation) const {
  return relation.persistence == 't' && relation.schema != temp_schema_;
}

// ---- versions and local maps

Oid SessionCatalog::database() const { return database_->oid(); }

storage::Store& SessionCatalog::store() { return catalog_.store(); }

uint64_t SessionCatalog::version() const {
  const uint64_t shared = shared_state();
  if (!private_) return shared;
  if (shared != private_seen_) {
    private_seen_ = shared;
    private_version_ = database_->next_private_version();
  }
  return private_version_;
}

void SessionCatalog::clear_local() {
  clear_names();
  by_oid_.clear();
  outdated_.clear();
  types_.clear();
  memberships_.clear();
  superusers_.clear();
  usable_schemas_.clear();
  path_valid_ = false;
  if (defined_ != nullptr) retired_.push_back(std::move(defined_));
}

// Whoever looks something up below may come by here again: other sessions commit definitions meanwhile. No iterator into a local
// map is kept across a look-up, and what was read before the version moved is not kept after it.
void SessionCatalog::refresh() {
  const uint64_t now = version(), shared = catalog_.shared_version();
  if (now == local_version_ && shared == local_shared_version_) return;
  clear_local();
  local_version_ = now;
  local_shared_version_ = shared;
}

// ---- schemas

Oid SessionCatalog::schema_named(std::string_view name) {
  if (name == "pg_catalog") return oid::kPgCatalogSchema;
  if (name == "pg_temp") return temp_schema_;
  Oid out = kInvalidOid;
  reading([&](storage::Transaction& txn) {
    database_->table(pg_namespace::kOid)
        .scan_index(txn, system_index::kNamespaceName, {Datum::of(Str(name))}, [&](RowReader row) {
          out = row.oid(pg_namespace::c_oid);
          return false;
        });
  });
  return out;
}

std::string SessionCatalog::schema_name(Oid schema) {
  if (schema == oid::kPgCatalogSchema) return "pg_catalog";
  std::string out;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& t = database_->table(pg_namespace::kOid);
    if (t.find_oid(txn, schema, image)) out = t.reader(image).str(pg_namespace::c_nspname);
  });
  return out;
}

std::vector<Oid> SessionCatalog::search_path() {
  refresh();
  if (path_valid_) return path_;
  const uint64_t begun = local_version_;
  path_.clear();
  creation_schema_ = kInvalidOid;
  bool has_catalog = false, has_temp = false;
  for (const std::string& element : path_elements_) {
    Oid schema = kInvalidOid;
    if (element == "$user") {
      const std::string user = role_name(user_);
      if (!user.empty()) schema = schema_named(user);
    } else {
      schema = schema_named(element);
    }
    if (element != "pg_temp" && schema != kInvalidOid && !may_use_schema(schema)) continue;
    if (element == "pg_temp") {
      has_temp = true;
      if (creation_schema_ == kInvalidOid && path_.empty()) creation_schema_ = schema;
    } else if (schema != kInvalidOid && creation_schema_ == kInvalidOid) {
      creation_schema_ = schema;
    }
    if (schema == kInvalidOid || std::find(path_.begin(), path_.end(), schema) != path_.end()) continue;
    has_catalog |= schema == oid::kPgCatalogSchema;
    path_.push_back(schema);
  }
  if (!has_catalog) path_.insert(path_.begin(), oid::kPgCatalogSchema);
  if (!has_temp && temp_schema_ != kInvalidOid) path_.insert(path_.begin(), temp_schema_);
  path_valid_ = local_version_ == begun;
  return path_;
}

Oid SessionCatalog::creation_schema() {
  search_path();
  return creation_schema_;
}

// ---- types

std::shared_ptr<const TypeInfo> SessionCatalog::type(Oid oid) {
  if (oid == kInvalidOid) return nullptr;
  if (oid < oid::kFirstUserOid) return catalog_.builtins().type(oid);
  refresh();
  if (recording_ != nullptr) recording_->add(object_key(oid));
  if (const auto it = types_.find(oid); it != types_.end()) {
    auto kept = it->second;
    if (recording_ != nullptr) record(*kept);
    return kept;
  }
  require_stack();
  const uint64_t begun = local_version_;
  std::shared_ptr<const TypeInfo> found;
  if (!changed_here(oid)) found = database_->cached_type(oid);
  if (found == nullptr) {
    const uint64_t seen = database_->cache_version();
    found = reading([&](storage::Transaction& txn) {
      return InfoBuilder(
                 *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); })
          .type(oid);
    });
    if (found == nullptr) return nullptr;
    if (const auto added = added_labels_.find(oid); added != added_labels_.end()) {
      auto own = std::make_shared<TypeInfo>(*found);
      own->uncommitted_label_oids = added->second;
      found = std::move(own);
    }
    if (!private_) database_->publish(seen, found);
  }
  if (local_version_ == begun) types_[oid] = found;
  if (recording_ != nullptr) record(*found);
  return found;
}

std::shared_ptr<const TypeInfo> SessionCatalog::find_type(std::string_view schema, std::string_view name) {
  record_name(name);
  const auto in_schema = [&](Oid where) -> Oid {
    if (where == kInvalidOid) return kInvalidOid;
    if (const Oid built_in = catalog_.builtins().type_named(where, name); built_in != kInvalidOid) return built_in;
    Oid out = kInvalidOid;
    reading([&](storage::Transaction& txn) {
      database_->table(pg_type::kOid)
          .scan_index(txn, system_index::kTypeName, {Datum::of(Str(name)), Datum::of_oid(where)}, [&](RowReader row) {
            out = row.oid(pg_type::c_oid);
            return false;
          });
    });
    return out;
  };
  if (!schema.empty()) {
    const Oid found = in_schema(schema_named(schema));
    return found == kInvalidOid ? nullptr : type(found);
  }
  for (const Oid where : search_path()) {
    if (const Oid found = in_schema(where); found != kInvalidOid) return type(found);
  }
  return nullptr;
}

// ---- functions, operators, casts

namespace {
constexpr size_t kFunctionNamesMax = 500;
}

std::vector<std::shared_ptr<const FunctionInfo>> SessionCatalog::functions_named(std::string_view schema,
                                                                                 std::string_view name) {
  if (recording_ != nullptr) recording_->add(function_name(name));
  if (schema.empty()) {
    refresh();
    if (const auto it = functions_.find(name); it != functions_.end()) {
      auto kept = it->second;
      if (recording_ != nullptr) {
        for (const auto& found : kept) record(*found);
      }
      return kept;
    }
  }
  const uint64_t begun = local_version_;
  std::vector<std::shared_ptr<const FunctionInfo>> out;
  const auto add = [&](Oid where) {
    if (where == kInvalidOid) return;
    catalog_.builtins().functions_named(where, name, out);
    std::vector<Oid> found;
    reading([&](storage::Transaction& txn) {
      database_->table(pg_proc::kOid)
          .scan_index(txn, system_index::kProcName, {Datum::of(Str(name)), Datum::of_oid(where)}, [&](RowReader row) {
            if (row.oid(pg_proc::c_oid) >= oid::kFirstUserOid) found.push_back(row.oid(pg_proc::c_oid));
            return true;
          });
    });
    for (const Oid f : found) {
      if (auto info = function(f)) out.push_back(std::move(info));
    }
  };
  if (!schema.empty()) {
    add(schema_named(schema));
  } else {
    for (const Oid where : search_path()) {
      if (where != temp_schema_) add(where);
    }
    if (functions_.size() >= kFunctionNamesMax) functions_.clear();
    if (local_version_ == begun) functions_.emplace(std::string(name), out);
  }
  return out;
}

std::shared_ptr<const FunctionInfo> SessionCatalog::function(Oid oid) {
  if (oid < oid::kFirstUserOid) return catalog_.builtins().function(oid);
  auto found = reading([&](storage::Transaction& txn) {
    return InfoBuilder(
               *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); })
        .function(oid);
  });
  if (recording_ != nullptr && found != nullptr) record(*found);
  return found;
}

namespace {

constexpr Oid kPgNdistinct = 3361, kPgDependencies = 3402, kPgMcvList = 5017;

// The type whose btree operators serve `t`, where it has none of its own; kInvalidOid when there is none.
Oid ordering_type(const TypeInfo& t) {
  switch (t.kind) {
    case 'd': return t.base;
    case 'e': return oid::kAnyEnum;
    case 'c': return oid::kRecord;
    case 'r': return oid::kAnyRange;
    case 'm': return oid::kAnyMultirange;
    default: break;
  }
  if (t.is_array()) return oid::kAnyArray;
  if (oid::is_reg_type(t.oid)) return oid::kOid;
  switch (t.oid) {
    // The same bytes as that type.
    case oid::kVarchar:
    case oid::kPgNodeTree: return oid::kText;
    case kPgNdistinct:
    case kPgDependencies:
    case kPgMcvList: return oid::kBytea;
    case oid::kCidr: return oid::kInet;
    default: return kInvalidOid;
  }
}

}  // namespace

// The operators of arrays and rows are there when those of what is in them are.
bool SessionCatalog::contents_have_operator(const TypeInfo& type, int strategy) {
  const auto has = [&](Oid t) {
    const bool hashes = t == oid::kXid || t == oid::kCid || t == oid::kAclItem;  // equality without an order
    return (strategy == 3 && hashes) || btree_operator(t, strategy) != kInvalidOid;
  };
  if (type.is_array()) return has(type.element);
  if (type.kind != 'c') return true;
  const auto row = relation(type.relation);
  return row == nullptr || std::all_of(row->columns.begin(), row->columns.end(),
                                       [&](const ColumnInfo& c) { return c.dropped || has(c.type.oid); });
}

Oid SessionCatalog::btree_operator(Oid type_oid, int strategy) {
  if (type_oid == oid::kAnyArray) return kInvalidOid;  // of who knows what
  for (int depth = 0; depth < 64 && type_oid != kInvalidOid; depth++) {
    if (const Oid op = catalog_.builtins().btree_operator(type_oid, strategy); op != kInvalidOid) return op;
    const auto t = type(type_oid);
    if (t == nullptr) break;
    if (has_own_class(*t)) return own_btree_operator(type_oid, strategy);
    if (!contents_have_operator(*t, strategy)) break;
    type_oid = ordering_type(*t);
  }
  return kInvalidOid;
}

int SessionCatalog::btree_strategy(Oid op) {
  return op < oid::kFirstUserOid ? catalog_.builtins().btree_strategy(op) : own_btree_strategy(op);
}

Oid SessionCatalog::default_opclass(Oid type_oid) {
  const Oid kBtree = default_access_method().oid;
  if (type_oid == oid::kVarchar) return catalog_.builtins().opclass_named(kBtree, "text_ops");
  for (int depth = 0; depth < 64 && type_oid != kInvalidOid; depth++) {
    if (const Oid found = catalog_.builtins().default_opclass(kBtree, type_oid); found != kInvalidOid) return found;
    const auto t = type(type_oid);
    if (t == nullptr) break;
    if (has_own_class(*t)) return own_default_opclass(type_oid, kBtree);
    type_oid = ordering_type(*t);
  }
  return kInvalidOid;
}

// ---- collations and roles

const Collator* SessionCatalog::member_orders() { return catalog_.member_orders(); }

Oid SessionCatalog::find_collation(std::string_view schema, std::string_view name) {
  Oid out = kInvalidOid;
  const auto look = [&](Oid where) {
    if (where == kInvalidOid || out != kInvalidOid) return;
    reading([&](storage::Transaction& txn) {
      database_->table(pg_collation::kOid)
          .scan_index(txn, system_index::kCollationName, {Datum::of(Str(name)), Datum::of_oid(where)},
                      [&](RowReader row) {
                        out = row.oid(pg_collation::c_oid);
                        return false;
                      });
    });
  };
  if (!schema.empty()) {
    look(schema_named(schema));
  } else {
    for (const Oid where : search_path()) look(where);
  }
  return out;
}

std::string SessionCatalog::collation_name(Oid collation) {
  switch (collation) {
    case oid::kDefaultCollation: return "default";
    case oid::kCCollation: return "C";
    case oid::kPosixCollation: return "POSIX";
    default: break;
  }
  std::string out;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& t = database_->table(pg_collation::kOid);
    if (t.find_oid(txn, collation, image)) out = t.reader(image).str(pg_collation::c_collname);
  });
  return out;
}

namespace {

types::Locale locale_of_collation(const RowReader& row) {
  types::Locale out;
  out.provider = row.chr(pg_collation::c_collprovider);
  out.deterministic = row.flag(pg_collation::c_collisdeterministic);
  if (out.provider == 'i') {
    out.icu = row.str(pg_collation::c_colliculocale);
  } else if (out.provider == 'c') {
    out.collate = row.str(pg_collation::c_collcollate);
    out.ctype = row.str(pg_collation::c_collctype);
  }
  return out;
}

}  // namespace

const Collator* SessionCatalog::collator(Oid collation) {
  if (collation == oid::kDefaultCollation) return database_->collator();
  if (types::is_c_collation(collation)) return nullptr;
  if (const auto it = collators_.find(collation); it != collators_.end()) return it->second;
  const Collator* found = nullptr;
  bool known = false;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& t = database_->table(pg_collation::kOid);
    if (!t.find_oid(txn, collation, image)) {  // an operator class (CatalogView::ordering_class)
      const auto function = function_of_class(*database_, txn, collation);
      if (function) found = catalog_.defined_keys(collation, *function);
      return;
    }
    found = catalog_.collator(locale_of_collation(t.reader(image)));
    known = true;
  });
  if (!known && found == nullptr) found = range_order(collation);
  if (known || found != nullptr) collators_.emplace(collation, found);
  return found;
}

const Collator* SessionCatalog::case_insensitive() { return database_->case_insensitive(); }

const Letters* SessionCatalog::letters(Oid collation) {
  if (collation == oid::kDefaultCollation) return database_->letters();
  if (types::is_c_collation(collation)) return nullptr;
  if (const auto it = letters_.find(collation); it != letters_.end()) return it->second;
  const Letters* found = nullptr;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& t = database_->table(pg_collation::kOid);
    if (t.find_oid(txn, collation, image)) found = catalog_.letters(locale_of_collation(t.reader(image)));
  });
  letters_.emplace(collation, found);
  return found;
}

Oid SessionCatalog::role_named(std::string_view name) {
  const auto role = catalog_.role_named(name, txn_);
  return role == nullptr ? kInvalidOid : role->oid;
}

std::string SessionCatalog::role_name(Oid oid) {
  const auto role = catalog_.role(oid, txn_);
  return role == nullptr ? std::string() : role->name;
}

bool SessionCatalog::is_superuser(Oid oid) {
  refresh();
  if (const auto it = superusers_.find(oid); it != superusers_.end()) return it->second;
  const auto role = catalog_.role(oid, txn_);
  return superusers_[oid] = role != nullptr && role->superuser;
}

bool SessionCatalog::bypasses_row_security(Oid oid) {
  const auto role = catalog_.role(oid, txn_);
  return role != nullptr && (role->superuser || role->bypass_rls);
}

bool SessionCatalog::may_use_schema(Oid schema) {
  if (schema == kInvalidOid) return false;
  if (schema == oid::kPgCatalogSchema || schema == temp_schema_) return true;
  refresh();
  if (const auto it = usable_schemas_.find(schema); it != usable_schemas_.end()) return it->second;
  const uint32_t held = object_privileges(*this, kSchemaAcl, schema, user_);
  return usable_schemas_[schema] = (held & types::kPrivilegeUsage) != 0;
}

bool SessionCatalog::reaches(Oid role, Oid of, bool inheriting) {
  if (role == of) return true;
  refresh();
  const std::tuple question(role, of, inheriting);
  if (const auto it = memberships_.find(question); it != memberships_.end()) return it->second;
  return memberships_[question] = walk_memberships(role, of, inheriting);
}

bool SessionCatalog::walk_memberships(Oid role, Oid of, bool inheriting) {
  Oid database_owner = kInvalidOid;
  reading([&](storage::Transaction& txn) {
    std::string image;
    const SystemTable& databases = database_->table(pg_database::kOid);
    if (databases.find_oid(txn, database_->oid(), image)) {
      database_owner = databases.reader(image).oid(pg_database::c_datdba);
    }
  });
  std::vector<Oid> seen{role};
  const auto add = [&](Oid up) {
    if (std::find(seen.begin(), seen.end(), up) == seen.end()) seen.push_back(up);
    return up == of;
  };
  for (size_t i = 0; i < seen.size(); i++) {
    const auto info = catalog_.role(seen[i], txn_);
    if (info == nullptr) continue;
    if (i == 0 && info->superuser) return true;
    if (inheriting && !info->inherit) continue;
    for (const Oid up : info->member_of) {
      if (add(up)) return true;
    }
    if (info->oid == database_owner && add(oid::kDatabaseOwnerRole)) return true;
  }
  return false;
}

bool SessionCatalog::has_role(Oid role, Oid of) { return reaches(role, of, false); }

bool SessionCatalog::has_privileges_of(Oid role, Oid of) { return reaches(role, of, true); }

void SessionCatalog::system_table_rows(Oid oid, int index, std::span<const Datum> prefix,
                                       const std::function<bool(const RowReader&)>& visit) {
  const SystemTable* table = database_->find_table(oid);
  if (table == nullptr) return;
  // A function's row by its OID; operator classes and collations change everything; of the rest nobody says what changes.
  if (recording_ != nullptr && oid == pg_proc::kOid && index < 0 && prefix.size() == 1) {
    recording_->add(object_key(prefix[0].oid()));
  } else if (recording_ != nullptr && oid != pg_opclass::kOid && oid != pg_amop::kOid && oid != pg_amproc::kOid &&
             oid != pg_collation::kOid) {
    recording_->add_everything();
  }
  reading([&](storage::Transaction& txn) {
    const auto rows = [&](std::initializer_list<Datum> key) {
      const auto each = [&](RowReader row) { return visit(row); };
      index < 0 ? table->scan(txn, key, each) : table->scan_index(txn, index, key, each);
    };
    switch (prefix.size()) {
      case 0: return rows({});
      case 1: return rows({prefix[0]});
      case 2: return rows({prefix[0], prefix[1]});
      default: return rows({prefix[0], prefix[1], prefix[2]});
    }
  });
}

}  // namespace indigo::catalog
