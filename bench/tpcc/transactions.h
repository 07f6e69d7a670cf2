// TPC-C's five transactions (clause 2) and CH-benCHmark's query 2. Each answers whether it committed; a conflict rolls it
// back.
// Thread safety: one thread.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bench/tpcc/database.h"
#include "bench/tpcc/query2.h"

namespace indigo::bench::tpcc {

template <class Layout>
class Transactions {
 public:
  using Session = typename Layout::Session;
  using Table = typename Layout::TableRef;
  enum class Kind : uint8_t { kNewOrder, kPayment, kOrderStatus, kDelivery, kStockLevel, kQuery2 };
  using Shares = std::array<unsigned, 6>;  // of each kind, in percent, in the order above

  Transactions(Database<Layout>& database, storage::Isolation isolation, uint64_t thread)
      : t_(database.tables()),
        warehouses_(database.warehouses()),
        home_(thread % database.warehouses() + 1),
        isolation_(isolation),
        session_(database.layout()),
        query2_(database),
        random_(thread + 100),
        next_history_((thread + 1) << 40) {}

  // Of the transactions from now on.
  void set_isolation(storage::Isolation isolation) { isolation_ = isolation; }
  Kind next_kind(const Shares& shares) {
    auto p = static_cast<unsigned>(random_.below(100));
    size_t kind = 0;
    for (; p >= shares[kind]; kind++) p -= shares[kind];
    return static_cast<Kind>(kind);
  }
  bool run(Kind kind) {
    session_.begin(isolation_);
    bool go_on = false;
    switch (kind) {
      case Kind::kNewOrder: go_on = new_order(); break;
      case Kind::kPayment: go_on = payment(); break;
      case Kind::kOrderStatus: go_on = order_status(); break;
      case Kind::kDelivery: go_on = delivery(); break;
      case Kind::kStockLevel: go_on = stock_level(); break;
      case Kind::kQuery2:
        shown_ += static_cast<int64_t>(query2_.run(session_));
        go_on = true;
        break;
    }
    if (go_on) return session_.commit();
    session_.rollback();
    return rolled_back_by_choice();
  }

 private:
  bool rolled_back_by_choice() { return std::exchange(by_choice_, false); }

  template <class Row>
  bool read(Table table, uint64_t key, Row& row) {
    if (session_.read(table, key, buffer_) != Answer::kOk) return false;
    row = row_of<Row>(buffer_);
    return true;
  }
  template <class Row>
  bool lock(Table table, uint64_t key, Row& row) {
    if (session_.lock(table, key, buffer_) != Answer::kOk) return false;
    row = row_of<Row>(buffer_);
    return true;
  }
  template <class Row>
  bool update(Table table, uint64_t key, const Row& row) {
    return session_.update(table, key, bytes_of(row)) == Answer::kOk;
  }
  template <class Row>
  bool insert(Table table, uint64_t key, const Row& row) {
    return session_.insert(table, key, bytes_of(row)) == Answer::kOk;
  }
  uint64_t any_district() { return random_.between(1, kDistricts); }
  uint64_t any_customer() { return nurand(random_, 1023, 1, kCustomers); }
  uint64_t other_warehouse() {
    uint64_t w = random_.between(1, warehouses_ - 1);
    return w < home_ ? w : w + 1;
  }
  // 60%: by last name, the one in the middle.
  uint64_t some_customer(uint64_t w, uint64_t d) {
    if (random_.below(100) >= 60) return any_customer();
    uint64_t last = nurand(random_, 255, 0, 999);
    names_.clear();
    session_.scan(t_.customer_name, customer_name_key(w, d, last, 0, 0), customer_name_key(w, d, last + 1, 0, 0),
                  UINT64_MAX, [&](uint64_t, Bytes row) {
                    names_.push_back(row_of<CustomerName>(row).customer);
                    return true;
                  });
    return names_.empty() ? any_customer() : names_[(names_.size() - 1) / 2];
  }

