#include "sql/deparse.h"

#include <algorithm>
#include <optional>

#include "base/sqlstate.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/deparse_xml.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Form = CallExpr::Form;

bool is_cast(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kRelabel:
    case ExprKind::kIoCast:
    case ExprKind::kRowCast:
    case ExprKind::kArrayCast:
    case ExprKind::kDomainCast: return true;
    case ExprKind::kCall:
      return as<CallExpr>(e).form == Form::kExplicitCast || as<CallExpr>(e).form == Form::kImplicitCast;
    default: return false;
  }
}

constexpr int kCaseIndent = 4;

class Deparser {
 public:
  Deparser(catalog::CatalogView& catalog, const DeparseOptions& options) : catalog_(catalog), options_(options) {}

  Result<std::string> text(const Expr& e, bool show_implicit) {
    out_.clear();
    print(e, show_implicit);
    if (error_) return *std::move(error_);
    return std::move(out_);
  }

 private:
  // `implicit`: conversions that the user did not write are shown.
  void print(const Expr& e, bool implicit) {
    if (options_.nodes != nullptr && options_.nodes->print(e, out_)) return;
    switch (e.kind) {
      case ExprKind::kVar: return print_column(as<VarExpr>(e).column);
      case ExprKind::kColumn: out_ += "VALUE"; return;
      case ExprKind::kConst: out_ += deparse_const(catalog_, as<ConstExpr>(e), options_.always_qualify); return;
      case ExprKind::kParam: out_ += "$" + std::to_string(as<ParamExpr>(e).index + 1); return;
      case ExprKind::kCall: return print_call(as<CallExpr>(e), implicit);
      case ExprKind::kBool: return print_bool(as<BoolExpr>(e));
      case ExprKind::kCase: return print_case(as<CaseExpr>(e));
      case ExprKind::kCoalesce: return print_function("COALESCE", as<CoalesceExpr>(e).arguments);
      case ExprKind::kGreatestLeast: {
        const auto& g = as<GreatestLeastExpr>(e);
        return print_function(g.greatest ? "GREATEST" : "LEAST", g.arguments);
      }
      case ExprKind::kNullIf: return print_function("NULLIF", as<CallExpr>(*as<NullIfExpr>(e).equal).arguments);
      case ExprKind::kNullTest: {
        const auto& t = as<NullTestExpr>(e);
        return wrapped([&] {
          nested(*t.argument, e, true);
          out_ += t.is_null ? " IS NULL" : " IS NOT NULL";
        });
      }
      case ExprKind::kBooleanTest: return print_boolean_test(as<BooleanTestExpr>(e));
      case ExprKind::kDistinct: {
        const auto& d = as<DistinctExpr>(e);
        if (!d.negated) return print_infix(e, *d.left, " IS DISTINCT FROM ", *d.right);
        return wrapped([&] {
          out_ += "NOT ";
          print_infix(e, *d.left, " IS DISTINCT FROM ", *d.right);
        });
      }
      case ExprKind::kArrayCompare: {
        const auto& c = as<ArrayCompareExpr>(e);
        return wrapped([&] {
          nested(*c.left, e, true);
          out_ += " " + operator_name(c.op) + (c.any ? " ANY (" : " ALL (");
          nested(*c.array, e, true);
          out_ += ")";
        });
      }
      case ExprKind::kArray: {
        const auto& a = as<ArrayExpr>(e);
        out_ += "ARRAY[";
        print_list(a.elements);
        out_ += "]";
        if (a.elements.empty()) out_ += "::" + type_name(e.type);
        return;
      }
      case ExprKind::kRow: {
        out_ += "ROW(";
        print_row(as<RowExpr>(e).fields);
        out_ += ")";
        if (e.type.oid != oid::kRecord) out_ += "::" + type_name(e.type);
        return;
      }
      case ExprKind::kRowCompare: return print_row_compare(as<RowCompareExpr>(e));
      case ExprKind::kField: return print_field(as<FieldExpr>(e));
      case ExprKind::kSubscript: return print_subscript(as<SubscriptExpr>(e));
      case ExprKind::kRelabel:
        // Of the same type: an output that stands apart from another of the same value (grouping sets).
        if (as<RelabelExpr>(e).implicit && e.type == as<RelabelExpr>(e).argument->type)
          return print(*as<RelabelExpr>(e).argument, implicit);
        return print_cast(e, *as<RelabelExpr>(e).argument, as<RelabelExpr>(e).implicit, implicit);
      case ExprKind::kIoCast: return print_cast(e, *as<IoCastExpr>(e).argument, as<IoCastExpr>(e).implicit, implicit);
      case ExprKind::kRowCast:
        return print_cast(e, *as<RowCastExpr>(e).argument, as<RowCastExpr>(e).implicit, implicit);
      case ExprKind::kArrayCast:
        return print_cast(e, *as<ArrayCastExpr>(e).argument, as<ArrayCastExpr>(e).implicit, implicit);
      case ExprKind::kDomainCast:
        return print_cast(e, *as<DomainCastExpr>(e).argument, as<DomainCastExpr>(e).implicit, implicit);
      case ExprKind::kCollate:
        if (is_class_order(catalog_, e)) return print(*as<CollateExpr>(e).argument, implicit);
        return wrapped([&] {
          nested(*as<CollateExpr>(e).argument, e, implicit);
          out_ += " COLLATE " + deparse_collation(catalog_, e.type.collation, options_.always_qualify);
        });
      case ExprKind::kSessionValue: return print_session_value(as<SessionValueExpr>(e));
      case ExprKind::kWholeRow:
        out_ += options_.relation ? types::quote_identifier(options_.relation->name) + ".*" : std::string("*");
        return;
      case ExprKind::kDefault: out_ += "DEFAULT"; return;
      default: return fail("an expression of kind " + std::to_string(static_cast<int>(e.kind)) + " has no text");
    }
  }

