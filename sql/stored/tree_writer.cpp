#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "log/crc32c.h"
#include "sql/stored/stored_tree.h"
#include "sql/stored/tree_fields.h"
#include "types/text/strings.h"

namespace indigo::sql {
namespace stored {
namespace {

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }

  void whole_call(const ExprPtr& call) { (*this)(call); }
  template <class T>
  void since_version(int, const T& value) {
    put(value);
  }

  // A relation's names are its own: only those that an alias gives are kept.
  void entry_source(const Entry& e) {
    put(e.kind);
    const Oid relation = e.relation != nullptr ? e.relation->oid : kInvalidOid;
    put(relation);
    if (relation == kInvalidOid) {
      (*this)(e.subquery, e.alias, e.column_names, e.column_types);
      return;
    }
    std::vector<std::string> others;
    for (size_t i = 0; i < e.column_names.size() && i < e.relation->columns.size(); i++) {
      const auto& column = e.relation->columns[i];
      const bool own = column.dropped || column.name == e.column_names[i];
      others.push_back(own ? std::string() : e.column_names[i]);
    }
    (*this)(!e.alias_written && e.alias == e.relation->name ? std::string() : e.alias, others);
  }

  Result<std::string> finish() {
    if (error_ != nullptr) return std::move(error_);
    const uint32_t crc = log::crc32c(out_.data(), out_.size());
    std::string bytes(sizeof crc, '\0');
    for (size_t i = 0; i < sizeof crc; i++) bytes[i] = static_cast<char>(crc >> (8 * i));
    return "{T6:" + types::encode_base64(bytes + out_, false) + "}";
  }

  void put(const ExprPtr& e) {
    if (e == nullptr) return number(0);
    if (const auto known = written_.find(e.get()); known != written_.end()) {
      number(1);
      return number(known->second);
    }
    if (error_ != nullptr) return;
    if (auto depth = check_stack_depth(); !depth.ok()) {
      error_ = depth.take_error();
      return;
    }
    number(static_cast<int64_t>(e->kind) + 2);
    fields(*this, e->type);
    const bool storable = with_kind(e->kind, [&]<class Node>() { fields(*this, as<Node>(*e)); });
    if (!storable) refuse();
    written_.emplace(e.get(), static_cast<int64_t>(written_.size()));
  }
  void put(const std::shared_ptr<const Query>& q) {
    const bool changes = q != nullptr && q->command != CommandKind::kSelect;
    const bool more = changes && (q->command == CommandKind::kMerge || q->overriding != Overriding::kNothing);
    number(q == nullptr ? 0 : more ? 3 : changes ? 2 : 1);
    if (q == nullptr || error_ != nullptr) return;
    if (!q->checks.empty() || !q->target_views.empty() || !q->current_of.empty()) return refuse();
    fields(*this, *q);
    if (changes) change_fields(*this, *q);
    if (more) more_change_fields(*this, *q);
  }
  void put(char c) { out_.push_back(c); }

 private:
  template <class T>
  void put(const T& value) requires(std::is_integral_v<T> || std::is_enum_v<T>) {
    number(static_cast<int64_t>(value));
  }
  template <class T>
  void put(const T& value) requires(std::is_class_v<T>) {
    fields(*this, value);
  }
  void put(double value) { number(static_cast<int64_t>(std::bit_cast<uint64_t>(value))); }
  void put(const std::string& text) {
    number(static_cast<int64_t>(text.size()));
    out_.append(text);
  }
  template <class T>
  void put(const std::vector<T>& list) {
    number(static_cast<int64_t>(list.size()));
    for (const T& item : list) put(item);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class T>
  void put(const std::shared_ptr<const T>& node) {
    put(node != nullptr);
    if (node != nullptr) fields(*this, *node);
  }
  void put(const OwnedDatum& value) {
    const Datum& d = value.get();
    put(d.phys);
    put(d.null);
    if (d.null) return;
    if (d.phys == Phys::kStr) return put(std::string(d.str));
    char bytes[sizeof d.block];
    std::memcpy(bytes, &d.block, sizeof bytes);
    out_.append(bytes, phys_bytes(d.phys));
  }

  void number(int64_t value) {
    uint64_t v = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    for (; v >= 0x80; v >>= 7) out_.push_back(static_cast<char>(v | 0x80));
    out_.push_back(static_cast<char>(v));
  }
  void refuse() {
    if (error_ == nullptr)
      error_ = std::make_unique<Error>(sqlstate::kFeatureNotSupported, "this expression cannot be stored");
  }

  std::string out_;
  std::unordered_map<const Expr*, int64_t> written_;
  std::unique_ptr<Error> error_;
};

}  // namespace
}  // namespace stored

Result<std::string> store_tree(const ExprPtr& expression) {
  stored::Writer writer;
  writer.put('E');
  writer.put(expression);
  return writer.finish();
}

Result<std::string> store_tree(const std::shared_ptr<const Query>& query) {
  stored::Writer writer;
  writer.put('Q');
  writer.put(query);
  return writer.finish();
}

}  // namespace indigo::sql
