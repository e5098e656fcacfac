// anyclass::residual_layer_norm, the addition of a residual and the layer norm after it, on a GPU: the checks, and the kernels
// with their gradient. Statistics and arithmetic are float32; the output has the type that autocast gives the linear layer
// after it. For backward it keeps the sum, which the stream keeps anyway, and two numbers per token.
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "cudaLayerNormKernels.h"

namespace anyclass {
namespace {

using at::Tensor;
using MaybeTensor = c10::optional<Tensor>;

TokenShape shapeOf(const Tensor& input, at::ScalarType branch) {
  const int64_t channels = input.size(-1), rows = input.numel() / channels;
  return {elementTypeOf(input.scalar_type()), elementTypeOf(branch), rows, rows / input.size(0), static_cast<int>(channels)};
}

// The side of squares, 0 for none, whether they are a grid, and how far the map is rolled before.
struct Cut {
  int64_t side;
  bool grid;
  int64_t shift;
};

SquareOrder orderOf(const Tensor& input, const Cut& cut) {
  if (cut.side == 0) return {};
  return {static_cast<int>(input.size(1)), static_cast<int>(input.size(2)), static_cast<int>(cut.side), cut.grid,
          static_cast<int>(cut.shift)};
}

std::vector<int64_t> shapeInOrder(const Tensor& input, int64_t side) {
  if (side == 0) return input.sizes().vec();
  return {input.numel() / input.size(3) / (side * side), side * side, input.size(3)};
}

const float* floatsOf(const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr<float>() : nullptr; }
const void* dataOf(const Tensor& tensor) { return tensor.defined() ? tensor.data_ptr() : nullptr; }

struct Settings {
  double eps;
  Cut branch, output;
};

LayerNormInput inputOf(const Tensor& stream, const Tensor& branch, const Tensor& scale, const Tensor& shift, const Tensor& weight, const Tensor& bias,
                       const Settings& settings) {
  return {stream.data_ptr(), dataOf(branch), floatsOf(scale), floatsOf(shift), weight.data_ptr<float>(), floatsOf(bias), static_cast<float>(settings.eps),
          orderOf(stream, settings.branch), orderOf(stream, settings.output)};
}

LayerNormStatistics statisticsOf(const Tensor& statistics) {
  float* first = statistics.data_ptr<float>();
  return {first, first + statistics.size(1)};
}

struct ResidualNorm : torch::autograd::Function<ResidualNorm> {
  using Context = torch::autograd::AutogradContext;

  static torch::autograd::variable_list forward(Context* context, const Tensor& input, const MaybeTensor& givenBranch, const MaybeTensor& givenScale,
                                                const MaybeTensor& givenShift, const Tensor& weight, const Tensor& bias, at::ScalarType type, double eps, int64_t branchSide,
                                                bool branchGrid, int64_t branchShift, int64_t outputSide, bool outputGrid, int64_t outputShift) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto branch = givenBranch.value_or(Tensor()), scale = givenScale.value_or(Tensor()), shift = givenShift.value_or(Tensor());
    const Settings settings{eps, {branchSide, branchGrid, branchShift}, {outputSide, outputGrid, outputShift}};
    const auto shape = shapeOf(input, type);
    const auto sum = branch.defined() ? at::empty_like(input) : input;
    const auto output = at::empty(shapeInOrder(input, outputSide), input.options().dtype(type));
    const auto statistics = at::empty({2, shape.rows}, weight.options());
    checkLaunch(launchLayerNormForward(shape, inputOf(input, branch, scale, shift, weight, bias, settings), branch.defined() ? sum.data_ptr() : nullptr,
                                       statisticsOf(statistics), output.data_ptr(), c10::cuda::getCurrentCUDAStream()));
    context->save_for_backward({sum, scale, weight, statistics});
    context->set_materialize_grads(false);
    context->saved_data["hasBranch"] = branch.defined();
    context->saved_data["type"] = static_cast<int64_t>(type);
    context->saved_data["eps"] = eps;
    context->saved_data["branchSide"] = branchSide;
    context->saved_data["branchGrid"] = branchGrid;
    context->saved_data["branchShift"] = branchShift;
    context->saved_data["outputSide"] = outputSide;
    context->saved_data["outputGrid"] = outputGrid;
    context->saved_data["outputShift"] = outputShift;
    return {sum, output};
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list given) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the fused layer norm has no second derivatives: use float64 tokens, whose norm is composed of operators that do");
    const auto saved = context->get_saved_variables();
    const auto &sum = saved[0], &scale = saved[1], &weight = saved[2], &statistics = saved[3];
    auto& data = context->saved_data;
    const Settings settings{data["eps"].toDouble(),
                            {data["branchSide"].toInt(), data["branchGrid"].toBool(), data["branchShift"].toInt()},
                            {data["outputSide"].toInt(), data["outputGrid"].toBool(), data["outputShift"].toInt()}};
    const auto type = static_cast<at::ScalarType>(data["type"].toInt());
    const bool hasBranch = data["hasBranch"].toBool();
    torch::autograd::variable_list all(14);
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(sum.device());
    const auto shape = shapeOf(sum, type);
    const auto ofSum = given[0].defined() ? given[0].contiguous() : Tensor();
    const auto ofOutput = given[1].defined() ? given[1].contiguous() : at::zeros(shapeInOrder(sum, settings.output.side), sum.options().dtype(type));
    const auto ofStream = at::empty_like(sum), parameters = at::empty({2, shape.channels}, weight.options());
    const auto partials = at::empty({static_cast<int64_t>(layerNormScratch(shape))}, weight.options());
    // A branch that was added unchanged has the stream's gradient.
    const bool isShared = type == sum.scalar_type() && !scale.defined() && settings.branch.side == 0;
    auto ofBranch = ofStream;
    if (hasBranch && !isShared) ofBranch = at::empty(shapeInOrder(sum, settings.branch.side), sum.options().dtype(type));
    const LayerNormGradients gradients{dataOf(ofSum), ofOutput.data_ptr(), ofStream.data_ptr(), hasBranch && !isShared ? ofBranch.data_ptr() : nullptr,
                                       parameters.data_ptr<float>(), partials.data_ptr<float>()};
    checkLaunch(launchLayerNormBackward(shape, inputOf(sum, {}, scale, {}, weight, {}, settings), statisticsOf(statistics), gradients,
                                        c10::cuda::getCurrentCUDAStream()));
    all[0] = ofStream;
    if (hasBranch) all[1] = ofBranch;
    all[4] = parameters.select(0, 0);
    all[5] = parameters.select(0, 1);
    return all;
  }
};