  void fail(std::string message) {
    if (!error_) error_.emplace(sqlstate::kInternalError, std::move(message));
  }

  template <class F>
  void wrapped(F&& body) {
    if (!options_.pretty) out_ += "(";
    body();
    if (!options_.pretty) out_ += ")";
  }

  // A child, in parentheses where the parent needs them. Without `pretty` every operator brings its own.
  void nested(const Expr& e, const Expr& parent, bool implicit) {
    const bool parentheses = options_.pretty && !is_simple(e, parent, implicit);
    if (parentheses) out_ += "(";
    print(e, implicit);
    if (parentheses) out_ += ")";
  }

  static int arithmetic_priority(std::string_view op) {
    if (op == "+" || op == "-") return 1;
    if (op == "*" || op == "/" || op == "%") return 2;
    return 0;
  }

  bool is_simple(const Expr& e, const Expr& parent, bool implicit) {
    switch (e.kind) {
      case ExprKind::kRelabel: return is_simple(*as<RelabelExpr>(e).argument, e, true);
      case ExprKind::kIoCast: return is_simple(*as<IoCastExpr>(e).argument, e, true);
      case ExprKind::kRowCast: return is_simple(*as<RowCastExpr>(e).argument, e, true);
      case ExprKind::kArrayCast: return is_simple(*as<ArrayCastExpr>(e).argument, e, true);
      case ExprKind::kDomainCast: return is_simple(*as<DomainCastExpr>(e).argument, e, true);
      case ExprKind::kSubscript: return true;
      case ExprKind::kField: return parent.kind != ExprKind::kField;
      case ExprKind::kCall: {
        const auto& call = as<CallExpr>(e);
        if (is_cast(e)) {
          if (call.form == Form::kImplicitCast && !implicit) return is_simple(*call.arguments[0], parent, implicit);
          return true;
        }
        if (call.form == Form::kSqlSyntax) return true;
        if (call.form != Form::kOperator) return true;
        return simple_operator(call, parent);
      }
      case ExprKind::kBool: return simple_bool(as<BoolExpr>(e), parent);
      case ExprKind::kNullTest:
      case ExprKind::kBooleanTest:
      case ExprKind::kDistinct:
      case ExprKind::kArrayCompare:
      case ExprKind::kRowCompare:
      case ExprKind::kSubLink:
      case ExprKind::kCollate: return container(parent);
      default: return true;
    }
  }

  // Parents whose children stand between commas, brackets or keywords.
  static bool container(const Expr& parent) {
    switch (parent.kind) {
      case ExprKind::kCall: return as<CallExpr>(parent).form == Form::kFunction;
      case ExprKind::kBool:
      case ExprKind::kArray:
      case ExprKind::kRow:
      case ExprKind::kCoalesce:
      case ExprKind::kGreatestLeast:
      case ExprKind::kNullIf:
      case ExprKind::kCase:
      case ExprKind::kSubscript: return true;
      default: return false;
    }
  }

