#include "engine/exec/partition/dispatch.h"

#include <unordered_map>
#include <utility>

#include "base/sqlstate.h"

namespace indigo::engine::exec {
namespace {

// Gives a chunk that it has been handed, once.
class Feed final : public Operator {
 public:
  Status open(Open) override {
    chunk_ = nullptr;
    return {};
  }
  Result<Chunk*> next(uint32_t) override { return std::exchange(chunk_, nullptr); }
  void close() override { chunk_ = nullptr; }
  void give(Chunk* chunk) { chunk_ = chunk; }

 private:
  Chunk* chunk_ = nullptr;
};

struct Table {
  MakeChange make;
  Feed* feed = nullptr;
  OperatorPtr change;  // null: no row has come yet
  bool open = false;
};

class DispatchOperator final : public Operator {
 public:
  DispatchOperator(OperatorPtr input, int table_column, bool in_order)
      : input_(std::move(input)), table_column_(static_cast<size_t>(table_column)), in_order_(in_order) {}

  void add(DispatchedTable table) {
    number_[table.relation] = tables_.size();
    tables_.push_back({std::move(table.make)});
  }

  Status open(Open mode) override {
    close_tables();
    mode_ = mode;
    running_ = nullptr;
    group_count_ = at_ = 0;
    return input_->open(mode);
  }
  void close() override {
    close_tables();
    input_->close();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      if (running_ != nullptr) {
        INDIGO_ASSIGN(Chunk * out, running_->next(max_rows));
        if (out != nullptr) return out;
        running_ = nullptr;
      }
      if (at_ < group_count_) {
        const Group& group = groups_[at_++];
        Table& table = tables_[group.table];
        INDIGO_TRY(begin(group.table));
        source_->selection = {group.rows.data(), static_cast<uint32_t>(group.rows.size())};
        table.feed->give(source_);
        running_ = table.change.get();
        continue;
      }
      INDIGO_ASSIGN(source_, input_->next(kChunkRows));
      if (source_ == nullptr) return nullptr;
      INDIGO_TRY(split());
    }
  }

 private:
  struct Group {
    size_t table;
    std::vector<uint16_t> rows;
  };

  // Of the tables that are named few have rows.
  Status begin(size_t number) {
    Table& t = tables_[number];
    if (t.open) return {};
    if (t.change == nullptr) {
      auto feed = std::make_unique<Feed>();
      t.feed = feed.get();
      INDIGO_ASSIGN(t.change, t.make(std::move(feed)));
    }
    t.open = true;
    opened_.push_back(number);
    return t.change->open(mode_);
  }

  void close_tables() {
    for (const size_t number : opened_) {
      tables_[number].change->close();
      tables_[number].open = false;
    }
    opened_.clear();
  }

  Status split() {
    group_count_ = at_ = 0;
    group_of_.assign(tables_.size(), -1);
    const Vector& oids = source_->columns[table_column_];
    const Selection all = source_->selection;
    for (uint32_t i = 0; i < all.count; i++) {
      const uint32_t r = all[i];
      const Oid oid = oids.is_null(r) ? kInvalidOid : static_cast<Oid>(oids.get<int32_t>(r));
      const auto found = number_.find(oid);
      if (found == number_.end()) {
        if (oid == kInvalidOid) continue;
        return Error(sqlstate::kInternalError, "a row of a table that the plan does not know");
      }
      int& group = group_of_[found->second];
      if (group < 0 || (in_order_ && static_cast<size_t>(group) + 1 != group_count_)) {
        group = static_cast<int>(group_count_++);
        if (groups_.size() < group_count_) groups_.emplace_back();
        groups_[static_cast<size_t>(group)].table = found->second;
        groups_[static_cast<size_t>(group)].rows.clear();
      }
      groups_[static_cast<size_t>(group)].rows.push_back(static_cast<uint16_t>(r));
    }
    return {};
  }

  OperatorPtr input_;
  const size_t table_column_;
  const bool in_order_;
  std::vector<Table> tables_;
  std::vector<size_t> opened_;
  Open mode_ = Open::kFresh;
  std::unordered_map<Oid, size_t> number_;
  Chunk* source_ = nullptr;
  Operator* running_ = nullptr;
  std::vector<Group> groups_;
  std::vector<int> group_of_;
  size_t group_count_ = 0, at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_dispatch(OperatorPtr input, int table_column, bool in_order,
                                  std::vector<DispatchedTable> tables) {
  auto op = std::make_unique<DispatchOperator>(std::move(input), table_column, in_order);
  for (DispatchedTable& t : tables) op->add(std::move(t));
  return OperatorPtr(std::move(op));
}

}  // namespace indigo::engine::exec
