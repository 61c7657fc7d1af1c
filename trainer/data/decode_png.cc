// PNG through libpng, told to give 8-bit RGB.
// libpng reports faults by longjmp: between setjmp and the calls no object may need destruction.
#include <png.h>

#include <csetjmp>
#include <cstring>
#include <string>

#include "trainer/data/image_formats.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

// Deflate packs no better than this, so a header that promises more lies.
constexpr std::int64_t kBestPacking = 1032;

struct Faults {
  std::jmp_buf jump;
  char message[128] = "";
};

[[noreturn]] void leave(png_structp png, png_const_charp message) {
  auto& faults = *static_cast<Faults*>(png_get_error_ptr(png));
  std::strncpy(faults.message, message, sizeof faults.message - 1);
  std::longjmp(faults.jump, 1);
}

void ignore(png_structp, png_const_charp) {}  // what libpng warns of changes no pixel

void read(png_structp png, png_bytep into, std::size_t count) {
  auto& rest = *static_cast<std::span<const std::uint8_t>*>(png_get_io_ptr(png));
  if (count > rest.size()) png_error(png, "the file ends early");
  std::memcpy(into, rest.data(), count);
  rest = rest.subspan(count);
}

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes)
      : rest_(bytes),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &faults_, leave, ignore)),
        info_(png_ == nullptr ? nullptr : png_create_info_struct(png_)) {
    if (info_ == nullptr) {
      png_destroy_read_struct(&png_, &info_, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(png_, &rest_, read);
  }
  ~Decoder() { png_destroy_read_struct(&png_, &info_, nullptr); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Calls libpng. `calls` may own nothing: a fault jumps out of it.
  template <typename Calls>
  void step(const Calls& calls) {
    if (setjmp(faults_.jump) == 0) {
      calls(png_, info_);
    } else {
      throw BadData(std::string("damaged PNG: ") + faults_.message);
    }
  }

 private:
  std::span<const std::uint8_t> rest_;
  Faults faults_;
  png_structp png_;
  png_infop info_;
};

struct Header {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t bits_per_pixel = 0;
};

void check_header(const Header& header, std::size_t file_size, const DecodeLimits& limits) {
  check_size("PNG", header.rows, header.columns, limits);
  const std::int64_t bytes = header.rows * header.columns * header.bits_per_pixel / 8;
  if (bytes / kBestPacking > static_cast<std::int64_t>(file_size)) {
    throw BadData("damaged PNG: the header says " + std::to_string(header.columns) + " x " +
                  std::to_string(header.rows) + " pixels, too many for a file of " +
                  std::to_string(file_size) + " bytes");
  }
}

void ask_for_rgb8(png_structp png) {
  png_set_strip_16(png);
  png_set_palette_to_rgb(png);
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_gray_to_rgb(png);
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
}

}  // namespace

Image decode_png(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
  Decoder decoder(bytes);
  Header header;
  decoder.step([&](png_structp png, png_infop info) {
    png_read_info(png, info);
    header.rows = png_get_image_height(png, info);
    header.columns = png_get_image_width(png, info);
    header.bits_per_pixel = png_get_bit_depth(png, info) * png_get_channels(png, info);
  });
  check_header(header, bytes.size(), limits);

  Image image(header.rows, header.columns);
  std::vector<png_bytep> rows;
  for (std::int64_t row = 0; row < image.rows; ++row) rows.push_back(image.row(row));
  decoder.step([&](png_structp png, png_infop info) {
    ask_for_rgb8(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != static_cast<std::size_t>(image.columns * Image::kChannels)) {
      png_error(png, "its pixels do not become RGB");
    }
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
  });
  return image;
}

}  // namespace lockstep
