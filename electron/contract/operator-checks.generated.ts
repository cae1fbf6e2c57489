// Written by "npm run generate" from native/runtime/operator_check/checks. Do not edit.

/** In the order in which people read them: schema first, memory last. */
export const operatorCheckNames = [
  'mutation',
  'aliasing',
  'registration',
  'autograd_registration',
  'gradient_lost',
  'gradients',
  'gradient_shapes',
  'gradient_values',
  'gradient_layouts',
  'gradient_arguments',
  'gradient_dtypes',
  'gradient_subsets',
  'gradient_complex',
  'gradient_second_order',
  'meta',
  'gradient_linear',
  'gradient_saved',
  'determinism',
  'earlier_calls',
  'layouts',
  'overlap',
  'small_sizes',
  'dtypes',
  'precision',
  'broadcasting',
  'conventions',
  'nan',
  'positions',
  'grad_modes',
  'autocast',
  'state',
  'threads',
  'parallel',
  'unwritten',
  'writes_outside',
  'reads_outside',
  'leaks',
  'address_sanitizer',
  'undefined_behaviour_sanitizer',
  'large_sizes',
] as const

export const operatorChecks = {
  mutation: {
    title: 'mutation',
    meaning: 'Inputs do not change, unless the schema marks them as written (a!)',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  aliasing: {
    title: 'aliasing',
    meaning: 'Outputs share only the memory that the schema declares',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  registration: {
    title: 'registration',
    meaning:
      'The operator has a CPU kernel. The check also lists the missing kernels for other dispatch keys, and what fails without them',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  autograd_registration: {
    title: 'autograd registration',
    meaning:
      'If an output requires grad, the operator has a kernel for Autograd, for autograd on the device of the inputs (such as AutogradCPU), or for CompositeImplicitAutograd',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_lost: {
    title: 'gradient lost',
    meaning: 'If an output depends on an input that requires grad, the output also requires grad',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradients: {
    title: 'gradients',
    meaning:
      'Backward returns the derivative of forward, also for other shapes and for other integer arguments',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_shapes: {
    title: 'gradient shapes',
    meaning:
      'Gradients are right for empty tensors, for tensors of one element and for broadcast inputs',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_values: {
    title: 'gradient values',
    meaning:
      'Gradients are right at special input values: 0, 1, -1, very small, very large and equal values, and values near a constant that the sources compare with',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_layouts: {
    title: 'gradient layouts',
    meaning:
      'Gradients are right if inputs or grad_output are transposed, stepped (x[::2]), offset (x[1:]) or expanded',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_arguments: {
    title: 'gradient arguments',
    meaning:
      'Gradients are also right if one argument is changed (a dim, flag, number, list or string), or if a bias that the call leaves out is given',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_dtypes: {
    title: 'gradient dtypes',
    meaning: 'Gradients in float32, float16 and bfloat16 agree with the gradients in float64',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_subsets: {
    title: 'gradient subsets',
    meaning:
      'Gradients are right when only some of the inputs require grad, and when only one output is used',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_complex: {
    title: 'gradient complex',
    meaning: 'If the operator accepts complex128, the gradients in complex128 are right',
    onlyWhenAsked:
      'this check is off by default, because many operators accept complex numbers but are meant only for real numbers; turn on “thorough” (--thorough), or select this check (--check NAME)',
    sanitizer: false,
    thorough: true,
  },
  gradient_second_order: {
    title: 'gradient of second order',
    meaning: 'If the operator has second-order gradients, these gradients are right',
    onlyWhenAsked:
      'this check is off by default, because many operators support only first derivatives; turn on “thorough” (--thorough), or select this check (--check NAME)',
    sanitizer: false,
    thorough: true,
  },
  meta: {
    title: 'meta',
    meaning: 'The Meta kernel returns the sizes, strides and dtypes of the real kernel',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_linear: {
    title: 'gradient linear',
    meaning:
      'Gradients are proportional to grad_output, even if grad_output is small, large or negative',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  gradient_saved: {
    title: 'gradient saved',
    meaning:
      'Backward uses the inputs of its own forward call, even after other calls, or after the inputs were freed or changed',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  determinism: {
    title: 'determinism',
    meaning: 'The same input gives the same bits',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  earlier_calls: {
    title: 'earlier calls',
    meaning: 'The result does not depend on earlier calls',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  layouts: {
    title: 'layouts',
    meaning:
      'The results are the same if inputs are transposed, stepped (x[::2]), offset (x[1:]), expanded or channels-last',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  overlap: {
    title: 'overlap',
    meaning:
      'The results are the same if inputs share memory, or if the operator writes a result over an input',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  small_sizes: {
    title: 'small sizes',
    meaning: 'Empty tensors and tensors of one element cause no crash',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  dtypes: {
    title: 'dtypes',
    meaning: 'The result in each accepted dtype agrees with the result in float64',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  precision: {
    title: 'precision',
    meaning: 'If the inputs are float64, the operator computes in float64, not in float32',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  broadcasting: {
    title: 'broadcasting',
    meaning: 'The operator broadcasts inputs with a size of 1, or refuses them',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  conventions: {
    title: 'conventions',
    meaning:
      'dim = -1 is the last dimension, keepdim keeps a size of 1, and optional tensors have an effect',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  nan: {
    title: 'nan',
    meaning:
      'A NaN in an input reaches every output that depends on this input; extreme values do not give NaN',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  positions: {
    title: 'positions',
    meaning: 'The result of an element is the same in a vector loop and in the tail after the loop',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  grad_modes: {
    title: 'grad modes',
    meaning:
      'The results are the same under no_grad, under inference_mode, and no matter which inputs require grad',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  autocast: {
    title: 'autocast',
    meaning: 'The results under autocast are the same as without autocast, except for rounding',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  state: {
    title: 'state',
    meaning:
      'A call does not change the rounding mode, grad mode, number of threads, default dtype or seed',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  threads: {
    title: 'threads',
    meaning: 'The results are the same if several threads call the operator at the same time',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  parallel: {
    title: 'parallel',
    meaning:
      'With more than 2^16 elements, one thread and several threads give the same results and gradients',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  unwritten: {
    title: 'unwritten',
    meaning: 'Every element of the outputs is written',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  writes_outside: {
    title: 'writes outside',
    meaning: 'The operator does not write memory outside of its tensors',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  reads_outside: {
    title: 'reads outside',
    meaning: 'The operator does not read memory outside of the inputs',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  leaks: {
    title: 'leaks',
    meaning: 'Repeated calls do not leak memory or open files',
    onlyWhenAsked: '',
    sanitizer: false,
    thorough: false,
  },
  address_sanitizer: {
    title: 'address sanitizer',
    meaning: 'In a separate build with AddressSanitizer (ASan), the calls cause no error',
    onlyWhenAsked:
      'this check is off by default, because it needs a build with sanitizers; turn on “sanitizers” (--sanitize), or select this check (--check NAME)',
    sanitizer: true,
    thorough: false,
  },
  undefined_behaviour_sanitizer: {
    title: 'UndefinedBehaviorSanitizer (UBSan)',
    meaning:
      'In a separate build with UndefinedBehaviorSanitizer (UBSan), the calls cause no error',
    onlyWhenAsked:
      'this check is off by default, because it needs a build with sanitizers; turn on “sanitizers” (--sanitize), or select this check (--check NAME)',
    sanitizer: true,
    thorough: false,
  },
  large_sizes: {
    title: 'large sizes',
    meaning:
      'The results are right for more than 2^31 elements. This check runs only if you select it',
    onlyWhenAsked:
      'this check is off by default, because it needs gigabytes of memory; select this check (--check large_sizes)',
    sanitizer: false,
    thorough: false,
  },
} as const
