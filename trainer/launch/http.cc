// Request line in, response out; see http.h.
#include "trainer/launch/http.h"

namespace lockstep {
namespace {

std::string response(std::string_view status, const Page& page, std::string_view header = "") {
  std::string text = "HTTP/1.1 ";
  text.append(status).append("\r\nContent-Type: ").append(page.type);
  text.append("\r\nContent-Length: ").append(std::to_string(page.body.size()));
  text.append("\r\nCache-Control: no-store\r\nConnection: close\r\n").append(header);
  return text.append("\r\n").append(page.body);
}

std::string refusal(const std::string& status, std::string_view header = "") {
  return response(status, {"text/plain", status + "\n"}, header);
}

bool has_whole_header(std::string_view request) {
  return request.find("\r\n\r\n") != std::string_view::npos ||
         request.find("\n\n") != std::string_view::npos;
}

// Cuts the text up to the next blank off.
std::string_view take_word(std::string_view& text) {
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

}  // namespace

std::string answer(std::string_view request, const Pages& pages) {
  const bool is_too_long = request.size() >= kLongestRequest;
  request = request.substr(0, kLongestRequest);
  if (!has_whole_header(request)) {
    return is_too_long ? refusal("431 Request Header Fields Too Large") : "";
  }
  std::string_view line = request.substr(0, request.find_first_of("\r\n"));
  const std::string_view method = take_word(line);
  const std::string_view target = take_word(line);
  if (method.empty() || !target.starts_with("/") || !line.starts_with("HTTP/1.")) {
    return refusal("400 Bad Request");
  }
  if (method != "GET") return refusal("405 Method Not Allowed", "Allow: GET\r\n");
  const auto page = pages(target.substr(0, target.find('?')));
  return page ? response("200 OK", *page) : refusal("404 Not Found");
}

}  // namespace lockstep