  bool simple_operator(const CallExpr& call, const Expr& parent) {
    if (parent.kind == ExprKind::kCall && as<CallExpr>(parent).form == Form::kOperator) {
      const auto& outer = as<CallExpr>(parent);
      if (call.arguments.size() != 2 || outer.arguments.size() != 2) return false;
      const auto *inner_op = catalog_.operator_by_oid(call.op), *outer_op = catalog_.operator_by_oid(outer.op);
      if (!inner_op || !outer_op) return false;
      const int inner = arithmetic_priority(inner_op->name), around = arithmetic_priority(outer_op->name);
      if (inner == 0 || around == 0 || inner < around) return false;
      if (inner > around) return true;
      return outer.arguments[0].get() == &call;  // left-associative
    }
    return container(parent);
  }

  static bool simple_bool(const BoolExpr& e, const Expr& parent) {
    if (const auto* outer = parent.kind == ExprKind::kBool ? &as<BoolExpr>(parent) : nullptr) {
      switch (e.op) {
        case BoolExpr::Op::kNot:
        case BoolExpr::Op::kAnd: return outer->op != BoolExpr::Op::kNot;
        case BoolExpr::Op::kOr: return outer->op == BoolExpr::Op::kOr;
      }
    }
    return container(parent);
  }

  void print_list(const ExprList& list) {
    for (size_t i = 0; i < list.size(); i++) {
      if (i) out_ += ", ";
      print(*list[i], true);
    }
  }

  void print_function(const std::string& name, const ExprList& arguments) {
    out_ += name + "(";
    print_list(arguments);
    out_ += ")";
  }

  void print_column(int column) {
    if (const auto* system = catalog::find_system_column(column)) out_ += system->name;
    if (column < 0) return;
    const bool known = options_.relation && static_cast<size_t>(column) < options_.relation->columns.size();
    out_ += known ? types::quote_identifier(options_.relation->columns[column].name)
                  : "column" + std::to_string(column + 1);
  }

  std::string type_name(const TypeRef& type) { return deparse_type(catalog_, type, options_.always_qualify); }

  std::string operator_name(Oid op) {
    auto name = deparse_operator(catalog_, op, options_.always_qualify);
    return name ? *std::move(name) : (fail("cache lookup failed for operator " + std::to_string(op)), "");
  }

  std::string function_name(const types::FunctionInfo& f) {
    std::string name = types::quote_identifier(f.name);
    if (f.schema == oid::kPgCatalogSchema) return name;
    if (!options_.always_qualify) {
      const auto candidates = catalog_.functions_named("", f.name);
      for (const auto& c : candidates) {
        if (c->arguments != f.arguments) continue;
        if (c->oid == f.oid) return name;
        break;
      }
    }
    return types::quote_identifier(catalog_.schema_name(f.schema)) + "." + name;
  }

  void print_infix(const Expr& e, const Expr& left, const std::string& op, const Expr& right) {
    wrapped([&] {
      nested(left, e, true);
      out_ += op;
      nested(right, e, true);
    });
  }

  void print_call(const CallExpr& call, bool implicit) {
    switch (call.form) {
      case Form::kOperator:
        if (call.arguments.size() == 2) {
          return print_infix(call, *call.arguments[0], " " + operator_name(call.op) + " ", *call.arguments[1]);
        }
        return wrapped([&] {
          out_ += operator_name(call.op) + " ";
          nested(*call.arguments[0], call, true);
        });
      case Form::kExplicitCast:
      case Form::kImplicitCast: return print_cast(call, *call.arguments[0], call.form == Form::kImplicitCast, implicit);
      case Form::kSqlSyntax:
        if (print_construct(call)) return;
        break;
      case Form::kFunction: break;
    }
    const auto f = catalog_.function(call.function);
    if (f == nullptr) return fail("cache lookup failed for function " + std::to_string(call.function));
    out_ += function_name(*f) + "(";
    if (call.positional >= 0) {
      print_given(call, *f);
      out_ += ")";
      return;
    }
    for (size_t i = 0; i < call.arguments.size(); i++) {
      if (i) out_ += ", ";
      if (i + 1 == call.arguments.size() && is_variadic(call, *f)) out_ += "VARIADIC ";
      print(*call.arguments[i], true);
    }
    out_ += ")";
  }

