#include "engine/ddl/table/rewrite.h"

#include <array>

#include "base/bytes.h"
#include "catalog/database.h"
#include "catalog/descriptor/added_column.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/index.h"
#include "engine/ddl/table/size_statistics.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/exec/row_text.h"
#include "engine/session/progress.h"
#include "storage/durability.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine::ddl {

void create_storage(DdlContext& c, Oid filenode, char persistence, const storage::TableOptions& options) {
  catalog::PhysicalRelation physical;
  log::DurableId id;
  if (persistence != 't') id = catalog::durable_id(c.catalog.database_object().image(), filenode);
  physical.table = storage::create_durable_table(c.store(), id, options);
  c.host.stored(*physical.table);
  adopt_physical(c, filenode, std::move(physical));
}

Status for_each_row(DdlContext& c, const RelationInfo& relation,
                    const std::function<Status(Bytes key, Bytes row)>& visit) {
  if (relation.table == nullptr) return {};
  const auto cursor =
      relation.table->scan(c.txn, c.txn.newest_view(), storage::KeyRange::all(), storage::Direction::kForward);
  std::array<storage::RowRef, 256> batch;
  for (;;) {
    size_t count = 0;
    INDIGO_TRY(check(cursor->next(batch, count), &relation));
    if (count == 0) return {};
    for (size_t i = 0; i < count; i++) INDIGO_TRY(visit(batch[i].key, batch[i].row));
    Waiter& waiter = Waiter::current();
    if (waiter.interrupted() != InterruptReason::kNone) return storage_failure(StorageStatus::kInterrupted);
    waiter.yield_if_due();
  }
}

Error null_values(const RelationInfo& relation, std::string_view column) {
  Error error(sqlstate::kNotNullViolation, column_text(relation, column) + " contains null values");
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.column = column;
  return error;
}

namespace {

Error null_in_column(const RelationInfo& relation, int16_t number) {
  return null_values(relation, relation.columns[static_cast<size_t>(number) - 1].name);
}

Oid filenode_of(DdlContext& c, Oid relation) {
  const SystemTable& t = table(c, pg_class::kOid);
  std::string image;
  return t.find_oid(c.txn, relation, image) ? t.reader(image).oid(pg_class::c_relfilenode) : kInvalidOid;
}

// What pg_stat_progress_cluster shows of a table that is written again, where that is what CLUSTER does: the order is that of
// the table's own tree, so the rows are scanned as they lie, and no index of CLUSTER's choice is read.
class RewriteProgress {
 public:
  RewriteProgress(Progress* progress, const RelationInfo& old) : to_(running(progress, ProgressCommand::kCluster)) {
    if (to_ == nullptr || old.table == nullptr) return;
    const storage::Table::Statistics size = old.table->statistics();
    rows_ = std::max<uint64_t>(size.rows, 1);
    leaves_ = size.leaf_count;
    to_->set(progress::cluster::kPhase, progress::cluster::kScanning);
    to_->set(progress::cluster::kBlocksTotal, static_cast<int64_t>(leaves_));
  }
  void wrote() {
    if (to_ == nullptr) return;
    done_++;
    to_->set(progress::cluster::kScanned, static_cast<int64_t>(done_));
    to_->set(progress::cluster::kWritten, static_cast<int64_t>(done_));
    to_->set(progress::cluster::kBlocksScanned, static_cast<int64_t>(std::min(leaves_, leaves_ * done_ / rows_)));
  }

 private:
  Progress* const to_;
  uint64_t rows_ = 1, leaves_ = 0, done_ = 0;
};

// Writes rows into a new tree under the wanted key.
class TableWriter {
 public:
  TableWriter(DdlContext& c, const RelationInfo& wanted, std::shared_ptr<storage::Table> into)
      : c_(c), wanted_(wanted), into_(std::move(into)) {}

  Status write(std::span<const Datum> values) {
    row_.clear();
    wanted_.layout.encode(values, row_);
    return insert();
  }
  Status write_image(Bytes row) {
    row_.assign(row);
    return insert();
  }

