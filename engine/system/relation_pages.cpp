// The functions of pgstattuple and pg_prewarm: how full a relation's memory is, and a walk over all of it. A page is 8 KB of
// what pg_relation_size tells. A table without rows or versions of rows has no pages, and an index has one that is about itself;
// what Indigo does not know of an index (levels, density) is null, where there are entries.
#include <algorithm>
#include <cmath>

#include "base/sqlstate.h"
#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/relation_memory.h"
#include "engine/exec/execution.h"
#include "engine/system/asked_relation.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "engine/system/privilege_check.h"
#include "storage/statistics.h"
#include "storage/table.h"
#include "types/builtin/index_methods.h"
#include "types/function/limits.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

using catalog::RelationMemory;

constexpr uint64_t kPageBytes = 8192;
uint64_t pages_of(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

uint64_t index_bytes(const AskedRelation& asked) {
  const uint64_t bytes = asked.rows() == nullptr ? 0 : RelationMemory(*asked.table).index(asked.oid);
  return std::max(pages_of(bytes), uint64_t{1}) * kPageBytes;
}

// ---- rows as values of a function

class RowValue {
 public:
  void add(int64_t value) { put(oid::kInt8, Datum::of(value)); }
  void add(uint64_t value) { add(static_cast<int64_t>(value)); }
  void add_small(std::optional<int32_t> value) {
    put(oid::kInt4, value ? Datum::of(*value) : Datum::make_null(Phys::kI32));
  }
  void add_percent(double part, double whole) {
    put(oid::kFloat8, Datum::of(whole == 0 ? 0.0 : std::round(part * 10000 / whole) / 100));
  }
  void add_not_a_number() { put(oid::kFloat8, Datum::of(std::nan(""))); }
  void add_unknown(Oid type) { put(type, Datum::make_null(type == oid::kFloat8 ? Phys::kF64 : Phys::kI64)); }
  OwnedDatum take() const {
    const std::string record = types::make_record(oid::kRecord, types_, values_);
    return OwnedDatum(Datum::of(Str(record)));
  }

 private:
  void put(Oid type, Datum value) {
    types_.push_back({type, -1, kInvalidOid});
    values_.push_back(value);
  }
  std::vector<types::TypeRef> types_;
  std::vector<Datum> values_;
};

// ---- the rows' bytes

struct Rows {
  uint64_t count = 0, bytes = 0;      // that the statement sees
  uint64_t dead = 0, dead_bytes = 0;  // older versions, which snapshots may still need
};

Result<Rows> count_rows(SessionParts& session, const AskedRelation& asked) {
  Rows out;
  storage::Table* const table = asked.table == nullptr ? nullptr : asked.table->table.get();
  if (table == nullptr) return out;
  INDIGO_TRY(session.begin_statement());
  storage::Transaction& txn = session.transaction();
  const auto cursor = table->scan(txn, txn.newest_view(), storage::KeyRange::all());
  constexpr size_t kAtOnce = 256;
  storage::RowRef rows[kAtOnce];
  NameContext names(session);
  for (;;) {
    size_t count = 0;
    const storage::StorageStatus status = cursor->next(rows, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, asked.table.get());
    if (count == 0) break;
    out.count += count;
    for (size_t i = 0; i < count; i++) out.bytes += rows[i].key.size() + rows[i].row.size();
    if (types::interrupted(names.context)) return std::move(*names.context.take_error());
  }
  if (const auto statistics = storage::statistics_of(*table)) {
    out.dead = statistics->versions;
    out.dead_bytes = statistics->version_bytes;
  }
  return out;
}

Result<bool> is_empty(SessionParts& session, const AskedRelation& asked) {
  storage::Table* const table = asked.rows();
  if (table == nullptr) return true;
  INDIGO_TRY(session.begin_statement());
  storage::Transaction& txn = session.transaction();
  const auto cursor = table->scan(txn, txn.newest_view(), storage::KeyRange::all());
  storage::RowRef row[1];
  size_t count = 0;
  const storage::StorageStatus status = cursor->next(row, count);
  if (status != storage::StorageStatus::kOk) return storage_error(status, asked.table.get());
  if (count > 0) return false;
  const auto statistics = storage::statistics_of(*table);
  return !statistics || statistics->versions == 0;
}

// Of a table.
Result<uint64_t> table_bytes(SessionParts& session, const AskedRelation& asked) {
  INDIGO_ASSIGN(const bool empty, is_empty(session, asked));
  return empty ? 0 : pages_of(RelationMemory(*asked.table).main()) * kPageBytes;
}

uint64_t free_bytes(uint64_t bytes, const Rows& rows) {
  const uint64_t used = rows.bytes + rows.dead_bytes;
  return used < bytes ? bytes - used : 0;
}

// The rows, the older versions and what is free, with their parts of all bytes.
void add_row_counts(RowValue& out, const Rows& rows, uint64_t bytes) {
  const uint64_t free = free_bytes(bytes, rows);
  const auto whole = static_cast<double>(bytes);
  out.add(rows.count);
  out.add(rows.bytes);
  out.add_percent(static_cast<double>(rows.bytes), whole);
  out.add(rows.dead);
  out.add(rows.dead_bytes);
  out.add_percent(static_cast<double>(rows.dead_bytes), whole);
  out.add(free);
  out.add_percent(static_cast<double>(free), whole);
}

// ---- pgstattuple

// Of a primary key's index, whose tree has the rows themselves: the rows.
Result<uint64_t> entries_of(SessionParts& session, const AskedRelation& asked) {
  for (const catalog::IndexInfo& index : asked.table->indexes) {
    if (index.oid == asked.oid && index.storage && asked.rows() != nullptr)
      return storage::index_entries_of(*asked.rows(), index.storage).value_or(0);
  }
  INDIGO_ASSIGN(const Rows rows, count_rows(session, asked));
  return rows.count;
}

Result<OwnedDatum> index_tuples(SessionParts& session, const AskedRelation& asked) {
  constexpr Oid kGin{2742}, kSpgist{4000}, kBrin{3580};
  const char* const unsupported = asked.method == kGin      ? "gin index"
                                  : asked.method == kSpgist ? "spgist index"
                                  : asked.method == kBrin   ? "brin index"
                                                            : nullptr;
  if (unsupported != nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "index \"" + asked.name + "\" (" + unsupported + ") is not supported");
  }
  RowValue out;
  const uint64_t bytes = index_bytes(asked);
  out.add(bytes);
  INDIGO_ASSIGN(const uint64_t entries, entries_of(session, asked));
  out.add(entries);
  out.add_unknown(oid::kInt8);
  out.add_unknown(oid::kFloat8);
  out.add(int64_t{0});  // an entry goes with the last version that needs it
  out.add(int64_t{0});
  out.add_percent(0, 0);
  out.add_unknown(oid::kInt8);
  out.add_unknown(oid::kFloat8);
  return out.take();
}

