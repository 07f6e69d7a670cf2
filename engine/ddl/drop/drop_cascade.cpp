// DROP along pg_depend, in PostgreSQL's order: of messages, and of removals.
#include <algorithm>
#include <set>

#include "base/fiber/stack.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/row_sink.h"

namespace indigo::engine::ddl {

namespace {

// How an object came on the list; several paths may add up.
enum VictimFlag : uint8_t {
  kAsked = 1,      // named by the statement
  kNormal = 2,     // needs something on the list
  kAutomatic = 4,  // goes silently with what it depends on (auto, internal)
  kOwner = 8,      // owns an internal part that is on the list
  kPart = 16       // a column whose whole table came later
};

struct Victim {
  Address address, dependee;  // dependee: on whose behalf, none when asked for
  uint8_t flags;
};

bool whole_of(const Address& whole, const Address& part) {
  return whole.class_id == part.class_id && whole.object == part.object && whole.sub == 0;
}

bool contains(const std::vector<Victim>& victims, const Address& a) {
  return std::any_of(victims.begin(), victims.end(),
                     [&](const Victim& v) { return v.address == a || whole_of(v.address, a); });
}

// Of a table that is a partition; kInvalidOid: it is none. Reads one row of what is none.
Oid parent_of_partition(DdlContext& c, Oid relation) {
  std::string image;
  const auto& classes = table(c, pg_class::kOid);
  if (!classes.find_oid(c.txn, relation, image)) return kInvalidOid;
  if (!classes.reader(image).flag(pg_class::c_relispartition)) return kInvalidOid;
  const RelationPtr r = current(c, relation);
  const bool stores = r != nullptr && (r->kind == RelationKind::kTable || r->is_foreign() || r->is_partitioned());
  return stores && !r->parents.empty() ? r->parents[0] : kInvalidOid;
}

// A foreign key is a part of both tables, a partition one of its parent: statements that route rows into that must not find half
// of it.
std::vector<Oid> tables_of_part(DdlContext& c, const Address& a) {
  struct Part {
    Oid class_id;
    int tables[2];  // columns of its row
  };
  static const Part kParts[] = {
      {pg_constraint::kOid, {pg_constraint::c_conrelid, pg_constraint::c_confrelid}},
      {catalog::pg_trigger::kOid, {catalog::pg_trigger::c_tgrelid, -1}},
      {catalog::pg_policy::kOid, {catalog::pg_policy::c_polrelid, -1}},
      {pg_rewrite::kOid, {pg_rewrite::c_ev_class, -1}},
      {pg_attrdef::kOid, {pg_attrdef::c_adrelid, -1}},
      {pg_index::kOid, {pg_index::c_indrelid, -1}},
  };
  if (a.class_id == pg_class::kOid && a.sub != 0) return {};
  const Oid rows = a.class_id == pg_class::kOid ? pg_index::kOid : a.class_id;
  std::vector<Oid> out;
  if (a.class_id == pg_class::kOid) {
    if (const Oid parent = parent_of_partition(c, a.object); parent != kInvalidOid) out.push_back(parent);
  }
  for (const Part& part : kParts) {
    std::string image;
    if (part.class_id != rows || !table(c, rows).find_oid(c.txn, a.object, image)) continue;
    for (const int column : part.tables) {
      if (column >= 0) out.push_back(table(c, rows).reader(image).oid(column));
    }
  }
  return out;
}

// Finds everything that must go, dependents before what they depend on. Objects are visited depth first, those that depend
// on the same one from the newest to the oldest.
class DropSearch {
 public:
  DropSearch(DdlContext& c, const std::vector<Address>& asked) : c_(c), asked_(asked) {}

