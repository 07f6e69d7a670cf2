#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "log/crc32c.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/type/coerce.h"
#include "sql/stored/stored_tree.h"
#include "sql/stored/tree_check.h"
#include "sql/stored/tree_fields.h"
#include "types/text/strings.h"

namespace indigo::sql {
namespace stored {
namespace {

// "{T6:": the digit is the version. Nodes of an older one have fewer fields.
constexpr std::string_view kBegin = "{T", kEnd = "}";
constexpr size_t kBeginBytes = kBegin.size() + 2;
constexpr int kVersions = 6;

// 0: not a tree.
int version_of(std::string_view text) {
  if (!text.starts_with(kBegin) || !text.ends_with(kEnd) || text.size() < kBeginBytes + kEnd.size()) return 0;
  const int version = text[kBegin.size()] - '0';
  return text[kBegin.size() + 1] == ':' && version >= 1 && version <= kVersions ? version : 0;
}

constexpr auto last(GroupingItem::Kind) { return GroupingItem::Kind::kSets; }
constexpr auto last(EntryKind) { return EntryKind::kResult; }
constexpr auto last(JoinType) { return JoinType::kAnti; }
constexpr auto last(Overriding) { return Overriding::kSystemValue; }
constexpr auto last(MergeAction::Match) { return MergeAction::Match::kNotMatched; }
constexpr auto last(CallExpr::Form) { return CallExpr::Form::kSqlSyntax; }
constexpr auto last(BoolExpr::Op) { return BoolExpr::Op::kNot; }
constexpr auto last(BooleanTestExpr::Test) { return BooleanTestExpr::Test::kNotUnknown; }
constexpr auto last(SubLinkExpr::Form) { return SubLinkExpr::Form::kMultiAssign; }
constexpr auto last(SessionValueExpr::Which) { return SessionValueExpr::Which::kUser; }
constexpr auto last(FrameBound::Kind) { return FrameBound::Kind::kUnboundedFollowing; }
constexpr auto last(Window::Mode) { return Window::Mode::kGroups; }
constexpr auto last(Window::Exclude) { return Window::Exclude::kTies; }
constexpr auto last(CommonTable::Materialize) { return CommonTable::Materialize::kNever; }
constexpr auto last(SetOperation) { return SetOperation::kExcept; }
constexpr auto last(storage::RowLockMode) { return storage::RowLockMode::kUpdate; }
constexpr auto last(storage::LockWait) { return storage::LockWait::kSkip; }
constexpr auto last(CommandKind) { return CommandKind::kMerge; }
constexpr auto last(Phys) { return Phys::kStr; }

// Kinds whose parts may be absent; of all others every part is there.
template <class Node>
constexpr bool kHasOptionalParts = std::is_same_v<Node, AggregateExpr> || std::is_same_v<Node, WindowCallExpr> ||
                                   std::is_same_v<Node, SubLinkExpr> || std::is_same_v<Node, SubscriptExpr>;

// The column of an entry behind one side of USING; null: made of several columns.
const VarExpr* joined_column(const ExprPtr& side) {
  if (const auto* r = try_as<RelabelExpr>(side)) return joined_column(r->argument);
  if (const auto* call = try_as<CallExpr>(side); call != nullptr && call->form == CallExpr::Form::kImplicitCast) {
    return joined_column(call->arguments[0]);
  }
  const auto* v = try_as<VarExpr>(side);
  return v != nullptr && v->levels_up == 0 && v->column >= 0 ? v : nullptr;
}

void name_column(Query& q, const VarExpr& v, const std::string& name) {
  if (v.entry < 0 || static_cast<size_t>(v.entry) >= q.entries.size()) return;
  auto& names = q.entries[static_cast<size_t>(v.entry)].column_names;
  if (static_cast<size_t>(v.column) >= names.size() || names[static_cast<size_t>(v.column)] == name) return;
  if (const auto other = std::find(names.begin(), names.end(), name); other != names.end()) {
    int number = 1;
    while (std::find(names.begin(), names.end(), name + "_" + std::to_string(number)) != names.end()) number++;
    *other = name + "_" + std::to_string(number);
  }
  names[static_cast<size_t>(v.column)] = name;
}

// USING goes by names: a column that has another one since gets the old one as its alias.
void name_joined_columns(Query& q, const JoinNode& n) {
  if (n.leaf || n.left == nullptr || n.right == nullptr) return;
  name_joined_columns(q, *n.left);
  name_joined_columns(q, *n.right);
  const auto* both = try_as<BoolExpr>(n.condition);
  const ExprList conditions = both != nullptr && n.using_columns.size() > 1 ? both->arguments : ExprList{n.condition};
  for (size_t i = 0; i < n.using_columns.size() && i < conditions.size(); i++) {
    const auto* same = try_as<CallExpr>(conditions[i]);
    if (same == nullptr) continue;
    for (const ExprPtr& side : same->arguments) {
      if (const VarExpr* v = joined_column(side)) name_column(q, *v, n.using_columns[i]);
    }
  }
}

class Reader {
 public:
  Reader(Analysis& analysis, std::string_view bytes, LoadFor purpose, int version)
      : a_(analysis), bytes_(bytes), purpose_(purpose), version_(version) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }

