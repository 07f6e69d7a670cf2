// amvalidate(): whether an operator class and its family are what their access method asks for. What is not, is told the client.
#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/row_sink.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "engine/system/operator_class/family.h"
#include "engine/system/operator_class/method_rules.h"
#include "sql/analyze/type/coerce.h"

namespace indigo::engine {

namespace {

constexpr uint64_t bits(int first, int last) { return (uint64_t{2} << last) - (uint64_t{1} << first); }

class Validation {
 public:
  Validation(SessionParts& session, const OperatorClass& c, const MethodRules& rules)
      : session_(session), view_(session.session_catalog()), names_(session), class_(c), rules_(rules) {}

  bool run() {
    pairs_ = family_pairs(class_);
    for (const FamilyFunction& f : class_.functions) check_function(f);
    for (const FamilyOperator& o : class_.operators) check_operator(o);
    check_pairs();
    return valid_;
  }

 private:
  // ---- complaints
  void complain(const std::string& text) {
    session_.notice(Severity::kInfo, Error(sqlstate::kInvalidObjectDefinition, text));
    valid_ = false;
  }
  std::string of_method() const { return " of access method " + std::string(rules_.name); }
  void family_complaint(const std::string& text) {
    complain(rules_.set == RuleSet::kBloom
                 ? "bloom opfamily " + class_.family_name + " " + text
                 : "operator family \"" + class_.family_name + "\"" + of_method() + " " + text);
  }
  void class_complaint(const std::string& text) {
    complain(rules_.set == RuleSet::kBloom ? "bloom opclass " + class_.name + " " + text
                                           : "operator class \"" + class_.name + "\"" + of_method() + " " + text);
  }
  std::string function_text(Oid function) { return types::procedure_name(names_.context, function); }
  std::string operator_text(Oid op) { return types::operator_signature(names_.context, op); }
  std::string type_text(Oid type) { return types::format_type(names_.context, type); }
  std::string for_types(const FamilyPair& p) {
    return " for types " + type_text(p.left) + " and " + type_text(p.right);
  }

  // ---- functions
  void check_function(const FamilyFunction& f) {
    if (rules_.one_type && f.left != f.right) {
      family_complaint(rules_.set == RuleSet::kBloom
                           ? "contains support procedure " + function_text(f.function) + " with cross-type registration"
                           : "contains support function " + function_text(f.function) +
                                 " with different left and right input types");
    }
    if (rules_.class_only && f.left != class_.input) return;
    const SupportRule* rule = rules_.function(f.number);
    if (rule == nullptr && (f.number < rules_.first_free || f.number > rules_.last_free)) {
      family_complaint("contains function " + function_text(f.function) + " with invalid support number " +
                       std::to_string(f.number));
      return;
    }
    if (rule != nullptr && !signature_holds(f, *rule)) wrong_signature(f);
    seen_functions_ |= uint64_t{1} << f.number;
  }

  void wrong_signature(const FamilyFunction& f) {
    const std::string text = "contains function " + function_text(f.function) +
                             " with wrong signature for support number " + std::to_string(f.number);
    if (rules_.set == RuleSet::kHash && f.number == 3)
      valid_ = false;  // without a word
    else if (rules_.set == RuleSet::kBloom)
      complain("gist opfamily " + class_.family_name + " " + text);
    else
      family_complaint(text);
  }

  bool signature_holds(const FamilyFunction& f, const SupportRule& rule) {
    const auto function = view_.function(f.function);
    if (function == nullptr) return false;
    if (rules_.set == RuleSet::kSpgist && f.number == 1) configure(f, *function);
    // Only a class whose configuration has come before knows what its leaves are.
    if (rules_.set == RuleSet::kSpgist && f.number == 6 && configured_ != f.left) return false;
    const size_t count = function->arguments.size();
    bool holds = function->result == resolved(rule.result, f) && !function->returns_set && count >= rule.least &&
                 count <= rule.most();
    for (size_t i = 0; i < std::min(count, rule.most()); i++) {
      const Oid given = resolved(rule.arguments[i], f), wanted = function->arguments[i];
      const bool exact = rule.exact || (rules_.set == RuleSet::kHash && i == 1);
      const bool taken = exact ? given == wanted : sql::binary_coercible(view_, given, wanted);
      if (!taken && !(rules_.set == RuleSet::kHash && i == 0 && hashes_same_form(f.function, given))) holds = false;
    }
    if (holds && rules_.set == RuleSet::kHash && f.number != 3) hashed_.push_back(f.left);
    return holds;
  }

