// Sums gradients over all ranks in buckets, each as soon as backward has filled it, so that communication overlaps with the
// rest of backward. Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", arXiv 2006.15704.
//
// c10d's own Reducer could be called here, but is not, for three reasons. It moves parameters between buckets after its
// first step, and the order in which three or more ranks add up an element depends on its place in a bucket, so a resumed
// run would differ in the last bits from one that never stopped. It divides by the number of ranks, while our loss's
// denominator is already summed over them. And its header needs the headers of libtorch's RPC. Here, the buckets depend
// only on the list of parameters.
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <mutex>
#include <utility>

#include "distributed.h"

namespace door {
namespace {

struct Bucket {
  std::vector<at::Tensor> parameters;
  at::Tensor sums;
  std::vector<at::Tensor> views;  // of the sums, one per parameter
  size_t missing = 0;  // gradients that backward has yet to compute
  Work work;
};

class GradientBuckets : public std::enable_shared_from_this<GradientBuckets> {
 public:
  GradientBuckets(std::shared_ptr<Group> group, const std::vector<at::Tensor>& parameters, size_t firstBytes, size_t bytes);
  void watch();
  void unwatch();
  void prepare();
  void finish();
  void arrived(size_t bucket, size_t place);
  std::vector<int64_t> sizes() const;

 private:
  void startWhatIsFull();
  void start(Bucket& bucket);
  // Makes the gradients of these parameters part of the bucket's sums.
  void moveIn(Bucket& bucket, size_t begin, size_t end);
  std::string describeBucket(size_t number) const;

  std::shared_ptr<Group> group_;
  std::vector<Bucket> buckets_;
#if !TORCH_AT_LEAST(2, 1)
  // A parameter refers to its accumulator weakly; without these, hooks would disappear with the first step's graph.
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
#endif
  std::mutex mutex_;  // GPU and CPU gradients arrive on different threads
  size_t next_ = 0;  // buckets before this one have been started; all ranks start them in this order
  bool isPrepared_ = false;
};

#if TORCH_AT_LEAST(2, 1)
// A hook on the parameter itself. A hook on its accumulator would keep the accumulator alive, and with it the stream that
// it was made on; a step captured on another stream would then wait for work outside its graph.
struct Hook : torch::autograd::PostAccumulateGradHook {
  std::weak_ptr<GradientBuckets> owner;
  size_t bucket, place;

  Hook(std::weak_ptr<GradientBuckets> owner, size_t bucket, size_t place) : owner(std::move(owner)), bucket(bucket), place(place) {}

  void operator()(const at::Tensor&) override {
    if (const auto buckets = owner.lock()) buckets->arrived(bucket, place);
  }
};
#else
using torch::autograd::variable_list;

struct Hook : torch::autograd::FunctionPostHook {
  std::weak_ptr<GradientBuckets> owner;
  size_t bucket, place;

  Hook(std::weak_ptr<GradientBuckets> owner, size_t bucket, size_t place) : owner(std::move(owner)), bucket(bucket), place(place) {}

  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    if (const auto buckets = owner.lock()) buckets->arrived(bucket, place);
    return outputs;
  }
};
#endif

// Backward reaches the last parameters first, so they share the first bucket, which is small so that sending starts early.
GradientBuckets::GradientBuckets(std::shared_ptr<Group> group, const std::vector<at::Tensor>& parameters, size_t firstBytes, size_t bytes)
    : group_(std::move(group)) {
  size_t filled = 0;
  for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
    const size_t limit = buckets_.size() <= 1 ? firstBytes : bytes;
    const bool fits = !buckets_.empty() && filled < limit && buckets_.back().parameters[0].options().type_equal(parameter->options()) &&
        buckets_.back().parameters[0].device() == parameter->device();
    if (!fits) {
      buckets_.emplace_back();
      filled = 0;
    }
    buckets_.back().parameters.push_back(*parameter);
    filled += parameter->nbytes();
  }
  for (auto& bucket : buckets_) {
    int64_t elements = 0;
    for (const auto& parameter : bucket.parameters) elements += parameter.numel();
    bucket.sums = at::zeros({elements}, bucket.parameters[0].options().requires_grad(false));
    int64_t offset = 0;
    for (const auto& parameter : bucket.parameters) {
      // In the parameter's own memory layout, which optimizers and channels-last kernels expect of its gradient.
      bucket.views.push_back(parameter.is_non_overlapping_and_dense() ? bucket.sums.as_strided(parameter.sizes(), parameter.strides(), offset)
                                                                     : bucket.sums.narrow(0, offset, parameter.numel()).view(parameter.sizes()));
      offset += parameter.numel();
    }
  }
}

void GradientBuckets::watch() {
  for (size_t number = 0; number < buckets_.size(); number++) {
    for (size_t place = 0; place < buckets_[number].parameters.size(); place++) {
      const auto& parameter = buckets_[number].parameters[place];
      auto hook = std::make_unique<Hook>(weak_from_this(), number, place);
#if TORCH_AT_LEAST(2, 1)
      torch::autograd::impl::set_post_acc_grad_hooks(parameter, std::move(hook));
#else
      accumulators_.push_back(torch::autograd::impl::grad_accumulator(parameter));
      accumulators_.back()->add_post_hook(std::move(hook));
#endif
    }
  }
}