  // A call that stays one, whatever language its function is in.
  void whole_call(ExprPtr& call) {
    whole_ = true;
    get(call);
    whole_ = false;
  }

  template <class T>
  void since_version(int version, T& value) {
    if (version_ >= version) get(value);
  }

  void entry_source(Entry& e) {
    get(e.kind);
    Oid relation = kInvalidOid;
    get(relation);
    if (relation == kInvalidOid) {
      (*this)(e.subquery, e.alias, e.column_names, e.column_types);
      return;
    }
    std::vector<std::string> others;
    (*this)(e.alias, others);
    if (failed()) return;
    e.relation = a_.catalog.relation(relation);
    if (e.relation == nullptr) return fail("relation with OID " + std::to_string(relation) + " is missing");
    const bool view = e.relation->kind == catalog::RelationKind::kView;
    if (e.kind != (view ? EntryKind::kSubquery : EntryKind::kTable)) return fail("relation of another kind");
    if (e.alias.empty()) e.alias = e.relation->name;
    for (size_t i = 0; i < e.relation->columns.size(); i++) {
      const auto& column = e.relation->columns[i];
      const bool renamed = i < others.size() && !others[i].empty();
      e.column_names.push_back(column.dropped ? std::string() : renamed ? others[i] : column.name);
      e.column_types.push_back(column.type);
    }
    if (!view || purpose_ == LoadFor::kPrinting) return;
    Scope scope(a_, nullptr);
    auto definition = view_to_read(scope, *e.relation);
    if (!definition.ok()) return fail(definition.take_error());
    e.subquery = std::move(*definition);
    e.security_barrier = e.relation->security_barrier;
  }

  void get(ExprPtr& e) {
    const int64_t tag = number();
    if (failed()) return;
    if (tag == 0) {
      if (!optional_) fail();
      return;
    }
    if (tag == 1) {
      const int64_t at = number();
      if (at < 0 || static_cast<size_t>(at) >= read_.size()) return fail();
      e = read_[static_cast<size_t>(at)];
      return;
    }
    if (auto depth = check_stack_depth(); !depth.ok()) return fail(depth.take_error());
    const bool whole = std::exchange(whole_, false);
    const bool storable = with_kind(static_cast<ExprKind>(tag - 2), [&]<class Node>() {
      auto node = std::make_shared<Node>();
      fields(*this, node->type);
      const bool outer = optional_;
      optional_ = kHasOptionalParts<Node>;
      fields(*this, *node);
      optional_ = outer;
      if (!failed() && !sound(*node)) fail();
      if (!failed()) e = finished(std::move(node), whole);
    });
    if (!storable || tag > 255) return fail();
    read_.push_back(e);
  }

