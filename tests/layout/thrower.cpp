// A program that throws through frames of its own, of the standard library and of threads, for tests/layout/run to lay out.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace indigo {

struct Guard {
  std::string name;
  int* unwound;
  ~Guard() { ++*unwound; }
};

int unwound = 0;

[[gnu::noinline]] int choose(int n) {
  Guard guard{"a name that is too long to be kept inside", &unwound};
  switch (n % 9) {
    case 0: throw std::runtime_error("of the first kind");
    case 1: throw n;
    case 2: return static_cast<int>(std::string(4, 'x').at(n));
    case 3: return static_cast<int>(std::vector<int>(4).at(n));
    case 4: throw std::bad_alloc();
    case 5: std::function<int()>()(); return 0;
    case 6: return std::stoi("no number");
    default: return n;
  }
}

[[gnu::noinline]] const char* kind(int n) {
  Guard outer{"another name that is too long to be kept", &unwound};
  try {
    Guard inner{"a third name that is too long to be kept", &unwound};
    return choose(n) >= 0 ? "returned" : "negative";
  } catch (const std::out_of_range&) {
    return "out of range";
  } catch (const std::runtime_error& e) {
    return e.what()[0] == 'o' ? "runtime" : "another runtime";
  } catch (const std::bad_alloc&) {
    return "bad_alloc";
  } catch (int) {
    try {
      throw;
    } catch (...) {
      return "int";
    }
  } catch (const std::exception&) {
    return "exception";
  }
}

}  // namespace indigo

int main(int argc, char**) {
  // Training takes the common way only: what is thrown then is in the cold part.
  const int step = argc > 1 ? 1 : 9;
  for (int n = argc > 1 ? 0 : 8; n < 9000; n += step) {
    const char* said = indigo::kind(n);
    if (n < 18 || n > 8990) std::puts(said);
  }
  std::thread([] { std::puts(indigo::kind(4)); }).join();
  std::printf("%d\n", indigo::unwound);
  return 0;
}
