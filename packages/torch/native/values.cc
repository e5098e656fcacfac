// Converts JavaScript values to libtorch's IValues and back, by the types in an operator's schema.
#include "door.h"

#include <cmath>
#include <sstream>

namespace door {
namespace {

using c10::TypeKind;

Kind kindOf(const c10::TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::TensorType: return Kind::tensor;
    case TypeKind::IntType: return Kind::integer;  // dtype, layout and memory format too
    case TypeKind::SymIntType: return Kind::integer;
    case TypeKind::FloatType: return Kind::real;
    case TypeKind::BoolType: return Kind::boolean;
    case TypeKind::NumberType: return Kind::scalar;
    case TypeKind::StringType: return Kind::string;
    case TypeKind::DeviceObjType: return Kind::device;
    case TypeKind::ListType: {
      auto element = type->castRaw<c10::ListType>()->getElementType();
      if (element->kind() == TypeKind::OptionalType) element = element->castRaw<c10::OptionalType>()->getElementType();
      switch (kindOf(element)) {
        case Kind::tensor: return Kind::tensorList;
        case Kind::integer: return Kind::integerList;
        case Kind::real: return Kind::realList;
        case Kind::boolean: return Kind::booleanList;
        case Kind::scalar: return Kind::scalarList;
        default: return Kind::unsupported;
      }
    }
    default: return Kind::unsupported;
  }
}

[[noreturn]] void refuse(const Parameter& parameter, const std::string& expected) {
  throw TypeError("argument '" + parameter.name + "' must be " + expected);
}

// Names the expected type and the actual one.
[[noreturn]] void refuseType(const Parameter& parameter, const std::string& expected, napi_valuetype type) {
  static const char* const names[] = {"undefined", "null", "a boolean", "a number", "a string", "a symbol", "an object", "a function", "an external", "a bigint"};
  refuse(parameter, expected + ", not " + names[type]);
}

int64_t toInteger(Call& call, napi_value value, const Parameter& parameter) {
  const auto type = typeOf(call.env, value);
  if (type == napi_bigint) {
    int64_t integer = 0;
    bool lossless = false;
    checked(call.env, napi_get_value_bigint_int64(call.env, value, &integer, &lossless));
    if (!lossless) refuse(parameter, "an integer of 64 bits");
    return integer;
  }
  if (type != napi_number) refuseType(parameter, "an integer", type);
  double number = 0;
  checked(call.env, napi_get_value_double(call.env, value, &number));
  if (!(std::abs(number) <= 9007199254740992.0) || number != std::floor(number)) refuse(parameter, "an integer, not " + c10::str(number));
  return static_cast<int64_t>(number);
}

double toReal(Call& call, napi_value value, const Parameter& parameter) {
  const auto type = typeOf(call.env, value);
  if (type != napi_number) refuseType(parameter, "a number", type);
  double number = 0;
  checked(call.env, napi_get_value_double(call.env, value, &number));
  return number;
}

bool toBoolean(Call& call, napi_value value, const Parameter& parameter) {
  const auto type = typeOf(call.env, value);
  if (type != napi_boolean) refuseType(parameter, "true or false", type);
  bool flag = false;
  checked(call.env, napi_get_value_bool(call.env, value, &flag));
  return flag;
}

// An integer-valued number becomes an integer Scalar: this keeps integer tensors integer and changes nothing for others.
at::Scalar toScalar(Call& call, napi_value value, const Parameter& parameter) {
  const auto type = typeOf(call.env, value);
  switch (type) {
    case napi_boolean: return at::Scalar(toBoolean(call, value, parameter));
    case napi_bigint: return at::Scalar(toInteger(call, value, parameter));
    case napi_number: {
      const double number = toReal(call, value, parameter);
      const bool integral = std::abs(number) <= 9007199254740992.0 && number == std::floor(number);
      // Only a float can be -0.
      if (integral && !(number == 0 && std::signbit(number))) return at::Scalar(static_cast<int64_t>(number));
      return at::Scalar(number);
    }
    default: refuseType(parameter, "a number, bigint or boolean", type);
  }
}

c10::Device toDevice(const std::string& name, const Parameter& parameter) {
  try {
    const c10::Device device(name);
    if (device.is_cuda() && !whyNoCuda().empty()) refuse(parameter, "a device that is here, not '" + name + "': " + whyNoCuda());
    if (device.is_cpu() || device.is_cuda()) return device;
  } catch (const c10::Error&) {
    // Not a device name at all; refused below.
  }
  refuse(parameter, "a device such as 'cpu' or 'cuda:0', not '" + name + "'");
}

uint32_t arrayLength(Call& call, napi_value value, const Parameter& parameter) {
  bool isArray = false;
  checked(call.env, napi_is_array(call.env, value, &isArray));
  if (!isArray) refuseType(parameter, "an array", typeOf(call.env, value));
  uint32_t length = 0;
  checked(call.env, napi_get_array_length(call.env, value, &length));
  return length;
}

// A list such as int[2] takes one number for all elements, or exactly its length: libtorch's kernels
// rely on that and would read past the end. (int[1] only hints that one number is enough.)
template <typename T, typename Convert>
std::vector<T> toList(Call& call, napi_value value, const Parameter& parameter, Convert convert) {
  const auto type = typeOf(call.env, value);
  const int32_t fixed = parameter.fixedLength;
  if (fixed > 0 && (type == napi_number || type == napi_bigint || type == napi_boolean)) {
    return std::vector<T>(fixed, convert(call, value, parameter));
  }
  const uint32_t length = arrayLength(call, value, parameter);
  std::vector<T> list;
  list.reserve(length);
  for (uint32_t i = 0; i < length; i++) {
    napi_value element;
    checked(call.env, napi_get_element(call.env, value, i, &element));
    list.push_back(convert(call, element, parameter));
  }
  if (fixed > 1) {
    const bool emptyAllowed = parameter.hasDefault && parameter.defaultValue.isList() && parameter.defaultValue.toListRef().empty();
    if (length == 1) return std::vector<T>(fixed, list[0]);
    if (length != static_cast<uint32_t>(fixed) && !(length == 0 && emptyAllowed)) {
      refuse(parameter, "a list of " + std::to_string(fixed) + " numbers, not of " + std::to_string(length));
    }
  }
  return list;
}

c10::IValue toTensorList(Call& call, napi_value value, const Parameter& parameter) {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(call.env, value, &type, &length, &data, nullptr, nullptr) != napi_ok || type != napi_int32_array) {
    refuse(parameter, "a list of tensors");
  }
  const auto* places = static_cast<int32_t*>(data);
  if (parameter.optionalElements) {
    c10::List<c10::optional<at::Tensor>> list;
    list.reserve(length);
    for (size_t i = 0; i < length; i++) {
      list.push_back(places[i] < 0 ? c10::optional<at::Tensor>() : c10::optional<at::Tensor>(call.engine.get(places[i])));
    }
    return list;
  }
  c10::List<at::Tensor> list;
  list.reserve(length);
  for (size_t i = 0; i < length; i++) list.push_back(call.engine.get(places[i]));
  return list;
}

}  // namespace

