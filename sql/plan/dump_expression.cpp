#include "sql/plan/dump.h"

namespace indigo::sql {
namespace {

class Printer {
 public:
  explicit Printer(catalog::CatalogView& catalog) : catalog_(catalog) {}

  std::string print(const Expr& e) {
    switch (e.kind) {
      case ExprKind::kColumn:
        return "$" + std::to_string(as<ColumnExpr>(e).input) + "." + std::to_string(as<ColumnExpr>(e).column);
      case ExprKind::kConst: return constant(as<ConstExpr>(e).value.get());
      case ExprKind::kParam: return "$" + std::to_string(as<ParamExpr>(e).index + 1);
      case ExprKind::kRuntimeParam: return ":" + std::to_string(as<RuntimeParamExpr>(e).slot);
      case ExprKind::kCall: return call(as<CallExpr>(e));
      case ExprKind::kBool: {
        const auto& b = as<BoolExpr>(e);
        if (b.op == BoolExpr::Op::kNot) return "NOT " + print(*b.arguments[0]);
        return "(" + list(b.arguments, b.op == BoolExpr::Op::kAnd ? " AND " : " OR ") + ")";
      }
      case ExprKind::kNullTest: {
        const auto& t = as<NullTestExpr>(e);
        return print(*t.argument) + (t.is_null ? " IS NULL" : " IS NOT NULL");
      }
      case ExprKind::kArrayCompare: {
        const auto& c = as<ArrayCompareExpr>(e);
        return print(*c.left) + " " + op_name(c.op) + (c.any ? " ANY " : " ALL ") + print(*c.array);
      }
      case ExprKind::kArray: return "ARRAY[" + list(as<ArrayExpr>(e).elements, ", ") + "]";
      case ExprKind::kAggregate: {
        const auto& a = as<AggregateExpr>(e);
        return name(a.function) + "(" + (a.star ? "*" : (a.distinct ? "DISTINCT " : "") + list(a.arguments, ", ")) +
               ")";
      }
      case ExprKind::kWindowCall: {
        const auto& w = as<WindowCallExpr>(e);
        return name(w.function) + "(" + (w.star ? "*" : list(w.arguments, ", ")) + ")";
      }
      case ExprKind::kSubPlan: {
        const auto& s = as<SubPlanExpr>(e);
        std::string out = (s.hashed ? "hashed subplan " : "subplan ") + std::to_string(s.subplan);
        for (const auto& p : s.passes) out += " [:" + std::to_string(p.to) + " = " + print(*p.from) + "]";
        if (s.test) out += " test " + print(*s.test);
        return "(" + out + ")";
      }
      case ExprKind::kRelabel: return print(*as<RelabelExpr>(e).argument);
      case ExprKind::kDistinct: {
        const auto& d = as<DistinctExpr>(e);
        return print(*d.left) + (d.negated ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ") + print(*d.right);
      }
      default: return kind_name(e.kind) + "(" + children(e) + ")";
    }
  }

 private:
  static std::string kind_name(ExprKind k) {
    switch (k) {
      case ExprKind::kVar: return "var";
      case ExprKind::kCase: return "case";
      case ExprKind::kCoalesce: return "coalesce";
      case ExprKind::kGreatestLeast: return "extreme";
      case ExprKind::kNullIf: return "nullif";
      case ExprKind::kBooleanTest: return "is";
      case ExprKind::kRow: return "row";
      case ExprKind::kRowCompare: return "rowcompare";
      case ExprKind::kField: return "field";
      case ExprKind::kSubscript: return "subscript";
      case ExprKind::kIoCast: return "iocast";
      case ExprKind::kRowCast: return "rowcast";
      case ExprKind::kArrayCast: return "arraycast";
      case ExprKind::kDomainCast: return "domain";
      case ExprKind::kCollate: return "collate";
      case ExprKind::kSubLink: return "sublink";
      case ExprKind::kDefault: return "default";
      case ExprKind::kSessionValue: return "session";
      case ExprKind::kWholeRow: return "wholerow";
      default: return "expr";
    }
  }

  std::string children(const Expr& e) {
    std::string out;
    for_each_child(e, [&](const ExprPtr& c) { out += (out.empty() ? "" : ", ") + print(*c); });
    return out;
  }

  static std::string constant(const Datum& d) {
    if (d.null) return "NULL";
    switch (d.phys) {
      case Phys::kBool: return d.b ? "true" : "false";
      case Phys::kI16: return std::to_string(d.i16);
      case Phys::kI32: return std::to_string(d.i32);
      case Phys::kI64: return std::to_string(d.i64);
      case Phys::kF32: return std::to_string(d.f32);
      case Phys::kF64: return std::to_string(d.f64);
      case Phys::kStr: return "'" + std::string(d.str) + "'";
      default: return "?";
    }
  }

  std::string name(Oid function) {
    const auto f = catalog_.function(function);
    return f ? f->name : std::to_string(function);
  }
  std::string op_name(Oid op) {
    const auto* o = catalog_.operator_by_oid(op);
    return o ? o->name : "?";
  }

  std::string call(const CallExpr& c) {
    if (c.op != kInvalidOid && c.arguments.size() == 2)
      return "(" + print(*c.arguments[0]) + " " + op_name(c.op) + " " + print(*c.arguments[1]) + ")";
    return name(c.function) + "(" + list(c.arguments, ", ") + ")";
  }

  std::string list(const ExprList& all, const char* separator) {
    std::string out;
    for (const ExprPtr& e : all) out += (out.empty() ? "" : separator) + (e ? print(*e) : std::string("-"));
    return out;
  }

  catalog::CatalogView& catalog_;
};

}  // namespace

std::string dump_expression(catalog::CatalogView& catalog, const Expr& e) { return Printer(catalog).print(e); }

}  // namespace indigo::sql
