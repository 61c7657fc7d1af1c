// JPEG through libjpeg-turbo, with the defaults that PIL uses too, so the pixels are the same.
// libjpeg reports faults by longjmp: between setjmp and the calls no object may need destruction.
#include <csetjmp>
#include <cstdio>

// After cstdio, which jpeglib.h needs.
#include <jerror.h>
#include <jpeglib.h>

#include <algorithm>
#include <cstring>

#include "trainer/data/image_formats.h"
#include "trainer/errors.h"

namespace lockstep {
namespace {

// A progressive file may hold any number of scans, each as long to decode as a whole picture.
constexpr int kMostScans = 500;

struct Faults : jpeg_error_mgr {
  std::jmp_buf jump;
  char message[JMSG_LENGTH_MAX] = "";
  bool ended_early = false;
};

Faults& faults_of(j_common_ptr info) { return *static_cast<Faults*>(info->err); }

[[noreturn]] void leave(j_common_ptr info) {
  info->err->format_message(info, faults_of(info).message);
  std::longjmp(faults_of(info).jump, 1);
}

// Warnings are for damage the decoder steps over, as PIL does; not when it has to invent pixels.
void note(j_common_ptr info, int level) {
  if (level < 0 && info->err->msg_code == JWRN_JPEG_EOF) faults_of(info).ended_early = true;
}

void limit_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMostScans) return;
  std::strcpy(faults_of(info).message, "more scans than any picture needs");
  std::longjmp(faults_of(info).jump, 1);
}

class Decoder {
 public:
  explicit Decoder(std::span<const std::uint8_t> bytes) {
    info_.err = jpeg_std_error(&faults_);
    faults_.error_exit = leave;
    faults_.emit_message = note;
    step([&] {
      jpeg_create_decompress(&info_);
      progress_.progress_monitor = limit_scans;
      info_.progress = &progress_;
      jpeg_mem_src(&info_, bytes.data(), bytes.size());
    });
  }
  ~Decoder() { jpeg_destroy_decompress(&info_); }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  jpeg_decompress_struct& info() { return info_; }

  // Calls libjpeg. `calls` may own nothing: a fault jumps out of it.
  template <typename Calls>
  void step(const Calls& calls) {
    if (setjmp(faults_.jump) == 0) {
      calls();
    } else {
      throw BadData(std::string("damaged JPEG: ") + faults_.message);
    }
    if (faults_.ended_early) throw BadData("damaged JPEG: the file ends early");
  }

 private:
  jpeg_decompress_struct info_{};
  Faults faults_;
  jpeg_progress_mgr progress_{};
};

// a * b / 255, rounded.
int product(int a, int b) {
  const int wide = a * b + 128;
  return (wide + (wide >> 8)) >> 8;
}

// In place of the widest rows: four inverted inks to three colours, the first pixel first.
void inks_to_colours(const std::uint8_t* inks, std::uint8_t* colours, std::int64_t columns) {
  for (std::int64_t column = 0; column < columns; ++column, inks += 4) {
    const int black = inks[3];
    for (int channel = 0; channel < 3; ++channel) {
      *colours++ =
          static_cast<std::uint8_t>(std::max(0, black - product(255 - inks[channel], black)));
    }
  }
}

void read_rows(Decoder& decoder, Image& image) {
  jpeg_decompress_struct& info = decoder.info();
  const bool has_inks = info.out_color_space == JCS_CMYK;
  std::vector<std::uint8_t> inks(has_inks ? image.columns * 4 : 0);
  decoder.step([&] {
    while (info.output_scanline < info.output_height) {
      std::uint8_t* row = image.row(info.output_scanline);
      JSAMPROW into = has_inks ? inks.data() : row;
      jpeg_read_scanlines(&info, &into, 1);
      if (has_inks) inks_to_colours(inks.data(), row, image.columns);
    }
    jpeg_finish_decompress(&info);
  });
}

}  // namespace

Image decode_jpeg(std::span<const std::uint8_t> bytes, const DecodeLimits& limits) {
  Decoder decoder(bytes);
  jpeg_decompress_struct& info = decoder.info();
  decoder.step([&] { jpeg_read_header(&info, TRUE); });
  check_size("JPEG", info.image_height, info.image_width, limits);
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_RGB;
  decoder.step([&] { jpeg_start_decompress(&info); });
  Image image(info.output_height, info.output_width);
  read_rows(decoder, image);
  return image;
}

}  // namespace lockstep
