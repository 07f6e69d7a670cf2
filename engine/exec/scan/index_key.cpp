#include "engine/exec/scan/index_key.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "catalog/access_method.h"
#include "catalog/descriptor/inverted_key.h"
#include "catalog/descriptor/session_context.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/exec/builder.h"
#include "engine/exec/scan/index_routines.h"
#include "engine/exec/scan/index_session.h"
#include "engine/exec/scan/known_keys.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse.h"
#include "storage/index/key_list.h"
#include "storage/table.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::engine::exec {

namespace {

using catalog::IndexInfo;
using catalog::RelationInfo;
using Outcome = storage::KeyExtractor::Outcome;
using RelationPtr = std::shared_ptr<const RelationInfo>;

// Expressions read one row and nothing else.
class NoTransaction final : public storage::Transaction {
 public:
  bool has_written() const override { return false; }
  void declare_read_only() override {}
  storage::StorageStatus take_safe_snapshot() override { return storage::StorageStatus::kOk; }
  void take_statement_snapshot() override {}
  storage::ReadView view() const override { return {}; }
  storage::ReadView newest_view() const override { return {}; }
  std::unique_ptr<PinnedView> pin(const storage::ReadView&) override { return nullptr; }
  uint32_t savepoint() override { return 0; }
  void rollback_to(uint32_t) override {}
  void release(uint32_t) override {}
};

// What an index computes, analyzed: Vars have become columns of input 0.
struct KeyProgram {
  types::RowLayout layout;
  types::KeyLayout key;
  std::vector<int16_t> columns;  // attnum; 0: the next of `expressions`
  sql::ExprList expressions;
  sql::ExprPtr predicate;        // null: every row
  std::vector<uint16_t> wanted;  // columns that the expressions read
  // Of an inverted index: how each column is taken apart.
  bool inverted = false;
  std::vector<catalog::InvertedKey> keys;
  std::shared_ptr<KeptTypes> types = std::make_shared<KeptTypes>();
  ConfigurationsByOid configurations;
  std::shared_ptr<IndexRoutines> routines;  // null: the expressions call built-in functions only
};

bool is_inverted(const IndexInfo& index) {
  const catalog::AccessMethod* method = catalog::access_method(index.method);
  return method != nullptr && method->inverted;
}

bool has_defined_order(const types::KeyLayout& key) {
  for (size_t i = 0; i < key.column_count(); i++) {
    if (key.column(i).collator != nullptr && key.column(i).collator->values() != nullptr) return true;
  }
  return false;
}

// The row's keys, of all columns, as a list.
void append_key_list(const KeyProgram& program, std::span<const Datum> values, std::string& list) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < values.size(); i++) {
    const catalog::InvertedKey& key = program.keys[i];
    if (key.keys == nullptr || values[i].null) continue;
    const size_t first = keys.size();
    key.keys->keys_of(key.column, values[i], keys);
    for (size_t k = first; k < keys.size(); k++) keys[k].insert(0, catalog::inverted_column_prefix(i));
  }
  if (const auto cells = catalog::compound_column(program.keys); cells && !values[*cells].null) {
    std::string key;
    if (catalog::append_compound_prefix(program.keys, values, key)) {
      const size_t at = keys.size();
      program.keys[*cells].keys->keys_of(program.keys[*cells].column, values[*cells], keys);
      keys[at].insert(0, key);
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  for (const std::string& key : keys) storage::append_to_key_list(key, list);
}

void keep_collator(catalog::CatalogView& view, Oid collation, KeptTypes& types) {
  if (types::is_c_collation(collation)) return;
  types.collators.emplace(collation, view.collator(collation));
  types.letters.emplace(collation, view.letters(collation));
}

void keep_type(catalog::CatalogView& view, Oid oid, KeptTypes& types) {
  if (oid < oid::kFirstUserOid || types.by_oid.contains(oid)) return;
  const auto type = view.type(oid);
  if (type == nullptr) return;
  types.by_oid.emplace(oid, type);
  types.orders.emplace(oid, view.defined_order(oid));
  keep_collator(view, type->collation, types);
  for (const Oid other : {type->element, type->base, type->array, type->range_subtype}) keep_type(view, other, types);
  const auto row = type->kind == 'c' ? view.relation(type->relation) : nullptr;
  for (size_t i = 0; row != nullptr && i < row->columns.size(); i++) keep_type(view, row->columns[i].type.oid, types);
}

sql::ExprPtr bind_columns(catalog::CatalogView& view, const sql::ExprPtr& e, std::set<uint16_t>& wanted,
                          KeptTypes& types) {
  keep_type(view, e->type.oid, types);
  keep_collator(view, e->type.collation, types);
  if (const auto* v = sql::try_as<sql::VarExpr>(e)) {
    auto column = std::make_shared<sql::ColumnExpr>();
    column->type = v->type;
    column->column = v->column;
    wanted.insert(static_cast<uint16_t>(v->column));
    return column;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& c) { return bind_columns(view, c, wanted, types); });
}

