// The catalog as one session sees it: the shared cache of its database, and descriptors of its own for what its transaction has
// changed, which others get when it has committed; search_path; temporary schema.
//
// Changes of the session's own temporary objects are for it alone: other sessions keep what they know, their plans above all,
// and remember nothing of temporary objects that are not theirs.
//
// A private view still follows what others commit: DDL that has waited for a lock looks its relation up again.
// Levels of a look-up: this view's own map (checked against one version counter), the database's shared cache, the rows.
// Thread safety: one session; the descriptors handed out are immutable and may be kept.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/string_map.h"
#include "catalog/change_log.h"
#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/defined_operators.h"
#include "catalog/descriptor/lookup_transaction.h"

namespace indigo::catalog {

class Catalog;
class Database;

class SessionCatalog final : public CatalogView {
 public:
  SessionCatalog(Catalog& catalog, std::shared_ptr<Database> database, uint64_t session);
  ~SessionCatalog() override;

  Catalog& catalog() { return catalog_; }
  Database& database_object() { return *database_; }
  const std::shared_ptr<Database>& database_pointer() const { return database_; }

  // The newest image of the database, between transactions; what was looked up is forgotten, the temporary schema is none.
  void adopt(std::shared_ptr<Database> image);

  // ---- what the engine tells. The transaction that look-ups use; null between transactions (a short one of the view's
  // own is then used). Binding anything forgets the private state of the one before.
  void bind(storage::Transaction* txn);
  // The bound transaction is prepared: it goes on without this view, which forgets what it knows of it.
  void let_go();
  // Whether the bound transaction has changed temporary objects, even if it has taken that back.
  bool has_changed_temporary() const { return announced_ != nullptr && announced_->temporary; }
  storage::Transaction* transaction() const { return txn_; }
  // The elements of the setting search_path, unquoted, "$user" among them.
  void set_search_path(std::vector<std::string> elements);
  // The current role: "$user" and privileges.
  void set_user(Oid role);
  // Must outlive the view.
  void set_formats(const types::FormatSettings& formats) { formats_ = &formats; }
  const types::FormatSettings* formats() const override { return formats_; }
  Oid user() const override { return user_; }

  // ---- what DDL tells: the bound transaction has changed these objects (pg_class or pg_type OIDs; kInvalidOid:
  // everything), these parts of relations' descriptors alone. Registers what must happen at its end.
  void changed(std::vector<Oid> objects, RelationParts parts = RelationParts::kAll);
  // A relation or type is there under a name that it did not have.
  void named(Oid object, std::string_view name);
  // A function is new, or another than it was. Descriptors have nothing of it.
  void changed_function(Oid function, std::string_view name);
  // An enum has a label that it did not have: not to be used before the bound transaction has committed.
  void added_label(Oid type, Oid label);
  // This session's temporary schema itself has come or gone.
  void changed_temporary() { note({.own = true}); }
  void changed_shared();  // roles, databases

  // ---- what things made of this view depend on. While a Recording lives, look-ups are noted in it; of two, in the newer one.
  class Recording {
   public:
    explicit Recording(SessionCatalog& catalog)
        : catalog_(catalog), before_(catalog.recording_), met_before_(std::exchange(catalog.met_detaching_, false)) {
      catalog.recording_ = &noted_;
    }
    ~Recording() {
      catalog_.recording_ = before_;
      catalog_.met_detaching_ |= met_before_;
    }
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;
    Dependences take() {
      noted_.seal();
      return std::move(noted_);
    }

   private:
    SessionCatalog& catalog_;
    Dependences* const before_;
    const bool met_before_;
    Dependences noted_;
  };
  CatalogState state() const;
  // Whether other sessions would find the same: it has no temporary objects and has changed nothing that is not committed.
  bool sees_what_all_see() const { return !private_ && own_changes_ == 0 && temp_schema_ == kInvalidOid; }
  // What is made now holds for this snapshot alone: a partition of a table that it is about is being detached. partitions_of: a
  // number, never 0, of the snapshots that see the same partitions as the bound transaction's does.
  bool is_for_one_snapshot() const { return met_detaching_; }
  uint64_t partitions_of() const;
  // For what was made in `made` and depends on `on`: whether it outlives the transaction.
  void settle(CatalogState& made, const Dependences& on) const;
  // Whether what was made in that state is as it would be made now.
  bool unchanged_since(const CatalogState& made, const Dependences& on) const;

  // ---- temporary schema
  Oid temp_schema() const { return temp_schema_; }  // kInvalidOid while the session has none
  int temp_number() const { return temp_number_; }  // pg_temp_<number>
  void set_temp_schema(Oid schema, int number) {
    temp_schema_ = schema;
    temp_number_ = number;
    path_valid_ = false;
    clear_local();
  }

  // ON COMMIT actions of the session's temporary tables: 'd' drop, 'e' empty. An entry may outlive its table.
  std::unordered_map<Oid, char>& commit_actions() { return commit_actions_; }

