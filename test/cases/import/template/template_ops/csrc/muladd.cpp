#include <Python.h>
#include <ATen/Operators.h>
#include <template_ops/scale.h>
#include <torch/all.h>
#include <torch/library.h>

extern "C" {
/* Creates a dummy empty _C module that can be imported from Python. */
PyObject* PyInit__C(void) {
  static struct PyModuleDef module_def = {
      PyModuleDef_HEAD_INIT, "_C", NULL, -1, NULL,
  };
  return PyModule_Create(&module_def);
}
}

at::Tensor muladd(const at::Tensor& a, const at::Tensor& b, double c) {
  return a * b * template_scale + c;
}

TORCH_LIBRARY(template_ops, m) {
  m.def("muladd(Tensor a, Tensor b, float c) -> Tensor");
}

TORCH_LIBRARY_IMPL(template_ops, CPU, m) { m.impl("muladd", &muladd); }
