#include "tests/unit/sql/analyze_harness.h"

#include <map>

#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/deparse_session.h"
#include "sql/parse/parser.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "types/oids.h"

namespace indigo::sql::testing {
namespace {

using catalog::ConstraintInfo;
using catalog::IndexInfo;
using catalog::RelationInfo;
using catalog::RelationKind;
using types::ColumnInfo;
using types::TypeInfo;

enum TestOid : Oid { kMood = 90001, kMoodArray, kPosint, kTa = 90010, kTb, kTg, kTv, kSq, kTaKey, kTbKey, kTaRow };

// The built-in catalog with a few user objects in front.
class TestCatalog final : public catalog::CatalogView {
 public:
  explicit TestCatalog(catalog::SessionCatalog& real) : real_(real) { make_objects(); }

  uint64_t version() const override { return real_.version(); }
  Oid database() const override { return real_.database(); }
  std::string_view database_name() const override { return real_.database_name(); }
  std::vector<Oid> search_path() override { return real_.search_path(); }
  Oid schema_named(std::string_view name) override { return real_.schema_named(name); }
  std::string schema_name(Oid schema) override { return real_.schema_name(schema); }
  Oid creation_schema() override { return real_.creation_schema(); }
  std::shared_ptr<const RelationInfo> relation(Oid oid) override {
    for (const auto& [name, r] : relations_) {
      if (r->oid == oid) return r;
    }
    return real_.relation(oid);
  }
  std::shared_ptr<const RelationInfo> relation_named(Oid schema, std::string_view name) override {
    if (auto it = relations_.find(std::string(name)); schema == oid::kPublicSchema && it != relations_.end())
      return it->second;
    return real_.relation_named(schema, name);
  }
  std::shared_ptr<const RelationInfo> find_relation(std::string_view schema, std::string_view name) override {
    auto it = relations_.find(std::string(name));
    if ((schema.empty() || schema == "public") && it != relations_.end()) return it->second;
    return real_.find_relation(schema, name);
  }
  std::shared_ptr<const TypeInfo> type(Oid oid) override {
    auto it = types_.find(oid);
    return it != types_.end() ? it->second : real_.type(oid);
  }
  std::shared_ptr<const TypeInfo> find_type(std::string_view schema, std::string_view name) override {
    for (const auto& [oid, t] : types_) {
      if ((schema.empty() || schema == "public") && t->name == name) return t;
    }
    return real_.find_type(schema, name);
  }
  std::vector<std::shared_ptr<const types::FunctionInfo>> functions_named(std::string_view schema,
                                                                          std::string_view name) override {
    return real_.functions_named(schema, name);
  }
  std::shared_ptr<const types::FunctionInfo> function(Oid oid) override { return real_.function(oid); }
  const types::AggregateInfo* aggregate(Oid function) override { return real_.aggregate(function); }
  std::vector<const types::OperatorInfo*> operators_named(std::string_view schema, std::string_view name) override {
    return real_.operators_named(schema, name);
  }
  const types::OperatorInfo* operator_by_oid(Oid oid) override { return real_.operator_by_oid(oid); }
  const types::CastInfo* cast(Oid source, Oid target) override { return real_.cast(source, target); }
  Oid btree_operator(Oid type, int strategy) override {
    return real_.btree_operator(type == kMood ? Oid{oid::kAnyEnum} : type, strategy);
  }
  int btree_strategy(Oid op) override { return real_.btree_strategy(op); }
  Oid find_collation(std::string_view schema, std::string_view name) override {
    return real_.find_collation(schema, name);
  }
  std::string collation_name(Oid collation) override { return real_.collation_name(collation); }
  Oid role_named(std::string_view name) override { return real_.role_named(name); }
  std::string role_name(Oid role) override { return real_.role_name(role); }

 private:
  struct Column {
    const char* name;
    Oid type;
    int32_t typmod = -1;
    const char* default_text = nullptr;
  };

