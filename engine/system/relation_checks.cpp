// amcheck's functions: whether an index's entries ascend and every row has its own, and whether a table's rows can be read.
#include "base/sqlstate.h"
#include "engine/exec/execution.h"
#include "engine/exec/scan/index_key.h"
#include "engine/system/asked_relation.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "storage/verify.h"
#include "types/oids.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

using storage::Flaw;

// What a check has found; nothing when all is well.
Status flaw_error(SessionParts& session, const AskedRelation& asked, const Flaw& flaw) {
  constexpr SqlState kIndexCorrupted{"XX002"};
  switch (flaw.kind) {
    case Flaw::Kind::kNone: return {};
    case Flaw::Kind::kOrder:
      return Error(kIndexCorrupted, "item order invariant violated for index \"" + asked.name + "\"");
    case Flaw::Kind::kMissing:
      return Error(kIndexCorrupted, "heap tuple from table \"" + asked.table->name +
                                        "\" lacks matching index tuple within index \"" + asked.name + "\"");
    case Flaw::Kind::kNoKey: return exec::index_key_error(session.context(), session.store(), asked.table, flaw.row);
    case Flaw::Kind::kNotRead: return storage_error(flaw.status, asked.table.get());
  }
  return {};
}

Result<OwnedDatum> check_tree_index(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  if (!asked.is_index()) return Error(sqlstate::kWrongObjectType, "\"" + asked.name + "\" is not an index");
  if (asked.kind != 'i' || asked.method != oid::kBtreeMethod) {
    return Error(sqlstate::kFeatureNotSupported, "only B-Tree indexes are supported as targets for verification")
        .with_detail("Relation \"" + asked.name + "\" is not a B-Tree index.");
  }
  const OwnedDatum nothing{text_datum("")};
  if (asked.rows() == nullptr) return nothing;
  INDIGO_TRY(session.begin_statement());
  storage::Transaction& txn = session.transaction();
  const bool every_row = arguments.size() > 1 && arguments[1].b;
  for (const catalog::IndexInfo& index : asked.table->indexes) {
    if (index.oid != asked.oid) continue;
    if (!index.storage) {  // a primary key: its tree has the rows themselves
      INDIGO_TRY(flaw_error(session, asked, storage::verify_rows(*asked.rows(), txn, txn.newest_view())));
      continue;
    }
    INDIGO_TRY(flaw_error(session, asked, storage::verify_order(*asked.rows(), index.storage)));
    if (every_row) {
      INDIGO_TRY(
          flaw_error(session, asked, storage::verify_entries(*asked.rows(), txn, txn.newest_view(), index.storage)));
    }
  }
  return nothing;
}

Error null_argument(const char* name) {
  return Error(sqlstate::kInvalidParameterValue, std::string(name) + " cannot be null");
}

Status check_heap_block(const Datum& block, const char* which) {
  if (block.null || block.i64 == 0) return {};
  return Error(sqlstate::kInvalidParameterValue, std::string(which) + " block number must be between 0 and 0");
}

Result<bool> has_no_rows(const AskedRelation& asked, storage::Transaction& txn) {
  const auto cursor = asked.rows()->scan(txn, txn.newest_view(), storage::KeyRange::all());
  storage::RowRef row[1];
  size_t count = 0;
  const storage::StorageStatus status = cursor->next(row, count);
  if (status != storage::StorageStatus::kOk) return storage_error(status, asked.table.get());
  return count == 0;
}

// A row for each flaw. A table is one block here.
Status verify_table(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  static constexpr const char* kNames[] = {"relation", "on_error_stop", "check_toast", "skip"};
  for (size_t i = 0; i < std::size(kNames); i++) {
    if (arguments[i].null) return null_argument(kNames[i]);
  }
  const std::string skip = types::to_lower(arguments[3].str);
  if (skip != "none" && skip != "all-visible" && skip != "all-frozen") {
    return Error(sqlstate::kInvalidParameterValue, "invalid skip option")
        .with_hint("Valid skip options are \"all-visible\", \"all-frozen\", and \"none\".");
  }
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  if (!asked.has_rows()) {
    return Error(sqlstate::kWrongObjectType, "cannot check relation \"" + asked.name + "\"")
        .with_detail(unsupported_kind(asked.kind));
  }
  if (asked.rows() == nullptr) return {};
  INDIGO_TRY(session.begin_statement());
  storage::Transaction& txn = session.transaction();
  INDIGO_ASSIGN(const bool empty, has_no_rows(asked, txn));
  if (empty) return {};
  INDIGO_TRY(check_heap_block(arguments[4], "starting"));
  INDIGO_TRY(check_heap_block(arguments[5], "ending"));
  if (asked.kind == 'S') return {};
  const Flaw flaw = storage::verify_rows(*asked.rows(), txn, txn.newest_view());
  if (flaw.kind == Flaw::Kind::kNone) return {};
  if (flaw.kind == Flaw::Kind::kNotRead) return storage_error(flaw.status, asked.table.get());
  const Datum row[] = {Datum::of(int64_t{0}), Datum::make_null(Phys::kI32), Datum::make_null(Phys::kI32),
                       text_datum("the table's rows are out of order")};
  sink(row);
  return {};
}

constexpr SystemValue kRelationCheckValues[] = {{"bt_index_check", check_tree_index},
                                                {"bt_index_parent_check", check_tree_index}};
constexpr SystemRows kRelationCheckRows[] = {{"verify_heapam", verify_table}};

}  // namespace

std::span<const SystemValue> relation_check_values() { return kRelationCheckValues; }
std::span<const SystemRows> relation_check_rows() { return kRelationCheckRows; }

}  // namespace indigo::engine