void checkInput(const Tensor& input, at::ScalarType type, const Cut& branch, const Cut& output) {
  TORCH_CHECK(input.is_cuda() && isFloatOrHalf(input.scalar_type()) && isFloatOrHalf(type), "input is ", input.scalar_type(), " on ", input.device(),
              "; expected float32, float16 or bfloat16 on a GPU");
  TORCH_CHECK(type == input.scalar_type() || input.scalar_type() == at::kFloat, "a residual stream of ", input.scalar_type(), " under autocast to ", type);
  TORCH_CHECK(input.dim() > 1 && input.numel() > 0 && input.size(-1) % 8 == 0 && input.size(-1) <= kMostChannels, "input has shape ", input.sizes(),
              "; expected [batch, …, channels] with channels a multiple of 8 up to ", kMostChannels);
  for (const auto& [side, grid, shift] : {branch, output}) {
    TORCH_CHECK(side == 0 || (side > 0 && input.dim() == 4 && input.size(1) % side == 0 && input.size(2) % side == 0), "a map of shape ", input.sizes(),
                " cannot be cut into squares of side ", side);
    TORCH_CHECK(shift == 0 || (side > 0 && shift > 0 && shift < input.size(1) && shift < input.size(2)), "a map of shape ", input.sizes(),
                " cannot be rolled by ", shift, " pixels before it is cut into squares of side ", side);
  }
}

std::tuple<Tensor, Tensor> residualLayerNorm(const Tensor& input, const MaybeTensor& branch, const MaybeTensor& scale, const MaybeTensor& shift,
                                             const Tensor& weight, const Tensor& bias, double eps, int64_t branchSide, bool branchGrid, int64_t branchShift, int64_t outputSide,
                                             bool outputGrid, int64_t outputShift) {
  const auto type = autocastType(input.scalar_type());
  checkInput(input, type, {branchSide, branchGrid, branchShift}, {outputSide, outputGrid, outputShift});
  const auto channels = input.sizes().slice(input.dim() - 1);
  const auto plainWeight = weight.to(at::kFloat), plainBias = bias.to(at::kFloat);
  checkTensor(input, plainWeight, at::kFloat, channels, "weight");
  checkTensor(input, plainBias, at::kFloat, channels, "bias");
  const auto plainBranch = branch ? MaybeTensor(branch->to(type).contiguous()) : MaybeTensor();
  const auto plainScale = scale ? MaybeTensor(scale->to(at::kFloat).contiguous()) : MaybeTensor();
  if (branch) checkTensor(input, *plainBranch, type, shapeInOrder(input, branchSide), "branch");
  if (scale) checkTensor(input, *plainScale, at::kFloat, input.sizes().slice(0, 1), "scale");
  TORCH_CHECK(!shift || !at::GradMode::is_enabled(), "the fused layer norm has no gradient of a shift");
  const auto plainShift = shift ? MaybeTensor(shift->to(at::kFloat).contiguous()) : MaybeTensor();
  if (shift) checkTensor(input, *plainShift, at::kFloat, channels, "shift");
  const auto results = ResidualNorm::apply(input.contiguous(), plainBranch, plainScale, plainShift, plainWeight, plainBias, type, eps, branchSide, branchGrid, branchShift,
                                           outputSide, outputGrid, outputShift);
  return {results[0], results[1]};
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "residual_layer_norm(Tensor input, Tensor? branch, Tensor? scale, Tensor? shift, Tensor weight, Tensor bias, float eps, int branch_side, "
      "bool branch_grid, int branch_shift, int output_side, bool output_grid, int output_shift) -> (Tensor sum, Tensor output)",
      anyclass::residualLayerNorm);
}
