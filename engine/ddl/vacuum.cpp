#include "engine/ddl/vacuum.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/analyze/analyze.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "storage/lock/lock_manager.h"
#include "storage/store.h"
#include "types/text/ascii.h"

namespace indigo::engine::ddl {

namespace {

constexpr int64_t kParallelWorkersMax = 1024;

struct VacuumOptions {
  bool vacuum = false, analyze = false, full = false, skip_locked = false, verbose = false;
  bool process_toast = true, disable_page_skipping = false;
  int64_t parallel = 0;
};

Error at_option(const DdlContext& c, const PgQuery__DefElem& d, SqlState state, std::string message) {
  return Error(state, std::move(message)).at(position(c, d.location));
}

Result<bool> flag_of(const PgQuery__DefElem& d) { return sql::absent(d.arg) ? Result<bool>(true) : boolean_value(&d); }

Status read_parallel(const DdlContext& c, const PgQuery__DefElem& d, VacuumOptions& out) {
  const std::string range = "between 0 and " + std::to_string(kParallelWorkersMax);
  if (sql::absent(d.arg)) {
    return at_option(c, d, sqlstate::kSyntaxError, "parallel option requires a value " + range);
  }
  const auto workers = integer_value(d.arg);
  if (!workers) return Error(sqlstate::kSyntaxError, "parallel requires an integer value");
  if (*workers < 0 || *workers > kParallelWorkersMax) {
    return at_option(c, d, sqlstate::kSyntaxError, "parallel workers for vacuum must be " + range);
  }
  out.parallel = *workers;
  return {};
}

Result<VacuumOptions> read_options(const DdlContext& c, const PgQuery__VacuumStmt& s) {
  VacuumOptions out;
  out.vacuum = s.is_vacuumcmd;
  out.analyze = !s.is_vacuumcmd;
  bool freeze = false, truncate = true;
  const struct {
    std::string_view name;
    bool& to;
    bool for_analyze;
  } flags[] = {
      {"verbose", out.verbose, true},
      {"skip_locked", out.skip_locked, true},
      {"analyze", out.analyze, false},
      {"freeze", freeze, false},
      {"full", out.full, false},
      {"disable_page_skipping", out.disable_page_skipping, false},
      {"process_toast", out.process_toast, false},
      {"truncate", truncate, false},
  };
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem& d = *node->def_elem;
    const std::string_view name = d.defname;
    const auto* const flag =
        std::find_if(std::begin(flags), std::end(flags), [&](const auto& f) { return f.name == name; });
    if (flag != std::end(flags) && (s.is_vacuumcmd || flag->for_analyze)) {
      INDIGO_ASSIGN(flag->to, flag_of(d));
    } else if (s.is_vacuumcmd && name == "parallel") {
      INDIGO_TRY(read_parallel(c, d, out));
    } else if (s.is_vacuumcmd && name == "index_cleanup") {
      const bool automatic = !sql::absent(d.arg) && d.arg->node_case == PG_QUERY__NODE__NODE_STRING &&
                             types::equals_ignoring_case(d.arg->string->sval, "auto");
      if (!automatic) INDIGO_TRY(Status(flag_of(d).take_error()));
    } else {
      return at_option(
          c, d, sqlstate::kSyntaxError,
          std::string("unrecognized ") + (s.is_vacuumcmd ? "VACUUM" : "ANALYZE") + " option " + quoted(name));
    }
  }
  return out;
}

Status check_options(const VacuumOptions& o, const PgQuery__VacuumStmt& s) {
  const auto refused = [](const char* message) { return Error(sqlstate::kFeatureNotSupported, message); };
  if (o.full && o.parallel > 0) return refused("VACUUM FULL cannot be performed in parallel");
  const NodeList named = nodes(s.n_rels, s.rels);
  if (!o.analyze && std::any_of(named.begin(), named.end(),
                                [](const PgQuery__Node* n) { return n->vacuum_relation->n_va_cols > 0; })) {
    return refused("ANALYZE option must be specified when a column list is provided");
  }
  if (o.full && o.disable_page_skipping) return refused("VACUUM option DISABLE_PAGE_SKIPPING cannot be used with FULL");
  if (o.full && !o.process_toast) return refused("PROCESS_TOAST required with VACUUM FULL");
  return {};
}

class Vacuum {
 public:
  Vacuum(DdlContext& c, const VacuumOptions& options)
      : c_(c),
        options_(options),
        database_owner_(c.catalog.has_privileges_of(c.catalog.user(), oid::kDatabaseOwnerRole)) {}

