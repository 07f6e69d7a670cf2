// TPC-C's tables: rows are fixed structs, keys 8-byte numbers. Amounts are in cents.
// Source: TPC Benchmark C, revision 5.11, clause 1. The strings that no transaction looks at have their average length.
// Suppliers, nations and regions are CH-benCHmark's (Cole et al., DBTest 2011): stock (w, i) comes from supplier
// w * i mod 10,000.
#pragma once

#include <cstdint>

namespace indigo::bench::tpcc {

inline constexpr uint32_t kDistricts = 10, kCustomers = 3000, kItems = 100'000, kOrders = 3000, kUndelivered = 900;
inline constexpr uint32_t kSuppliers = 10'000, kNations = 62, kRegions = 5;

struct Warehouse {
  int64_t ytd;
  int32_t tax;
  char name[8], address[74];
};
struct District {
  int64_t ytd;
  int32_t tax;
  uint32_t next_order;
  char name[8], address[74];
};
struct Customer {
  int64_t balance, ytd_payment;
  uint32_t payments, deliveries;
  int32_t discount;
  bool bad_credit;
  char first[16], middle[2], last[16], address[74], phone[16], data[400];
};
struct CustomerName {
  uint32_t customer;
};
struct History {
  uint32_t customer, customer_district, customer_warehouse, district, warehouse;
  int64_t amount;
  char data[18];
};
struct Order {
  uint32_t customer, carrier;  // carrier 0: not delivered
  uint32_t lines;
  bool all_local;
  int64_t entered;
};
struct NewOrder {
  uint8_t nothing;
};
struct OrderLine {
  uint32_t item, supply_warehouse, quantity;
  int64_t amount, delivered;  // delivered 0: not yet
  char info[24];
};
struct Item {
  int64_t price;
  uint32_t image;
  char name[19], data[38];
};
struct Stock {
  int32_t quantity;
  int64_t ytd;
  uint32_t orders, remote;
  char info[kDistricts][24], data[38];
};
struct OrderOfCustomer {
  uint32_t order;
};
struct Supplier {
  uint32_t nation;
  int64_t balance;
  char name[25], address[40], phone[15], comment[100];
};
struct Nation {
  uint32_t region;
  char name[25], comment[100];
};
struct Region {
  char name[25], comment[100];
};

// Keys: warehouse 16 bits, district 8.
constexpr uint64_t district_key(uint64_t w, uint64_t d) { return w << 8 | d; }
constexpr uint64_t customer_key(uint64_t w, uint64_t d, uint64_t c) { return district_key(w, d) << 32 | c; }
// By last name (0 to 999), then by first name (14 bits of it), then by number.
constexpr uint64_t customer_name_key(uint64_t w, uint64_t d, uint64_t last, uint64_t first, uint64_t c) {
  return district_key(w, d) << 40 | last << 30 | first << 16 | c;
}
constexpr uint64_t stock_key(uint64_t w, uint64_t i) { return w << 32 | i; }
constexpr uint64_t supplier_of(uint64_t w, uint64_t i) { return w * i % kSuppliers; }
constexpr uint64_t order_key(uint64_t w, uint64_t d, uint64_t o) { return district_key(w, d) << 32 | o; }
constexpr uint64_t line_key(uint64_t w, uint64_t d, uint64_t o, uint64_t line) {
  return district_key(w, d) << 40 | o << 8 | line;
}
// The newest order first.
constexpr uint64_t order_of_customer_key(uint64_t w, uint64_t d, uint64_t c, uint64_t o) {
  return district_key(w, d) << 40 | c << 24 | (0xffffff - o);
}

template <class Table>
struct Tables {
  Table warehouse, district, customer, customer_name, history, order, new_order, line, item, stock, order_of_customer,
      supplier, nation, region;
};

}  // namespace indigo::bench::tpcc
