// Text in columns, and in colours where a terminal shows them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "operator/api/job_status.h"

namespace lockstep {

enum class Colour { kNone, kBold, kRed, kGreen, kYellow };

// Whether to write colours is decided once, by whoever knows the terminal.
struct Paint {
  bool is_coloured = false;
  std::string operator()(std::string_view text, Colour colour) const;
};

Colour colour_of(Phase phase);

struct Cell {
  Cell(std::string text, Colour colour = Colour::kNone) : text(std::move(text)), colour(colour) {}
  Cell(const char* text) : text(text) {}
  std::string text;
  Colour colour = Colour::kNone;
};

class Table {
 public:
  explicit Table(const std::vector<std::string>& header);
  void add(std::vector<Cell> row);  // as many cells as the header has
  bool is_empty() const { return rows_.size() == 1; }

  // Lines end with their last letter, and with a line end.
  std::string text(const Paint& paint = {}) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace lockstep
