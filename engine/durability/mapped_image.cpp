#include "engine/durability/mapped_image.h"

#include <array>
#include <map>

#include "base/sqlstate.h"
#include "base/version.h"
#include "catalog/database.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/static_tables.h"
#include "engine/durability/restorer.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "log/file_error.h"
#include "log/record_stream.h"
#include "storage/durability.h"
#include "storage/image/table_image.h"
#include "storage/transaction.h"
#include "types/value/collator.h"

namespace indigo::engine {

namespace {

constexpr size_t kRowsAtOnce = 256;
constexpr size_t kChunkBytes = size_t{256} << 10;

// What has to be the same where the image is made and where it is used.
std::string program() {
  return std::string(kVersion) + '\n' + catalog::catalog_layout() + '\n' + types::Collator::library();
}

// What is read at the start, in chunks for the Restorer's threads.
class Operations {
 public:
  std::string& next() {
    if (chunks_.empty() || chunks_.back().size() >= kChunkBytes) chunks_.emplace_back();
    return chunks_.back();
  }
  Status add(storage::Transaction& txn, log::DurableId id, storage::Table& table) {
    const auto cursor = table.scan(txn, txn.view(), storage::KeyRange::all());
    std::array<storage::RowRef, kRowsAtOnce> rows;
    for (;;) {
      size_t count = 0;
      const storage::StorageStatus status = cursor->next(rows, count);
      if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
      if (count == 0) return {};
      for (size_t i = 0; i < count; i++) log::encode_put(id, rows[i].key, rows[i].row, next());
    }
  }
  const std::vector<std::string>& chunks() const { return chunks_; }

 private:
  std::vector<std::string> chunks_;
};

// By file number, as messages name them.
std::map<log::DurableId, std::string> table_names(catalog::Catalog& catalog, storage::Transaction& txn) {
  std::map<log::DurableId, std::string> out;
  auto databases = catalog.databases();
  for (auto& snapshot : catalog.snapshots()) databases.push_back(std::move(snapshot));
  for (const auto& database : databases) {
    database->table(catalog::pg_class::kOid).scan(txn, {}, [&](catalog::RowReader row) {
      const char kind = row.chr(catalog::pg_class::c_relkind);  // a primary key has its table's file number
      if (kind != 'r' && kind != 'm') return true;
      out[catalog::durable_id(database->image(), row.oid(catalog::pg_class::c_relfilenode))] =
          "table \"" + std::string(row.str(catalog::pg_class::c_relname)) + "\"";
      return true;
    });
  }
  return out;
}

bool is_users(log::DurableId id) { return static_cast<Oid>(id.value) >= oid::kFirstUserOid; }

Status write_contents(storage::Transaction& txn, catalog::Catalog& catalog, const ImageSource& source,
                      storage::ImageWriter& writer, std::string& contents) {
  Operations operations;
  log::encode_oids(catalog.oid_bound(), operations.next());
  for (const auto& [id, state] : source.sequences) {
    log::encode_sequence(id, state.last_value, state.is_called, operations.next());
  }
  const auto names = table_names(catalog, txn);
  std::string mapped;
  storage::FieldWriter mapped_fields(mapped);
  uint32_t count = 0;
  for (const auto& [id, table] : source.tables) {
    if (table.use_count() == 1) continue;  // nobody has taken it up, or it has been dropped since
    if (is_users(id) && storage::can_be_mapped(*table)) {
      const auto name = names.find(id);
      INDIGO_TRY(
          storage::write_table(*table, id, name == names.end() ? "a table" : name->second, writer, mapped_fields));
      count++;
    } else {
      INDIGO_TRY(operations.add(txn, id, *table));
    }
  }
  storage::FieldWriter fields(contents);
  fields.number(txn.view().stamp.value);
  fields.number(static_cast<uint32_t>(operations.chunks().size()));
  for (const std::string& chunk : operations.chunks()) fields.bytes(chunk);
  fields.number(count);
  contents.append(mapped);
  return {};
}

}  // namespace

Status write_image(const std::string& path, storage::Store& store, catalog::Catalog& catalog,
                   const ImageSource& source) {
  INDIGO_ASSIGN(const auto writer, storage::ImageWriter::create(path));
  storage::settle(store);
  auto txn = store.begin(storage::Isolation::kRepeatableRead, 0);
  txn->take_statement_snapshot();
  std::string contents;
  Status status = write_contents(*txn, catalog, source, *writer, contents);
  store.rollback(*txn);
  INDIGO_TRY(std::move(status));
  return writer->finish(program(), contents);
}

Result<std::unique_ptr<catalog::Catalog>> map_image(const std::string& path, storage::Store& store, unsigned threads) {
  INDIGO_ASSIGN(const Bytes contents, storage::open_image(store, path, program()));
  storage::FieldReader fields(contents);
  Restorer restorer(store, threads);
  const auto stamp = fields.number<uint64_t>();
  const auto chunks = fields.number<uint32_t>();
  bool sound = fields.sound();
  for (uint32_t i = 0; i < chunks && sound; i++) {
    const auto chunk = std::make_shared<const std::string>(fields.bytes());
    sound = fields.sound() && restorer.chunk(chunk);
  }
  storage::start_clock(store, CommitStamp(stamp + 1));
  INDIGO_ASSIGN(auto restored, restorer.finish());
  const auto tables = fields.number<uint32_t>();
  for (uint32_t i = 0; i < tables && sound; i++) {
    INDIGO_ASSIGN(auto mapped, storage::map_table(store, fields));
    restored.tables[mapped.id] = std::move(mapped.table);
  }
  if (!sound || !fields.sound() || !fields.at_end()) {
    return Error(sqlstate::kDataCorrupted, "\"" + path + "\" is damaged");
  }
  return catalog::Catalog::restore(store, restored);
}

}  // namespace indigo::engine