 private:
  Status insert() {
    key_.clear();
    if (wanted_.key_columns.empty()) {
      const uint64_t id = big_endian(into_->next_row_id());
      key_.assign(reinterpret_cast<const char*>(&id), sizeof id);
    } else {
      for (size_t i = 0; i < wanted_.key_columns.size(); i++) {
        const int16_t number = wanted_.key_columns[i];
        const Datum value = wanted_.layout.column(row_, static_cast<size_t>(number) - 1);
        if (value.null) return null_in_column(wanted_, number);
        wanted_.key.append_column(i, value, key_);
      }
    }
    storage::Duplicate duplicate;
    const StorageStatus status = into_->insert(c_.txn, key_, row_, &duplicate);
    if (status == StorageStatus::kDuplicateKey) {
      const IndexInfo* primary = wanted_.primary_index();
      const std::string name = primary != nullptr ? primary->name : wanted_.name;
      Error error(sqlstate::kUniqueViolation, "could not create unique index " + quoted(name));
      error.detail =
          "Key " + exec::index_columns_text(c_.host.session(), wanted_, wanted_.key_columns, row_) + " is duplicated.";
      error.schema = wanted_.schema_name;
      error.table = wanted_.name;
      error.constraint = name;
      return error;
    }
    return check(status, &wanted_);
  }

  DdlContext& c_;
  const RelationInfo& wanted_;
  std::shared_ptr<storage::Table> into_;
  std::string key_, row_;
};

// New file numbers for the table and its indexes; the wanted descriptor then has the new (empty) tree.
Result<RelationPtr> replace_storage(DdlContext& c, const RelationPtr& old) {
  const RelationPtr wanted = current(c, old->oid);
  const Oid old_filenode = filenode_of(c, old->oid);
  const Oid filenode = next_oid(c);
  create_storage(c, filenode, old->persistence, table_options(options_of(c, old->oid)));
  release_physical(c, old_filenode);
  for (const IndexInfo& index : wanted->indexes) {
    const Oid index_filenode = filenode_of(c, index.oid);
    const bool is_tree = index_filenode == old_filenode;
    const Oid fresh = is_tree ? filenode : next_oid(c);
    if (!is_tree) release_physical(c, index_filenode);
    INDIGO_TRY(update_class(c, index.oid, [&](RowValues& v) { v.oid(pg_class::c_relfilenode, fresh); }));
    c.catalog.changed({index.oid});
  }
  INDIGO_TRY(update_class(c, old->oid, [&](RowValues& v) { v.oid(pg_class::c_relfilenode, filenode); }));
  c.catalog.changed({old->oid});
  // Nothing else has changed. (A primary key that is no tree looks like one until its index is there again.)
  const IndexInfo* primary = wanted->primary_index();
  if (primary != nullptr && primary->storage) return current(c, old->oid);
  auto now = std::make_shared<catalog::RelationInfo>(*wanted);
  now->table = c.catalog.database_object().physical(filenode).table;
  for (IndexInfo& index : now->indexes) index.storage = {};
  return RelationPtr(std::move(now));
}

}  // namespace

Status rebuild_index(DdlContext& c, const RelationPtr& relation, size_t position) {
  const IndexInfo& index = relation->indexes[position];
  const Oid filenode = filenode_of(c, index.oid);
  if (!index.ready || filenode == filenode_of(c, relation->oid)) return {};
  INDIGO_TRY(build_index(c, relation, index, filenode, relation->table));
  c.catalog.changed({relation->oid});
  return {};
}

Status mark_to_build(DdlContext& c, const RelationInfo& relation, const WhichIndexes& which) {
  for (const IndexInfo& index : relation.indexes) {
    if (index.ready || !which(index)) continue;
    INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)}, [](RowValues& v) {
      v.flag(pg_index::c_indisready, true).flag(pg_index::c_indisvalid, true);
    }));
    c.catalog.changed({index.oid, relation.oid});
  }
  return {};
}

Status mark_unbuilt(DdlContext& c, const RelationPtr& relation, size_t position) {
  const IndexInfo& index = relation->indexes[position];
  INDIGO_TRY(update_row(c, pg_index::kOid, {Datum::of_oid(index.oid)}, [](RowValues& v) {
    v.flag(pg_index::c_indisready, false).flag(pg_index::c_indisvalid, false);
  }));
  const Oid filenode = filenode_of(c, index.oid);
  if (const IndexId id = c.catalog.database_object().physical(filenode).index) {
    release_physical(c, filenode);
    c.store().on_end(
        c.txn, [table = relation->table, id] { table->drop_index(id); }, [] {});
  }
  c.catalog.changed({index.oid, relation->oid});
  return {};
}