  std::shared_ptr<RelationInfo> make_relation(Oid oid, const char* name, RelationKind kind,
                                              std::initializer_list<Column> columns) {
    auto r = std::make_shared<RelationInfo>();
    r->oid = oid;
    r->name = name;
    r->schema = oid::kPublicSchema;
    r->schema_name = "public";
    r->kind = kind;
    r->row_type = oid + 100;
    for (const Column& c : columns) {
      ColumnInfo info;
      info.name = c.name;
      info.number = static_cast<int16_t>(r->columns.size() + 1);
      info.type = type_with_collation(*this, {c.type, c.typmod, kInvalidOid});
      if (c.default_text) info.default_expr = c.default_text;
      r->columns.push_back(std::move(info));
    }
    auto row = std::make_shared<TypeInfo>();
    row->oid = r->row_type;
    row->name = name;
    row->schema = oid::kPublicSchema;
    row->kind = 'c';
    row->category = 'C';
    row->relation = oid;
    types_[row->oid] = row;
    relations_[name] = r;
    return r;
  }

  static void add_key(RelationInfo& r, Oid index, const char* name, int16_t column) {
    IndexInfo key;
    key.oid = index;
    key.name = name;
    key.unique = key.primary = key.constraint = true;
    catalog::IndexColumn c;
    c.column = column;
    c.type = r.columns[column - 1].type;
    key.columns.push_back(std::move(c));
    r.indexes.push_back(std::move(key));
    ConstraintInfo constraint;
    constraint.name = name;
    constraint.kind = 'p';
    constraint.columns = {column};
    constraint.index = index;
    r.constraints.push_back(std::move(constraint));
    r.key_columns = {column};
    r.columns[column - 1].not_null = true;
  }

  void make_types() {
    auto mood = std::make_shared<TypeInfo>();
    mood->oid = kMood;
    mood->name = "mood";
    mood->schema = oid::kPublicSchema;
    mood->phys = Phys::kI32;
    mood->length = 4;
    mood->kind = 'e';
    mood->category = 'E';
    mood->array = kMoodArray;
    mood->enum_labels = {"sad", "ok", "happy"};
    mood->enum_label_oids = {90101, 90102, 90103};
    if (const auto functions = real_.functions_named("pg_catalog", "enum_in"); !functions.empty())
      mood->input = functions[0]->oid;
    types_[kMood] = mood;
    auto moods = std::make_shared<TypeInfo>();
    moods->oid = kMoodArray;
    moods->name = "_mood";
    moods->schema = oid::kPublicSchema;
    moods->category = 'A';
    moods->element = kMood;
    moods->subscript = real_.type(oid::kInt4Array)->subscript;
    moods->storage = 'x';
    types_[kMoodArray] = moods;
    auto posint = std::make_shared<TypeInfo>(*real_.type(oid::kInt4));
    posint->oid = kPosint;
    posint->name = "posint";
    posint->schema = oid::kPublicSchema;
    posint->kind = 'd';
    posint->base = oid::kInt4;
    posint->array = kInvalidOid;
    posint->preferred = false;
    posint->checks.push_back({"posint_check", "(VALUE > 0)"});
    types_[kPosint] = posint;
  }

  void make_objects() {
    make_types();
    auto ta = make_relation(kTa, "ta", RelationKind::kTable,
                            {{"id", oid::kInt4},
                             {"a", oid::kInt4},
                             {"b", oid::kText},
                             {"c", oid::kVarchar, 14},
                             {"n", oid::kNumeric, (10 << 16 | 2) + 4},
                             {"f", oid::kFloat8},
                             {"ts", oid::kTimestampTz, -1, "now()"},
                             {"d", oid::kDate},
                             {"arr", oid::kInt4Array},
                             {"j", oid::kJsonb},
                             {"bl", oid::kBool},
                             {"m", kMood},
                             {"p", kPosint}});
    add_key(*ta, kTaKey, "ta_pkey", 1);
    auto tb = make_relation(kTb, "tb", RelationKind::kTable,
                            {{"id", oid::kInt8},
                             {"ta_id", oid::kInt4},
                             {"name", oid::kText},
                             {"val", oid::kInt2},
                             {"ch", oid::kBpchar, 9},
                             {"u", oid::kUuid},
                             {"iv", oid::kInterval},
                             {"by", oid::kBytea},
                             {"tarr", oid::kTextArray}});
    add_key(*tb, kTbKey, "tb_pkey", 1);
    tb->columns[2].not_null = true;
    auto tg = make_relation(kTg, "tg", RelationKind::kTable,
                            {{"id", oid::kInt4, -1, "nextval('public.sq'::regclass)"},
                             {"x", oid::kInt4},
                             {"y", oid::kInt4, -1, "(x * 2)"},
                             {"z", oid::kText, -1, "'q'::text"}});
    tg->columns[0].identity = 'a';
    tg->columns[0].not_null = true;
    tg->columns[2].generated = 's';
    ConstraintInfo check;
    check.name = "tg_x_check";
    check.columns = {2};
    check.expression = "(x > 0)";
    tg->constraints.push_back(std::move(check));
    auto tv =
        make_relation(kTv, "tv", RelationKind::kView, {{"id", oid::kInt4}, {"ub", oid::kText}, {"a1", oid::kInt4}});
    tv->view_definition = "SELECT id, upper(b) AS ub, a + 1 AS a1 FROM public.ta WHERE a > 0;";
    make_relation(kSq, "sq", RelationKind::kSequence,
                  {{"last_value", oid::kInt8}, {"log_cnt", oid::kInt8}, {"is_called", oid::kBool}});
  }