Operator planOperator(const c10::OperatorHandle& handle) {
  const auto& schema = handle.schema();
  const auto& overload = schema.overload_name();
  Operator op{handle, schema.name() + (overload.empty() ? "" : "." + overload), {}};
  for (const auto& argument : schema.arguments()) {
    auto type = argument.type();
    const bool optional = type->kind() == TypeKind::OptionalType;
    if (optional) type = type->castRaw<c10::OptionalType>()->getElementType();
    const bool optionalElements = type->kind() == TypeKind::ListType &&
        type->castRaw<c10::ListType>()->getElementType()->kind() == TypeKind::OptionalType;
    op.parameters.push_back({argument.name(), kindOf(type), optional, optionalElements, argument.default_value().has_value(),
                             argument.default_value().value_or(c10::IValue()), argument.N().value_or(0)});
  }
  return op;
}

c10::IValue toIValue(Call& call, napi_value value, const Parameter& parameter) {
  const auto type = typeOf(call.env, value);
  if (type == napi_undefined || type == napi_null) {
    if (type == napi_undefined && parameter.hasDefault) return parameter.defaultValue;
    if (parameter.optional) return c10::IValue();
    refuse(parameter, type == napi_null && parameter.hasDefault ? "given or left out, not null" : "given");
  }
  switch (parameter.kind) {
    case Kind::tensor: {
      if (type != napi_number) refuseType(parameter, "a tensor", type);
      int32_t place = -1;
      checked(call.env, napi_get_value_int32(call.env, value, &place));
      return call.engine.get(place);
    }
    case Kind::tensorList: return toTensorList(call, value, parameter);
    case Kind::integer: return toInteger(call, value, parameter);
    case Kind::integerList: return toList<int64_t>(call, value, parameter, toInteger);
    case Kind::real: return toReal(call, value, parameter);
    case Kind::realList: return toList<double>(call, value, parameter, toReal);
    case Kind::boolean: {
      const bool flag = toBoolean(call, value, parameter);
      if (flag && parameter.name == "pin_memory" && !at::hasCUDA()) refuse(parameter, "false: pinned memory needs CUDA, and " + whyNoCuda());
      return flag;
    }
    case Kind::booleanList: {
      c10::List<bool> list;
      for (const bool flag : toList<bool>(call, value, parameter, toBoolean)) list.push_back(flag);
      return list;
    }
    case Kind::scalar: return toScalar(call, value, parameter);
    case Kind::scalarList: {
      c10::List<at::Scalar> list;
      for (const auto& scalar : toList<at::Scalar>(call, value, parameter, toScalar)) list.push_back(scalar);
      return list;
    }
    case Kind::string: {
      if (type != napi_string) refuseType(parameter, "a string", type);
      return toText(call.env, value);
    }
    case Kind::device: {
      if (type != napi_string) refuseType(parameter, "a device such as 'cpu' or 'cuda:0'", type);
      return toDevice(toText(call.env, value), parameter);
    }
    case Kind::unsupported: break;
  }
  refuse(parameter, "left out: its type has no JavaScript form");
}

