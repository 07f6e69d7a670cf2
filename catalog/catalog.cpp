#include "catalog/catalog.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/lookup_transaction.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "storage/store.h"
#include "types/builtin/builtins.h"
#include "types/oids.h"
#include "types/value/acl.h"
#include "types/value/collator.h"

namespace indigo::catalog {

using storage::StorageStatus;

void set_locale(RowValues& row, const types::Locale& locale, const std::string& version) {
  row.chr(pg_database::c_datlocprovider, locale.provider)
      .str(pg_database::c_datcollate, locale.collate)
      .str(pg_database::c_datctype, locale.ctype);
  row.set_null(pg_database::c_daticulocale).set_null(pg_database::c_datcollversion);
  if (locale.provider == 'i') row.str(pg_database::c_daticulocale, locale.icu);
  if (!version.empty()) row.str(pg_database::c_datcollversion, version);
}

namespace {

constexpr Oid kTemplate1 = 1, kTemplate0 = 4, kPostgres = 5;
constexpr Oid kDefaultTablespace = 1663;
constexpr int32_t kUtf8 = 6;

Status insert_database(Catalog& catalog, SystemTable& table, storage::Transaction& txn, Oid oid, std::string_view name,
                       Oid owner, const types::Locale& locale, bool is_template, bool connectable) {
  RowValues row(table.definition());
  set_locale(row, locale, connectable ? catalog.collation_version(locale) : "");  // template0 has no version
  row.oid(pg_database::c_oid, oid)
      .str(pg_database::c_datname, name)
      .oid(pg_database::c_datdba, owner)
      .i32(pg_database::c_encoding, kUtf8)
      .flag(pg_database::c_datistemplate, is_template)
      .flag(pg_database::c_datallowconn, connectable)
      .i32(pg_database::c_datconnlimit, -1)
      .i32(pg_database::c_datfrozenxid, 3)
      .i32(pg_database::c_datminmxid, 1)
      .oid(pg_database::c_dattablespace, kDefaultTablespace);
  if (is_template) {  // all roles may connect, none makes temporary tables there
    row.str(pg_database::c_datacl, types::acl_array({{kInvalidOid, owner, types::kPrivilegeConnect, 0},
                                                     {owner, owner, types::kDatabasePrivileges, 0}}));
  }
  if (table.insert(txn, row) != StorageStatus::kOk)
    return Error(sqlstate::kInternalError, "could not create a built-in database");
  return {};
}

}  // namespace

types::Locale locale_of(const RowReader& row) {
  types::Locale out;
  out.provider = row.chr(pg_database::c_datlocprovider);
  out.collate = row.str(pg_database::c_datcollate);
  out.ctype = row.str(pg_database::c_datctype);
  if (out.provider == 'i') out.icu = row.str(pg_database::c_daticulocale);
  return out;
}

Catalog::Catalog(storage::Store& store) : store_(store), builtins_(std::make_unique<types::Builtins>()) {
  shared_ = make_system_tables(kInvalidOid);
}

Catalog::~Catalog() = default;

const Collator* Catalog::collator(const types::Locale& locale) {
  const bool icu = locale.provider == 'i';
  std::string name = locale.icu;
  if (!icu) {
    const auto libc = types::libc_locale(locale.collate);
    if (!libc || libc->kind != types::LibcLocale::Kind::kLanguage) return nullptr;
    name = libc->icu;
  }
  std::lock_guard lock(collators_mutex_);
  auto [at, added] = collators_.try_emplace({(icu ? "icu:" : "libc:") + name, locale.deterministic});
  if (added) {
    auto opened = icu ? Collator::open(name, locale.deterministic) : Collator::open_libc(name);
    if (opened.ok()) at->second = std::move(*opened);
  }
  return at->second.get();
}

const types::Letters* Catalog::letters(const types::Locale& locale) {
  const bool icu = locale.provider == 'i';
  std::string name = locale.icu;
  if (!icu) {
    const auto libc = types::libc_locale(locale.ctype);
    if (!libc || libc->kind == types::LibcLocale::Kind::kC) return nullptr;
    name = libc->icu;
  }
  std::lock_guard lock(collators_mutex_);
  auto [at, added] = letters_.try_emplace((icu ? "icu:" : "libc:") + name);
  if (added) at->second = icu ? types::Letters::of_icu(name) : types::Letters::of_libc(name);
  return at->second.get();
}

const Collator* Catalog::case_insensitive(const Collator* order, const types::Letters* letters) {
  if (order == nullptr && letters == nullptr) return &Collator::case_insensitive();
  if (letters == nullptr) letters = ascii_.get();
  std::lock_guard lock(collators_mutex_);
  auto [at, added] = case_insensitive_.try_emplace({order, letters});
  if (added) at->second = std::make_unique<const Collator>(*letters, order);
  return at->second.get();
}

std::string Catalog::collation_version(const types::Locale& locale) {
  const Collator* const order = collator(locale);
  return order == nullptr ? std::string() : order->version();
}

const Collator* Catalog::defined_keys(Oid opclass, const types::ClassFunction& function) {
  if (class_calls_ == nullptr) return nullptr;
  std::lock_guard lock(collators_mutex_);
  auto [at, added] = defined_keys_.try_emplace({function.database, opclass});
  if (added) {
    at->second = std::make_unique<const Collator>(
        std::shared_ptr<const types::DefinedKeys>(types::DefinedKeys::make(*class_calls_, function)));
  }
  return at->second.get();
}

const Collator* Catalog::keys_of_type(Oid database, Oid type, Oid opclass, const MakeKeys& make) {
  if (class_calls_ == nullptr) return nullptr;
  std::lock_guard lock(collators_mutex_);
  auto [at, added] = keys_of_types_.try_emplace({database, type, opclass});
  if (added) at->second = make(*class_calls_);
  return at->second.get();
}

std::unique_ptr<SystemTables> Catalog::make_system_tables(Oid database) {
  std::lock_guard guard(bases_mutex_);
  return std::make_unique<SystemTables>(store_, database, bases_);
}

Result<std::unique_ptr<Catalog>> Catalog::create(storage::Store& store, std::string_view os_user,
                                                 const types::Locale& locale) {
  std::unique_ptr<Catalog> catalog(new Catalog(store));
  INDIGO_TRY(catalog->bootstrap(os_user, locale));
  return catalog;
}

Status Catalog::bootstrap(std::string_view os_user, const types::Locale& locale) {
  SystemTable& databases = *shared_->find(pg_database::kOid);
  auto txn = store_.begin(storage::Isolation::kReadCommitted, 0);
  const auto fill = [&]() -> Status {
    INDIGO_TRY(
        insert_database(*this, databases, *txn, kTemplate1, "template1", oid::kBootstrapSuperuser, locale, true, true));
    INDIGO_TRY(insert_database(*this, databases, *txn, kTemplate0, "template0", oid::kBootstrapSuperuser, locale, true,
                               false));
    INDIGO_TRY(
        insert_database(*this, databases, *txn, kPostgres, "postgres", oid::kBootstrapSuperuser, locale, false, true));
    SystemTable& descriptions = *shared_->find(pg_shdescription::kOid);
    const std::pair<Oid, std::string_view> texts[] = {{kTemplate1, "default template for new databases"},
                                                      {kTemplate0, "unmodifiable empty database"},
                                                      {kPostgres, "default administrative connection database"}};
    for (const auto& [oid, text] : texts) {
      RowValues row(descriptions.definition());
      row.oid(pg_shdescription::c_objoid, oid).oid(pg_shdescription::c_classoid, pg_database::kOid);
      row.str(pg_shdescription::c_description, text);
      if (descriptions.insert(*txn, row) != StorageStatus::kOk) {
        return Error(sqlstate::kInternalError, "could not describe a built-in database");
      }
    }
    if (os_user.empty() || os_user == "postgres") return {};
    SystemTable& roles = *shared_->find(pg_authid::kOid);
    const Oid role = next_oid();
    RowValues row(roles.definition());
    row.oid(pg_authid::c_oid, role).str(pg_authid::c_rolname, os_user).i32(pg_authid::c_rolconnlimit, -1);
    for (const int column :
         {pg_authid::c_rolsuper, pg_authid::c_rolinherit, pg_authid::c_rolcreaterole, pg_authid::c_rolcreatedb,
          pg_authid::c_rolcanlogin, pg_authid::c_rolreplication, pg_authid::c_rolbypassrls}) {
      row.flag(column, true);
    }
    if (roles.insert(*txn, row) != StorageStatus::kOk) {
      return Error(sqlstate::kInternalError, "could not create the operating-system user's role");
    }
    const Oid database = next_oid();
    INDIGO_TRY(insert_database(*this, databases, *txn, database, os_user, role, locale, false, true));
    publish(make_database(database, os_user, locale));
    return {};
  };
  Status status = fill();
  if (!status.ok()) {
    store_.rollback(*txn);
    return status;
  }
  if (store_.commit(*txn) != StorageStatus::kOk)
    return Error(sqlstate::kInternalError, "could not commit the bootstrap");
  publish(make_database(kTemplate1, "template1", locale));
  publish(make_database(kTemplate0, "template0", locale));
  publish(make_database(kPostgres, "postgres", locale));
  return {};
}

// ---- databases

std::shared_ptr<Database> Catalog::database_named(std::string_view name) {
  std::lock_guard guard(mutex_);
  for (const auto& [oid, database] : databases_) {
    if (database->name() == name) return database;
  }
  return nullptr;
}

std::vector<std::shared_ptr<Database>> Catalog::databases() {
  std::vector<std::shared_ptr<Database>> out;
  std::lock_guard guard(mutex_);
  for (const auto& [oid, database] : databases_) out.push_back(database);
  return out;
}

std::shared_ptr<Database> Catalog::database(Oid oid) {
  std::lock_guard guard(mutex_);
  const auto it = databases_.find(oid);
  return it == databases_.end() ? nullptr : it->second;
}

std::shared_ptr<Database> Catalog::make_database(Oid oid, std::string_view name, const types::Locale& locale) {
  return std::make_shared<Database>(*this, oid, std::string(name), oid, locale);
}

void Catalog::publish(std::shared_ptr<Database> database) {
  std::lock_guard guard(mutex_);
  databases_[database->oid()] = std::move(database);
}

void Catalog::forget(Oid database) {
  std::shared_ptr<Database> last;  // destroyed after the lock is free
  std::lock_guard guard(mutex_);
  if (const auto it = databases_.find(database); it != databases_.end()) {
    last = std::move(it->second);
    databases_.erase(it);
  }
}

std::shared_ptr<Database> Catalog::make_image(const Database& database, Oid image) {
  auto made = std::make_shared<Database>(*this, database.oid(), database.name(), image, database.locale());
  made->follow(database);
  return made;
}

void Catalog::keep_snapshot(std::shared_ptr<Database> snapshot) {
  std::lock_guard guard(mutex_);
  snapshots_[snapshot->image()] = std::move(snapshot);
}

std::shared_ptr<Database> Catalog::snapshot(Oid image) {
  std::lock_guard guard(mutex_);
  const auto it = snapshots_.find(image);
  return it == snapshots_.end() ? nullptr : it->second;
}

void Catalog::forget_snapshot(Oid image) {
  std::shared_ptr<Database> last;  // destroyed after the lock is free
  std::lock_guard guard(mutex_);
  if (const auto it = snapshots_.find(image); it != snapshots_.end()) {
    last = std::move(it->second);
    snapshots_.erase(it);
  }
}

std::vector<std::shared_ptr<Database>> Catalog::snapshots() {
  std::vector<std::shared_ptr<Database>> out;
  std::lock_guard guard(mutex_);
  for (const auto& [image, database] : snapshots_) out.push_back(database);
  return out;
}

void Catalog::rename(Oid database, std::string_view name) {
  std::lock_guard guard(mutex_);
  if (const auto it = databases_.find(database); it != databases_.end()) it->second->set_name(name);
}

// ---- roles

namespace {

std::unique_ptr<RoleInfo> read_role(const SystemTables& shared, storage::Transaction& txn, RowReader row) {
  auto r = std::make_unique<RoleInfo>();
  r->oid = row.oid(pg_authid::c_oid);
  r->name = row.str(pg_authid::c_rolname);
  r->superuser = row.flag(pg_authid::c_rolsuper);
  r->inherit = row.flag(pg_authid::c_rolinherit);
  r->create_role = row.flag(pg_authid::c_rolcreaterole);
  r->create_db = row.flag(pg_authid::c_rolcreatedb);
  r->can_login = row.flag(pg_authid::c_rolcanlogin);
  r->replication = row.flag(pg_authid::c_rolreplication);
  r->bypass_rls = row.flag(pg_authid::c_rolbypassrls);
  r->connection_limit = row.i32(pg_authid::c_rolconnlimit);
  r->password = row.str(pg_authid::c_rolpassword);
  if (!row.is_null(pg_authid::c_rolvaliduntil)) r->valid_until = row.i64(pg_authid::c_rolvaliduntil);
  shared.find(pg_auth_members::kOid)
      ->scan_index(txn, system_index::kAuthMembersMember, {Datum::of_oid(r->oid)}, [&](RowReader m) {
        r->member_of.push_back(m.oid(pg_auth_members::c_roleid));
        return true;
      });
  return r;
}

}  // namespace

std::unique_ptr<RoleInfo> Catalog::role_named(std::string_view name, storage::Transaction* txn) {
  return with_transaction(store_, txn, 0, [&](storage::Transaction& t) {
    std::unique_ptr<RoleInfo> out;
    shared_->find(pg_authid::kOid)
        ->scan_index(t, system_index::kAuthidName, {Datum::of(Str(name))}, [&](RowReader row) {
          out = read_role(*shared_, t, row);
          return false;
        });
    return out;
  });
}

std::unique_ptr<RoleInfo> Catalog::role(Oid oid, storage::Transaction* txn) {
  return with_transaction(store_, txn, 0, [&](storage::Transaction& t) {
    std::string image;
    SystemTable& roles = *shared_->find(pg_authid::kOid);
    if (!roles.find_oid(t, oid, image)) return std::unique_ptr<RoleInfo>();
    return read_role(*shared_, t, roles.reader(image));
  });
}

}  // namespace indigo::catalog
