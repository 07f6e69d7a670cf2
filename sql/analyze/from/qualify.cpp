// A view's definition as text that means the same in every session: relations, functions and types outside pg_catalog get
// their schemas.
#include <algorithm>

#include "base/stack.h"
#include "catalog/oids.h"
#include "sql/analyze/analysis.h"
#include "sql/analyze/type/type_name.h"
#include "sql/deparse.h"
#include "sql/parse/deparse_tree.h"
#include "sql/parse/node.h"
#include "sql/parse/tree_arena.h"

namespace indigo::sql {
namespace {

// Names of the WITH items that are in view where a RangeVar stands. Views of practical size have few; a name of a WITH item
// anywhere in the statement is left alone, unless a relation of that name is used outside of its reach, which the walk keeps.
using Names = std::vector<std::string_view>;

class Qualifier {
 public:
  explicit Qualifier(catalog::CatalogView& catalog) : catalog_(catalog) {}

  void run(ProtobufCMessage* root) { visit(root, {}); }

 private:
  // The tree is this statement's own copy (see qualify_query): its nodes may change.
  void visit(ProtobufCMessage* m, Names ctes) {
    if (m == nullptr) return;
    if (m->descriptor == &pg_query__select_stmt__descriptor) {
      auto* s = reinterpret_cast<PgQuery__SelectStmt*>(m);
      if (s->limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES) parenthesise(s->limit_count);
      if (s->with_clause) {
        for (size_t i = 0; i < s->with_clause->n_ctes; i++)
          ctes.emplace_back(s->with_clause->ctes[i]->common_table_expr->ctename);
      }
    }
    if (m->descriptor == &pg_query__range_var__descriptor) relation(*reinterpret_cast<PgQuery__RangeVar*>(m), ctes);
    if (m->descriptor == &pg_query__func_call__descriptor) function(*reinterpret_cast<PgQuery__FuncCall*>(m));
    if (m->descriptor == &pg_query__type_name__descriptor) type(*reinterpret_cast<PgQuery__TypeName*>(m));
    if (m->descriptor == &pg_query__type_cast__descriptor) regclass(*reinterpret_cast<PgQuery__TypeCast*>(m));
    children(m, ctes);
  }