  // ---- CatalogView
  uint64_t version() const override;
  Oid database() const override;
  std::string_view database_name() const override { return database_name_; }
  std::vector<Oid> search_path() override;
  Oid schema_named(std::string_view name) override;
  std::string schema_name(Oid schema) override;
  Oid creation_schema() override;
  // A partitioned table has the partitions that the transaction's snapshot sees, when it has one for all its statements.
  std::shared_ptr<const RelationInfo> relation(Oid oid) override;
  std::shared_ptr<const RelationInfo> relation_named(Oid schema, std::string_view name) override;
  std::shared_ptr<const RelationInfo> find_relation(std::string_view schema, std::string_view name) override;
  std::shared_ptr<const TypeInfo> type(Oid oid) override;
  std::shared_ptr<const TypeInfo> find_type(std::string_view schema, std::string_view name) override;
  std::vector<std::shared_ptr<const FunctionInfo>> functions_named(std::string_view schema,
                                                                   std::string_view name) override;
  std::shared_ptr<const FunctionInfo> function(Oid oid) override;
  const AggregateInfo* aggregate(Oid function) override;
  std::vector<const OperatorInfo*> operators_named(std::string_view schema, std::string_view name) override;
  const OperatorInfo* operator_by_oid(Oid oid) override;
  const CastInfo* cast(Oid source, Oid target) override;
  Oid btree_operator(Oid type, int strategy) override;
  int btree_strategy(Oid op) override;
  int strategy_in_class(Oid opclass, Oid op) override;
  Oid operator_in_class(Oid opclass, int strategy) override;
  OrderingClass ordering_class(Oid op) override;
  const Collator* defined_order(Oid type) override;
  Oid find_collation(std::string_view schema, std::string_view name) override;
  const Collator* collator(Oid collation) override;
  const Letters* letters(Oid collation) override;
  const Collator* case_insensitive() override;
  const Collator* member_orders() override;
  std::string collation_name(Oid collation) override;
  Oid role_named(std::string_view name) override;
  std::string role_name(Oid role) override;
  bool is_superuser(Oid role) override;
  bool has_role(Oid role, Oid of) override;
  bool has_privileges_of(Oid role, Oid of) override;
  bool bypasses_row_security(Oid role) override;
  bool may_use_schema(Oid schema) override;
  void system_table_rows(Oid table, int index, std::span<const Datum> prefix,
                         const std::function<bool(const RowReader&)>& visit) override;

  // ---- more that DDL and system functions use
  // Like find_relation; a descriptor that is not there yet has only what InfoBuilder::head reads: for what is about to go.
  std::shared_ptr<const RelationInfo> find_head(std::string_view schema, std::string_view name);
  // The relation as it was read, with an index that was added to it since.
  std::shared_ptr<const RelationInfo> with_index(const RelationInfo& relation, Oid index);
  // The default operator class of `type` (domains, enums, arrays and binary-coercible types resolved).
  Oid default_opclass(Oid type);
  // The one that users have made for their own type and this method.
  Oid own_default_opclass(Oid type, Oid method);
  bool has_own_class(const TypeInfo& type);
  const Collator* range_order(Oid type);
  const Collator* hashed_equality(Oid type);
  // The OID of a pg_class row by name, without building its descriptor; kInvalidOid when there is none.
  Oid relation_oid(Oid schema, std::string_view name);

  // Runs `read` with the bound transaction, or with a short one.
  template <class F>
  auto reading(F&& read) {
    return with_transaction(store(), txn_, session_, std::forward<F>(read));
  }

