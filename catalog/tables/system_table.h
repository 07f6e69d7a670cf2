// A system table as the catalog's own code uses it: rows of Datums by key, through the layouts of its columns.
// Reading answers the newest committed state plus the transaction's own changes.
// Thread safety: immutable after construction; the storage table below is thread-safe. RowReader borrows its row.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/memory/arena.h"
#include "catalog/tables/base_rows.h"
#include "catalog/tables/static_tables.h"
#include "catalog/types.h"
#include "log/durable_id.h"
#include "storage/status.h"
#include "types/value/datum.h"

namespace indigo::storage {
class Store;
class Transaction;
}  // namespace indigo::storage

namespace indigo::catalog {

class OverlayTable;

// The columns of one row image; column numbers are ordinals (catalog/generated/columns.h).
class RowReader {
  template <class T>
  T fixed(int column) const {
    return layout_.fixed<T>(row_, static_cast<size_t>(column));
  }

 public:
  RowReader(const RowLayout& layout, Bytes row) : layout_(layout), row_(row) {}
  Datum datum(int column) const { return layout_.column(row_, static_cast<size_t>(column)); }
  bool is_null(int column) const { return datum(column).null; }
  // Zero and empty for null.
  Oid oid(int column) const { return fixed<Oid>(column); }
  int32_t i32(int column) const { return fixed<int32_t>(column); }
  int16_t i16(int column) const { return fixed<int16_t>(column); }
  int64_t i64(int column) const { return fixed<int64_t>(column); }
  float f32(int column) const { return fixed<float>(column); }
  bool flag(int column) const { return fixed<bool>(column); }
  std::string_view str(int column) const { return layout_.string(row_, static_cast<size_t>(column)); }
  char chr(int column) const {  // "char"
    const auto s = str(column);
    return s.empty() ? '\0' : s[0];
  }

 private:
  const RowLayout& layout_;
  Bytes row_;
};

// The values of a new row; unset columns are null. Owns its strings.
class RowValues {
 public:
  explicit RowValues(const StaticTable& table);
  RowValues(const StaticTable& table, const RowLayout& layout, Bytes row);  // a copy of an existing row
  RowValues& set(int column, const Datum& value);
  RowValues& set_null(int column);
  RowValues& oid(int column, Oid v) { return set(column, Datum::of_oid(v)); }
  RowValues& i32(int column, int32_t v) { return set(column, Datum::of(v)); }
  RowValues& i16(int column, int16_t v) { return set(column, Datum::of(v)); }
  RowValues& i64(int column, int64_t v) { return set(column, Datum::of(v)); }
  RowValues& f32(int column, float v) { return set(column, Datum::of(v)); }
  RowValues& flag(int column, bool v) { return set(column, Datum::of(v)); }
  RowValues& str(int column, std::string_view v) { return set(column, Datum::of(Str(v))); }
  RowValues& chr(int column, char v) { return set(column, Datum::of(Str(&v, 1))); }
  RowValues& oids(int column, std::span<const Oid> v);            // oid[]
  RowValues& oid_vector(int column, std::span<const Oid> v);      // oidvector
  RowValues& i16s(int column, std::span<const int16_t> v);        // int2[]
  RowValues& i16_vector(int column, std::span<const int16_t> v);  // int2vector
  RowValues& texts(int column, std::span<const std::string> v);   // text[]
  RowValues& chars(int column, std::span<const char> v);          // "char"[]
  const Datum& get(int column) const { return values_[static_cast<size_t>(column)]; }
  std::span<const Datum> datums() const { return values_; }

 private:
  std::vector<Datum> values_;
  Arena strings_{512};
};

// What names an object in the log: its database (0: shared) and file number, or a system table's OID.
constexpr log::DurableId durable_id(Oid database, Oid file) { return log::DurableId(uint64_t{database} << 32 | file); }

class SystemTable {
 public:
  SystemTable(storage::Store& store, Oid database, const StaticTable& definition, std::shared_ptr<const BaseRows> base);

  const StaticTable& definition() const { return definition_; }
  Oid oid() const { return definition_.oid; }
  const RowLayout& layout() const { return base_->layout(); }
  const KeyLayout& key_layout() const { return base_->key_layout(); }
  const std::shared_ptr<OverlayTable>& storage() const { return storage_; }
  RowReader reader(Bytes row) const { return {layout(), row}; }

  std::string key(std::initializer_list<Datum> values) const;
  std::string key_of(std::span<const Datum> row) const;

  // ---- reading (newest_view). find: false when there is none.
  bool find(storage::Transaction& txn, std::initializer_list<Datum> key, std::string& row) const;
  bool find_oid(storage::Transaction& txn, Oid oid, std::string& row) const {
    return find(txn, {Datum::of_oid(oid)}, row);
  }
  // Every row whose key begins with these values, in key order; stops when visit answers false.
  void scan(storage::Transaction& txn, std::initializer_list<Datum> prefix,
            const std::function<bool(RowReader)>& visit) const;
  // The same from the row with key `from` on.
  void scan_from(storage::Transaction& txn, std::initializer_list<Datum> prefix, std::initializer_list<Datum> from,
                 const std::function<bool(RowReader)>& visit) const;
  // The same with each row's key.
  void scan_keys(storage::Transaction& txn, std::initializer_list<Datum> prefix,
                 const std::function<bool(RowReader, Bytes key)>& visit) const;
  // The same through secondary index number `index` (catalog/tables/system_indexes.h).
  void scan_index(storage::Transaction& txn, int index, std::initializer_list<Datum> prefix,
                  const std::function<bool(RowReader)>& visit) const;

  // ---- writing
  // The newest row, kept from others to the end of the transaction: what is made of it can be written by update.
  storage::StorageStatus claim(storage::Transaction& txn, Bytes key, std::string& row) const;
  // kDuplicateKey: equal key, or a unique index (its number in *index).
  storage::StorageStatus insert(storage::Transaction& txn, const RowValues& row);
  storage::StorageStatus update(storage::Transaction& txn, const RowValues& row);  // of the same key
  // The same of a row that the transaction has claimed as `before`; nothing is written when it says the same.
  storage::StorageStatus update_claimed(storage::Transaction& txn, const RowValues& row, Bytes before);
  storage::StorageStatus erase(storage::Transaction& txn, std::initializer_list<Datum> key);
  storage::StorageStatus erase_key(storage::Transaction& txn, Bytes key);

 private:
  const StaticTable& definition_;
  std::shared_ptr<const BaseRows> base_;
  std::shared_ptr<OverlayTable> storage_;
};

// The encoded built-in rows, shared by all databases. Used under the owner's lock.
class BaseRowsSet {
 public:
  std::shared_ptr<const BaseRows> of(const StaticTable& table);

 private:
  std::unordered_map<Oid, std::shared_ptr<const BaseRows>> bases_;
};

// The system tables of one database, or the shared ones.
class SystemTables {
 public:
  // Of database 0: the shared ones.
  SystemTables(storage::Store& store, Oid database, BaseRowsSet& bases);
  SystemTable* find(Oid oid) const;
  std::span<const std::unique_ptr<SystemTable>> all() const { return tables_; }

 private:
  std::vector<std::unique_ptr<SystemTable>> tables_;  // by OID
  const std::vector<uint16_t>& numbers_;              // of a table in tables_ from 1, by its OID; 0: not here
};

}  // namespace indigo::catalog