  Oid resolved(Oid type, const FamilyFunction& f) const {
    switch (type) {
      case kLeftType: return f.left;
      case kRightType: return f.right;
      case kInputType: return class_.input;
      case kKeyType: return rules_.set == RuleSet::kSpgist ? leaf_ : class_.key_or_input();
      default: return type;
    }
  }

  void configure(const FamilyFunction& f, const types::FunctionInfo& function) {
    configured_ = f.left;
    leaf_ = class_.key != kInvalidOid ? class_.key : f.left;
    const Oid told = spgist_leaf_type(function.source);
    if (told != kInvalidOid && told != leaf_) {
      complain("SP-GiST leaf data type " + type_text(told) + " does not match declared type " + type_text(leaf_));
      leaf_ = told;
    }
    if (leaf_ != f.left) return;
    // Nothing is to be compressed.
    for (FamilyPair& p : pairs_)
      if (p.left == f.left && p.right == f.right) p.functions |= bits(6, 6);
  }

  // ---- operators
  void check_operator(const FamilyOperator& o) {
    const std::string text = operator_text(o.op);
    if (o.strategy < 1 || o.strategy > rules_.strategies)
      family_complaint("contains operator " + text + " with invalid strategy number " + std::to_string(o.strategy));
    else if (o.left == o.right)
      seen_operators_ |= o.strategy < 64 ? uint64_t{1} << o.strategy : 0;
    const types::OperatorInfo* op = view_.operator_by_oid(o.op);
    if (op == nullptr) return;
    check_order(o, *op, text);
    const Oid result = o.orders && rules_.order != OrderRule::kNone ? op->result : oid::kBool;
    if (op->result != result || op->left == kInvalidOid || op->left != o.left || op->right != o.right)
      family_complaint("contains operator " + text + " with wrong signature");
    if (rules_.set == RuleSet::kHash && (!std::ranges::count(hashed_, o.left) || !std::ranges::count(hashed_, o.right)))
      family_complaint("lacks support function for operator " + text);
  }

  void check_order(const FamilyOperator& o, const types::OperatorInfo& op, const std::string& text) {
    const auto complain_of = [&](const char* what) {
      family_complaint(std::string("contains ") + what + " specification for operator " + text);
    };
    if (rules_.order == OrderRule::kNone) {
      if (o.orders || o.order_family != kInvalidOid) complain_of("invalid ORDER BY");
      return;
    }
    if (!o.orders) return;
    const bool distance = rules_.order == OrderRule::kDistance;
    const auto measures = [&](const FamilyFunction& f) {
      return f.left == o.left && f.right == o.left && f.number == 8;
    };
    if (distance && std::ranges::none_of(class_.functions, measures)) complain_of("unsupported ORDER BY");
    if (!family_sorts(session_, o.order_family, op.result))
      complain_of(distance ? "incorrect ORDER BY opfamily" : "invalid ORDER BY");
  }

  // ---- what is missing
  void check_pairs() {
    const auto own = std::ranges::find_if(
        pairs_, [&](const FamilyPair& p) { return p.left == class_.input && p.right == class_.input; });
    const FamilyPair* of_class = own == pairs_.end() ? nullptr : &*own;
    switch (rules_.set) {
      case RuleSet::kBtree: check_btree(of_class); break;
      case RuleSet::kHash: check_hash(of_class); break;
      case RuleSet::kGist: require_functions(of_class, {1, 2, 5, 6, 7}); break;
      case RuleSet::kGin:
        require_functions(of_class, {2, 3});
        if (of_class == nullptr || (!of_class->has_function(4) && !of_class->has_function(6)))
          class_complaint("is missing support function 4 or 6");
        break;
      case RuleSet::kSpgist: check_spgist(of_class); break;
      case RuleSet::kBrin: check_brin(of_class); break;
      case RuleSet::kBloom: require_functions(of_class, {1}); break;
    }
  }