  Status visit(const Address& object, uint8_t flags, const Address* dependee) {
    INDIGO_TRY(check_stack_depth());
    if (already(open_, object, flags) || already(victims_, object, flags)) return {};
    std::optional<Address> required;
    const std::vector<Dependent> references = references_of(c_, object);
    // While it was waited for somebody may have dropped it, or it has come to need something else.
    if (dependee != nullptr && flags != kOwner && !needs(references, *dependee)) return {};
    for (const Dependent& reference : references) {
      if (reference.type != 'i' && reference.type != 'P' && reference.type != 'e') continue;
      const Address& owner = reference.address;
      // Columns of a partition key depend on their own table, which goes with them. ALTER TABLE has its own word for it.
      const bool own_table = owner.class_id == object.class_id && owner.object == object.object;
      if (own_table && (dependee == nullptr || object.sub == 0)) continue;
      if (dependee == nullptr) {
        // An internal part cannot be dropped for itself; its owner may be named as well.
        if (std::any_of(asked_.begin(), asked_.end(),
                        [&](const Address& a) { return a == owner || whole_of(a, owner); })) {
          return {};
        }
        required = owner;
        continue;
      }
      // A part of a partitioned index goes with its partition, too.
      if (reference.type == 'P' || already(open_, owner, 0)) continue;
      // Elsewhere its owner goes in its place, and takes the part with it.
      INDIGO_TRY(lock(owner));
      if (!needs(references_of(c_, object), *dependee)) return {};
      INDIGO_TRY(visit(owner, kOwner, dependee));
      already(victims_, object, flags);
      return {};
    }
    if (required) {
      const std::string owner = describe(c_, *required);
      return Error(sqlstate::kDependentObjectsStillExist,
                   "cannot drop " + describe(c_, object) + " because " + owner + " requires it")
          .with_hint("You can drop " + owner + " instead.");
    }
    INDIGO_ASSIGN(std::vector<Dependent> dependents, locked_dependents(object));
    std::sort(dependents.begin(), dependents.end(), [](const Dependent& a, const Dependent& b) {
      if (a.address.object != b.address.object) return a.address.object > b.address.object;
      return a.address < b.address;
    });
    const size_t mine = open_.size();
    open_.push_back({object, dependee == nullptr ? Address{} : *dependee, flags});
    for (const Dependent& d : dependents) {
      INDIGO_TRY(visit(d.address, d.type == 'n' ? kNormal : kAutomatic, &object));
    }
    victims_.push_back(open_[mine]);
    open_.pop_back();
    return {};
  }

  const std::vector<Victim>& victims() const { return victims_; }

 private:
  // Is the object, or what it is a column of, on the list? It is then reached by one more path.
  static bool already(std::vector<Victim>& list, const Address& object, uint8_t flags) {
    bool found = false;
    for (auto v = list.rbegin(); v != list.rend(); ++v) {
      if (v->address == object) {
        v->flags |= flags;
        return true;
      }
      if (whole_of(v->address, object)) {
        found = true;
      } else if (flags != 0 && whole_of(object, v->address)) {
        v->flags |= kPart;
      }
    }
    return found;
  }

  // With the tables that it is a part of: whoever uses them works with it.
  Status lock(const Address& a) {
    if (is_pinned(a)) return {};
    for (const Oid table : tables_of_part(c_, a)) INDIGO_TRY(lock(table));
    return lock(a.object);
  }
  Status lock(Oid object) {
    if (object < oid::kFirstUserOid || !locked_.insert(object).second) return {};
    return lock_object(c_, object, TableLockMode::kAccessExclusive);
  }

  // None can be added, since `object` itself is locked; while one is waited for, others may go, which visit() sees.
  Result<std::vector<Dependent>> locked_dependents(const Address& object) {
    INDIGO_TRY(lock(object));
    std::vector<Dependent> out;
    for (const Dependent& d : dependents_of(c_, object)) {
      if (object.sub == 0 && d.address.class_id == object.class_id && d.address.object == object.object) continue;
      INDIGO_TRY(lock(d.address));
      out.push_back(d);
    }
    return out;
  }

  static bool needs(const std::vector<Dependent>& references, const Address& object) {
    return std::any_of(references.begin(), references.end(),
                       [&](const Dependent& d) { return d.address == object || whole_of(object, d.address); });
  }