Result<OwnedDatum> tuples_of(SessionParts& session, const AskedRelation& asked) {
  if (asked.kind == 'i') return index_tuples(session, asked);
  if (!asked.has_rows()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cannot get tuple-level statistics for relation \"" + asked.name + "\"")
        .with_detail(unsupported_kind(asked.kind));
  }
  INDIGO_ASSIGN(const Rows rows, count_rows(session, asked));
  INDIGO_ASSIGN(const uint64_t bytes, table_bytes(session, asked));
  RowValue out;
  out.add(bytes);
  add_row_counts(out, rows, bytes);
  return out.take();
}

Result<OwnedDatum> approximate_tuples(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  if (asked.kind != 'r' && asked.kind != 'm' && asked.kind != 't') {
    return Error(sqlstate::kFeatureNotSupported, "relation \"" + asked.name + "\" is of wrong relation kind")
        .with_detail(unsupported_kind(asked.kind));
  }
  INDIGO_ASSIGN(const Rows rows, count_rows(session, asked));
  INDIGO_ASSIGN(const uint64_t bytes, table_bytes(session, asked));
  const auto whole = static_cast<double>(bytes);
  RowValue out;
  out.add(bytes);
  out.add_percent(whole, whole);  // all of it is read
  add_row_counts(out, rows, bytes);
  return out.take();
}

Result<OwnedDatum> tree_pages(SessionParts& session, const AskedRelation& asked) {
  const catalog::AccessMethod* const method = catalog::access_method(asked.method);
  if (asked.kind != 'i' || method == nullptr || !method->ordered)
    return Error(sqlstate::kWrongObjectType, "relation \"" + asked.name + "\" is not a btree index");
  INDIGO_ASSIGN(const uint64_t entries, entries_of(session, asked));
  RowValue out;
  out.add_small(4);  // PostgreSQL's number for such a tree
  if (entries == 0) {
    out.add_small(0);
    out.add(kPageBytes);
    for (int i = 0; i < 5; i++) out.add(int64_t{0});
    for (int i = 0; i < 2; i++) out.add_not_a_number();
    return out.take();
  }
  out.add_small(std::nullopt);
  out.add(index_bytes(asked));
  for (int i = 0; i < 5; i++) out.add_unknown(oid::kInt8);
  for (int i = 0; i < 2; i++) out.add_unknown(oid::kFloat8);
  return out.take();
}

Result<OwnedDatum> inverted_pages(SessionParts& session, std::span<const Datum> arguments) {
  constexpr Oid kGin{2742};
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  if (asked.kind != 'i' || asked.method != kGin)
    return Error(sqlstate::kWrongObjectType, "relation \"" + asked.name + "\" is not a GIN index");
  RowValue out;
  out.add_small(2);
  out.add_small(0);  // nothing waits for its place
  out.add(int64_t{0});
  return out.take();
}

Result<OwnedDatum> hash_pages(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  if (asked.kind != 'i' || asked.method != oid::kHashMethod)
    return Error(sqlstate::kWrongObjectType, "relation \"" + asked.name + "\" is not a hash index");
  RowValue out;
  out.add_small(4);
  for (int i = 0; i < 4; i++) out.add_unknown(oid::kInt8);
  INDIGO_ASSIGN(const uint64_t entries, entries_of(session, asked));
  out.add(entries);
  out.add(int64_t{0});
  out.add_unknown(oid::kFloat8);
  return out.take();
}

