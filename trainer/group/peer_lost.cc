// Tells lost peers from other errors by their type.
#include "trainer/group/peer_lost.h"

#include <gloo/common/error.h>

#include <algorithm>
#include <string_view>

#include "trainer/torch.h"

namespace lockstep {
namespace {

// The first sentence of what the library says, without "[file:line] " and what stands before it.
std::string plain_words(const std::exception& error) {
  const auto* c10_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = c10_error ? c10_error->what_without_backtrace() : error.what();
  const auto source = text.find(".cc:");
  const auto words = text.find("] ", source == std::string::npos ? text.size() : source);
  if (words != std::string::npos) text.erase(0, words + 2);
  text.erase(std::min(text.find(". "), text.size()));
  text.erase(std::min(text.find('\n'), text.size()));
  return "lost another rank: " + text;
}

}  // namespace

bool is_peer_loss(const std::exception& error) {
  return dynamic_cast<const PeerLost*>(&error) || dynamic_cast<const c10::DistError*>(&error) ||
         dynamic_cast<const gloo::Exception*>(&error);
}

// Gloo's exceptions for a silent and for a broken connection have one type.
bool is_timeout(const std::exception& error) {
  return is_peer_loss(error) &&
         std::string_view(error.what()).find("imed out") != std::string::npos;
}

PeerLost lost_while_connecting(const c10::Error& error) { return PeerLost(plain_words(error)); }

std::string sentence_of(const std::exception& error) {
  if (!is_peer_loss(error) || dynamic_cast<const PeerLost*>(&error)) return error.what();
  return plain_words(error);
}

}  // namespace lockstep
