// gradcheck's comparisons of Jacobians: backward and forward mode against central differences.
#pragma once

#include <map>
#include <optional>

#include "runtime/gradcheck/findings.h"
#include "runtime/gradcheck/gradients.h"
#include "runtime/gradcheck/jacobian.h"
#include "runtime/sparse_tensors.h"

namespace opsmith {

class JacobianChecks {
 public:
  // `outputs` are what `call` gives for the function's inputs. All must outlive this.
  JacobianChecks(const Differentiable& function, const TensorFunction& call, const Tensors& outputs,
                 const GradcheckOptions& options, bool keep_jacobians, GradcheckFindings& findings)
      : function_(function),
        call_(call),
        outputs_(outputs),
        options_(options),
        keep_jacobians_(keep_jacobians),
        findings_(findings) {}

  // "backward", "gradient_size", "gradient_dtype", "reentrant"
  void check_backward();
  // "forward", "undefined_tangent"
  void check_forward();
  // What fast mode computed for a differentiable output, if that is of use to other checks.
  std::optional<KnownGradients> known_gradients(size_t differentiable_output) const;

 private:
  struct BackwardFacts {
    bool computed = false, sizes_match = true, dtypes_match = true;
    double largest_difference = 0;
    std::string difference_at;
  };
  struct Evaluation {
    const TensorFunction& function;
    const Tensors& inputs;
  };
  using JacobianPair = std::pair<at::Tensor, at::Tensor>;  // analytical, numerical

  void compare_backward(const TensorFunction& function, ComplexPart part, BackwardFacts& facts);
  // `column` counts the outputs that are floating or complex.
  static std::vector<JacobianPair> paired(const Tensors& analytical, const Jacobians& numerical,
                                          size_t column);
  std::vector<JacobianScan> scans_of(const Tensors& inputs, size_t output) const;
  // By input. `output` counts all outputs.
  std::vector<JacobianComparison> compared(const std::vector<JacobianPair>& pairs,
                                           const Tensors& inputs, size_t output) const;
  void note(const BackwardJacobian& backward, BackwardFacts& facts) const;
  void report_facts(const BackwardFacts& facts);
  void compare_projections(const TensorFunction& function, const Tensors& results,
                           const Tensors& outputs, ComplexPart part, BackwardFacts& facts);
  void keep_gradients(size_t output, const at::Tensor& tensor, const at::Tensor& v,
                      const BackwardJacobian& backward);
  JacobianComparison projection_of(Number analytical, Number numerical, double atol) const;
  void report_projection(GradcheckCheck check, ComplexPart part, size_t input, size_t output,
                         JacobianComparison comparison, const Evaluation& evaluation,
                         const std::function<JacobianPair()>& slow);
  GradcheckFinding& compare(GradcheckCheck check, ComplexPart part, size_t input, size_t output,
                            const JacobianPair& jacobians, const Evaluation& evaluation);
  GradcheckFinding& report(GradcheckCheck check, ComplexPart part, size_t input, size_t output,
                           const JacobianPair& jacobians, JacobianComparison comparison,
                           const Evaluation& evaluation);
  std::string cause_at_point(const Evaluation& evaluation, const at::Tensor& input, size_t output,
                             const JacobianComparison& comparison) const;
  void compare_forward(const TensorFunction& function, const Tensors& inputs, ComplexPart part);
  void compare_forward_jacobians(const TensorFunction& function, const Tensors& inputs,
                                 const Tensors& results, ComplexPart part);
  void project_forward(const TensorFunction& function, const Tensors& inputs,
                       const Tensors& results, const Directions& directions, ComplexPart part);
  void require_tangent_dtypes(const ForwardJacobians& forward) const;
  // What numerical Jacobians perturb in place of the inputs: of sparse ones every element, if the
  // unspecified ones count too.
  Tensors perturbed_inputs() const {
    return options_.masked ? function_.inputs : with_all_specified(function_.inputs);
  }
  std::string cause_in_values(const Evaluation& evaluation, const JacobianPair& jacobians,
                              const at::Tensor& input, size_t output) const;
  void place(GradcheckFinding& finding, ComplexPart part, size_t input, size_t output) const;

  const Differentiable& function_;
  const TensorFunction& call_;
  const Tensors& outputs_;
  const GradcheckOptions& options_;
  bool keep_jacobians_;
  int kept_ = 0;
  std::map<size_t, KnownGradients> known_;  // by differentiable output
  GradcheckFindings& findings_;
};

}  // namespace opsmith