 private:
  struct Change {
    std::vector<Oid> objects = {};  // whose descriptors are others now
    std::vector<DependenceKey> keys = {};
    bool everything = false;  // for all plans
    bool own = false;         // of this session's temporary objects
    RelationParts parts = RelationParts::kAll;
  };
  // version() without private changes: the database's version, then the session's own changes.
  static constexpr uint64_t kSharedBits = 40, kSharedMask = (uint64_t{1} << kSharedBits) - 1;
  static constexpr uint64_t kOwnMask = (uint64_t{1} << 22) - 1;
  uint64_t shared_state() const;
  void add_private(const Change& change);
  // Of what a transaction's changes told the database at its commit. Shared with what runs then.
  struct Announced {
    uint64_t before = 0, after = 0;  // the database's versions; 0: nothing was told
    bool in_turn = true;             // nobody else told anything in between
    bool temporary = false;          // something of the session's temporary objects has changed
    bool own = false;                // something went to this session alone
    SessionCatalog* view = nullptr;  // until the transaction has left its session
    void told(uint64_t version);
  };
  // Whether the local maps, as this transaction has left them, are what is committed now.
  bool holds_after_commit() const;
  // Gives others the descriptors of what this transaction has changed.
  void share_changed();
  bool is_current() const;
  // Drops what the local maps have of the changed objects, and everything that was looked up by a name.
  void forget_local(const Change& change);
  // Whether this transaction has changed the object's descriptor, or may have.
  bool changed_here(Oid object) const { return private_ && (private_everything_ || private_objects_.contains(object)); }
  storage::Store& store();
  void note(Change change);
  // ---- while a Recording lives (session_dependences.cpp)
  void record_name(std::string_view name) {
    if (recording_ != nullptr) recording_->add(relation_or_type_name(name));
  }
  void record(const RelationInfo& relation);
  void record(const TypeInfo& type);
  void record(const FunctionInfo& function);
  void record_type(Oid type);
  // Whether all of them are in this session's temporary schema.
  bool are_temporary(const std::vector<Oid>& objects);
  // Another session's changes to it are not told.
  bool is_foreign_temporary(const RelationInfo& relation) const;
  bool contents_have_operator(const TypeInfo& type, int strategy);
  // ---- operators, casts and aggregates that users have made (session_operators.cpp)
  DefinedOperators& defined();
  const OperatorInfo* read_operator(const RowReader& row);
  const std::vector<const OperatorInfo*>& own_operators_named(std::string_view name);
  Oid own_btree_operator(Oid type, int strategy);
  int own_btree_strategy(Oid op);
  void refresh();  // drops the local maps when the version has moved
  void clear_local();
  void clear_names() {
    by_name_.clear();
    functions_.clear();
  }
  std::shared_ptr<const RelationInfo> find_along_path(std::string_view name);
  // Notes that a partition is being detached; answers the relation with those that the snapshot still has.
  std::shared_ptr<const RelationInfo> in_snapshot(const std::shared_ptr<const RelationInfo>& relation);
  std::shared_ptr<const RelationInfo> newest_relation(Oid oid);
  // Made of rows, or of `before` and some of them.
  std::shared_ptr<const RelationInfo> build_relation(Oid oid, const OutdatedRelations::Outdated& before);
  // Over the graph of memberships; the database's owner is a member of pg_database_owner.
  bool reaches(Oid role, Oid of, bool inheriting);
  bool walk_memberships(Oid role, Oid of, bool inheriting);

  Catalog& catalog_;
  std::shared_ptr<Database> database_;
  std::string database_name_;
  const uint64_t session_;
  storage::Transaction* txn_ = nullptr;
  bool private_ = false;      // this transaction has changed the catalog
  uint64_t own_changes_ = 0;  // committed ones of temporary objects
  ChangeLog own_log_;         // of them, by own_changes_
  ChangeLog private_log_;  // of this transaction, by private_version_; savepoints that are rolled back are changes, too
  uint64_t private_begin_ = 0;               // its first version
  std::unordered_set<Oid> private_objects_;  // that it has changed
  bool private_everything_ = false;
  std::unordered_map<Oid, std::vector<Oid>> added_labels_;  // by type; some taken back, perhaps
  std::shared_ptr<Announced> announced_;                    // of the changes noted so far
  Dependences* recording_ = nullptr;
  bool met_detaching_ = false;  // a look-up answered a table, one of whose partitions is being detached
  // Of this transaction's changes over what is committed: a new number for each change of either.
  mutable uint64_t private_version_ = 0;
  mutable uint64_t private_seen_ = 0;  // the database's version that it is for
  uint64_t local_version_ = 0;         // of the maps below
  uint64_t local_shared_version_ = 0;
  const types::FormatSettings* formats_ = nullptr;
  Oid user_ = kInvalidOid;
  Oid temp_schema_ = kInvalidOid;
  int temp_number_ = 0;
  std::unordered_map<Oid, char> commit_actions_;
  std::vector<std::string> path_elements_{"$user", "public"};
  bool path_valid_ = false;
  std::vector<Oid> path_;
  Oid creation_schema_ = kInvalidOid;
  StringMap<std::shared_ptr<const RelationInfo>> by_name_;                 // "schema\0name" as asked; null: not found
  StringMap<std::vector<std::shared_ptr<const FunctionInfo>>> functions_;  // by name, along the search path
  std::unordered_map<Oid, std::shared_ptr<const RelationInfo>> by_oid_;
  OutdatedRelations outdated_;  // of what this transaction has changed
  std::unordered_map<Oid, std::shared_ptr<const TypeInfo>> types_;
  // A collation never changes.
  std::unordered_map<Oid, const Collator*> collators_;      // null: in C order
  std::unordered_map<Oid, const Letters*> letters_;         // null: ASCII's
  std::map<std::tuple<Oid, Oid, bool>, bool> memberships_;  // answers of reaches
  std::unordered_map<Oid, bool> superusers_, usable_schemas_;
  std::unique_ptr<DefinedOperators> defined_;
  std::vector<std::unique_ptr<DefinedOperators>>
      retired_;  // pointers into them may be in use until the next transaction
};

}  // namespace indigo::catalog
