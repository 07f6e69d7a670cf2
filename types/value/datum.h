// One SQL value outside a vector: constants, parameters, defaults. 24 bytes; strings are borrowed (see OwnedDatum).
#pragma once

#include <string>

#include "types/value/physical.h"

namespace indigo {

struct Datum {
  union {
    bool b;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    Interval interval;
    TimeTz timetz;
    Uuid uuid;
    Block16 block;
    Str str;
  };
  Phys phys = Phys::kI64;
  bool null = true;

  Datum() : block{0, 0} {}
  static Datum make_null(Phys p) {
    Datum d;
    d.phys = p;
    return d;
  }
  static Datum of(bool v) {
    Datum d = of_kind(Phys::kBool);
    d.b = v;
    return d;
  }
  static Datum of(int16_t v) {
    Datum d = of_kind(Phys::kI16);
    d.i16 = v;
    return d;
  }
  static Datum of(int32_t v) {
    Datum d = of_kind(Phys::kI32);
    d.i32 = v;
    return d;
  }
  static Datum of(int64_t v) {
    Datum d = of_kind(Phys::kI64);
    d.i64 = v;
    return d;
  }
  static Datum of(float v) {
    Datum d = of_kind(Phys::kF32);
    d.f32 = v;
    return d;
  }
  static Datum of(double v) {
    Datum d = of_kind(Phys::kF64);
    d.f64 = v;
    return d;
  }
  static Datum of(Interval v) {
    Datum d = of_kind(Phys::kB16);
    d.interval = v;
    return d;
  }
  static Datum of(Block16 v) {
    Datum d = of_kind(Phys::kB16);
    d.block = v;
    return d;
  }
  static Datum of(Str v) {
    Datum d = of_kind(Phys::kStr);
    d.str = v;
    return d;
  }
  static Datum of_oid(Oid v) { return of(static_cast<int32_t>(v)); }
  Oid oid() const { return static_cast<Oid>(i32); }

 private:
  static Datum of_kind(Phys p) {
    Datum d;
    d.phys = p;
    d.null = false;
    return d;
  }
};

// A Datum that owns its string.
class OwnedDatum {
 public:
  OwnedDatum() = default;
  explicit OwnedDatum(const Datum& d) { assign(d); }
  OwnedDatum(const OwnedDatum& o) { assign(o.datum_); }
  OwnedDatum(OwnedDatum&& o) noexcept { take(std::move(o)); }
  OwnedDatum& operator=(const OwnedDatum& o) {
    if (this != &o) assign(o.datum_);
    return *this;
  }
  OwnedDatum& operator=(OwnedDatum&& o) noexcept {
    if (this != &o) take(std::move(o));
    return *this;
  }
  const Datum& get() const { return datum_; }

 private:
  void assign(const Datum& d) {
    datum_ = d;
    if (d.phys == Phys::kStr && !d.null) {
      bytes_.assign(d.str);
      datum_.str = bytes_;
    }
  }
  void take(OwnedDatum&& o) {
    datum_ = o.datum_;
    bytes_ = std::move(o.bytes_);
    if (datum_.phys == Phys::kStr && !datum_.null) datum_.str = bytes_;
  }
  Datum datum_;
  std::string bytes_;
};

}  // namespace indigo