  Status run(const PgQuery__VacuumStmt& s) {
    if (s.n_rels == 0) return run_all();
    struct Target {
      Oid oid;
      NodeList columns;
      std::string name;  // none: a part of what was named, which is skipped without a word
    };
    // All names are looked up first: one that is missing leaves everything as it was.
    std::vector<Target> targets;
    for (const PgQuery__Node* node : nodes(s.n_rels, s.rels)) {
      const PgQuery__VacuumRelation* v = node->vacuum_relation;
      const NodeList columns = nodes(v->n_va_cols, v->va_cols);
      const RelationPtr r = find(*v->relation);
      if (r == nullptr) {
        INDIGO_TRY(Status(open_relation(c_, v->relation, mode()).take_error()));
        continue;
      }
      const bool allowed = may(*r);
      if (allowed) targets.push_back({r->oid, columns, r->name});
      if (!r->is_partitioned()) continue;
      if (allowed && options_.analyze) INDIGO_TRY(columns_named(*r, columns));  // before its partitions' turns
      std::vector<Oid> below = r->children;
      for (size_t i = 0; i < below.size(); i++) {
        targets.push_back({below[i], columns, {}});
        const RelationPtr part = current(c_, below[i]);
        if (part != nullptr) below.insert(below.end(), part->children.begin(), part->children.end());
      }
    }
    if (options_.analyze)
      std::stable_partition(targets.begin(), targets.end(), [&](const Target& t) { return !is_made_up(t.oid); });
    for (const Target& t : targets) INDIGO_TRY(one(t.oid, t.columns, t.name));
    return {};
  }
  bool did_vacuum() const { return did_vacuum_; }

 private:
  static bool is_table(const RelationInfo& r) {
    return r.kind == RelationKind::kTable || r.kind == RelationKind::kMaterializedView;
  }
  TableLockMode mode() const {
    return options_.full ? TableLockMode::kAccessExclusive : TableLockMode::kShareUpdateExclusive;
  }
  RelationPtr find(const PgQuery__RangeVar& name) const {
    if (name.catalogname[0] != '\0' || !check_schema_usage(c_, name.schemaname).ok()) return nullptr;
    return c_.catalog.find_relation(name.schemaname, name.relname);
  }
  void skip(const RelationInfo& r, const std::string& why) const {
    warning(c_, sqlstate::kWarning, "skipping " + quoted(r.name) + " --- " + why);
  }

  bool may(const RelationInfo& r) const {
    std::string image;
    const bool found = table(c_, pg_class::kOid).find(c_.txn, {Datum::of_oid(r.oid)}, image);
    const bool shared = found && table(c_, pg_class::kOid).reader(image).flag(pg_class::c_relisshared);
    if (c_.catalog.has_privileges_of(c_.catalog.user(), r.owner) || (database_owner_ && !shared)) return true;
    const char* who = shared                              ? "only superuser"
                      : r.schema == oid::kPgCatalogSchema ? "only superuser or database owner"
                                                          : "only table or database owner";
    skip(r, std::string(who) + (options_.vacuum ? " can vacuum it" : " can analyze it"));
    return false;
  }

  Status run_all() {
    std::vector<Oid> all;
    table(c_, pg_class::kOid).scan(c_.txn, {}, [&](RowReader row) {
      const char kind = row.chr(pg_class::c_relkind);
      if (kind == 'r' || kind == 'm' || kind == 'p') all.push_back(row.oid(pg_class::c_oid));
      return true;
    });
    if (options_.analyze) std::stable_partition(all.begin(), all.end(), [&](Oid oid) { return !is_made_up(oid); });
    for (const Oid oid : all) INDIGO_TRY(one(oid, {}, {}));
    return {};
  }

  // A partitioned table whose rows ANALYZE has read keeps its lock, and its partitions', to the end. Its turn comes last: who
  // waits for one of them holds none of the whole.
  bool is_made_up(Oid oid) const {
    const RelationPtr r = current(c_, oid);
    return r != nullptr && r->is_partitioned();
  }

  // False: it is gone, or, with SKIP_LOCKED, another session's.
  Result<bool> lock(Oid oid, const std::string& name) {
    auto& locks = c_.store().locks();
    const auto status =
        locks.lock_table(c_.store().lock_owner(c_.txn), catalog::lock_object(c_.catalog.database(), oid), mode(),
                         !options_.skip_locked, c_.txn.lock_timeout());
    if (status == StorageStatus::kWouldBlock) {
      pass_over(name, sqlstate::kLockNotAvailable, "lock not available");
      return false;
    }
    INDIGO_TRY(check(status));
    if (current(c_, oid) != nullptr) return true;
    pass_over(name, sqlstate::kUndefinedTable, "relation no longer exists");
    return false;
  }
  void pass_over(const std::string& name, SqlState state, const char* why) const {
    if (name.empty()) return;
    const char* what = options_.vacuum ? "skipping vacuum of " : "skipping analyze of ";
    warning(c_, state, what + quoted(name) + " --- " + why);
  }

