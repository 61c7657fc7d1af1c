// Sums of whole numbers: the same whatever the order in which a device adds.
#include "trainer/ddp/same_weights.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "trainer/torch.h"

namespace lockstep {
namespace {

at::ScalarType whole_number_of(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return at::kChar;
    case 2:
      return at::kShort;
    case 4:
      return at::kInt;
    default:
      return at::kLong;
  }
}

at::Tensor sum_of_bits(const at::Tensor& parameter) {
  return parameter.detach().view(whole_number_of(parameter.element_size())).sum(at::kLong);
}

at::Tensor sums_of(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> sums;
  for (const at::Tensor& parameter : parameters) sums.push_back(sum_of_bits(parameter));
  return at::stack(sums);
}

// By rank: the number of its first sum that differs from rank 0's, from 1; 0 where none does.
std::vector<std::int64_t> first_differences(const at::Tensor& sums, Group& group) {
  const at::Tensor reference = sums.clone();
  group.broadcast({reference});
  const at::Tensor differs = sums.ne(reference);
  const at::Tensor found = at::zeros({group.size()}, sums.options());
  found[group.rank()].copy_(at::where(differs.any(), differs.to(at::kInt).argmax() + 1, 0));
  group.all_reduce(found);
  const at::Tensor host = found.cpu();
  const auto* first = host.const_data_ptr<std::int64_t>();
  return {first, first + group.size()};
}

}  // namespace

void require_same_weights(const torch::nn::Module& model, Group& group, std::int64_t step) {
  if (group.size() == 1) return;
  const auto parameters = model.named_parameters();
  const auto differences = first_differences(sums_of(parameters.values()), group);
  for (std::size_t rank = 0; rank < differences.size(); ++rank) {
    if (differences[rank] == 0) continue;
    const auto& name = parameters[static_cast<std::size_t>(differences[rank] - 1)].key();
    throw std::runtime_error("after step " + std::to_string(step) + " rank " +
                             std::to_string(rank) + " holds another " + name +
                             " than rank 0: a machine computes, keeps or sends numbers wrongly; "
                             "go on from an earlier checkpoint, on other machines");
  }
}

}  // namespace lockstep
