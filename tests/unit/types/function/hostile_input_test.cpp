// Whatever bytes a client sends as a value, its type answers with a value or an error. The texts are mutations of the
// recorded ones; calls get mutated arguments too. Run it under the address sanitizer to see more.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/unit/types/function/test_session.h"
#include "types/function/registry.h"

namespace indigo::types {
namespace {

constexpr Oid kTypes[] = {16,   17,   18,   19,   20,   21,   22,   23,   24,   25,   26,   27,   28,   29,
                          30,   114,  700,  701,  1042, 1043, 1082, 1083, 1114, 1184, 1186, 1266, 1560, 1562,
                          1700, 2202, 2205, 2206, 2950, 3220, 3802, 1007, 1009, 1231, 1115, 1187, 199,  3807,
                          2951, 1034, 1000, 1003, 1041, 869,  650,  829,  774,  790,  3904, 3906, 3908, 3912,
                          3926, 600,  4072, 5069, 1033, 2203, 2204, 4089, 4096, 4191};

std::vector<std::string> seeds() {
  std::vector<std::string> out;
  for (const auto& file : std::filesystem::directory_iterator("tests/oracle/recorded")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      std::stringstream stream(line);
      for (std::string part; std::getline(stream, part, '\t');)
        if (!part.empty() && part.size() < 100) out.push_back(part);
    }
  }
  return out;
}

std::string mutated(std::string s, std::mt19937_64& random) {
  static constexpr char kInteresting[] = "0123456789+-.:,/\\\"'(){}[]eEtTzZ \n\t\0\x80\xFF%_$&|~*?^<>=#@!";
  for (uint64_t n = random() % 4; n > 0; n--) {
    const size_t at = s.empty() ? 0 : random() % s.size();
    switch (random() % 5) {
      case 0: s.insert(at, 1, kInteresting[random() % (sizeof kInteresting - 1)]); break;
      case 1:
        if (!s.empty()) s.erase(at, 1 + random() % 3);
        break;
      case 2:
        if (!s.empty()) s[at] = static_cast<char>(random());
        break;
      case 3:
        if (!s.empty()) s[at] = kInteresting[random() % (sizeof kInteresting - 1)];
        break;
      default: s.insert(at, s.substr(0, random() % 20)); break;
    }
  }
  return s;
}

uint64_t rounds(uint64_t fallback) {
  const char* text = std::getenv("INDIGO_HOSTILE_ROUNDS");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : fallback;
}

TEST(HostileInput, TypesAnswerAnything) {
  const uint64_t seed = 20240611;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const auto texts = seeds();
  ASSERT_FALSE(texts.empty());
  TestSession session;
  FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  uint64_t accepted = 0;
  for (uint64_t i = 0; i < rounds(20000); i++) {
    const TypeRef type{kTypes[random() % std::size(kTypes)],
                       random() % 3 == 0 ? static_cast<int32_t>(random() % 20) + 4 : -1, kInvalidOid};
    const std::string text = mutated(texts[random() % texts.size()], random);
    Datum d = random() % 4 == 0 ? type_receive(context, type, text) : type_input(context, type, text);
    if (context.take_error() == nullptr && !d.null) {
      accepted++;
      std::string out, binary;
      type_output(context, type, d, out);
      type_send(context, type, d, binary);
      const Datum back = type_receive(context, type, binary);
      // What was sent can be received again; a modifier may cut it.
      if (!context.failed() && type.typmod < 0 && !back.null) {
        std::string again;
        type_output(context, type, back, again);
        EXPECT_EQ(out, again) << "type " << type.oid << " text " << text;
      }
      // Truncated and damaged binary forms.
      if (!binary.empty()) {
        (void)context.take_error();
        (void)type_receive(context, type, std::string_view(binary).substr(0, random() % binary.size()));
        (void)context.take_error();
        binary[random() % binary.size()] = static_cast<char>(random());
        (void)type_receive(context, type, binary);
      }
      const TypeOrder* order = type_order(type.oid);
      if (order != nullptr) {
        EXPECT_EQ(order->compare(d, d, nullptr), 0) << "type " << type.oid << " text " << text;
      }
    }
    (void)context.take_error();
    arena.reset();
  }
  std::cout << "values accepted: " << accepted << "\n";
  EXPECT_GT(accepted, 0u);
}

TEST(HostileInput, CallsAnswerAnything) {
  const uint64_t seed = 20240612;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> calls;
  for (const auto& file : std::filesystem::directory_iterator("tests/oracle/recorded")) {
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("call\t")) continue;
      std::vector<std::string> fields;
      std::stringstream stream(line);
      for (std::string part; std::getline(stream, part, '\t');) fields.push_back(part);
      calls.push_back(std::move(fields));
    }
  }
  TestSession session;
  FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  uint64_t made = 0;
  for (uint64_t i = 0; i < rounds(20000); i++) {
    const auto& f = calls[random() % calls.size()];
    const ScalarFunction* function = find_scalar(static_cast<Oid>(std::stoul(f[1])));
    if (function == nullptr || f.size() < 6) continue;
    CallInfo call;
    call.function = function->oid;
    call.result.oid = static_cast<Oid>(std::stoul(f[2]));
    std::stringstream types(f[3]);
    std::vector<Vector> vectors(f.size() - 5);
    std::vector<const Vector*> arguments;
    bool good = true;
    for (size_t a = 0; a < vectors.size() && good; a++) {
      std::string type;
      std::getline(types, type, ',');
      call.arguments.push_back({static_cast<Oid>(std::stoul(type)), -1, kInvalidOid});
      // Keep calls that would make or print gigabytes away: their numbers stay as recorded.
      const std::string text =
          call.arguments.back().oid == 23 || call.arguments.back().oid == 1700 ? f[4 + a] : mutated(f[4 + a], random);
      const Datum d = type_input(context, call.arguments.back(), arena.copy(text));
      good = !context.failed() && !d.null;
      (void)context.take_error();
      vectors[a].set_constant(d);
      arguments.push_back(&vectors[a]);
    }
    if (good) {
      const auto info = session.view.type(call.result.oid);
      Vector out(info ? info->phys : physical_of(call.result.oid), 1);
      function->kernel(context, call, arguments, Selection{nullptr, 1}, out);
      if (!context.failed() && !out.is_null(0)) {
        std::string text;
        type_output(context, call.result, out.datum(0), text);
        made++;
      }
    }
    (void)context.take_error();
    arena.reset();
  }
  std::cout << "calls answered: " << made << "\n";
  EXPECT_GT(made, 0u);
}

}  // namespace
}  // namespace indigo::types