void GradientBuckets::unwatch() {
#if TORCH_AT_LEAST(2, 1)
  for (const auto& bucket : buckets_) {
    for (const auto& parameter : bucket.parameters) torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
  }
#endif
}

void GradientBuckets::prepare() {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto& bucket : buckets_) {
    bucket.missing = bucket.parameters.size();
    bucket.work.reset();
  }
  next_ = 0;
  isPrepared_ = true;
}

void GradientBuckets::arrived(size_t number, size_t place) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isPrepared_) return;  // an earlier part of the batch: its gradients stay on this rank until the last part
  auto& bucket = buckets_[number];
  // On the CPU it is copied at once, while it is in the cache, and its memory can be reused. A GPU copies a bucket in one kernel.
  if (bucket.sums.is_cpu()) moveIn(bucket, place, place + 1);
  bucket.missing--;
  startWhatIsFull();
}

void GradientBuckets::startWhatIsFull() {
  for (; next_ < buckets_.size() && buckets_[next_].missing == 0; next_++) {
    try {
      start(buckets_[next_]);
    } catch (...) {
      rethrowAs(*group_, describeBucket(next_));
    }
  }
}

void GradientBuckets::start(Bucket& bucket) {
  moveIn(bucket, 0, bucket.parameters.size());
  std::vector<at::Tensor> list = {bucket.sums};
  bucket.work = group_->backendFor(bucket.sums).allreduce(list);
}

void GradientBuckets::moveIn(Bucket& bucket, size_t begin, size_t end) {
  const at::NoGradGuard guard;
  std::vector<at::Tensor> from, to;
  for (size_t i = begin; i < end; i++) {
    const auto& gradient = bucket.parameters[i].grad();
    if (!gradient.defined()) {
      bucket.views[i].zero_();  // this rank's loss does not depend on it; another rank's may
    } else if (!gradient.is_alias_of(bucket.sums)) {
      from.push_back(gradient);
      to.push_back(bucket.views[i]);
    }
  }
#if TORCH_AT_LEAST(2, 1)
  if (!from.empty()) at::_foreach_copy_(to, from);
#else
  for (size_t i = 0; i < from.size(); i++) to[i].copy_(from[i]);
#endif
  for (size_t i = begin; i < end; i++) bucket.parameters[i].mutable_grad() = bucket.views[i];
}

void GradientBuckets::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!isPrepared_) throw std::runtime_error("gradientBuckets: finish without prepare");
  isPrepared_ = false;
  for (auto& bucket : buckets_) bucket.missing = 0;
  startWhatIsFull();
  for (size_t number = 0; number < buckets_.size(); number++) {
    try {
      buckets_[number].work->wait();
    } catch (...) {
      rethrowAs(*group_, describeBucket(number));
    }
  }
}

std::string GradientBuckets::describeBucket(size_t number) const {
  return "allReduce of gradient bucket " + std::to_string(number + 1) + " of " + std::to_string(buckets_.size());
}

std::vector<int64_t> GradientBuckets::sizes() const {
  std::vector<int64_t> bytes;
  for (const auto& bucket : buckets_) bytes.push_back(static_cast<int64_t>(bucket.sums.nbytes()));
  return bytes;
}

using List = std::vector<std::shared_ptr<GradientBuckets>>;

List& list(Call& call) {
  if (!call.engine.gradientBuckets) call.engine.gradientBuckets = std::make_shared<List>();
  return *static_cast<List*>(call.engine.gradientBuckets.get());
}

GradientBuckets& at(Call& call) {
  const auto& all = list(call);
  const auto number = static_cast<size_t>(call.number(0));
  if (number >= all.size() || !all[number]) throw TypeError("the gradient buckets have been disposed of");
  return *all[number];
}

// bucketsCreate(group, parameters, bytes of the first bucket, bytes of the others) → number
napi_value bucketsCreate(Call& call) {
  auto buckets = std::make_shared<GradientBuckets>(groupOf(call.place(0)), call.tensors(1), static_cast<size_t>(call.number(2)),
                                                   static_cast<size_t>(call.number(3)));
  buckets->watch();
  list(call).push_back(std::move(buckets));
  return call.make(static_cast<double>(list(call).size() - 1));
}

// bucketsPrepare(buckets): the next backward is the step's last
napi_value bucketsPrepare(Call& call) {
  at(call).prepare();
  return nullptr;
}

// bucketsFinish(buckets): when this returns, the gradients are sums over all ranks (on a GPU, for later work on its stream)
napi_value bucketsFinish(Call& call) {
  at(call).finish();
  return nullptr;
}

napi_value bucketsSizes(Call& call) { return call.make(at(call).sizes()); }

napi_value bucketsDispose(Call& call) {
  at(call).unwatch();
  list(call)[static_cast<size_t>(call.number(0))].reset();
  return nullptr;
}

}  // namespace

const std::vector<Export> gradientBucketExports = {
    {"bucketsCreate", bucketsCreate}, {"bucketsPrepare", bucketsPrepare}, {"bucketsFinish", bucketsFinish}, {"bucketsSizes", bucketsSizes}, {"bucketsDispose", bucketsDispose},
};

}  // namespace door