  // Arguments that were collected are an array, too.
  static bool is_variadic(const CallExpr& call, const types::FunctionInfo& f) {
    return call.variadic_array || (f.variadic != kInvalidOid && f.variadic != oid::kAny);
  }

  // The arguments as they were written: without defaults, names where there were some.
  void print_given(const CallExpr& call, const types::FunctionInfo& f) {
    std::vector<std::string> names;
    for (size_t k = 0; k < f.argument_names.size(); k++) {
      const char mode = k < f.argument_modes.size() ? f.argument_modes[k] : 'i';
      if (mode != 'o' && mode != 't') names.push_back(f.argument_names[k]);
    }
    for (size_t i = 0; i < call.given.size(); i++) {
      if (i) out_ += ", ";
      const auto number = static_cast<size_t>(call.given[i]);
      if (number + 1 == call.arguments.size() && is_variadic(call, f)) out_ += "VARIADIC ";
      if (i >= static_cast<size_t>(call.positional) && number < names.size())
        out_ += types::quote_identifier(names[number]) + " => ";
      print(*call.arguments[number], true);
    }
  }

  // EXTRACT, AT TIME ZONE ...; false when the function is none of them.
  // jsonb[...], which is a call of #>; of a folded path that operator is shown.
  void print_jsonb_subscripts(const CallExpr& call) {
    const auto* path = try_as<ArrayExpr>(call.arguments[1]);
    if (path == nullptr) {
      return print_infix(call, *call.arguments[0], " " + operator_name(call.op) + " ", *call.arguments[1]);
    }
    print_container(*call.arguments[0]);
    for (const ExprPtr& step : path->elements) {
      out_ += "[";
      print(*step, false);
      out_ += "]";
    }
  }

  bool print_construct(const CallExpr& call) {
    if (call.op != kInvalidOid && call.arguments.size() == 2) {
      print_jsonb_subscripts(call);
      return true;
    }
    const auto f = catalog_.function(call.function);
    if (!f) return false;
    const ExprList& a = call.arguments;
    const auto part = [&](const char* before, size_t i, const char* after) {
      out_ += before;
      print(*a[i], false);
      out_ += after;
    };
    if (f->name == "timezone" && a.size() == 2) {
      out_ += "(";
      nested(*a[1], call, false);
      out_ += " AT TIME ZONE ";
      nested(*a[0], call, false);
      out_ += ")";
      return true;
    }
    if (f->name == "extract" && a.size() == 2 && a[0]->kind == ExprKind::kConst) {
      out_ += "EXTRACT(" + std::string(as<ConstExpr>(*a[0]).value.get().str);
      part(" FROM ", 1, ")");
      return true;
    }
    if (f->name == "position" && a.size() == 2) {
      part("POSITION((", 1, ") IN (");
      part("", 0, "))");
      return true;
    }
    const auto* form = a.size() == 2 ? try_as<ConstExpr>(a[1]) : nullptr;
    if (f->name == "normalize" && form != nullptr && !form->value.get().null) {
      part("NORMALIZE(", 0, "");
      if (form->value.get().str != "NFC") out_.append(", ").append(form->value.get().str);
      out_ += ")";
      return true;
    }
    if (f->name == "is_normalized" && form != nullptr && !form->value.get().null) {
      out_ += "(";
      nested(*a[0], call, false);
      out_ += " IS ";
      if (form->value.get().str != "NFC") out_.append(form->value.get().str).append(" ");
      out_ += "NORMALIZED)";
      return true;
    }
    if (f->name == "overlay" && a.size() >= 3) {
      part("OVERLAY(", 0, " PLACING ");
      part("", 1, " FROM ");
      part("", 2, "");
      if (a.size() == 4) part(" FOR ", 3, "");
      out_ += ")";
      return true;
    }
    if (f->name == "overlaps" && a.size() == 4) {
      part("((", 0, ", ");
      part("", 1, ") OVERLAPS (");
      part("", 2, ", ");
      part("", 3, "))");
      return true;
    }
    if (f->name == "pg_collation_for" && a.size() == 1) {
      part("COLLATION FOR (", 0, ")");
      return true;
    }
    if (f->name == "substring" && a.size() == 3 && f->arguments[1] == oid::kText) {
      part("SUBSTRING(", 0, " SIMILAR ");
      part("", 1, " ESCAPE ");
      part("", 2, ")");
      return true;
    }
    if (f->name == "substring" && a.size() >= 2 && f->arguments[1] != oid::kText) {
      part("SUBSTRING(", 0, " FROM ");
      part("", 1, "");
      if (a.size() == 3) part(" FOR ", 2, "");
      out_ += ")";
      return true;
    }
    if (f->name == "xmlexists" && a.size() == 2) {
      part("XMLEXISTS((", 0, ") PASSING (");
      part("", 1, "))");
      return true;
    }
    if (XmlDeparser{catalog_, out_, options_.always_qualify, [&](const Expr& e, bool implicit) { print(e, implicit); },
                    [&](const Expr& e) {
                      if (options_.pretty) out_ += "(";
                      print(e, false);
                      if (options_.pretty) out_ += ")";
                    }}
            .print_construct(call)) {
      return true;
    }
    const char* side = f->name == "btrim"   ? "BOTH"
                       : f->name == "ltrim" ? "LEADING"
                       : f->name == "rtrim" ? "TRAILING"
                                            : nullptr;
    if (side) {
      out_ += std::string("TRIM(") + side;
      if (a.size() == 2) part(" ", 1, "");
      part(" FROM ", 0, ")");
      return true;
    }
    return false;
  }