  // `name`: as it was told; empty when it was not.
  Status one(Oid oid, NodeList columns, const std::string& name) {
    const RelationPtr before = current(c_, oid);
    if (before == nullptr) {
      pass_over(name, sqlstate::kUndefinedTable, "relation no longer exists");
      return {};
    }
    if (before->persistence == 't' && before->schema != c_.catalog.temp_schema()) return {};
    if (!may(*before)) return {};
    auto& locks = c_.store().locks();
    auto& owner = c_.store().lock_owner(c_.txn);
    const uint32_t before_lock = locks.mark(owner);
    INDIGO_ASSIGN(const bool there, lock(oid, name));
    if (!there) return {};
    // Where nothing is written no lock outlives its table's turn.
    if (before->oid < oid::kFirstUserOid || !options_.analyze) {
      Status done = locked(oid, columns);
      locks.release_since(owner, before_lock);
      return done;
    }
    return locked(oid, columns);
  }

  Status locked(Oid oid, NodeList columns) {
    const RelationPtr r = current(c_, oid);
    if (r->is_foreign() && !options_.vacuum) return analyze_foreign(r, columns);
    if (!is_table(*r) && !r->is_partitioned()) {
      skip(*r,
           std::string("cannot ") + (options_.vacuum ? "vacuum" : "analyze") + " non-tables or special system tables");
      return {};
    }
    if (options_.vacuum && !r->is_partitioned()) {
      if (options_.parallel > 0 && r->persistence == 't' && r->indexes.size() > 1) {
        warning(c_, sqlstate::kWarning,
                "disabling parallel option of vacuum on " + quoted(r->name) +
                    " --- cannot vacuum temporary tables in parallel");
      }
      if (options_.verbose)
        info(std::string("vacuuming ") + quoted(std::string(c_.catalog.database_name()) + "." + plain_name(*r)));
      did_vacuum_ = true;
    }
    return options_.analyze ? analyze(r, columns) : Status();
  }

  Status analyze_foreign(const RelationPtr& r, NodeList columns) {
    INDIGO_ASSIGN(const bool can, c_.host.analyzes_foreign(*r));
    if (can) return analyze(r, columns);
    skip(*r, "cannot analyze this foreign table");
    return {};
  }

  static Result<std::vector<int16_t>> columns_named(const RelationInfo& r, NodeList names) {
    std::vector<int16_t> columns;
    for (const PgQuery__Node* name : names) {
      INDIGO_ASSIGN(const ColumnInfo* column, column_of(r, string_of(name)));
      if (std::find(columns.begin(), columns.end(), column->number) != columns.end()) {
        return Error(sqlstate::kDuplicateColumn, column_text(r, column->name) + " appears more than once");
      }
      columns.push_back(column->number);
    }
    return columns;
  }

  Status analyze(const RelationPtr& r, NodeList names) {
    INDIGO_ASSIGN(const std::vector<int16_t> columns, columns_named(*r, names));
    if (r->oid < oid::kFirstUserOid) return {};  // built-in tables are small and known
    // A partitioned table's rows are its partitions', which it waits for, SKIP_LOCKED or not, as in PostgreSQL.
    if (r->is_partitioned()) {
      INDIGO_ASSIGN(const std::vector<Oid> below, with_descendants(c_, r->oid, TableLockMode::kAccessShare));
      if (options_.verbose) info(std::string("analyzing ") + quoted(plain_name(*r)) + " inheritance tree");
      return analyze_tree(c_, r, below, columns);
    }
    if (options_.verbose) info(std::string("analyzing ") + quoted(plain_name(*r)));
    INDIGO_TRY(analyze_table(c_, r, columns));
    if (r->children.empty()) return {};
    INDIGO_ASSIGN(const std::vector<Oid> tree, with_descendants(c_, r->oid, TableLockMode::kAccessShare));
    if (options_.verbose) info(std::string("analyzing ") + quoted(plain_name(*r)) + " inheritance tree");
    return analyze_tree(c_, current(c_, r->oid), tree, columns);
  }

  static std::string plain_name(const RelationInfo& r) { return r.schema_name + "." + r.name; }
  void info(std::string text) const {
    c_.host.notice(Severity::kInfo, Error(sqlstate::kSuccessfulCompletion, std::move(text)));
  }

  DdlContext& c_;
  const VacuumOptions& options_;
  const bool database_owner_;
  bool did_vacuum_ = false;
};

}  // namespace

Status execute_vacuum(DdlContext& c, const PgQuery__VacuumStmt& s) {
  INDIGO_ASSIGN(const VacuumOptions options, read_options(c, s));
  INDIGO_TRY(check_options(options, s));
  Vacuum vacuum(c, options);
  INDIGO_TRY(vacuum.run(s));
  if (vacuum.did_vacuum()) c.store().reclaim();
  return {};
}

}  // namespace indigo::engine::ddl
