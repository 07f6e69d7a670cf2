// A history of list-append transactions and the checker that judges it.
//
// Every key's row is a list of elements; a transaction appends elements of its own or reads lists. The final lists
// give the order of versions, reads give who saw whom, so the dependency graph is known exactly:
//   ww  the appender of an element before the appender of the next one
//   wr  the appender of the last element seen before the reader
//   rw  the reader before the appender of the first element not seen
//   rt  a transaction that was acknowledged before another began, before that one (real time)
//
// What is refused:
//   lost update      an acknowledged element is missing, doubled, or was appended to something else than what is before it
//   G1a              an element of a transaction that rolled back (or of a savepoint rolled back) was seen
//   G1b              a transaction's list was seen between two of its appends to one key
//   G1c              a cycle of ww, wr and rt
//   stale read       a transaction did not see what had been acknowledged before it began
//   forgotten        a transaction saw what another wrote, and later missed another part of it
//   G-single         a cycle with exactly one rw, at REPEATABLE READ (snapshot isolation)
//
// Thread safety: none; each thread records its own transactions, and the checker gets them all at the end.
// Source: Adya, Weak consistency (1999); Kingsbury and Alvaro, Elle (VLDB 2020).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace indigo::storage {

using Element = uint32_t;  // transaction * kAppendsMax + how many it appended before
inline constexpr Element kAppendsMax = 16;

struct HistoryTransaction {
  uint32_t id = 0;
  bool snapshot = false;  // REPEATABLE READ
  bool committed = false;
  bool refused = false;         // ended by a conflict, a deadlock or a duplicate key
  uint64_t begin = 0, end = 0;  // ticks of one clock: before it began, after it was acknowledged
  struct Seen {                 // a list without the transaction's own elements
    int key;
    std::vector<Element> list;
    size_t appends_before = 0;  // how many appends the transaction had made
  };
  std::vector<Seen> reads;
  struct Append {
    int key;
    Element element;
    std::vector<Element> before;  // the list it was appended to, own elements included
  };
  std::vector<Append> appends;  // those rolled back to a savepoint are not among them
};

using FinalLists = std::map<int, std::vector<Element>>;

// Empty when nothing is wrong; else the first anomaly in words.
std::string judge(const std::vector<HistoryTransaction>& history, const FinalLists& lists);

std::string encode_list(const std::vector<Element>& list);
std::vector<Element> decode_list(std::string_view row);

}  // namespace indigo::storage