// The configurations among an expression's constants.
Status keep_configurations(catalog::SessionContext& session, const sql::ExprPtr& e, ConfigurationsByOid& out) {
  if (const auto* constant = sql::try_as<sql::ConstExpr>(e);
      constant != nullptr && e->type.oid == oid::kRegConfig && !constant->value.get().null) {
    auto* text_search = dynamic_cast<types::TextSearchSession*>(&session);
    const Oid configuration = constant->value.get().oid();
    if (text_search == nullptr) return {};
    INDIGO_ASSIGN(out[configuration], text_search->text_search_configuration(configuration));
  }
  Status status;
  sql::map_children(e, [&](const sql::ExprPtr& child) {
    if (status.ok()) status = keep_configurations(session, child, out);
    return child;
  });
  return status;
}

bool calls_routines(const sql::ExprPtr& e) {
  if (e == nullptr) return false;
  if (const auto* call = sql::try_as<sql::CallExpr>(e); call != nullptr && call->function >= oid::kFirstUserOid) {
    return true;
  }
  const auto* any = sql::try_as<sql::ArrayCompareExpr>(e);
  bool found = any != nullptr && any->function >= oid::kFirstUserOid;
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { found = found || calls_routines(child); });
  return found;
}

// The parameters that an index's column has given its class.
std::vector<std::string> class_options(catalog::CatalogView& view, const IndexInfo& index, size_t column) {
  namespace pg_attribute = catalog::pg_attribute;
  std::vector<std::string> out;
  const Datum key[] = {Datum::of_oid(index.oid), Datum::of(static_cast<int16_t>(column + 1))};
  view.system_table_rows(pg_attribute::kOid, -1, key, [&](const catalog::RowReader& row) {
    if (!row.is_null(pg_attribute::c_attoptions)) out = read_texts(row.str(pg_attribute::c_attoptions));
    return false;
  });
  return out;
}

Result<std::shared_ptr<const KeyProgram>> make_program(catalog::SessionContext& session, const RelationPtr& relation,
                                                       const IndexInfo& index, const types::KeyLayout& key) {
  auto program = std::make_shared<KeyProgram>();
  program->layout = relation->layout;
  program->key = key;
  program->types->member_orders = session.catalog().member_orders();
  program->types->case_insensitive = session.catalog().case_insensitive();
  keep_collator(session.catalog(), oid::kDefaultCollation, *program->types);
  std::set<uint16_t> wanted;
  for (const catalog::IndexColumn& column : index.columns) {
    program->columns.push_back(column.column);
    if (column.column != 0) continue;
    INDIGO_ASSIGN(const sql::ExprPtr e,
                  sql::analyze_expression(session, column.expression, relation, types::TypeRef{}));
    INDIGO_TRY(keep_configurations(session, e, program->configurations));
    program->expressions.push_back(bind_columns(session.catalog(), e, wanted, *program->types));
  }
  if (!index.predicate.empty()) {
    INDIGO_ASSIGN(const sql::ExprPtr e,
                  sql::analyze_expression(session, index.predicate, relation, {oid::kBool, -1, kInvalidOid}));
    INDIGO_TRY(keep_configurations(session, e, program->configurations));
    program->predicate = bind_columns(session.catalog(), e, wanted, *program->types);
  }
  program->wanted.assign(wanted.begin(), wanted.end());
  program->inverted = is_inverted(index);
  for (size_t i = 0; program->inverted && i < index.columns.size(); i++) {
    program->keys.push_back(catalog::inverted_key(session.catalog(), index.columns[i]));
    program->keys.back().column.options = class_options(session.catalog(), index, i);
  }
  if (calls_routines(program->predicate) ||
      std::any_of(program->expressions.begin(), program->expressions.end(), calls_routines)) {
    if (auto* host = dynamic_cast<HasIndexRoutines*>(&session)) program->routines = host->index_routines();
  }
  return std::shared_ptr<const KeyProgram>(std::move(program));
}

