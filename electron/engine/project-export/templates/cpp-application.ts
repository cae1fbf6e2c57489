import type { ExportedProject } from '../exported-project'
import { treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'

/** Prints what a model gives, and compares it with what was recorded; libtorch is all it knows. */
export const applicationSource = `// Loads a saved model, runs it on the arguments of a recorded call, and compares the results with
// the recorded results. The linked library registers its operators: no code here names an operator.
//
//   example_app MODEL.pt CALL.pt [RTOL ATOL]

#include <torch/script.h>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

using torch::jit::IValue;

/// Collects the values of nested tuples and lists of tensors, in order.
void flatten(const IValue& value, std::vector<IValue>& into) {
  if (value.isTuple()) {
    for (const IValue& element : value.toTupleRef().elements()) flatten(element, into);
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) into.emplace_back(tensor);
  } else {
    into.push_back(value);
  }
}

/// Tolerances of torch.testing.assert_close, by dtype.
void default_tolerances(at::ScalarType type, double& rtol, double& atol) {
  rtol = atol = 0;
  if (type == at::kDouble || type == at::kComplexDouble) rtol = atol = 1e-7;
  if (type == at::kFloat || type == at::kComplexFloat) rtol = 1.3e-6, atol = 1e-5;
  if (type == at::kHalf) rtol = 1e-3, atol = 1e-5;
  if (type == at::kBFloat16) rtol = 1.6e-2, atol = 1e-5;
}

/// Prints how two results compare. Returns false if they differ.
bool compare(const IValue& actual, const IValue& expected, const double* tolerances) {
  if (!expected.isTensor()) {
    const bool same = actual == expected;
    std::cout << (same ? "equal" : "DIFFERENT") << "\\n";
    return same;
  }
  const at::Tensor result = actual.toTensor().detach();
  const at::Tensor wanted = expected.toTensor();
  if (result.sizes() != wanted.sizes() || result.scalar_type() != wanted.scalar_type()) {
    std::cout << "DIFFERENT: the recorded result has another shape or dtype\\n";
    return false;
  }
  if (result.equal(wanted)) {
    std::cout << "bit for bit equal to the recorded result\\n";
    return true;
  }
  double rtol = 0, atol = 0;
  default_tolerances(result.scalar_type(), rtol, atol);
  if (tolerances != nullptr) rtol = tolerances[0], atol = tolerances[1];
  const bool close = result.allclose(wanted, rtol, atol, /*equal_nan=*/true);
  std::cout << (close ? "within the tolerance" : "DIFFERENT") << ": the largest difference is "
            << (result.to(at::kDouble) - wanted.to(at::kDouble)).abs().max().item<double>() << "\\n";
  return close;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) {
    std::cerr << "usage: " << argv[0] << " MODEL.pt CALL.pt [RTOL ATOL]\\n";
    return 2;
  }
  try {
    torch::jit::Module model = torch::jit::load(argv[1]);
    const torch::jit::Module call = torch::jit::load(argv[2]);
    const auto& arguments = call.attr("arguments").toTupleRef().elements();
    std::vector<IValue> results;
    const IValue result = model.forward(std::vector<IValue>(arguments.begin(), arguments.end()));
    if (call.hasattr("written")) {
      // An operator that returns nothing writes to its arguments.
      for (const IValue& place : call.attr("written").toTupleRef().elements()) {
        flatten(arguments[static_cast<size_t>(place.toInt())], results);
      }
    } else {
      flatten(result, results);
    }

    const auto& expected = call.attr("results").toTupleRef().elements();
    if (results.size() != expected.size()) {
      std::cerr << results.size() << " results, but " << expected.size() << " were recorded\\n";
      return 1;
    }
    const double given[] = {argc == 5 ? std::atof(argv[3]) : 0, argc == 5 ? std::atof(argv[4]) : 0};
    bool good = true;
    for (size_t i = 0; i < results.size(); ++i) {
      std::cout << results[i] << "\\n";
      good = compare(results[i], expected[i], argc == 5 ? given : nullptr) && good;
    }
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\\n";
    return 1;
  }
}
`

export interface ModelRun {
  /** "call-1-my_op" */
  name: string
  text: string
  /** Relative to the export's data: "models/my_op.pt", "calls/call-1-my_op.pt". */
  model: string
  call: string
  /** "" or " 0.001 0.0001" */
  tolerances: string
}

/** Each call that has a model: a run of the application. */
export function modelRuns(project: ExportedProject): ModelRun[] {
  return project.calls.flatMap(({ name, text, call }) => {
    const model = project.models.find((one) => one.op === call.op)
    const { rtol, atol } = call
    if (!model) return []
    const given = rtol !== undefined || atol !== undefined
    return [
      {
        name,
        text,
        model: `models/${model.name}.pt`,
        call: `calls/${name}.pt`,
        tolerances: given ? ` ${rtol ?? 0} ${atol ?? 0}` : '',
      },
    ]
  })
}

/** models/ and calls/, as the application reads them. */
export function modelData(project: ExportedProject): FileTree {
  const { models, calls } = project
  return treeOf({
    ...Object.fromEntries(models.map(({ name, archive }) => [`models/${name}.pt`, archive])),
    ...Object.fromEntries(calls.map(({ name, archive }) => [`calls/${name}.pt`, archive])),
  })
}

/** A test of ctest for each run; `folder` holds models/ and calls/, as CMake writes it. */
export function ctestLines(project: ExportedProject, target: string, folder: string): string[] {
  return modelRuns(project).map(
    ({ name, model, call, tolerances }) =>
      `add_test(NAME ${name}\n  COMMAND ${target} "${folder}/${model}" "${folder}/${call}"${tolerances})`,
  )
}
