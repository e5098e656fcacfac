// The dispatcher: finds an operator by name, calls it according to its schema, and lists all operators.
#include "door.h"

#include <sstream>

namespace door {
namespace {

// findOperator('aten::add', 'Tensor') → its number, or -1 if this libtorch has none.
napi_value findOperator(Call& call) {
  auto& operators = call.engine.operators;
  const auto handle = c10::Dispatcher::singleton().findSchema({call.text(0), call.text(1)});
  if (!handle) return call.make(-1.0);
  auto plan = planOperator(*handle);
  for (size_t i = 0; i < operators.size(); i++) {
    if (operators[i].name == plan.name) return call.make(static_cast<double>(i));
  }
  operators.push_back(std::move(plan));
  return call.make(static_cast<double>(operators.size() - 1));
}

std::string inputs(const torch::jit::Stack& stack, const Operator& op) {
  std::ostringstream text;
  for (size_t i = 0; i < stack.size() && i < op.parameters.size(); i++) {
    const auto& value = stack[i];
    const bool tensors = value.isTensor() || value.isTensorList() || op.parameters[i].optionalElements;
    const bool numbers = value.isInt() || value.isDouble() || value.isBool() || value.isIntList() || value.isScalar();
    if (!tensors && !numbers) continue;
    text << (text.tellp() > 0 ? ", " : "") << op.parameters[i].name << ": ";
    if (value.isTensor()) {
      text << describe(value.toTensor());
    } else if (value.isTensorList()) {
      text << describe(value.toTensorVector());
    } else if (op.parameters[i].optionalElements) {
      std::vector<at::Tensor> list;
      for (const auto& element : value.toListRef()) list.push_back(element.isTensor() ? element.toTensor() : at::Tensor());
      text << describe(list);
    } else if (op.parameters[i].name == "dtype" && value.isInt()) {
      text << nameOf(toScalarType(value.toInt()));
    } else {
      text << value;
    }
  }
  return text.str();
}

void pushArguments(Call& call, const Operator& op, torch::jit::Stack& stack) {
  stack.reserve(op.parameters.size() + 1);
  for (size_t i = 0; i < op.parameters.size(); i++) {
    const auto& parameter = op.parameters[i];
    if (i + 1 >= call.count && parameter.hasDefault) {
      stack.push_back(parameter.defaultValue);
    } else {
      stack.push_back(toIValue(call, call.at(i + 1), parameter));
    }
  }
}

const Operator& find(const Call& call) {
  const double index = call.number(0);
  if (!(index >= 0 && index < call.engine.operators.size())) throw TypeError("unknown operator");
  return call.engine.operators[static_cast<size_t>(index)];
}

torch::jit::Stack invoke(Call& call) {
  const Operator& op = find(call);
  if (call.count - 1 > op.parameters.size()) {
    throw TypeError(op.name + " takes " + std::to_string(op.parameters.size()) + " arguments");
  }
  torch::jit::Stack stack;
  bool called = false;
  try {
    pushArguments(call, op, stack);
    called = true;
    op.handle.callBoxed(&stack);
  } catch (...) {
    // The call has consumed its arguments, so convert them again to report their shapes.
    if (called) {
      stack.clear();
      pushArguments(call, op, stack);
    }
    rethrowWith(op.name, inputs(stack, op));
  }
  return stack;
}

// call(operator, …arguments) → its only result
napi_value callOne(Call& call) {
  const auto results = invoke(call);
  if (results.size() != 1) throw std::runtime_error("an operator with " + std::to_string(results.size()) + " results");
  return fromIValue(call, results[0]);
}

// callMany(operator, …arguments) → an array of its results
napi_value callMany(Call& call) {
  const auto results = invoke(call);
  napi_value array;
  checked(call.env, napi_create_array_with_length(call.env, results.size(), &array));
  for (size_t i = 0; i < results.size(); i++) {
    checked(call.env, napi_set_element(call.env, array, i, fromIValue(call, results[i])));
  }
  return array;
}

// callInPlace(operator, …arguments): the caller already holds the tensors that it changes
napi_value callInPlace(Call& call) {
  invoke(call);
  return nullptr;
}

const char* roughKind(Kind kind) { return kind == Kind::tensor ? "tensor" : kind == Kind::tensorList ? "tensors" : "value"; }

napi_value texts(Call& call, const std::vector<std::string>& list) {
  napi_value array;
  checked(call.env, napi_create_array_with_length(call.env, list.size(), &array));
  for (size_t i = 0; i < list.size(); i++) checked(call.env, napi_set_element(call.env, array, i, call.make(list[i])));
  return array;
}

// parameterKinds(operator) → 'tensor', 'tensors' or 'value' for each parameter
napi_value parameterKinds(Call& call) {
  std::vector<std::string> kinds;
  for (const auto& parameter : find(call).parameters) kinds.push_back(roughKind(parameter.kind));
  return texts(call, kinds);
}

// parameterNames(operator) → the names of its parameters, in the schema's order
napi_value parameterNames(Call& call) {
  std::vector<std::string> names;
  for (const auto& argument : find(call).handle.schema().arguments()) names.push_back(argument.name());
  return texts(call, names);
}

// resultTypes(operator) → the types of its results as the schema writes them
napi_value resultTypes(Call& call) {
  std::vector<std::string> types;
  for (const auto& result : find(call).handle.schema().returns()) types.push_back(result.type()->str());
  return texts(call, types);
}

// schemas() → every operator's schema as libtorch writes it
napi_value schemas(Call& call) {
  auto& dispatcher = c10::Dispatcher::singleton();
  napi_value array;
  checked(call.env, napi_create_array(call.env, &array));
  uint32_t count = 0;
  for (const auto& name : dispatcher.getAllOpNames()) {
    const auto handle = dispatcher.findSchema(name);
    if (!handle) continue;
    std::ostringstream text;
    text << handle->schema();
    checked(call.env, napi_set_element(call.env, array, count++, call.make(text.str())));
  }
  return array;
}

}  // namespace

const std::vector<Export> operatorExports = {
    {"findOperator", findOperator}, {"call", callOne}, {"callList", callOne}, {"callBoolean", callOne}, {"callMany", callMany}, {"callMixed", callMany}, {"callInPlace", callInPlace}, {"schemas", schemas},
    {"parameterKinds", parameterKinds}, {"parameterNames", parameterNames}, {"resultTypes", resultTypes},
};

}  // namespace door