class Evaluator {
 public:
  static Result<std::unique_ptr<Evaluator>> make(storage::Store& store,
                                                 const std::shared_ptr<const KeyProgram>& program) {
    auto e = std::make_unique<Evaluator>(store, program);
    Builder builder(e->state_);
    INDIGO_ASSIGN(e->values_, builder.compile_all(program->expressions));
    INDIGO_ASSIGN(e->predicate_, builder.compile_condition(program->predicate));
    return e;
  }
  Evaluator(storage::Store& store, const std::shared_ptr<const KeyProgram>& program)
      : program_(program),
        session_(make_index_session(program->types, program->configurations, program->routines)),
        state_(std::make_shared<sql::PlannedStatement>()) {
    state_.begin({store, transaction_, {}, *session_, {}, 0});
    row_.columns.resize(program->layout.column_count());
    row_.selection = {nullptr, 1};
    decoded_.resize(program->wanted.size());
  }

  // The key's values, borrowed from the row or from this until the next call.
  Outcome values(Bytes row, std::vector<Datum>& out, std::unique_ptr<Error>& error) {
    out.clear();
    arena_.reset();
    ArenaScope scope(state_, arena_);
    program_->layout.decode({&row, 1}, program_->wanted, decoded_);
    for (size_t i = 0; i < decoded_.size(); i++) row_.columns[program_->wanted[i]].reference(decoded_[i]);
    const Frame frame{{&row_, nullptr}, 1};
    if (predicate_) {
      const Selection passed = predicate_.filter(frame, {nullptr, 1}, error);
      if (error != nullptr) return Outcome::kError;
      if (passed.count == 0) return Outcome::kNotIndexed;
    }
    if (!values_.empty() && (values_.evaluate(frame, {nullptr, 1}, error) == 0 || error != nullptr)) {
      return Outcome::kError;
    }
    size_t expression = 0;
    for (const int16_t column : program_->columns) {
      out.push_back(column != 0 ? program_->layout.column(row, static_cast<size_t>(column) - 1)
                                : values_[expression++].datum(0));
    }
    return takes(out, error) ? Outcome::kKey : Outcome::kError;
  }

 private:
  // The classes of an inverted index may refuse values.
  bool takes(std::span<const Datum> values, std::unique_ptr<Error>& error) const {
    for (size_t i = 0; i < program_->keys.size() && i < values.size(); i++) {
      const catalog::InvertedKey& key = program_->keys[i];
      if (key.keys == nullptr || key.keys->check == nullptr || values[i].null) continue;
      Status status = key.keys->check(key.column, values[i]);
      if (status.ok()) continue;
      error = status.take_error();
      return false;
    }
    return true;
  }

  std::shared_ptr<const KeyProgram> program_;
  NoTransaction transaction_;
  std::unique_ptr<catalog::SessionContext> session_;
  QueryState state_;
  ExpressionSet values_;
  Condition predicate_;
  std::vector<Vector> decoded_;
  Chunk row_;
  Arena arena_;
};

class ComputedKeyExtractor final : public storage::KeyExtractor {
 public:
  ComputedKeyExtractor(storage::Store& store, std::shared_ptr<const KeyProgram> program)
      : store_(store), program_(std::move(program)) {}