  void print_cast(const Expr& e, const Expr& argument, bool is_implicit, bool show_implicit) {
    if (is_implicit && !show_implicit) return print(argument, false);
    // A cast of a constant to its own type only adds a modifier.
    const auto* c = argument.kind == ExprKind::kConst ? &as<ConstExpr>(argument) : nullptr;
    if (c && c->type.oid == e.type.oid && c->type.typmod == -1) {
      ConstExpr labelled = *c;
      labelled.type = e.type;
      out_ += deparse_const(catalog_, labelled, options_.always_qualify);
      return;
    }
    if (options_.pretty) {
      nested(argument, e, false);
    } else {
      out_ += "(";
      print(argument, false);
      out_ += ")";
    }
    out_ += "::" + type_name(e.type);
  }

  void print_bool(const BoolExpr& e) {
    wrapped([&] {
      if (e.op == BoolExpr::Op::kNot) {
        out_ += "NOT ";
        nested(*e.arguments[0], e, false);
        return;
      }
      for (size_t i = 0; i < e.arguments.size(); i++) {
        if (i) out_ += e.op == BoolExpr::Op::kAnd ? " AND " : " OR ";
        nested(*e.arguments[i], e, false);
      }
    });
  }

  void print_case(const CaseExpr& e) {
    const auto comparison = [&](const CaseExpr::When& w) {
      const auto* call = try_as<CallExpr>(w.condition);
      return call && call->arguments.size() == 2 ? call : nullptr;
    };
    keyword("CASE");
    shift_margin(kCaseIndent);
    const CallExpr* first = e.simple && !e.whens.empty() ? comparison(e.whens[0]) : nullptr;
    if (first) {
      out_ += " ";
      print(*first->arguments[0], true);
    }
    for (const auto& when : e.whens) {
      keyword(" WHEN ");
      const CallExpr* same = first ? comparison(when) : nullptr;
      print(same ? *same->arguments[1] : *when.condition, false);
      out_ += " THEN ";
      print(*when.result, true);
    }
    keyword(" ELSE ");
    print(*e.otherwise, true);
    shift_margin(-kCaseIndent);
    keyword(" END");
  }

  // On a line of its own, unless everything is on one.
  void keyword(std::string_view word) {
    if (options_.one_line) {
      out_ += word;
      return;
    }
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (word.starts_with(' ')) word.remove_prefix(1);
    out_ += deparsed_line(options_.nodes != nullptr ? options_.nodes->margin() : margin_);
    out_ += word;
  }
  void shift_margin(int columns) {
    margin_ += columns;
    if (options_.nodes != nullptr) options_.nodes->shift_margin(columns);
  }

  void print_boolean_test(const BooleanTestExpr& e) {
    static constexpr const char* kTexts[] = {" IS TRUE",      " IS NOT TRUE", " IS FALSE",
                                             " IS NOT FALSE", " IS UNKNOWN",  " IS NOT UNKNOWN"};
    wrapped([&] {
      nested(*e.argument, e, false);
      out_ += kTexts[static_cast<int>(e.test)];
    });
  }

