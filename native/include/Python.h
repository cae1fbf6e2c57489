#pragma once

// Replaces Python's header of the same name. PyTorch's template for extensions includes that one to
// define PyInit__C: an empty module, whose import loads the library. torch.ops.load_library needs
// no module, so nothing is created here, and the function is hidden from the loader.
#if defined(TORCH_API_INCLUDE_EXTENSION_H) && __has_include_next(<Python.h>)
// Compiled by torch.utils.cpp_extension, with Python's own headers on the include path.
#include_next <Python.h>
#else

#include <cstddef>

// As libtorch itself declares it.
struct _object;
using PyObject = _object;
using Py_ssize_t = std::ptrdiff_t;
using PyCFunction = PyObject* (*)(PyObject*, PyObject*);

struct PyMethodDef {
  const char* ml_name;
  PyCFunction ml_meth;
  int ml_flags;
  const char* ml_doc;
};

struct PyModuleDef_Base {
  const void* unused;
};
#define PyModuleDef_HEAD_INIT {nullptr}

struct PyModuleDef_Slot {
  int slot;
  void* value;
};

struct PyModuleDef {
  PyModuleDef_Base m_base;
  const char* m_name;
  const char* m_doc;
  Py_ssize_t m_size;
  PyMethodDef* m_methods;
  PyModuleDef_Slot* m_slots;
  int (*m_traverse)(PyObject*, int (*)(PyObject*, void*), void*);
  int (*m_clear)(PyObject*);
  void (*m_free)(void*);
};

#define METH_VARARGS 0x0001
#define METH_KEYWORDS 0x0002
#define METH_NOARGS 0x0004
#define METH_O 0x0008
#define PyMODINIT_FUNC extern "C" __attribute__((visibility("hidden"))) PyObject*

extern "C" __attribute__((visibility("hidden"))) PyObject* PyInit__C();

inline PyObject* PyModule_Create(PyModuleDef*) {
  return nullptr;
}
inline PyObject* PyModuleDef_Init(PyModuleDef*) {
  return nullptr;
}

#endif