Result<uint64_t> pages_held(SessionParts& session, const AskedRelation& asked) {
  if (asked.is_index()) return index_bytes(asked) / kPageBytes;
  INDIGO_ASSIGN(const uint64_t bytes, table_bytes(session, asked));
  return bytes / kPageBytes;
}

Result<OwnedDatum> page_count(SessionParts& session, const AskedRelation& asked) {
  if (!asked.has_rows() && asked.kind != 'i') {
    return Error(sqlstate::kWrongObjectType, "cannot get page count of relation \"" + asked.name + "\"")
        .with_detail(unsupported_kind(asked.kind));
  }
  INDIGO_ASSIGN(const uint64_t pages, pages_held(session, asked));
  return value_of(static_cast<int64_t>(pages));
}

// By OID and by name.
template <auto kAnswer>
Result<OwnedDatum> of_oid(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  return kAnswer(session, asked);
}
template <auto kAnswer>
Result<OwnedDatum> of_name(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].str));
  return kAnswer(session, asked);
}

// ---- pg_prewarm

Error refused(const char* message) { return Error(sqlstate::kInvalidParameterValue, message); }

// What may be asked for of the relation's pages; how many there are.
Result<uint64_t> check_fork(SessionParts& session, const AskedRelation& asked, Str fork) {
  if (fork != "main" && fork != "fsm" && fork != "vm" && fork != "init") {
    return refused("invalid fork name").with_hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".");
  }
  if (fork != "main" || (!asked.has_rows() && asked.kind != 'i')) {
    return Error(sqlstate::kInvalidParameterValue,
                 "fork \"" + std::string(fork) + "\" does not exist for this relation");
  }
  return pages_held(session, asked);
}

Status check_block(const Datum& block, const char* which, uint64_t pages) {
  if (block.null) return {};
  const auto last = static_cast<int64_t>(pages) - 1;
  if (block.i64 >= 0 && block.i64 <= last) return {};
  return Error(sqlstate::kInvalidParameterValue,
               std::string(which) + " block number must be between 0 and " + std::to_string(last));
}

Result<OwnedDatum> prewarm(SessionParts& session, std::span<const Datum> arguments) {
  if (arguments[0].null) return refused("relation cannot be null");
  if (arguments[1].null) return refused("prewarm type cannot be null");
  const Str mode = arguments[1].str;
  if (mode != "prefetch" && mode != "read" && mode != "buffer") {
    return refused("invalid prewarm type").with_hint("Valid prewarm types are \"prefetch\", \"read\", and \"buffer\".");
  }
  if (arguments[2].null) return refused("relation fork cannot be null");
  INDIGO_ASSIGN(const AskedRelation asked, asked_relation(session, arguments[0].oid()));
  const Oid guarded = asked.table == nullptr ? asked.oid : asked.table->oid;
  const WantedPrivilege wanted{types::kPrivilegeSelect, false};
  INDIGO_ASSIGN(const OwnedDatum allowed, check_object(session, kTableClass, session.user(), guarded, {&wanted, 1}));
  if (!allowed.get().null && !allowed.get().b) {
    return Error(sqlstate::kInsufficientPrivilege,
                 std::string("permission denied for ") + (asked.is_index() ? "index " : "table ") + asked.name);
  }
  INDIGO_ASSIGN(const uint64_t pages, check_fork(session, asked, arguments[2].str));
  INDIGO_TRY(check_block(arguments[3], "starting", pages));
  INDIGO_TRY(check_block(arguments[4], "ending", pages));
  const int64_t first = arguments[3].null ? 0 : arguments[3].i64;
  const int64_t last = arguments[4].null ? static_cast<int64_t>(pages) - 1 : arguments[4].i64;
  INDIGO_TRY(count_rows(session, asked));  // reads every leaf
  return value_of(last < first ? int64_t{0} : last - first + 1);
}

// There is no worker: what is in memory is there after a restart, too, as soon as the server is.
Result<OwnedDatum> refuse_autoprewarm(SessionParts&, std::span<const Datum>) {
  return Error(sqlstate::kFeatureNotSupported, "autoprewarm workers are not supported");
}

constexpr SystemValue kRelationPageValues[] = {
    {"pgstattuple_v1_5", of_name<tuples_of>},
    {"pgstattuplebyid_v1_5", of_oid<tuples_of>},
    {"pgstattuple_approx_v1_5", approximate_tuples},
    {"pgstatindex_v1_5", of_name<tree_pages>},
    {"pgstatindexbyid_v1_5", of_oid<tree_pages>},
    {"pg_relpages_v1_5", of_name<page_count>},
    {"pg_relpagesbyid_v1_5", of_oid<page_count>},
    {"pgstatginindex_v1_5", inverted_pages},
    {"pgstathashindex", hash_pages},
    {"pg_prewarm", prewarm},
    {"autoprewarm_start_worker", refuse_autoprewarm},
    {"autoprewarm_dump_now", refuse_autoprewarm},
};

}  // namespace

std::span<const SystemValue> relation_page_values() { return kRelationPageValues; }

}  // namespace indigo::engine