  bool new_order() {
    uint64_t w = home_, d = any_district(), c = any_customer();
    struct Wanted {
      uint64_t item, warehouse;
      uint32_t quantity;
    } wanted[15];
    auto lines = static_cast<uint32_t>(random_.between(5, 15));
    bool invalid = random_.below(100) == 0;
    bool all_local = true;
    for (uint32_t l = 0; l < lines; l++) {
      bool remote = warehouses_ > 1 && random_.below(100) == 0;
      wanted[l] = {nurand(random_, 8191, 1, kItems), remote ? other_warehouse() : w,
                   static_cast<uint32_t>(random_.between(1, 10))};
      all_local = all_local && !remote;
    }
    if (invalid) wanted[lines - 1].item = kItems + 1;

    Warehouse warehouse;
    District district;
    Customer customer;
    if (!read(t_.warehouse, w, warehouse) || !read(t_.customer, customer_key(w, d, c), customer) ||
        !lock(t_.district, district_key(w, d), district)) {
      return false;
    }
    uint64_t o = district.next_order++;
    if (!update(t_.district, district_key(w, d), district)) return false;
    Order order{};
    order.customer = static_cast<uint32_t>(c);
    order.lines = lines;
    order.all_local = all_local;
    if (!insert(t_.order, order_key(w, d, o), order) || !insert(t_.new_order, order_key(w, d, o), NewOrder{}) ||
        !insert(t_.order_of_customer, order_of_customer_key(w, d, c, o), OrderOfCustomer{static_cast<uint32_t>(o)})) {
      return false;
    }
    int64_t total = 0;
    for (uint32_t l = 0; l < lines; l++) {
      const Wanted& x = wanted[l];
      Item item;
      if (!read(t_.item, x.item, item)) {
        by_choice_ = x.item > kItems;
        return false;
      }
      Stock stock;
      if (!lock(t_.stock, stock_key(x.warehouse, x.item), stock)) return false;
      auto quantity = static_cast<int32_t>(x.quantity);
      stock.quantity += stock.quantity >= quantity + 10 ? -quantity : 91 - quantity;
      stock.ytd += quantity;
      stock.orders++;
      if (x.warehouse != w) stock.remote++;
      if (!update(t_.stock, stock_key(x.warehouse, x.item), stock)) return false;
      OrderLine line{};
      line.item = static_cast<uint32_t>(x.item);
      line.supply_warehouse = static_cast<uint32_t>(x.warehouse);
      line.quantity = x.quantity;
      line.amount = quantity * item.price;
      std::memcpy(line.info, stock.info[d - 1], sizeof line.info);
      total += line.amount;
      if (!insert(t_.line, line_key(w, d, o, l + 1), line)) return false;
    }
    shown_ += total * (10000 - customer.discount) / 10000 * (10000 + warehouse.tax + district.tax) / 10000;
    return true;
  }

  bool payment() {
    uint64_t w = home_, d = any_district();
    bool remote = warehouses_ > 1 && random_.below(100) < 15;
    uint64_t cw = remote ? other_warehouse() : w, cd = remote ? any_district() : d;
    auto amount = static_cast<int64_t>(random_.between(100, 500000));
    Warehouse warehouse;
    District district;
    Customer customer;
    if (!lock(t_.warehouse, w, warehouse)) return false;
    warehouse.ytd += amount;
    if (!update(t_.warehouse, w, warehouse) || !lock(t_.district, district_key(w, d), district)) return false;
    district.ytd += amount;
    if (!update(t_.district, district_key(w, d), district)) return false;
    uint64_t c = some_customer(cw, cd);
    if (!lock(t_.customer, customer_key(cw, cd, c), customer)) return false;
    customer.balance -= amount;
    customer.ytd_payment += amount;
    customer.payments++;
    if (customer.bad_credit) {
      uint64_t note[] = {c, cd, cw, d, w, static_cast<uint64_t>(amount)};
      std::memmove(customer.data + sizeof note, customer.data, sizeof customer.data - sizeof note);
      std::memcpy(customer.data, note, sizeof note);
    }
    if (!update(t_.customer, customer_key(cw, cd, c), customer)) return false;
    History h{};
    h.customer = static_cast<uint32_t>(c);
    h.customer_district = static_cast<uint32_t>(cd);
    h.customer_warehouse = static_cast<uint32_t>(cw);
    h.district = static_cast<uint32_t>(d);
    h.warehouse = static_cast<uint32_t>(w);
    h.amount = amount;
    return insert(t_.history, next_history_++, h);
  }

