// Any bytes as a startup packet and its parameters: refused, or the same bytes again.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wire/messages/startup_packet.h"
#include "wire/session/startup.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace indigo::wire;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  StartupPacket packet;
  if (packet.decode(bytes).ok()) {
    OutputBuffer out;
    packet.encode(out);
    bool whole = packet.code == StartupPacket::kCancelRequest || packet.code >> 16 == 3;
    if (whole && out.view().substr(4) != bytes) abort();
    auto request = read_parameters(packet.parameters);
    if (request.ok() && (request->options.user.empty() || request->options.user.size() > 63)) abort();
  }
  std::map<std::string, std::string> settings;
  (void)read_command_line_options(bytes, settings).ok();
  return 0;
}