  void require_functions(const FamilyPair* of_class, std::initializer_list<int> numbers) {
    for (const int number : numbers) {
      if (of_class == nullptr || !of_class->has_function(number))
        class_complaint("is missing support function " + std::to_string(number));
    }
  }
  void require_operators(const FamilyPair& p, uint64_t operators) {
    if (p.operators != operators) family_complaint("is missing operator(s)" + for_types(p));
  }

  void check_btree(const FamilyPair* of_class) {
    std::vector<Oid> types;
    size_t useful = 0;
    for (const FamilyPair& p : pairs_) {
      // A function for the ends of window frames may be there for offsets of any type.
      if (p.operators == 0 && p.functions == bits(3, 3)) {
        if (of_class == &p) of_class = nullptr;
        continue;
      }
      useful++;
      types.insert(types.end(), {p.left, p.right});
      require_operators(p, bits(1, 5));
      if (!p.has_function(1)) family_complaint("is missing support function" + for_types(p));
    }
    if (of_class == nullptr) class_complaint("is missing operator(s)");
    require_every_pair(useful, std::move(types));
  }

  void check_hash(const FamilyPair* of_class) {
    for (const FamilyPair& p : pairs_) require_operators(p, bits(1, 1));
    if (of_class == nullptr) class_complaint("is missing operator(s)");
    require_every_pair(pairs_.size(), hashed_);
  }

  void require_every_pair(size_t pairs, std::vector<Oid> types) {
    std::ranges::sort(types);
    types.erase(std::unique(types.begin(), types.end()), types.end());
    if (pairs != types.size() * types.size()) family_complaint("is missing cross-type operator(s)");
  }

  void check_spgist(const FamilyPair* of_class) {
    for (const FamilyPair& p : pairs_) {
      if (p.operators == 0) family_complaint("is missing operator(s)" + for_types(p));
      if (p.left != p.right) continue;
      for (int number = 1; number <= 6; number++) {
        if (!p.has_function(number)) {
          family_complaint("is missing support function " + std::to_string(number) + " for type " + type_text(p.left));
        }
      }
    }
    if (of_class == nullptr) class_complaint("is missing operator(s)");
  }

  void check_brin(const FamilyPair* of_class) {
    for (const FamilyPair& p : pairs_) {
      if (p.functions == 0 && p.left != p.right) continue;  // families may do without functions for two types
      require_operators(p, seen_operators_);
      if (p.functions != seen_functions_) family_complaint("is missing support function(s)" + for_types(p));
    }
    if (of_class == nullptr || of_class->operators != seen_operators_) class_complaint("is missing operator(s)");
    require_functions(of_class, {1, 2, 3, 4});
  }

  SessionParts& session_;
  catalog::SessionCatalog& view_;
  NameContext names_;
  const OperatorClass& class_;
  const MethodRules& rules_;
  bool valid_ = true;
  std::vector<FamilyPair> pairs_;
  uint64_t seen_functions_ = 0, seen_operators_ = 0;  // operators: those for one type
  std::vector<Oid> hashed_;                           // types that hash functions are for
  Oid configured_ = kInvalidOid, leaf_ = kInvalidOid;
};

// The source of the method's handler.
std::string handler_of(SessionParts& session, Oid method) {
  Oid handler = kInvalidOid;
  CatalogRows(session).find(catalog::pg_am::kOid, method,
                            [&](RowReader row) { handler = row.oid(catalog::pg_am::c_amhandler); });
  const auto function = session.session_catalog().function(handler);
  return function == nullptr ? std::string() : function->source;
}

Result<OwnedDatum> validate(SessionParts& session, std::span<const Datum> arguments) {
  const Oid oid = arguments[0].oid();
  const auto found = read_operator_class(session, oid);
  if (!found) {
    return Error(sqlstate::kInternalError, "cache lookup failed for operator class " + std::to_string(oid));
  }
  const MethodRules* rules = method_rules(handler_of(session, found->method));
  return value_of(rules == nullptr || Validation(session, *found, *rules).run());
}

constexpr SystemValue kOperatorClassValues[] = {{"amvalidate", validate}};

}  // namespace

std::span<const SystemValue> operator_class_values() { return kOperatorClassValues; }

}  // namespace indigo::engine