Status rebuild_indexes(DdlContext& c, const RelationPtr& relation) {
  Progress* const shown = running(c.host.progress(), ProgressCommand::kCluster);
  if (shown != nullptr) shown->set(progress::cluster::kPhase, progress::cluster::kRebuildingIndexes);
  for (size_t i = 0; i < relation->indexes.size(); i++) {
    INDIGO_TRY(rebuild_index(c, relation, i));
    if (shown != nullptr) shown->set(progress::cluster::kIndexesRebuilt, static_cast<int64_t>(i) + 1);
  }
  c.catalog.changed({relation->oid});
  return {};
}

bool has_rows(DdlContext& c, const RelationInfo& relation) {
  if (relation.table == nullptr) return false;
  const auto cursor =
      relation.table->scan(c.txn, c.txn.newest_view(), storage::KeyRange::all(), storage::Direction::kForward);
  std::array<storage::RowRef, 1> first;
  size_t count = 0;
  return cursor->next(first, count) == StorageStatus::kOk && count > 0;
}

Status check_no_nulls(DdlContext& c, const RelationInfo& relation, std::span<const int16_t> columns) {
  return for_each_row(c, relation, [&](Bytes, Bytes row) -> Status {
    for (const int16_t number : columns) {
      if (relation.layout.column(row, static_cast<size_t>(number) - 1).null) return null_in_column(relation, number);
    }
    return {};
  });
}

namespace {

// Rewritten rows have all columns.
Status forget_missing_values(DdlContext& c, Oid relation) {
  std::vector<int16_t> columns;
  table(c, pg_attribute::kOid).scan(c.txn, {Datum::of_oid(relation)}, [&](RowReader row) {
    const bool added = row.i32(pg_attribute::c_attcacheoff) == catalog::kAddedColumn;
    if (added || row.flag(pg_attribute::c_atthasmissing)) columns.push_back(row.i16(pg_attribute::c_attnum));
    return true;
  });
  for (const int16_t column : columns) {
    INDIGO_TRY(update_attribute(c, relation, column, [](RowValues& a) {
      a.i32(pg_attribute::c_attcacheoff, -1).flag(pg_attribute::c_atthasmissing, false);
      a.set_null(pg_attribute::c_attmissingval);
    }));
  }
  return {};
}

}  // namespace

Status rewrite_table(DdlContext& c, const RelationPtr& old, const RowSource& rows) {
  if (rows) {
    INDIGO_TRY(forget_missing_values(c, old->oid));
    INDIGO_TRY(mark_to_build(c, *old, [](const IndexInfo&) { return true; }));
  }
  INDIGO_ASSIGN(const RelationPtr wanted, replace_storage(c, old));
  TableWriter writer(c, *wanted, wanted->table);
  if (rows) {
    INDIGO_TRY(rows([&](std::span<const Datum> values) { return writer.write(values); }));
  } else {
    RewriteProgress shown(c.host.progress(), *old);
    INDIGO_TRY(for_each_row(c, *old, [&](Bytes, Bytes row) {
      shown.wrote();
      return writer.write_image(row);
    }));
  }
  return rebuild_indexes(c, wanted);
}

Status copy_rows(DdlContext& c, const RelationInfo& from, const RelationInfo& to) {
  TableWriter writer(c, to, to.table);
  return for_each_row(c, from, [&](Bytes, Bytes row) { return writer.write_image(row); });
}

Status empty_table(DdlContext& c, const RelationPtr& relation) {
  INDIGO_TRY(mark_to_build(c, *relation, [](const IndexInfo& index) { return !index.unique; }));
  INDIGO_ASSIGN(const RelationPtr wanted, replace_storage(c, relation));
  INDIGO_TRY(reset_size_statistics(c, wanted));
  return rebuild_indexes(c, wanted);
}

}  // namespace indigo::engine::ddl
