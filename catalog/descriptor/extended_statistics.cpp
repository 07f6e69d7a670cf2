#include "catalog/descriptor/extended_statistics.h"

#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "types/value/array_format.h"

namespace indigo::catalog {

namespace {

void append_u32(std::string& out, size_t n) {
  const auto v = static_cast<uint32_t>(n);
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void append_doubles(std::string& out, const std::vector<double>& all) {
  for (const double d : all) out.append(reinterpret_cast<const char*>(&d), sizeof d);
}

std::string attribute_text(const AttributeCombination& c, bool last_follows) {
  std::string out;
  for (size_t i = 0; i < c.attributes.size(); i++) {
    if (i > 0) out += last_follows && i + 1 == c.attributes.size() ? " => " : ", ";
    out += std::to_string(c.attributes[i]);
  }
  return out;
}

}  // namespace

std::string write_distinct(const std::vector<AttributeCombination>& all) {
  std::string out = "{";
  for (const AttributeCombination& c : all)
    out += fmt::format("{}\"{}\": {:.0f}", out.size() > 1 ? ", " : "", attribute_text(c, false), c.value);
  return out + "}";
}

std::string write_dependencies(const std::vector<AttributeCombination>& all) {
  std::string out = "{";
  for (const AttributeCombination& c : all)
    out += fmt::format("{}\"{}\": {:.6f}", out.size() > 1 ? ", " : "", attribute_text(c, true), c.value);
  return out + "}";
}

std::vector<AttributeCombination> read_combinations(std::string_view text) {
  std::vector<AttributeCombination> out;
  const std::string all(text);
  for (const char* p = all.c_str(); (p = std::strchr(p, '"')) != nullptr;) {
    AttributeCombination c;
    for (p++; *p != '"' && *p != 0;) {
      char* end;
      const long n = std::strtol(p, &end, 10);
      if (end == p) {
        p++;
      } else {
        c.attributes.push_back(static_cast<int16_t>(n));
        p = end;
      }
    }
    if (p[0] != '"' || p[1] != ':') break;
    c.value = std::strtod(p + 2, nullptr);
    p += 2;
    out.push_back(std::move(c));
  }
  return out;
}

std::string write_common(const std::vector<CommonAttribute>& attributes, const std::vector<double>& frequencies,
                         const std::vector<double>& base_frequencies) {
  std::string out;
  append_u32(out, attributes.size());
  for (const CommonAttribute& a : attributes) {
    const std::string image = make_array(a.type, a.phys, a.values);
    append_u32(out, image.size());
    out += image;
  }
  append_doubles(out, frequencies);
  append_doubles(out, base_frequencies);
  return out;
}

CommonCombinations read_common(Str image, std::vector<Oid>* types) {
  CommonCombinations out;
  const auto take_u32 = [&]() -> uint32_t {
    if (image.size() < 4) return 0;
    uint32_t v;
    std::memcpy(&v, image.data(), sizeof v);
    image.remove_prefix(sizeof v);
    return v;
  };
  const uint32_t attributes = take_u32();
  for (uint32_t i = 0; i < attributes; i++) {
    const uint32_t bytes = take_u32();
    if (bytes == 0 || bytes > image.size()) return {};
    const ArrayView array(image.substr(0, bytes));
    if (types != nullptr) types->push_back(array.element_type());
    std::vector<OwnedDatum>& values = out.values.emplace_back();
    for (int32_t k = 0; k < array.count(); k++) values.emplace_back(array.element(k));
    image.remove_prefix(bytes);
  }
  const size_t count = image.size() / (2 * sizeof(double));
  for (const auto& values : out.values) {
    if (values.size() != count) return {};
  }
  if (count == 0) return out;
  out.frequencies.resize(count);
  out.base_frequencies.resize(count);
  std::memcpy(out.frequencies.data(), image.data(), count * sizeof(double));
  std::memcpy(out.base_frequencies.data(), image.data() + count * sizeof(double), count * sizeof(double));
  return out;
}

}  // namespace indigo::catalog
