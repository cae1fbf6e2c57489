import { addInclude } from './rule'
import type { Rule } from './rule'

const numberTypes = `A schema's \`float\` is \`double\` in C++, and its \`int\` is \`int64_t\`. The dispatcher supports only these number types.

\`\`\`cpp
at::Tensor scale(const at::Tensor& x, double factor, int64_t times);
\`\`\``

const operatorTypes = `Arguments and results can be \`at::Tensor\`, \`double\`, \`int64_t\`, \`bool\`, \`std::string\`, \`at::Scalar\`, and optionals or lists of these. Results can also be tuples of these. Pass the members of a struct one by one:

\`\`\`cpp
at::Tensor scale(const at::Tensor& x, double factor, bool round);
\`\`\`

or make the struct a TorchScript class: derive it from \`torch::CustomClassHolder\`, register it with \`m.class_<Options>("Options")\`, and pass it as \`const c10::intrusive_ptr<Options>&\`.`

const verb = (way: string | undefined): string => (way === 'output' ? 'return' : 'take')

/** A registration macro whose header is not included. */
const missingHeader = (macro: string, header: string): Rule => ({
  match:
    /unknown type name|a type specifier is required|has not been declared|does not name a type|was not declared|undeclared identifier|expected constructor, destructor/,
  within: new RegExp(`^\\s*\\d+ \\| ${macro}(?:_IMPL|_FRAGMENT)?\\s*\\(`, 'm'),
  message: () => `${macro} is not declared in this file: include <${header}>.`,
  explanation: `The registration macros are in this header:

\`\`\`cpp
#include <${header}>
\`\`\``,
  absorbs:
    /'m' was not declared|undeclared identifier 'm'|unknown type name|type specifier is required/,
  fix: (diagnostic) => addInclude(diagnostic, header),
})

/** Mistakes in m.def, m.impl and what they are given. */
export const registrationRules: Rule[] = [
  {
    match: /You tried to register a kernel with an unsupported (input|output) type: (\w+)/,
    message: ([way, type = '']) => `An operator cannot ${verb(way)} ${type}: use double.`,
    explanation: numberTypes,
  },
  {
    match: /You tried to register a kernel with an unsupported integral (input|output) type/,
    message: ([way], raw) => {
      const type =
        /assert_is_valid_(?:in|out)put_type<([\w ]+?),/.exec(raw)?.[1] ?? 'this integer type'
      return `An operator cannot ${verb(way)} ${type}: use int64_t.`
    },
    explanation: numberTypes,
  },
  {
    match: /INVALID TYPE: (\w+) is not supported as an argument type, use double/,
    message: ([type = '']) => `An operator cannot take ${type}: use double.`,
    explanation: numberTypes,
  },
  {
    match: /INVALID TYPE: Only int8_t, int64_t and bool are supported/,
    message: () => 'An operator cannot take this integer type: use int64_t.',
    explanation: numberTypes,
  },
  {
    match:
      /no type named 'element_type' in '(?:struct |class )?(?:std::remove_pointer_t<)?([\w:]+)|INVALID TYPE: Tried to .* unsupported type/,
    message: ([type = 'this type']) =>
      `An operator cannot take or return ${type}: the dispatcher does not support it.`,
    explanation: operatorTypes,
  },
  {
    match:
      /non-const lvalue reference to type '([^']+)' cannot bind|cannot bind non-const lvalue reference of type '([^']+)'/,
    within: /make_boxed_from_unboxed_functor|Library::(?:def|impl)/,
    message: () =>
      'An operator takes lists, strings and numbers by value or by const reference; add const.',
    explanation: `The arguments that the dispatcher unpacks exist only during the call. Only a \`Tensor\` can be \`Tensor&\`, and only if the schema says \`Tensor(a!)\`.

\`\`\`cpp
at::Tensor join(const std::vector<at::Tensor>& parts);
at::Tensor join(at::TensorList parts);
\`\`\``,
  },
  {
    match:
      /no matching member function for call to '(def|impl)'|no matching function for call to '[^']*Library::(def|impl)\(/,
    within: /overloaded function|no overload of|couldn't infer template argument 'Func'/,
    message: ([method = 'def']) =>
      `The function has several overloads, and m.${method} cannot choose one of them.`,
    explanation: `Select one overload by a cast to its type:

\`\`\`cpp
m.def("scale", static_cast<at::Tensor (*)(const at::Tensor&, double)>(&scale));
\`\`\`

or give the functions different names. To register both as overloads of one operator, give each an overload name in its schema: \`scale.Tensor(...)\`.`,
  },
  {
    match: /redefinition of '[^']*TORCH_LIBRARY_(?:static_)?init_(\w+)/,
    message: ([namespace = '']) =>
      `${namespace} already has a TORCH_LIBRARY block in this file. A namespace can have only one such block.`,
    explanation: `Put all definitions into one block. To add definitions in another file, use a fragment:

\`\`\`cpp
TORCH_LIBRARY_FRAGMENT(my_ops, m) {
  m.def("second(Tensor x) -> Tensor");
}
\`\`\``,
  },
  missingHeader('TORCH_LIBRARY', 'torch/library.h'),
  missingHeader('STABLE_TORCH_LIBRARY', 'torch/csrc/stable/library.h'),
  {
    // Our own pybind11's word, not pybind11's.
    match: /name all parameters of the function with py::arg, or none/,
    message: () =>
      'm.def names some arguments with py::arg, but not all arguments of the function.',
    explanation: `Name all of them, in the order of the function's parameters, or none. Without py::arg, the arguments have their C++ names.

\`\`\`cpp
m.def("scale", &scale, py::arg("x"), py::arg("factor") = 1.0);
\`\`\``,
  },
]