  void print_row_compare(const RowCompareExpr& e) {
    static constexpr const char* kOps[] = {"", "<", "<=", "=", ">=", ">", "<>"};
    out_ += "(ROW(";
    print_row(e.left);
    out_ += std::string(") ") + kOps[e.strategy] + " ROW(";
    print_row(e.right);
    out_ += "))";
  }

  // A row inside one has its type behind it: it would be expanded.
  void print_row(const ExprList& fields) {
    for (const ExprPtr& field : fields) {
      if (field != fields.front()) out_ += ", ";
      print(*field, true);
      if (field->kind == ExprKind::kWholeRow) out_ += "::" + type_name(field->type);
    }
  }

  void print_field(const FieldExpr& e) {
    const bool plain = e.argument->kind == ExprKind::kSubscript || e.argument->kind == ExprKind::kField;
    if (!plain) out_ += "(";
    print(*e.argument, true);
    if (!plain) out_ += ")";
    RowShape shape;
    std::string name;
    if (row_shape(catalog_, e.argument, shape) && static_cast<size_t>(e.field) < shape.names.size()) {
      name = shape.names[e.field];
    } else if (options_.nodes != nullptr) {
      name = options_.nodes->record_field(e.argument, e.field);
    }
    out_ += "." + (name.empty() ? "f" + std::to_string(e.field + 1) : types::quote_identifier(name));
  }

  void print_container(const Expr& e) {
    const bool named = options_.nodes == nullptr || options_.nodes->names_columns();
    const bool plain = (e.kind == ExprKind::kVar && named) || e.kind == ExprKind::kField;
    if (!plain) out_ += "(";
    const size_t at = out_.size();
    print(e, true);
    if (!plain && e.kind == ExprKind::kColumn &&
        out_.find('(', at) == std::string::npos) {  // EXPLAIN's name of a column
      out_.erase(at - 1, 1);
    } else if (!plain) {
      out_ += ")";
    }
  }

  void print_subscript(const SubscriptExpr& e) {
    print_container(*e.container);
    for (const auto& index : e.indexes) {
      out_ += "[";
      if (index.slice) {
        if (index.lower) print(*index.lower, false);
        out_ += ":";
      }
      if (index.upper) print(*index.upper, false);
      out_ += "]";
    }
    if (e.assign == nullptr) return;
    out_ += " := ";
    print(*e.assign, false);
  }

  void print_session_value(const SessionValueExpr& e) {
    static constexpr const char* kNames[] = {
        "CURRENT_DATE",    "CURRENT_TIME",   "CURRENT_TIME", "CURRENT_TIMESTAMP", "CURRENT_TIMESTAMP",
        "LOCALTIME",       "LOCALTIMESTAMP", "CURRENT_USER", "SESSION_USER",      "CURRENT_ROLE",
        "CURRENT_CATALOG", "CURRENT_SCHEMA", "USER"};
    out_ += kNames[static_cast<int>(e.which)];
    if (e.type.typmod >= 0) out_ += "(" + std::to_string(e.type.typmod) + ")";
  }

  catalog::CatalogView& catalog_;
  const DeparseOptions& options_;
  std::string out_;
  int margin_ = 0;
  std::optional<Error> error_;  // the first
};

}  // namespace

std::string deparsed_line(int columns, int more) {
  constexpr int kLimit = 40, kStep = 4;
  if (columns >= kLimit) columns = (kLimit + (columns - kLimit) / kStep) % kLimit;
  return "\n" + std::string(static_cast<size_t>(std::max(columns, 0) + more), ' ');
}

bool looks_like_function(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kCall: {
      const auto form = as<CallExpr>(e).form;
      return form == CallExpr::Form::kFunction ||
             (form == CallExpr::Form::kSqlSyntax && as<CallExpr>(e).op == kInvalidOid);
    }
    case ExprKind::kCoalesce:
    case ExprKind::kGreatestLeast:
    case ExprKind::kNullIf:
    case ExprKind::kSessionValue: return true;
    default: return false;
  }
}

Result<std::string> deparse(catalog::CatalogView& catalog, const Expr& expr, const DeparseOptions& options,
                            bool show_implicit) {
  return Deparser(catalog, options).text(expr, show_implicit);
}

Result<std::string> deparse(catalog::CatalogView& catalog, const Expr& expr, const catalog::RelationInfo* relation) {
  DeparseOptions options;
  options.relation = relation;
  return deparse(catalog, expr, options);
}

}  // namespace indigo::sql
