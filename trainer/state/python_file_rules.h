// How the dtypes of tensors are called in files of torch.save. Private to state/.
#pragma once

#include <array>
#include <string_view>

#include "trainer/state/safetensors.h"

namespace lockstep::python {

inline constexpr std::string_view kOrderedDict = "collections OrderedDict";
inline constexpr std::string_view kTensorV2 = "torch._utils _rebuild_tensor_v2";
inline constexpr std::string_view kTensorV3 = "torch._utils _rebuild_tensor_v3";
inline constexpr std::string_view kParameter = "torch._utils _rebuild_parameter";
inline constexpr std::string_view kUntyped = "torch.storage UntypedStorage";

// A newer dtype has no storage of its own: its tensors are rebuilt by kTensorV3 from bytes.
struct DtypeNames {
  Dtype dtype;
  std::string_view storage;  // empty: untyped
  std::string_view name;
};
inline constexpr std::array<DtypeNames, 15> kDtypes = {
    {{Dtype::kBool, "torch BoolStorage", "torch bool"},
     {Dtype::kU8, "torch ByteStorage", "torch uint8"},
     {Dtype::kI8, "torch CharStorage", "torch int8"},
     {Dtype::kF8E5M2, "", "torch float8_e5m2"},
     {Dtype::kF8E4M3, "", "torch float8_e4m3fn"},
     {Dtype::kI16, "torch ShortStorage", "torch int16"},
     {Dtype::kU16, "", "torch uint16"},
     {Dtype::kF16, "torch HalfStorage", "torch float16"},
     {Dtype::kBF16, "torch BFloat16Storage", "torch bfloat16"},
     {Dtype::kI32, "torch IntStorage", "torch int32"},
     {Dtype::kU32, "", "torch uint32"},
     {Dtype::kF32, "torch FloatStorage", "torch float32"},
     {Dtype::kF64, "torch DoubleStorage", "torch float64"},
     {Dtype::kI64, "torch LongStorage", "torch int64"},
     {Dtype::kU64, "", "torch uint64"}}};

inline const DtypeNames& names_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)]; }

}  // namespace lockstep::python
