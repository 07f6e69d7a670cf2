// TPC-C's consistency conditions (clause 3.3.2), over a database at rest.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "bench/tpcc/database.h"

namespace indigo::bench::tpcc {

// What is wrong: one line for each condition that does not hold, with its number.
template <class Layout>
std::vector<std::string> broken_conditions(Database<Layout>& database) {
  typename Layout::Session session(database.layout());
  session.begin(storage::Isolation::kRepeatableRead);
  const auto& t = database.tables();
  auto each = [&]<class Row>(auto table, Row, auto visit) {
    session.scan(table, 0, UINT64_MAX, UINT64_MAX, [&](uint64_t key, Bytes row) {
      visit(key, row_of<Row>(row));
      return true;
    });
  };
  struct DistrictSums {
    uint64_t next = 0, max_order = 0, min_new = UINT64_MAX, max_new = 0, news = 0, lines_said = 0, lines = 0;
    int64_t ytd = 0, history = 0;
  };
  struct CustomerSums {
    int64_t balance = 0, paid = 0, delivered = 0, history = 0;
  };
  struct OrderSums {
    uint32_t said = 0, lines = 0, customer = 0;
    bool carrier = false, is_new = false, undelivered_line = false, delivered_line = false;
  };
  std::map<uint64_t, int64_t> warehouse_ytd, district_ytd_of, history_of;
  std::map<uint64_t, DistrictSums> districts;
  std::unordered_map<uint64_t, CustomerSums> customers;
  std::unordered_map<uint64_t, OrderSums> orders;
  each(t.warehouse, Warehouse{}, [&](uint64_t w, const Warehouse& r) { warehouse_ytd[w] = r.ytd; });
  each(t.district, District{}, [&](uint64_t k, const District& r) {
    districts[k].next = r.next_order;
    districts[k].ytd = r.ytd;
    district_ytd_of[k >> 8] += r.ytd;
  });
  each(t.order, Order{}, [&](uint64_t k, const Order& r) {
    auto& d = districts[k >> 32];
    d.max_order = std::max(d.max_order, k & 0xffffffff);
    d.lines_said += r.lines;
    auto& o = orders[k];
    o.said = r.lines;
    o.carrier = r.carrier != 0;
    o.customer = r.customer;
  });
  each(t.new_order, NewOrder{}, [&](uint64_t k, const NewOrder&) {
    auto& d = districts[k >> 32];
    d.news++;
    d.min_new = std::min(d.min_new, k & 0xffffffff);
    d.max_new = std::max(d.max_new, k & 0xffffffff);
    orders[k].is_new = true;
  });
  each(t.line, OrderLine{}, [&](uint64_t k, const OrderLine& r) {
    uint64_t district = k >> 40;
    districts[district].lines++;
    auto& o = orders[district << 32 | (k >> 8 & 0xffffffff)];
    o.lines++;
    (r.delivered == 0 ? o.undelivered_line : o.delivered_line) = true;
    if (r.delivered != 0) customers[district << 32 | o.customer].delivered += r.amount;
  });
  each(t.history, History{}, [&](uint64_t, const History& r) {
    districts[district_key(r.warehouse, r.district)].history += r.amount;
    history_of[r.warehouse] += r.amount;
    customers[customer_key(r.customer_warehouse, r.customer_district, r.customer)].history += r.amount;
  });
  each(t.customer, Customer{}, [&](uint64_t k, const Customer& r) {
    customers[k].balance = r.balance;
    customers[k].paid = r.ytd_payment;
  });
  session.commit();

  std::vector<std::string> broken;
  auto expect = [&](bool holds, int number, uint64_t key) {
    if (!holds) broken.push_back("condition " + std::to_string(number) + " at key " + std::to_string(key));
  };
  for (auto& [w, ytd] : warehouse_ytd) {
    expect(ytd == district_ytd_of[w], 1, w);
    expect(ytd == history_of[w], 8, w);
  }
  for (auto& [k, d] : districts) {
    expect(d.next - 1 == d.max_order && (d.news == 0 || d.max_order == d.max_new), 2, k);
    expect(d.news == 0 || d.max_new - d.min_new + 1 == d.news, 3, k);
    expect(d.lines_said == d.lines, 4, k);
    expect(d.ytd == d.history, 9, k);
  }
  for (auto& [k, o] : orders) {
    expect(o.carrier != o.is_new, 5, k);
    expect(o.said == o.lines, 6, k);
    expect(o.carrier ? !o.undelivered_line : !o.delivered_line, 7, k);
  }
  for (auto& [k, c] : customers) {
    expect(c.balance == c.delivered - c.history, 10, k);
    expect(c.balance + c.paid == c.delivered, 12, k);
  }
  return broken;
}

}  // namespace indigo::bench::tpcc
