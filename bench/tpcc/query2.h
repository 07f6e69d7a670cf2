// CH-benCHmark's query 2 (Cole et al., DBTest 2011): the suppliers of Europe and, of their items whose data ends in 'b',
// those with the lowest stock among Europe's suppliers, ordered by nation, supplier and item. It runs as the plan that a
// database with these indexes takes: the small tables by scans, the items by a scan, their stock by keys.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/tpcc/database.h"

namespace indigo::bench::tpcc {

// In the session's transaction; answers the number of lines. Thread safety: one thread, as the session.
template <class Layout>
class Query2 {
 public:
  using Session = typename Layout::Session;

  explicit Query2(Database<Layout>& database) : t_(database.tables()), warehouses_(database.warehouses()) {}

  size_t run(Session& session) {
    read_suppliers(session);
    items_.clear();
    each<Item>(session, t_.item, [&](uint64_t i, const Item& item) {
      if (item.data[sizeof item.data - 1] == 'b') items_.push_back(i);
    });
    lines_.clear();
    for (uint64_t i : items_) read_stock(session, i);
    std::sort(lines_.begin(), lines_.end());
    return lines_.size();
  }

 private:
  struct Offer {
    uint64_t supplier;
    int32_t quantity;
  };

  template <class Row, class Table, class Visit>
  void each(Session& session, Table table, Visit visit) {
    session.scan(table, 0, UINT64_MAX, UINT64_MAX, [&](uint64_t key, Bytes row) {
      visit(key, row_of<Row>(row));
      return true;
    });
  }

  void read_suppliers(Session& session) {
    bool regions[kRegions] = {};
    each<Region>(session, t_.region, [&](uint64_t r, const Region& region) {
      regions[r] = std::string_view(region.name).substr(0, 5) == "Europ";
    });
    nations_.assign(kNations, {});
    each<Nation>(session, t_.nation, [&](uint64_t n, const Nation& nation) {
      if (regions[nation.region]) nations_[n] = nation.name;
    });
    suppliers_.assign(kSuppliers, {});
    each<Supplier>(session, t_.supplier, [&](uint64_t s, const Supplier& supplier) {
      if (!nations_[supplier.nation].empty()) suppliers_[s] = {nations_[supplier.nation], supplier.name};
    });
  }

  void read_stock(Session& session, uint64_t i) {
    offers_.clear();
    int32_t lowest = INT32_MAX;
    keys_.clear();
    wanted_.clear();
    for (uint64_t w = 1; w <= warehouses_; w++) {
      uint64_t supplier = supplier_of(w, i);
      if (suppliers_[supplier].first.empty()) continue;
      keys_.push_back(stock_key(w, i));
      wanted_.push_back(supplier);
    }
    session.read_many(t_.stock, keys_, [&](size_t at, Bytes row) {
      offers_.push_back({wanted_[at], row_of<Stock>(row).quantity});
      lowest = std::min(lowest, offers_.back().quantity);
    });
    for (const Offer& o : offers_) {
      if (o.quantity == lowest) lines_.emplace_back(suppliers_[o.supplier].first, suppliers_[o.supplier].second, i);
    }
  }

  const Tables<typename Layout::TableRef>& t_;
  const uint64_t warehouses_;
  std::vector<std::string> nations_;                            // by key; empty: not in Europe
  std::vector<std::pair<std::string, std::string>> suppliers_;  // nation and name, by key; empty: not in Europe
  std::vector<uint64_t> items_;
  std::vector<Offer> offers_;
  std::vector<std::tuple<std::string, std::string, uint64_t>> lines_;
  std::vector<uint64_t> keys_, wanted_;  // of stock to read, and its suppliers
};

}  // namespace indigo::bench::tpcc
