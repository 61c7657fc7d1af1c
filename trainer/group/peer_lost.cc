// Tells lost peers from other errors by their type.
#include "trainer/group/peer_lost.h"

#include <gloo/common/error.h>

#include <algorithm>

#include "trainer/torch.h"

namespace lockstep {

bool is_peer_loss(const std::exception& error) {
  return dynamic_cast<const PeerLost*>(&error) || dynamic_cast<const c10::DistError*>(&error) ||
         dynamic_cast<const gloo::Exception*>(&error);
}

std::string sentence_of(const std::exception& error) {
  if (!is_peer_loss(error) || dynamic_cast<const PeerLost*>(&error)) return error.what();
  const auto* c10_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = c10_error ? c10_error->what_without_backtrace() : error.what();
  if (text.starts_with('[')) text.erase(0, text.find("] ") + 2);  // "[file:line] "
  text.erase(std::min(text.find(". "), text.size()));
  text.erase(std::min(text.find('\n'), text.size()));
  return "lost another rank: " + text;
}

}  // namespace lockstep
