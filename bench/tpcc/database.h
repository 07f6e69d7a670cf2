// TPC-C's database over a layout: typed access to rows, and the initial population (clause 4.3).
// Thread safety: a Connection belongs to one thread; load() runs before anything else.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "bench/layout/layout.h"
#include "bench/random.h"
#include "bench/tpcc/schema.h"
#include "storage/transaction.h"

namespace indigo::bench::tpcc {

template <class Row>
Bytes bytes_of(const Row& row) {
  return {reinterpret_cast<const char*>(&row), sizeof row};
}
template <class Row>
Row row_of(Bytes bytes) {
  Row row;
  std::memcpy(static_cast<void*>(&row), bytes.data(), sizeof row);
  return row;
}

// Clause 2.1.6: not uniform.
inline uint64_t nurand(Random& random, uint64_t a, uint64_t low, uint64_t high) {
  constexpr uint64_t kC = 123;
  return ((random.between(0, a) | random.between(low, high)) + kC) % (high - low + 1) + low;
}

template <class Layout>
class Database {
 public:
  using Table = typename Layout::TableRef;
  using Session = typename Layout::Session;

  Database(std::unique_ptr<Layout> layout, uint32_t warehouses) : layout_(std::move(layout)), warehouses_(warehouses) {
    for (Table* t :
         {&t_.warehouse, &t_.district, &t_.customer, &t_.customer_name, &t_.history, &t_.order, &t_.new_order, &t_.line,
          &t_.item, &t_.stock, &t_.order_of_customer, &t_.supplier, &t_.nation, &t_.region}) {
      *t = layout_->create_table();
    }
  }
  Layout& layout() { return *layout_; }
  const Tables<Table>& tables() const { return t_; }
  uint32_t warehouses() const { return warehouses_; }

  void load() {
    Session s(*layout_);
    Random random(1);
    s.begin(storage::Isolation::kReadCommitted);
    for (uint32_t i = 1; i <= kItems; i++) {
      Item item{};
      item.price = static_cast<int64_t>(random.between(100, 10000));
      for (char& c : item.data) c = static_cast<char>('a' + random.below(26));
      put(s, t_.item, i, item);
    }
    load_suppliers(s, random);
    for (uint64_t w = 1; w <= warehouses_; w++) load_warehouse(s, random, w);
    s.commit();
  }

 private:
  template <class Row>
  void put(Session& s, Table table, uint64_t key, const Row& row) {
    s.insert(table, key, bytes_of(row));
    if (++inserted_ % 1000 != 0) return;
    s.commit();
    s.begin(storage::Isolation::kReadCommitted);
  }

  void load_suppliers(Session& s, Random& random) {
    static constexpr const char* kNames[kRegions] = {"Africa", "America", "Asia", "Europe", "Middle East"};
    for (uint64_t r = 0; r < kRegions; r++) {
      Region region{};
      std::strncpy(region.name, kNames[r], sizeof region.name - 1);
      put(s, t_.region, r, region);
    }
    for (uint64_t n = 0; n < kNations; n++) {
      Nation nation{};
      nation.region = static_cast<uint32_t>(n % kRegions);
      std::snprintf(nation.name, sizeof nation.name, "Nation#%02u", static_cast<unsigned>(n));
      put(s, t_.nation, n, nation);
    }
    for (uint64_t i = 0; i < kSuppliers; i++) {
      Supplier supplier{};
      supplier.nation = static_cast<uint32_t>(random.below(kNations));
      std::snprintf(supplier.name, sizeof supplier.name, "Supplier#%09u", static_cast<unsigned>(i));
      put(s, t_.supplier, i, supplier);
    }
  }

  void load_warehouse(Session& s, Random& random, uint64_t w) {
    Warehouse warehouse{};
    warehouse.ytd = 300'000'00;
    warehouse.tax = static_cast<int32_t>(random.below(2001));
    put(s, t_.warehouse, w, warehouse);
    for (uint64_t i = 1; i <= kItems; i++) {
      Stock stock{};
      stock.quantity = static_cast<int32_t>(random.between(10, 100));
      put(s, t_.stock, stock_key(w, i), stock);
    }
    for (uint64_t d = 1; d <= kDistricts; d++) {
      District district{};
      district.ytd = 30'000'00;
      district.tax = static_cast<int32_t>(random.below(2001));
      district.next_order = kOrders + 1;
      put(s, t_.district, district_key(w, d), district);
      load_customers(s, random, w, d);
      load_orders(s, random, w, d);
    }
  }

  void load_customers(Session& s, Random& random, uint64_t w, uint64_t d) {
    for (uint64_t c = 1; c <= kCustomers; c++) {
      Customer customer{};
      customer.balance = -10'00;
      customer.ytd_payment = 10'00;
      customer.payments = 1;
      customer.discount = static_cast<int32_t>(random.below(5001));
      customer.bad_credit = random.below(10) == 0;
      put(s, t_.customer, customer_key(w, d, c), customer);
      uint64_t last = c <= 1000 ? c - 1 : nurand(random, 255, 0, 999);
      put(s, t_.customer_name, customer_name_key(w, d, last, random.below(1 << 14), c),
          CustomerName{static_cast<uint32_t>(c)});
      History h{};
      h.customer = static_cast<uint32_t>(c);
      h.district = h.customer_district = static_cast<uint32_t>(d);
      h.warehouse = h.customer_warehouse = static_cast<uint32_t>(w);
      h.amount = 10'00;
      put(s, t_.history, ++histories_, h);
    }
  }

  void load_orders(Session& s, Random& random, uint64_t w, uint64_t d) {
    uint32_t customers[kCustomers];
    for (uint32_t c = 0; c < kCustomers; c++) customers[c] = c + 1;
    for (uint32_t c = kCustomers; c > 1; c--) std::swap(customers[c - 1], customers[random.below(c)]);
    for (uint64_t o = 1; o <= kOrders; o++) {
      bool delivered = o <= kOrders - kUndelivered;
      Order order{};
      order.customer = customers[o - 1];
      order.carrier = delivered ? static_cast<uint32_t>(random.between(1, 10)) : 0;
      order.lines = static_cast<uint32_t>(random.between(5, 15));
      order.all_local = true;
      put(s, t_.order, order_key(w, d, o), order);
      put(s, t_.order_of_customer, order_of_customer_key(w, d, order.customer, o),
          OrderOfCustomer{static_cast<uint32_t>(o)});
      for (uint32_t l = 1; l <= order.lines; l++) {
        OrderLine line{};
        line.item = static_cast<uint32_t>(random.between(1, kItems));
        line.supply_warehouse = static_cast<uint32_t>(w);
        line.quantity = 5;
        line.delivered = delivered ? 1 : 0;
        line.amount = delivered ? 0 : static_cast<int64_t>(random.between(1, 999999));
        put(s, t_.line, line_key(w, d, o, l), line);
      }
      if (!delivered) put(s, t_.new_order, order_key(w, d, o), NewOrder{});
    }
  }

  std::unique_ptr<Layout> layout_;
  const uint32_t warehouses_;
  Tables<Table> t_{};
  uint64_t inserted_ = 0, histories_ = 0;
};

}  // namespace indigo::bench::tpcc