  void get(std::shared_ptr<const Query>& q) {
    const int64_t kind = number();
    if (kind < 0 || kind > 3) return fail();
    if (kind == 0 || failed()) return;
    auto made = std::make_shared<Query>();
    const bool outer = optional_;
    optional_ = true;
    fields(*this, *made);
    if (kind >= 2) change_fields(*this, *made);
    if (kind == 3) more_change_fields(*this, *made);
    optional_ = outer;
    if (!failed() && purpose_ == LoadFor::kPrinting && made->from != nullptr) name_joined_columns(*made, *made->from);
    q = std::move(made);
  }

  bool at_end() const { return at_ == bytes_.size(); }
  bool failed() const { return error_ != nullptr; }
  std::unique_ptr<Error> take_error() { return std::move(error_); }
  void fail(const std::string& what = "stored expression is damaged") {
    if (!failed()) error_ = std::make_unique<Error>(SqlState("XX001"), what);
  }

 private:
  void fail(std::unique_ptr<Error> error) {
    if (!failed()) error_ = std::move(error);
  }

  // ---- what the catalog adds to a node

  template <class Node>
  ExprPtr finished(std::shared_ptr<Node> node, bool) {
    return node;
  }
  ExprPtr finished(std::shared_ptr<ConstExpr> node, bool) {
    const auto type = a_.catalog.type(node->type.oid);
    if (type == nullptr || type->phys != node->value.get().phys) fail();
    return node;
  }
  ExprPtr finished(std::shared_ptr<CallExpr> node, bool whole) {
    const auto function = a_.catalog.function(node->function);
    if (function == nullptr) {
      fail("function with OID " + std::to_string(node->function) + " is missing");
      return node;
    }
    node->strict = function->strict;
    node->returns_set = function->returns_set;
    node->volatility = function->volatility;
    if (whole || purpose_ == LoadFor::kPrinting || !a_.inline_functions || function->language != "sql") return node;
    auto body = call_or_inline(a_, *function, node->arguments, node->type, node->form, node->op, -1);
    if (!body.ok()) fail(body.take_error());
    const auto* same = body.ok() ? try_as<CallExpr>(*body) : nullptr;
    return !body.ok() || (same != nullptr && same->function == node->function) ? ExprPtr(node) : *body;
  }
  ExprPtr finished(std::shared_ptr<DomainCastExpr> node, bool) {
    if (purpose_ == LoadFor::kPrinting) return node;
    if (auto added = add_domain_checks(a_, *node); !added.ok()) fail(added.take_error());
    return node;
  }

  // ---- plain values

  template <class T>
  void get(T& value) requires(std::is_integral_v<T>) {
    const int64_t n = number();
    if (!std::in_range<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>(n)) return fail();
    value = static_cast<T>(n);
  }
  template <class T>
  void get(T& value) requires(std::is_enum_v<T>) {
    const int64_t n = number();
    if (n < 0 || n > static_cast<int64_t>(last(T{}))) return fail();
    value = static_cast<T>(n);
  }
  template <class T>
  void get(T& value) requires(std::is_class_v<T>) {
    if constexpr (std::is_same_v<T, GroupingItem>) {  // the one that holds others of its kind
      if (auto depth = check_stack_depth(); !depth.ok()) return fail(depth.take_error());
    }
    fields(*this, value);
  }
  void get(char& value) {
    const std::string_view one = take(1);
    if (!one.empty()) value = one[0];
  }
  void get(double& value) { value = std::bit_cast<double>(static_cast<uint64_t>(number())); }
  void get(std::string& text) { text = take(number()); }
  template <class T>
  void get(std::vector<T>& list) {
    const int64_t count = number();
    // Each item has a byte at least.
    if (failed() || count < 0 || static_cast<size_t>(count) > bytes_.size() - at_) return fail();
    list.resize(static_cast<size_t>(count));
    const bool outer = optional_;
    if constexpr (std::is_same_v<T, ExprPtr>) optional_ = false;
    for (T& item : list) {
      get(item);
      if (failed()) break;
    }
    optional_ = outer;
    if (failed()) list.clear();
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (!there || failed()) return;
    value = T();
    get(*value);
  }
  template <class T>
  void get(std::shared_ptr<const T>& node) {
    bool there = false;
    get(there);
    if (!there || failed()) return;
    if (auto depth = check_stack_depth(); !depth.ok()) return fail(depth.take_error());
    auto made = std::make_shared<T>();
    fields(*this, *made);
    node = std::move(made);
  }
  void get(OwnedDatum& value) {
    Phys phys = Phys::kI32;
    bool null = false;
    (*this)(phys, null);
    Datum d = Datum::make_null(phys);
    d.null = null;
    std::string text;
    if (!null && phys == Phys::kStr) {
      get(text);
      d.str = text;
    } else if (!null) {
      const std::string_view bytes = take(phys_bytes(phys));
      char block[sizeof d.block] = {};
      std::copy(bytes.begin(), bytes.end(), block);
      if (phys == Phys::kBool) block[0] = static_cast<char>(block[0] != 0);
      std::memcpy(&d.block, block, sizeof block);
    }
    if (!failed()) value = OwnedDatum(d);
  }

