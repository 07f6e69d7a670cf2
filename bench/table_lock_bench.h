// Part of `indigo-bench locks`: what the two serializable methods cost transactions on a table with secondary indexes, where
// nobody stands in the way: Index-SSN, and locks on what is read and written (storage/okvl).
#pragma once

#include <cstdint>

namespace indigo::bench {

// One thread; each measurement takes `seconds`, methods by turns.
void measure_table_locks(double seconds, uint64_t rows);

}  // namespace indigo::bench
