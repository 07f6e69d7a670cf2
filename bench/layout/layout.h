// What a workload asks of a data layout. Workloads are templates over one of the layouts, so that both are inlined alike:
//
//   layout/index_organized.h   storage/: the row lies in the leaf of its key's tree
//   row_store/row_store.h      the conventional one: tree -> record id -> indirection array -> chain of heap versions
//
// A layout L has:
//   L::TableRef L::create_table()
//   class L::Session, one for each thread, made from L&:
//     void begin(storage::Isolation);   bool commit();   void rollback();
//     Answer read(TableRef, key, std::string& row)
//     void read_many(TableRef, keys, visit)              visit(i, row) for each of the keys that has a row
//     Answer lock(TableRef, key, std::string& row)       reads the newest version and takes it for update or erase
//     Answer update(TableRef, key, row), erase(TableRef, key)      after lock
//     Answer insert(TableRef, key, row)
//     void scan(TableRef, low, high, limit, visit)       low <= key < high, at most `limit` rows; visit(key, row) -> continue?
// Keys are 8-byte numbers. Transactions see one snapshot; first updater wins.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace indigo::bench {

enum class Answer : uint8_t { kOk, kNotFound, kConflict };

// Eight bytes, big-endian: the order of the numbers.
struct Key {
  char bytes[8];
  explicit Key(uint64_t n) { store_unaligned(bytes, big_endian(n)); }
  operator Bytes() const { return {bytes, sizeof bytes}; }  // NOLINT(google-explicit-constructor)
};

}  // namespace indigo::bench
