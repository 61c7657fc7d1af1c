// Columns three spaces apart, as kubectl has them.
#include "operator/plugin/table.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr std::size_t kGap = 3;

constexpr std::string_view kCodes[] = {"", "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"};

// Characters, not bytes: what continues a UTF-8 character takes no room.
std::size_t width(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](unsigned char c) { return (c & 0xc0) != 0x80; });
}

std::size_t last_filled(const std::vector<Cell>& row) {
  std::size_t last = row.size();
  while (last > 0 && row[last - 1].text.empty()) --last;
  return last;
}

}  // namespace

std::string Paint::operator()(std::string_view text, Colour colour) const {
  if (!is_coloured || colour == Colour::kNone) return std::string(text);
  return std::string(kCodes[static_cast<int>(colour)]) + std::string(text) + "\x1b[0m";
}

Colour colour_of(Phase phase) {
  switch (phase) {
    case Phase::kRunning:
    case Phase::kSucceeded:
      return Colour::kGreen;
    case Phase::kFailed:
      return Colour::kRed;
    default:
      return Colour::kYellow;
  }
}

Table::Table(const std::vector<std::string>& header) {
  rows_.emplace_back(header.begin(), header.end());
}

void Table::add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

std::string Table::text(const Paint& paint) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width(row[i].text));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    const std::size_t end = last_filled(row);
    for (std::size_t i = 0; i < end; ++i) {
      text += paint(row[i].text, row[i].colour);
      if (i + 1 < end) text += std::string(widths[i] - width(row[i].text) + kGap, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace lockstep