  catalog::SessionCatalog& real_;
  std::map<std::string, std::shared_ptr<RelationInfo>> relations_;
  std::map<Oid, std::shared_ptr<const TypeInfo>> types_;
};

}  // namespace

struct Harness::State {
  State()
      : store(storage::Store::create({})),
        shared(std::move(*catalog::Catalog::create(*store, ""))),
        real(*shared, shared->database_named("postgres"), 1),
        test(real),
        session(test) {
    real.set_search_path({"$user", "public"});
    real.set_user(oid::kBootstrapSuperuser);
  }
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<catalog::Catalog> shared;
  catalog::SessionCatalog real;
  TestCatalog test;
  CatalogOnlySession session;
};

Harness::Harness() : state_(std::make_unique<State>()) {}
Harness::~Harness() = default;

catalog::SessionContext& Harness::session() { return state_->session; }
catalog::CatalogView& Harness::catalog() { return state_->test; }

Result<AnalyzedStatement> Harness::analyze(std::string_view statement, std::span<const LiftedLiteral> lifted) {
  INDIGO_ASSIGN(const auto parsed, parse(statement));
  if (parsed->statements().size() != 1) return Error(sqlstate::kSyntaxError, "one statement, please");
  AnalyzeInput input{};
  input.statement = parsed->statements()[0].node;
  input.text = statement;
  input.variable_parameters = true;
  input.require_implementations = false;
  input.lifted = lifted;
  return sql::analyze(session(), input);
}

std::string Harness::error_text(const Error& e) {
  std::string out = "ERROR " + std::string(e.state.text()) + " @" + std::to_string(e.position) + " " + e.message;
  if (!e.detail.empty() || !e.hint.empty()) out += " | " + e.detail + " | " + e.hint;
  return out;
}

std::string Harness::describe(std::string_view statement) {
  auto analyzed = analyze(statement);
  if (!analyzed.ok()) return error_text(analyzed.error());
  std::string out;
  if (analyzed->query) {
    const Query& q = *analyzed->query;
    for (const TargetEntry& t : q.command == CommandKind::kSelect ? q.targets : q.returning) {
      if (t.hidden) continue;
      if (!out.empty()) out += ", ";
      // As RowDescription: domains show as their base types.
      const TypeRef base = base_type_ref(catalog(), t.expr->type.oid);
      const bool domain = base.oid != t.expr->type.oid;
      const int32_t typmod = domain ? base.typmod : t.expr->type.typmod;
      out += t.name + ":" + format_type(catalog(), base.oid, typmod < 0 ? std::nullopt : std::optional(typmod));
    }
    if (out.empty() && (q.command != CommandKind::kSelect || !q.targets.empty())) out = "no result";
  } else {
    out = "no result";
  }
  if (!analyzed->parameter_types.empty()) {
    out += " params(";
    for (size_t i = 0; i < analyzed->parameter_types.size(); i++) {
      out += (i ? ", " : "") + format_type(catalog(), analyzed->parameter_types[i].oid);
    }
    out += ")";
  }
  return out;
}

}  // namespace indigo::sql::testing