  // Makes the first evaluator, so that what cannot be compiled is known before the index exists.
  Status prepare() {
    INDIGO_ASSIGN(auto first, Evaluator::make(store_, program_));
    idle_.push_back(std::move(first));
    return {};
  }

  Outcome extract(Bytes, Bytes row, std::string& key, bool& has_null) const override {
    key.clear();
    has_null = false;
    std::string read;
    if (program_->routines != nullptr) {
      read = columns_of(row);
      if (const auto known = known_.find(read)) {
        key = known->key;
        has_null = known->has_null;
        return known->indexed ? Outcome::kKey : Outcome::kNotIndexed;
      }
      if (has_failed(read)) return Outcome::kError;
    }
    std::unique_ptr<Evaluator> evaluator = take();
    if (evaluator == nullptr) return Outcome::kError;
    std::vector<Datum> values;
    std::unique_ptr<Error> error;
    const Outcome outcome = evaluator->values(row, values, error);
    if (outcome == Outcome::kKey && program_->inverted) {
      append_key_list(*program_, values, key);
    } else if (outcome == Outcome::kKey) {
      if (!append_key(values, key, has_null)) return Outcome::kError;
    }
    if (program_->routines != nullptr && error != nullptr) {
      known_.note_failed(read);
      program_->routines->note_failure({this, std::move(read), std::move(*error)});
    } else if (program_->routines != nullptr && outcome != Outcome::kError) {
      known_.keep(std::move(read), {key, outcome == Outcome::kKey, has_null});
    }
    std::lock_guard lock(mutex_);
    if (idle_.size() < kIdleMax) idle_.push_back(std::move(evaluator));
    return outcome;
  }

 private:
  static constexpr size_t kIdleMax = 8;

  // Has this statement found out, or, behind statements, any of late?
  bool has_failed(const std::string& read) const {
    IndexRoutines& routines = *program_->routines;
    return routines.in_session() ? routines.has_failed(this, read) : known_.has_failed(read);
  }

  // False: a comparison of users' own failed.
  bool append_key(std::span<const Datum> values, std::string& key, bool& has_null) const {
    try {
      for (size_t i = 0; i < values.size(); i++) {
        has_null |= values[i].null;
        program_->key.append_column(i, values[i], key);
      }
      return true;
    } catch (const RaisedError& raised) {
      for (size_t i = 0; i < values.size(); i++) {
        const types::Collator* order = program_->key.column(i).collator;
        if (order == nullptr || order->values() == nullptr) continue;
        order->values()->note_failure(raised.error);
        break;
      }
      return false;
    }
  }

  // All that the key depends on.
  std::string columns_of(Bytes row) const {
    std::string out;
    const auto add = [&](size_t column) {
      const Datum value = program_->layout.column(row, column);
      out.push_back(value.null ? '\0' : '\1');
      if (value.null) return;
      if (value.phys != Phys::kStr) {
        out.append(reinterpret_cast<const char*>(&value.block), sizeof value.block);
        return;
      }
      const size_t size = value.str.size();
      out.append(reinterpret_cast<const char*>(&size), sizeof size);
      out.append(value.str);
    };
    for (const int16_t column : program_->columns) {
      if (column != 0) add(static_cast<size_t>(column) - 1);
    }
    for (const uint16_t column : program_->wanted) add(column);
    return out;
  }

  std::unique_ptr<Evaluator> take() const {
    {
      std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        auto evaluator = std::move(idle_.back());
        idle_.pop_back();
        return evaluator;
      }
    }
    auto made = Evaluator::make(store_, program_);
    return made.ok() ? std::move(*made) : nullptr;
  }

  storage::Store& store_;
  std::shared_ptr<const KeyProgram> program_;
  mutable KnownKeys known_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Evaluator>> idle_;
};

