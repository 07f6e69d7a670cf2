#include "engine/ddl/object/database_snapshot.h"

#include <optional>

#include "base/fiber/wait_point.h"
#include "catalog/catalog.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/shared_dependency.h"
#include "engine/ddl/object/database.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "storage/store.h"

namespace indigo::engine::ddl {

namespace {

using catalog::DatabaseImage;
namespace images = catalog::database_images;

SystemTable& images_table(DdlContext& c) { return table(c, images::kOid); }

std::optional<DatabaseImage> find_image(DdlContext& c, std::string_view name) {
  std::string row;
  const SystemTable& t = images_table(c);
  if (!t.find(c.txn, {Datum::of_oid(c.catalog.database()), Datum::of(Str(name))}, row)) return std::nullopt;
  return DatabaseImage{c.catalog.database(), std::string(name), t.reader(row).oid(images::kImage), 0};
}

// New, or in the place of the one with its name.
Status put_image(DdlContext& c, std::string_view name, Oid image) {
  SystemTable& t = images_table(c);
  RowValues row(t.definition());
  row.oid(images::kDatid, c.catalog.database())
      .str(images::kName, name)
      .oid(images::kImage, image)
      .i64(images::kCreated, c.host.session().statement_timestamp());
  return check(find_image(c, name) ? t.update(c.txn, row) : t.insert(c.txn, row));
}

Status erase_image(DdlContext& c, const DatabaseImage& image) {
  return check_erased(images_table(c).erase(c.txn, {Datum::of_oid(image.database), Datum::of(Str(image.name))}));
}

Error no_such_snapshot(DdlContext& c, std::string_view name) {
  return Error(sqlstate::kUndefinedObject,
               "snapshot " + quoted(name) + " of database " + quoted(c.catalog.database_name()) + " does not exist");
}

// Of `source` into `target`, without anybody's temporary objects.
Status clone_into(DdlContext& c, catalog::Database& source, const std::shared_ptr<catalog::Database>& target) {
  StorageStatus failure = StorageStatus::kOk;
  INDIGO_TRY(c.catalog.catalog().clone_database(c.txn, source, *target, failure));
  INDIGO_TRY(check(failure));
  return drop_temporary_objects_of_all(c, target);
}

void forget_at_commit(DdlContext& c, Oid image) {
  auto& catalog = c.catalog.catalog();
  c.store().on_end(
      c.txn, [&catalog, image] { catalog.forget_snapshot(image); }, [] {});
}

// Temporary tables of sessions that are about to end go with them.
Status check_no_temporary_tables_of_others(DdlContext& c) {
  constexpr double kPollSeconds = 0.005;
  const auto deadline = Clock::now() + std::chrono::milliseconds(500);
  for (;;) {
    bool others = false;
    table(c, pg_class::kOid).scan(c.txn, {}, [&](RowReader row) {
      others = row.oid(pg_class::c_oid) >= oid::kFirstUserOid && row.chr(pg_class::c_relpersistence) == 't' &&
               row.oid(pg_class::c_relnamespace) != c.catalog.temp_schema();
      return !others;
    });
    if (!others) return {};
    if (Clock::now() >= deadline) {
      return Error(sqlstate::kObjectInUse, "database " + quoted(c.catalog.database_name()) + " cannot be restored")
          .with_detail("Other sessions have temporary tables in it.");
    }
    INDIGO_TRY(c.host.session().sleep(kPollSeconds));
  }
}

}  // namespace

Status check_owns_database(DdlContext& c) {
  std::string row;
  const SystemTable& databases = table(c, pg_database::kOid);
  const bool found = databases.find_oid(c.txn, c.catalog.database(), row);
  const Oid owner = found ? databases.reader(row).oid(pg_database::c_datdba) : kInvalidOid;
  return check_owner(c, owner, "database", c.catalog.database_name());
}

Status make_snapshot(DdlContext& c, std::string_view name) {
  INDIGO_TRY(check_owns_database(c));
  const std::string kept = truncated_name(name);
  if (kept.empty()) return Error(sqlstate::kInvalidName, "a snapshot's name must not be empty");
  if (find_image(c, kept)) {
    return Error(sqlstate::kDuplicateObject,
                 "snapshot " + quoted(kept) + " of database " + quoted(c.catalog.database_name()) + " already exists");
  }
  const Oid image = next_oid(c);
  auto& catalog = c.catalog.catalog();
  const auto made = catalog.make_snapshot(image, kept, c.catalog.database_object().locale());
  INDIGO_TRY(clone_into(c, c.catalog.database_object(), made));
  INDIGO_TRY(put_image(c, kept, image));
  INDIGO_TRY(copy_role_needs(c, c.catalog.database(), image));
  c.store().on_end(
      c.txn, [&catalog, made] { catalog.keep_snapshot(made); }, [] {});
  return {};
}

Status drop_snapshot(DdlContext& c, std::string_view name) {
  INDIGO_TRY(check_owns_database(c));
  const auto found = find_image(c, truncated_name(name));
  if (!found || found->in_use()) return no_such_snapshot(c, name);
  INDIGO_TRY(erase_image(c, *found));
  INDIGO_TRY(forget_role_needs(c, found->image));
  forget_at_commit(c, found->image);
  return {};
}

Status restore_snapshot(DdlContext& c, std::string_view name, const std::function<void()>& decided) {
  INDIGO_TRY(check_owns_database(c));
  const auto found = find_image(c, truncated_name(name));
  auto& catalog = c.catalog.catalog();
  const auto snapshot = found && !found->in_use() ? catalog.snapshot(found->image) : nullptr;
  if (snapshot == nullptr) return no_such_snapshot(c, name);
  INDIGO_TRY(check_no_temporary_tables_of_others(c));

  const Oid image = next_oid(c);
  const auto before = c.catalog.database_pointer();
  const auto made = catalog.make_image(*before, image);
  INDIGO_TRY(clone_into(c, *snapshot, made));
  INDIGO_TRY(put_image(c, "", image));
  INDIGO_TRY(forget_role_needs(c, c.catalog.database()));
  INDIGO_TRY(copy_role_needs(c, found->image, c.catalog.database()));
  c.store().on_end(
      c.txn,
      [&catalog, before, made, decided] {
        made->replace(*before);
        catalog.publish(made);
        decided();
      },
      decided);
  return {};
}

std::string describe_database(DdlContext& c, Oid database) {
  for (const DatabaseImage& image : read_images(c.catalog.catalog().shared_tables(), c.txn)) {
    if (image.image != database || image.in_use()) continue;
    return "snapshot " + image.name + " of " + describe(c, {pg_database::kOid, image.database, 0});
  }
  return describe(c, {pg_database::kOid, database, 0});
}

Status drop_images(DdlContext& c, Oid database) {
  for (const DatabaseImage& image : read_images(c.catalog.catalog().shared_tables(), c.txn)) {
    if (image.database != database) continue;
    INDIGO_TRY(erase_image(c, image));
    if (image.in_use()) continue;
    INDIGO_TRY(forget_role_needs(c, image.image));
    forget_at_commit(c, image.image);
  }
  return {};
}

}  // namespace indigo::engine::ddl
