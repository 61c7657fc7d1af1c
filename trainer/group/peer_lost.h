// What the loss of another process looks like.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace c10 {
class Error;
}

namespace lockstep {

// Another rank did not come or is gone. Exit code 75: never the root cause.
struct PeerLost : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// True for PeerLost and for what LibTorch's store, Gloo and NCCL throw when a connection breaks or
// a collective times out; such errors also come out of a backward pass, whose hooks communicate.
bool is_peer_loss(const std::exception& error);

// True for the peer losses in which connections hold but some rank did not come in time.
bool is_timeout(const std::exception& error);

// What Gloo says when a rank dies while all connect to each other: a plain error by its type.
PeerLost lost_while_connecting(const c10::Error& error);

// The error in one sentence for users: what a library says about a lost peer, without its source
// positions and advice; what() of any other error.
std::string sentence_of(const std::exception& error);

}  // namespace lockstep
