// Clients of a progress page: a polite one, and sockets for the others.
#pragma once

#include <string>
#include <string_view>

#include "trainer/launch/fd.h"

namespace lockstep::test {

// A port of loopback that is free, outside the range from which the kernel takes client ports.
int free_port();

bool can_connect(const std::string& address, int port);

// To loopback. Waits at most 30 s. Throws std::runtime_error.
Fd connect_to(int port);

void send_text(const Fd& socket, std::string_view text);

// Everything until the other side closes or resets the connection.
std::string receive_all(const Fd& socket);

// The whole answer to GET; waits until the port is open.
std::string get(int port, const std::string& path);

// Its body alone. Throws std::runtime_error unless the status is 200.
std::string get_page(int port, const std::string& path);

}  // namespace lockstep::test