  DdlContext& c_;
  const std::vector<Address>& asked_;
  std::vector<Victim> open_, victims_;
  std::set<Oid> locked_;
};

// As many as a message names; the rest is a number.
constexpr size_t kToldMax = 100;

std::string told_text(const std::vector<std::string>& told) {
  std::string out;
  for (size_t i = 0; i < std::min(told.size(), kToldMax); i++) {
    if (i > 0) out += "\n";
    out += told[i];
  }
  if (told.size() > kToldMax) {
    const size_t more = told.size() - kToldMax;
    out += "\nand " + std::to_string(more) + " other object" + (more == 1 ? "" : "s") + " (see server log for list)";
  }
  return out;
}

Status report(DdlContext& c, const std::vector<Victim>& victims, const std::vector<Address>& objects, bool cascade) {
  std::vector<std::string> told;
  for (auto v = victims.rbegin(); v != victims.rend(); ++v) {
    if ((v->flags & (kAsked | kPart | kAutomatic)) != 0) continue;
    told.push_back(cascade ? "drop cascades to " + describe(c, v->address)
                           : describe(c, v->address) + " depends on " + describe(c, v->dependee));
  }
  if (told.empty()) return {};
  if (!cascade) {
    const std::string what = objects.size() == 1
                                 ? "cannot drop " + describe(c, objects.front()) + " because other objects depend on it"
                                 : "cannot drop desired object(s) because other objects depend on them";
    return Error(sqlstate::kDependentObjectsStillExist, what)
        .with_detail(told_text(told))
        .with_hint("Use DROP ... CASCADE to drop the dependent objects too.");
  }
  if (told.size() == 1) {
    notice(c, told.front());
  } else {
    c.host.notice(Severity::kNotice, Error(sqlstate::kSuccessfulCompletion,
                                           "drop cascades to " + std::to_string(told.size()) + " other objects")
                                         .with_detail(told_text(told)));
  }
  return {};
}

// Tables that stay, but whose primary key, and so their tree's key, goes.
std::vector<RelationPtr> tables_losing_their_key(DdlContext& c, const std::vector<Victim>& victims) {
  std::vector<RelationPtr> out;
  for (const Victim& v : victims) {
    if (v.address.class_id != pg_class::kOid || v.address.sub != 0) continue;
    std::string image;
    const SystemTable& indexes = table(c, pg_index::kOid);
    if (!indexes.find_oid(c.txn, v.address.object, image)) continue;
    const Oid owner = indexes.reader(image).oid(pg_index::c_indrelid);
    if (contains(victims, {pg_class::kOid, owner, 0})) continue;
    const RelationPtr relation = current(c, owner);
    if (relation == nullptr || relation->key_columns.empty() || relation->primary_index()->oid != v.address.object)
      continue;
    out.push_back(relation);
  }
  return out;
}

}  // namespace

Status drop_objects(DdlContext& c, const std::vector<Address>& objects, bool cascade, bool quiet, bool told) {
  DropSearch search(c, objects);
  for (const Address& a : objects) INDIGO_TRY(search.visit(a, kAsked, nullptr));
  if (!quiet) INDIGO_TRY(report(c, search.victims(), objects, cascade));
  for (const Victim& v : search.victims()) {
    if (v.address.class_id != pg_class::kOid || v.address.sub != 0) continue;
    const bool in_use = c.host.is_being_read(v.address.object) || c.host.has_pending_checks(v.address.object);
    if (!in_use) continue;
    const RelationPtr r = current(c, v.address.object);
    if (r == nullptr || r->kind == RelationKind::kView) continue;
    INDIGO_TRY(check_not_in_use(c, *r, r->kind == RelationKind::kIndex ? "DROP INDEX" : "DROP TABLE"));
  }
  for (const Victim& v : search.victims()) {
    if (!told) break;
    c.host.dropped(v.address.class_id, v.address.object, v.address.sub, (v.flags & kAsked) != 0,
                   (v.flags & (kNormal | kOwner)) != 0);
  }
  const std::vector<RelationPtr> unkeyed = tables_losing_their_key(c, search.victims());
  for (const Victim& v : search.victims()) INDIGO_TRY(remove_object(c, v.address));
  for (const RelationPtr& old : unkeyed) INDIGO_TRY(rewrite_table(c, old));
  return {};
}

}  // namespace indigo::engine::ddl