// The value of each key column of one row.
Result<std::vector<OwnedDatum>> key_values(catalog::SessionContext& session, storage::Store& store,
                                           const RelationPtr& relation, const IndexInfo& index, Bytes row) {
  INDIGO_ASSIGN(const auto program, make_program(session, relation, index, index.key));
  INDIGO_ASSIGN(const auto evaluator, Evaluator::make(store, program));
  std::vector<Datum> values;
  std::unique_ptr<Error> error;
  const Outcome outcome = evaluator->values(row, values, error);
  if (error != nullptr) return std::move(*error);
  std::vector<OwnedDatum> out;
  if (outcome != Outcome::kKey) return out;
  for (const Datum& value : values) out.emplace_back(value);
  return out;
}

// Function calls stand for themselves, other expressions in parentheses.
std::string expression_text(catalog::SessionContext& session, const RelationPtr& relation,
                            const std::string& expression) {
  const auto e = sql::analyze_to_print(session, expression, relation, types::TypeRef{});
  if (!e.ok()) return "(" + expression + ")";
  sql::DeparseOptions options;
  options.relation = relation.get();
  options.always_qualify = false;
  options.pretty = true;
  auto printed = sql::deparse(session.catalog(), **e, options);
  if (!printed.ok()) return "(" + expression + ")";
  const std::string text = *std::move(printed);
  const auto* call = sql::try_as<sql::CallExpr>(*e);
  const bool function =
      call != nullptr && text.find('(') != std::string::npos && text.back() == ')' &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find('(')),
                  [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; });
  return function ? text : "(" + text + ")";
}

}  // namespace

bool has_computed_key(const IndexInfo& index) {
  return !index.predicate.empty() || is_inverted(index) || has_defined_order(index.key) ||
         std::any_of(index.columns.begin(), index.columns.end(), [](const auto& c) { return c.column == 0; });
}

Result<std::shared_ptr<const storage::KeyExtractor>> make_index_key_extractor(catalog::SessionContext& session,
                                                                              storage::Store& store,
                                                                              const RelationPtr& relation,
                                                                              const IndexInfo& index,
                                                                              const types::KeyLayout& key) {
  INDIGO_ASSIGN(auto program, make_program(session, relation, index, key));
  auto extractor = std::make_shared<ComputedKeyExtractor>(store, std::move(program));
  INDIGO_TRY(extractor->prepare());
  return std::shared_ptr<const storage::KeyExtractor>(std::move(extractor));
}

std::optional<Error> noted_key_error(catalog::SessionContext& session) {
  auto* host = dynamic_cast<HasIndexRoutines*>(&session);
  return host == nullptr ? std::nullopt : host->take_key_failure();
}

Error index_key_error(catalog::SessionContext& session, storage::Store& store, const RelationPtr& relation, Bytes row) {
  if (auto failure = noted_key_error(session)) return *std::move(failure);
  for (const IndexInfo& index : relation->indexes) {
    if (!index.ready || !has_computed_key(index)) continue;
    auto values = key_values(session, store, relation, index, row);
    if (!values.ok()) return std::move(*values.take_error());
  }
  return Error(sqlstate::kInternalError, "computing an index key failed");
}

std::optional<std::string> index_key_text(catalog::SessionContext& session, storage::Store& store,
                                          const RelationPtr& relation, const IndexInfo& index, Bytes row) {
  auto values = key_values(session, store, relation, index, row);
  if (!values.ok() || values->empty()) return std::nullopt;
  types::FuncContext functions(session);
  Arena arena;
  functions.set_arena(&arena);
  std::string names, texts;
  for (size_t i = 0; i < index.columns.size(); i++) {
    const catalog::IndexColumn& column = index.columns[i];
    if (i > 0) names += ", ", texts += ", ";
    names += column.column != 0
                 ? types::quote_identifier(relation->columns[static_cast<size_t>(column.column) - 1].name)
                 : expression_text(session, relation, column.expression);
    const Datum& value = (*values)[i].get();
    if (value.null) {
      texts += "null";
    } else {
      types::type_output(functions, column.type, value, texts);
    }
  }
  return "(" + names + ")=(" + texts + ")";
}

}  // namespace indigo::engine::exec