  void children(ProtobufCMessage* m, const Names& ctes) {
    const ProtobufCMessageDescriptor* d = m->descriptor;
    char* base = reinterpret_cast<char*>(m);
    for (unsigned i = 0; i < d->n_fields; i++) {
      const ProtobufCFieldDescriptor& f = d->fields[i];
      if (f.type != PROTOBUF_C_TYPE_MESSAGE) continue;
      if (f.label == PROTOBUF_C_LABEL_REPEATED) {
        const size_t count = *reinterpret_cast<size_t*>(base + f.quantifier_offset);
        auto** items = *reinterpret_cast<ProtobufCMessage***>(base + f.offset);
        for (size_t k = 0; k < count; k++) visit(items[k], ctes);
      } else if ((f.flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0 ||
                 *reinterpret_cast<uint32_t*>(base + f.quantifier_offset) == f.id) {
        visit(*reinterpret_cast<ProtobufCMessage**>(base + f.offset), ctes);
      }
    }
  }

  char* keep(std::string text) {
    strings_.push_back(std::make_unique<std::string>(std::move(text)));
    return strings_.back()->data();
  }

  void relation(PgQuery__RangeVar& v, const Names& ctes) {
    if (has_text(v.schemaname) || std::find(ctes.begin(), ctes.end(), v.relname) != ctes.end()) return;
    const auto found = catalog_.find_relation("", v.relname);
    if (found) v.schemaname = keep(found->schema_name);
  }

  // One name becomes two: schema and name.
  void add_schema(size_t& count, PgQuery__Node**& parts, Oid schema) {
    if (schema == oid::kPgCatalogSchema || schema == kInvalidOid || count != 1) return;
    auto string = std::make_unique<PgQuery__String>(PgQuery__String PG_QUERY__STRING__INIT);
    string->sval = keep(catalog_.schema_name(schema));
    auto node = std::make_unique<PgQuery__Node>(PgQuery__Node PG_QUERY__NODE__INIT);
    node->node_case = PG_QUERY__NODE__NODE_STRING;
    node->string = string.get();
    auto list = std::make_unique<PgQuery__Node*[]>(2);
    list[0] = node.get();
    list[1] = parts[0];
    parts = list.get();
    count = 2;
    string_nodes_.push_back(std::move(string));
    nodes_.push_back(std::move(node));
    lists_.push_back(std::move(list));
  }

  // FETCH FIRST takes a cast in parentheses only, and libpg_query prints none unless something is taken out of the cast.
  void parenthesise(PgQuery__Node*& count) {
    if (!is(count, PG_QUERY__NODE__NODE_TYPE_CAST)) return;
    auto nothing_taken = std::make_unique<PgQuery__AIndirection>(PgQuery__AIndirection PG_QUERY__A__INDIRECTION__INIT);
    nothing_taken->arg = count;
    auto node = std::make_unique<PgQuery__Node>(PgQuery__Node PG_QUERY__NODE__INIT);
    node->node_case = PG_QUERY__NODE__NODE_A_INDIRECTION;
    node->a_indirection = nothing_taken.get();
    count = node.get();
    indirections_.push_back(std::move(nothing_taken));
    nodes_.push_back(std::move(node));
  }

  void function(PgQuery__FuncCall& f) {
    if (f.n_funcname != 1) return;
    const auto candidates = catalog_.functions_named("", string_of(f.funcname[0]));
    if (!candidates.empty()) add_schema(f.n_funcname, f.funcname, candidates.front()->schema);
  }

  void type(PgQuery__TypeName& t) {
    if (t.n_names != 1) return;
    const auto found = catalog_.find_type("", string_of(t.names[0]));
    if (found) add_schema(t.n_names, t.names, found->schema);
  }

  // 'name'::regclass
  void regclass(PgQuery__TypeCast& c) {
    if (c.type_name == nullptr || c.type_name->n_names == 0 ||
        string_of(c.type_name->names[c.type_name->n_names - 1]) != "regclass")
      return;
    if (!is(c.arg, PG_QUERY__NODE__NODE_A_CONST) || c.arg->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL) return;
    const std::string_view name = c.arg->a_const->sval->sval;
    if (name.find_first_of(".\"") != std::string_view::npos) return;
    const auto found = catalog_.find_relation("", name);
    if (found && found->schema != oid::kPgCatalogSchema) {
      c.arg->a_const->sval->sval = keep(found->schema_name + "." + std::string(name));
    }
  }

  catalog::CatalogView& catalog_;
  std::vector<std::unique_ptr<std::string>> strings_;
  std::vector<std::unique_ptr<PgQuery__String>> string_nodes_;
  std::vector<std::unique_ptr<PgQuery__AIndirection>> indirections_;
  std::vector<std::unique_ptr<PgQuery__Node>> nodes_;
  std::vector<std::unique_ptr<PgQuery__Node*[]>> lists_;
};

// A copy that may be changed.
PgQuery__ParseResult* copy_of(TreeArena& arena, const PgQuery__Node* statement) {
  PgQuery__RawStmt raw = PG_QUERY__RAW_STMT__INIT;
  raw.stmt = const_cast<PgQuery__Node*>(statement);
  PgQuery__RawStmt* list[] = {&raw};
  PgQuery__ParseResult root = PG_QUERY__PARSE_RESULT__INIT;
  root.n_stmts = 1;
  root.stmts = list;
  std::string bytes(pg_query__parse_result__get_packed_size(&root), '\0');
  pg_query__parse_result__pack(&root, reinterpret_cast<uint8_t*>(bytes.data()));
  return pg_query__parse_result__unpack(arena.allocator(), bytes.size(),
                                        reinterpret_cast<const uint8_t*>(bytes.data()));
}

}  // namespace

std::string deparse(catalog::CatalogView& catalog, const Expr& expr, const catalog::RelationInfo* relation) {
  DeparseOptions options;
  options.relation = relation;
  return deparse(catalog, expr, options);
}

Result<std::string> qualify_query(SessionContext& session, const PgQuery__Node* select) {
  return run_on_large_stack([&]() -> Result<std::string> {
    TreeArena arena;
    PgQuery__ParseResult* copy = copy_of(arena, select);
    if (copy == nullptr) return Error(sqlstate::kInternalError, "the parse tree cannot be copied");
    Qualifier qualifier(session.catalog());
    qualifier.run(&copy->stmts[0]->stmt->base);
    return deparse_tree(copy->stmts[0]->stmt);
  });
}

}  // namespace indigo::sql