napi_value fromIValue(Call& call, const c10::IValue& value) {
  if (value.isTensor()) return call.make(value.toTensor());
  if (value.isTensorList()) return call.places(value.toTensorVector());
  if (value.isBool()) return call.make(value.toBool());
  if (value.isInt()) return call.make(static_cast<double>(value.toInt()));
  if (value.isDouble()) return call.make(value.toDouble());
  if (value.isIntList()) return call.make(value.toIntVector());
  if (value.isString()) return call.make(value.toStringRef());
  if (value.isNone()) return call.null();
  throw std::runtime_error("a result of type " + value.tagKind() + " has no JavaScript form");
}

at::ScalarType toScalarType(int64_t code) {
  if (code < 0 || code >= static_cast<int64_t>(at::ScalarType::NumOptions)) throw TypeError("unknown dtype");
  return static_cast<at::ScalarType>(code);
}

// The TypeScript name.
std::string nameOf(at::ScalarType type) {
  switch (type) {
    case at::kByte: return "uint8";
    case at::kChar: return "int8";
    case at::kShort: return "int16";
    case at::kInt: return "int32";
    case at::kLong: return "int64";
    case at::kHalf: return "float16";
    case at::kFloat: return "float32";
    case at::kDouble: return "float64";
    case at::kBool: return "bool";
    case at::kBFloat16: return "bfloat16";
    default: return c10::toString(type);
  }
}

std::string describe(const at::Tensor& tensor) {
  std::ostringstream text;
  if (!tensor.defined()) return "undefined";
  text << nameOf(tensor.scalar_type()) << '[';
  for (int64_t i = 0; i < tensor.dim(); i++) text << (i ? ", " : "") << tensor.size(i);
  text << ']';
  if (!tensor.is_cpu()) text << ' ' << tensor.device();
  return text.str();
}

std::string describe(at::ArrayRef<at::Tensor> tensors) {
  constexpr size_t most = 4;
  std::string text = "[";
  for (size_t i = 0; i < tensors.size() && i < most; i++) text += (i ? ", " : "") + describe(tensors[i]);
  return text + (tensors.size() > most ? ", …]" : "]");
}

void rethrowWith(const std::string& name, const std::string& inputs) {
  const auto text = [&](const std::string& message) {
    return name + ": " + message.substr(0, message.find('\n')) + (inputs.empty() ? "" : " (" + inputs + ")");
  };
  try {
    throw;
  } catch (const TypeError& error) {
    throw TypeError(text(error.what()));
  } catch (const c10::Error& error) {
    throw std::runtime_error(text(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    throw std::runtime_error(text(error.what()));
  }
}

}  // namespace door
