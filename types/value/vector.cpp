#include "types/value/vector.h"

namespace indigo {

void Vector::init(Phys phys, uint32_t capacity) {
  uint32_t need = capacity * phys_bytes(phys) + capacity;
  if (own_ == nullptr || own_bytes_ < need) {
    own_ = std::make_unique_for_overwrite<uint64_t[]>((need + 7) / 8);
    own_bytes_ = need;
  }
  phys_ = phys;
  constant_ = false;
  all_valid_ = true;
  capacity_ = capacity;
  data_ = own_.get();
  valid_ = reinterpret_cast<uint8_t*>(own_.get()) + capacity * phys_bytes(phys);
}

void Vector::set_constant(const Datum& d) {
  init(d.phys, 1);
  constant_ = true;
  set_datum(0, d);
}

void Vector::materialize_validity() {
  std::memset(valid_, 1, constant_ ? 1 : capacity_);
  all_valid_ = false;
}

Datum Vector::datum(uint32_t r) const {
  Datum d = Datum::make_null(phys_);
  if (is_null(r)) return d;
  d.null = false;
  uint32_t width = phys_bytes(phys_);
  std::memcpy(&d.block, static_cast<const char*>(data_) + size_t{at(r)} * width, width);
  return d;
}

void Vector::set_datum(uint32_t r, const Datum& d) {
  uint32_t width = phys_bytes(phys_);
  char* to = static_cast<char*>(data_) + size_t{r} * width;
  if (d.null) {
    std::memset(to, 0, width);  // a null's data is never garbage
    set_null(r);
    return;
  }
  std::memcpy(to, &d.block, width);
  set_valid(r);
}

void Vector::copy_row(uint32_t to, const Vector& source, uint32_t from) {
  uint32_t width = phys_bytes(phys_);
  std::memcpy(static_cast<char*>(data_) + size_t{to} * width,
              static_cast<const char*>(source.data_) + size_t{source.at(from)} * width, width);
  if (source.is_null(from)) {
    set_null(to);
  } else {
    set_valid(to);
  }
}

}  // namespace indigo
