// A training loop of one's own on MNIST, with LibTorch's data set and optimizer, on all ranks:
//   lockstep-launch --standalone --nproc 4 -- own-loop FOLDER
// What distributed training adds to the loop of one process is marked (ddp).
#include <torch/torch.h>

#include <cstdio>

#include "trainer/ddp/distributed_data_parallel.h"
#include "trainer/group/group.h"

namespace {

constexpr int kBatch = 32, kSteps = 200;  // samples of one rank; steps

torch::nn::Sequential make_model() {
  return torch::nn::Sequential(torch::nn::Flatten(), torch::nn::Linear(784, 64), torch::nn::ReLU(),
                               torch::nn::Linear(64, 10));
}

// The samples of one rank in one step: ranks take turns, so no sample is seen twice.
at::Tensor rows_of(int step, const lockstep::Group& group, std::int64_t samples) {
  const at::Tensor order = torch::arange(kBatch) * group.size() + group.rank();
  return (order + step * kBatch * group.size()).remainder(samples);
}

}  // namespace

int main(int, char** argv) {
  const auto group = lockstep::join_group(lockstep::place_in(lockstep::variable), "auto");  // (ddp)
  const auto data = torch::data::datasets::MNIST(argv[1]);
  const at::Tensor images = data.images().to(group->device());
  const at::Tensor labels = data.targets().to(group->device());

  torch::nn::Sequential model = make_model();
  model->to(group->device());
  lockstep::DistributedDataParallel ddp(model.ptr(), *group, {});  // (ddp)
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));

  for (int step = 0; step < kSteps; ++step) {
    const at::Tensor rows = rows_of(step, *group, images.size(0)).to(group->device());
    ddp.zero_grad();  // (ddp)
    const at::Tensor scores =
        ddp.forward([&] { return model->forward(images.index_select(0, rows)); });
    const at::Tensor loss = at::cross_entropy_loss(scores, labels.index_select(0, rows));
    loss.backward();  // the gradient of all ranks' batches together
    optimizer.step();
    if (step % 50 == 49 && group->rank() == 0) {
      std::printf("step %d loss %.4f\n", step + 1, loss.item<double>());
    }
  }
  const at::Tensor sum = model->parameters()[0].sum().to(at::kDouble);
  std::printf("rank %d: weights sum to %.12f\n", group->rank(), sum.item<double>());
  group->leave();  // (ddp)
}
