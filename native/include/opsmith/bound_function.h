#pragma once

// Registers any C++ function or lambda with the dispatcher: schema from its types, names and
// defaults from annotations, and a boxed kernel that converts by carrier<T>.

#include <ATen/core/stack.h>
#include <opsmith/binding.h>
#include <opsmith/carry.h>
#include <opsmith/documentation.h>
#include <torch/library.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace opsmith __attribute__((visibility("hidden"))) {

  template <typename T>
  constexpr bool check_carried() {
    using plain = std::remove_cvref_t<T>;
    static_assert(
        !std::is_base_of_v<python_only, plain>,
        "opsmith: Python objects (py::object, py::dict, py::list, py::array, ...) cannot be "
        "parameters or results of an operator, which is called without Python. Use "
        "torch::Tensor, numbers, std::string, std::vector, std::map or c10::IValue.");
    static_assert(
        std::is_base_of_v<python_only, plain> || carrier<plain>::supported,
        "opsmith: the PyTorch dispatcher cannot carry this parameter or result type. Use "
        "torch::Tensor, numbers, bool, std::string, std::vector, std::optional, std::tuple "
        "or std::map of these, or c10::intrusive_ptr of a class registered with "
        "torch::class_.");
    return !std::is_base_of_v<python_only, plain> && carrier<plain>::supported;
  }

  template <typename>
  inline constexpr bool is_tuple = false;
  template <typename... T>
  inline constexpr bool is_tuple<std::tuple<T...>> = true;
  template <typename A, typename B>
  inline constexpr bool is_tuple<std::pair<A, B>> = true;

  /// A kernel called with boxed arguments. One class for the dispatcher, whatever the signature.
  class boxed_function : public c10::OperatorKernel {
   public:
    virtual void call(const c10::FunctionSchema& schema, c10::Stack& stack) = 0;
    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet, c10::Stack* stack) {
      call(op.schema(), *stack);
    }
  };

  template <typename F, typename R, typename... P>
  class typed_function final : public boxed_function {
   public:
    explicit typed_function(F f) : function_(std::move(f)) {}

    void call(const c10::FunctionSchema& schema, c10::Stack& stack) override {
      call_with(schema, stack, std::index_sequence_for<P...>());
    }

   private:
    template <std::size_t... I>
    void call_with(const c10::FunctionSchema& schema, c10::Stack& stack,
                   std::index_sequence<I...>) {
      // Braces: converted from left to right, so the first bad argument is the one reported.
      [[maybe_unused]] std::tuple<typename carrier<std::remove_cvref_t<P>>::held...> held{
          carrier<std::remove_cvref_t<P>>::take(torch::jit::peek(stack, I, sizeof...(P)),
                                                argument_place{schema, I})...};
      torch::jit::drop(stack, sizeof...(P));
      if constexpr (std::is_void_v<R>) {
        function_(pass<P>(std::get<I>(held))...);
      } else {
        push_result<std::remove_cvref_t<R>>(stack, function_(pass<P>(std::get<I>(held))...));
      }
    }

    /// A tuple or pair becomes as many results, as the schema says.
    template <typename T, typename Result>
    static void push_result(c10::Stack& stack, Result&& result) {
      if constexpr (is_tuple<T>) {
        std::apply(
            [&](auto&&... each) {
              (stack.push_back(carrier<std::remove_cvref_t<decltype(each)>>::give(
                   std::forward<decltype(each)>(each))),
               ...);
            },
            std::forward<Result>(result));
      } else {
        stack.push_back(carrier<T>::give(std::forward<Result>(result)));
      }
    }

    F function_;
  };

  /// Types of a function's parameters and results, for the schema.
  struct carried_type {
    c10::TypePtr fake;
    c10::TypePtr real;
  };

  template <typename T>
  carried_type carried_type_of() {
    using carried = carrier<std::remove_cvref_t<T>>;
    return {carried::type(true), carried::type(false)};
  }

  template <typename R>
  struct carried_results {
    static constexpr bool supported() { return check_carried<R>(); }
    static std::vector<carried_type> types() { return {carried_type_of<R>()}; }
  };
  template <>
  struct carried_results<void> {
    static constexpr bool supported() { return true; }
    static std::vector<carried_type> types() { return {}; }
  };
  template <typename... R>
  struct carried_results<std::tuple<R...>> {
    static constexpr bool supported() { return (check_carried<R>() && ...); }
    static std::vector<carried_type> types() { return {carried_type_of<R>()...}; }
  };
  template <typename A, typename B>
  struct carried_results<std::pair<A, B>> : carried_results<std::tuple<A, B>> {};

  /// The parameter and result types of a function pointer, a lambda or another function object.
  template <typename F>
  struct signature_of : signature_of<decltype(&F::operator())> {};
  template <typename R, typename... P>
  struct signature_of<R (*)(P...)> {
    using result = std::remove_cvref_t<R>;
    static constexpr std::size_t arity = sizeof...(P);
    static constexpr bool supported() {
      const bool parameters = (check_carried<P>() && ... && true);
      return carried_results<result>::supported() && parameters;
    }
    static std::vector<carried_type> parameters() { return {carried_type_of<P>()...}; }
    static std::vector<carried_type> results() { return carried_results<result>::types(); }
    template <typename F>
    static std::unique_ptr<boxed_function> box(F f) {
      return std::make_unique<typed_function<F, R, P...>>(std::move(f));
    }
  };
  template <typename R, typename... P>
  struct signature_of<R (*)(P...) noexcept> : signature_of<R (*)(P...)> {};
  template <typename C, typename R, typename... P>
  struct signature_of<R (C::*)(P...)> : signature_of<R (*)(P...)> {};
  template <typename C, typename R, typename... P>
  struct signature_of<R (C::*)(P...) const> : signature_of<R (*)(P...)> {};
  template <typename C, typename R, typename... P>
  struct signature_of<R (C::*)(P...) noexcept> : signature_of<R (*)(P...)> {};
  template <typename C, typename R, typename... P>
  struct signature_of<R (C::*)(P...) const noexcept> : signature_of<R (*)(P...)> {};

  /// What m.def was told about one function besides its types.
  struct annotations {
    struct parameter {
      std::string name;
      std::optional<c10::IValue> default_value;
    };
    std::vector<parameter> parameters;  ///< empty, or one for each parameter
    std::size_t keyword_only_from = static_cast<std::size_t>(-1);
    std::string doc;
  };

  /// The row of the generated table (opsmith/binding.h) for a function of so many parameters.
  inline std::vector<std::string> names_from_table(const std::string& function, std::size_t count) {
    if (opsmith_argument_name_table == nullptr || count == 0) return {};
    for (const argument_names* row = opsmith_argument_name_table; row->function != nullptr; ++row) {
      if (function != row->function) continue;
      std::vector<std::string> names(1);
      for (const char* c = row->names; *c != '\0'; ++c) {
        if (*c == ',') {
          names.emplace_back();
        } else if (*c != ' ') {
          names.back() += *c;
        }
      }
      if (names.size() == count) return names;
    }
    return {};
  }

  /// Makes a default value what the schema wants of the argument's type: 1 for a float is 1.0.
  inline c10::IValue fit_default(const c10::IValue& value, const c10::TypePtr& type,
                                 const std::string& what) {
    using kind = c10::TypeKind;
    if (auto optional = type->cast<c10::OptionalType>()) {
      return value.isNone() ? value : fit_default(value, optional->getElementType(), what);
    }
    if (type->kind() == kind::FloatType && value.isInt()) {
      return c10::IValue(static_cast<double>(value.toInt()));
    }
    if (type->kind() == kind::IntType && value.isDouble()) {
      const double number = value.toDouble();
      TORCH_CHECK(number == static_cast<double>(static_cast<int64_t>(number)), what, ": ", number,
                  " is no integer");
      return c10::IValue(static_cast<int64_t>(number));
    }
    if (type->kind() == kind::BoolType && value.isInt()) return c10::IValue(value.toInt() != 0);
    if (type->kind() == kind::DeviceObjType && value.isString()) {
      return c10::IValue(c10::Device(value.toStringRef()));
    }
    if (auto list = type->cast<c10::ListType>(); list && value.isList()) {
      c10::impl::GenericList fitted(list->getElementType());
      for (const c10::IValue& element : value.toListRef()) {
        fitted.push_back(fit_default(element, list->getElementType(), what));
      }
      return c10::IValue(std::move(fitted));
    }
    TORCH_CHECK(value.type()->isSubtypeOf(*type), what, ": a default of type ",
                value.type()->repr_str(), " does not fit ", type->repr_str());
    return value;
  }

  inline c10::FunctionSchema make_schema(
      const std::string& qualified_name, const std::string& name, const std::string& overload,
      const std::vector<carried_type>& parameters, const std::vector<carried_type>& results,
      const annotations& notes) {
    const auto table = names_from_table(name, parameters.size());
    std::vector<c10::Argument> arguments;
    bool has_default_before = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      carried_type type = parameters[i];
      std::string argument_name = "_" + std::to_string(i);
      if (i < table.size() && !table[i].empty()) argument_name = table[i];
      std::optional<c10::IValue> default_value;
      const bool keyword_only = i >= notes.keyword_only_from;
      if (i < notes.parameters.size()) {
        const auto& parameter = notes.parameters[i];
        if (!parameter.name.empty()) argument_name = parameter.name;
        if (parameter.default_value) {
          const bool is_absent =
              parameter.default_value->isNone() || (parameter.default_value->isTensor() &&
                                                    !parameter.default_value->toTensor().defined());
          // A Tensor parameter that may be left out is an undefined tensor in C++, None in a
          // schema.
          if (is_absent && type.real->kind() == c10::TypeKind::TensorType) {
            type.fake = type.real = c10::OptionalType::create(c10::TensorType::get());
          }
          default_value =
              fit_default(is_absent ? c10::IValue() : *parameter.default_value, type.fake,
                          "default of '" + argument_name + "' of " + qualified_name);
        }
      }
      TORCH_CHECK(default_value || !has_default_before || keyword_only, qualified_name,
                  ": argument '", argument_name, "' has no default, but one before it has");
      has_default_before = default_value.has_value();
      arguments.emplace_back(argument_name, type.fake, type.real, std::nullopt,
                             std::move(default_value), keyword_only);
    }
    std::vector<c10::Argument> returns;
    for (const carried_type& type : results) returns.emplace_back("", type.fake, type.real);
    c10::FunctionSchema schema(qualified_name, overload, std::move(arguments), std::move(returns));
    // Nothing is known of what the function does to its inputs.
    schema.setAliasAnalysis(c10::AliasAnalysisKind::CONSERVATIVE);
    return schema;
  }

  /// The first overload name that is still free: "", "overload1", "overload2", …
  inline std::string free_overload_name(const std::string& qualified_name) {
    std::string overload;
    for (int i = 1; c10::Dispatcher::singleton().findSchema({qualified_name, overload}); ++i) {
      overload = "overload" + std::to_string(i);
    }
    return overload;
  }

  /// A namespace's registrations in this library; they are withdrawn when it goes.
  class function_registry {
   public:
    explicit function_registry(std::string ns) : namespace_(std::move(ns)) {}

    const std::string& name() const { return namespace_; }

    template <typename F>
    void add(const char* name, F function, const annotations& notes, const char* file, int line) {
      using signature = signature_of<F>;
      if constexpr (signature::supported()) {
        add_boxed(name, signature::parameters(), signature::results(),
                  signature::box(std::move(function)), notes, file, line);
      }
    }

   private:
    void add_boxed(const std::string& name, const std::vector<carried_type>& parameters,
                   const std::vector<carried_type>& results,
                   std::unique_ptr<boxed_function> function, const annotations& notes,
                   const char* file, int line) {
      const std::string qualified_name = namespace_ + "::" + name;
      auto schema = make_schema(qualified_name, name, free_overload_name(qualified_name),
                                parameters, results, notes);
      auto library = std::make_unique<torch::Library>(torch::Library::FRAGMENT, namespace_,
                                                      std::nullopt, file, line);
      library->def(std::move(schema),
                   torch::CppFunction::makeFromBoxedFunctor(std::move(function)));
      libraries_.push_back(std::move(library));
      documentation().add(qualified_name, notes.doc);
    }

    std::string namespace_;
    std::vector<std::unique_ptr<torch::Library>> libraries_;
  };

}  // namespace opsmith