  std::string_view take(int64_t size) {
    if (failed() || size < 0 || static_cast<size_t>(size) > bytes_.size() - at_) {
      fail();
      return {};
    }
    const std::string_view out = bytes_.substr(at_, static_cast<size_t>(size));
    at_ += out.size();
    return out;
  }
  int64_t number() {
    uint64_t v = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = take(1);
      if (byte.empty()) return 0;
      v |= (static_cast<uint64_t>(byte[0]) & 0x7F) << shift;
      if ((byte[0] & 0x80) == 0) return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
    }
    fail();
    return 0;
  }

  Analysis& a_;
  const std::string_view bytes_;
  const LoadFor purpose_;
  const int version_;
  size_t at_ = 0;
  bool whole_ = false;  // the node that is read next is to stay a call
  bool optional_ = true;
  std::vector<ExprPtr> read_;
  std::unique_ptr<Error> error_;
};

// The node's bytes; empty when the tree is damaged or of another kind.
std::string_view unpacked(Analysis& a, std::string_view tree, char kind) {
  if (!is_stored_tree(tree)) return {};
  tree.remove_prefix(kBeginBytes);
  tree.remove_suffix(kEnd.size());
  const std::string_view bytes = types::decode_base64(a.functions(), tree);
  if (a.functions().failed()) {
    const auto ignored = a.functions().take_error();
    return {};
  }
  uint32_t crc = 0;
  if (bytes.size() < sizeof crc + 2) return {};
  for (size_t i = 0; i < sizeof crc; i++) crc |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  const std::string_view rest = bytes.substr(sizeof crc);
  if (log::crc32c(rest.data(), rest.size()) != crc || rest[0] != kind) return {};
  return rest.substr(1);
}

template <class T>
Result<std::shared_ptr<const T>> load(Analysis& a, std::string_view tree, char kind, LoadFor purpose) {
  Reader reader(a, unpacked(a, tree, kind), purpose, version_of(tree));
  std::shared_ptr<const T> out;
  reader.get(out);
  if (!reader.failed() && (out == nullptr || !reader.at_end())) reader.fail();
  if (!reader.failed()) {
    bool good = false;
    if constexpr (std::is_same_v<T, Query>) {
      good = consistent(*out);
    } else {
      good = consistent(out);
    }
    if (!good) reader.fail();
  }
  if (reader.failed()) return reader.take_error();
  return out;
}

}  // namespace
}  // namespace stored

bool is_stored_tree(std::string_view text) { return stored::version_of(text) != 0; }

Result<ExprPtr> load_expression(Analysis& analysis, std::string_view tree, LoadFor purpose) {
  return stored::load<Expr>(analysis, tree, 'E', purpose);
}

Result<std::shared_ptr<const Query>> load_query(Analysis& analysis, std::string_view tree, LoadFor purpose) {
  return stored::load<Query>(analysis, tree, 'Q', purpose);
}

}  // namespace indigo::sql