  bool order_status() {
    uint64_t w = home_, d = any_district(), c = some_customer(w, d);
    Customer customer;
    if (!read(t_.customer, customer_key(w, d, c), customer)) return false;
    uint64_t o = 0;
    session_.scan(t_.order_of_customer, order_of_customer_key(w, d, c, 0xffffff),
                  order_of_customer_key(w, d, c + 1, 0xffffff), 1, [&](uint64_t, Bytes row) {
                    o = row_of<OrderOfCustomer>(row).order;
                    return false;
                  });
    Order order;
    if (o == 0 || !read(t_.order, order_key(w, d, o), order)) return o == 0;
    session_.scan(t_.line, line_key(w, d, o, 0), line_key(w, d, o + 1, 0), UINT64_MAX, [&](uint64_t, Bytes row) {
      shown_ += row_of<OrderLine>(row).amount;
      return true;
    });
    return true;
  }

  bool delivery() {
    uint64_t w = home_;
    auto carrier = static_cast<uint32_t>(random_.between(1, 10));
    for (uint64_t d = 1; d <= kDistricts; d++) {
      uint64_t key = 0;
      session_.scan(t_.new_order, order_key(w, d, 0), order_key(w, d + 1, 0), 1, [&](uint64_t k, Bytes) {
        key = k;
        return false;
      });
      if (key == 0) continue;
      uint64_t o = key & 0xffffffff;
      NewOrder nothing;
      Order order;
      if (!lock(t_.new_order, key, nothing) || session_.erase(t_.new_order, key) != Answer::kOk ||
          !lock(t_.order, key, order)) {
        return false;
      }
      order.carrier = carrier;
      if (!update(t_.order, key, order)) return false;
      int64_t total = 0;
      for (uint32_t l = 1; l <= order.lines; l++) {
        OrderLine line;
        if (!lock(t_.line, line_key(w, d, o, l), line)) return false;
        line.delivered = 2;
        total += line.amount;
        if (!update(t_.line, line_key(w, d, o, l), line)) return false;
      }
      Customer customer;
      if (!lock(t_.customer, customer_key(w, d, order.customer), customer)) return false;
      customer.balance += total;
      customer.deliveries++;
      if (!update(t_.customer, customer_key(w, d, order.customer), customer)) return false;
    }
    return true;
  }

  bool stock_level() {
    uint64_t w = home_, d = any_district();
    auto threshold = static_cast<int32_t>(random_.between(10, 20));
    District district;
    if (!read(t_.district, district_key(w, d), district)) return false;
    items_.clear();
    session_.scan(t_.line, line_key(w, d, district.next_order - 20, 0), line_key(w, d, district.next_order, 0),
                  UINT64_MAX, [&](uint64_t, Bytes row) {
                    items_.push_back(row_of<OrderLine>(row).item);
                    return true;
                  });
    std::sort(items_.begin(), items_.end());
    items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
    keys_.clear();
    for (uint32_t i : items_) keys_.push_back(stock_key(w, i));
    size_t found = 0;
    session_.read_many(t_.stock, keys_, [&](size_t, Bytes row) {
      shown_ += row_of<Stock>(row).quantity < threshold ? 1 : 0;
      found++;
    });
    return found == keys_.size();
  }

  const Tables<Table>& t_;
  const uint64_t warehouses_, home_;
  storage::Isolation isolation_;
  Session session_;
  Query2<Layout> query2_;
  Random random_;
  uint64_t next_history_;
  bool by_choice_ = false;  // the one in a hundred that clause 2.4.1.4 rolls back
  int64_t shown_ = 0;       // what a terminal would show: nothing may be left out
  std::string buffer_;
  std::vector<uint64_t> names_;
  std::vector<uint32_t> items_;
  std::vector<uint64_t> keys_;
};

}  // namespace indigo::bench::tpcc
