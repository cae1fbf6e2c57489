/** What a code of an error means, and what helps in general; the message and the hint of an error are about the case. */
type ErrorMeaning = { meaning: string; remedy: string }

/** Every code, in the order of the reference page that is made of it (docs/reference/errors.md). */
export const errorCodes = {
  'toolchain.missing': {
    meaning: 'A compiler, libtorch, a tool or a library is not installed, or was not found.',
    remedy:
      'Run the command in the hint, or choose another installation in Settings. `opsmith doctor` lists what Opsmith looked for, and where.',
  },
  'toolchain.mismatch': {
    meaning:
      'Opsmith found a tool, but cannot use the tool: for example, the version is too old, or the ABI differs from the ABI of libtorch.',
    remedy:
      'Choose another installation in Settings, or install the version that the message names.',
  },
  'project.invalid': {
    meaning: 'opsmith.json is not valid.',
    remedy:
      'Open the line that the error names. The reference of opsmith.json lists all keys and their types.',
  },
  'project.missing': {
    meaning: 'The folder does not exist, or the folder contains no opsmith.json.',
    remedy:
      'Check the path. `opsmith init FOLDER` proposes an opsmith.json for a folder with sources.',
  },
  'project.empty': {
    meaning: 'The folder is empty, or has only hidden files, a README or a license.',
    remedy: 'Make a project in this folder: `opsmith new FOLDER`, or New project in the window.',
  },
  'project.restricted': {
    meaning:
      'The folder is in restricted mode: you have not trusted its authors, so Opsmith runs none of its code.',
    remedy:
      'If you trust the authors, choose “Trust this folder” at the top of the window. You can change this decision in Settings.',
  },
  'file.conflict': {
    meaning: 'A file on disk differs from the version that Opsmith read, wrote or expected.',
    remedy:
      'Compare both versions, then keep one. For an export, keep or replace each file that you edited (`--keep`, `--overwrite`), or choose another folder.',
  },
  'build.required': {
    meaning:
      'The project has no library that Opsmith can load: the project was never built, or the build fails.',
    remedy:
      'Build the project (Ctrl+B, or `opsmith build PROJECT`) and fix the errors of the build.',
  },
  'build.checked': {
    meaning:
      'The last build is instrumented to check kernels, which makes the kernels slow. Timings, profiles and exports need a build without checks.',
    remedy:
      'Turn off “Check kernels” in the Kernels panel. Opsmith then builds the project again, without checks.',
  },
  'build.counted': {
    meaning:
      'The last build is instrumented to count kernel operations, which makes the kernels slow. Timings, profiles and exports need a build without counts.',
    remedy:
      'Turn off “Count” in the Kernels panel. Opsmith then builds the project again, without counts.',
  },
  'library.load': {
    meaning: 'The library was built, but the loader or libtorch rejected it.',
    remedy:
      'Read the message. Usually a symbol is undefined because a source or a library is missing, or an operator is registered twice.',
  },
  'program.compile': {
    meaning:
      'TorchScript cannot compile the program, or an expression in opsmith.json (a reference, for example).',
    remedy:
      'Open the line that the error names. TorchScript is a subset of Python: types are static, and many modules are not available.',
  },
  'input.invalid': {
    meaning:
      'An input, an argument or a literal does not fit the operator’s schema, or Opsmith cannot read the model file.',
    remedy:
      'Compare your value with the schema (Schemas panel, or `opsmith schemas PROJECT`). If the message names a model file, save the model again as the hint says.',
  },
  'operator.unknown': {
    meaning: 'There is no operator, overload, method or function of this name.',
    remedy:
      'Check the spelling. The name of an operator has the form `namespace::name`. If the operator is new, build first.',
  },
  'operator.check': {
    meaning:
      'The operator itself threw an exception: a failed `TORCH_CHECK`, a `c10::Error` or another C++ exception.',
    remedy: 'Read the message, which comes from the operator. Change the inputs or the operator.',
  },
  'host.crashed': {
    meaning:
      'The op host (the process that loads and calls operators) ended while it ran your code, for example because of a segfault, an abort or `exit()`.',
    remedy:
      'Open the line that the error names. To find where memory was damaged, use “Sanitize” in the Build panel, or `opsmith run --sanitize PROJECT`. The window continues with a new op host.',
  },
  'host.timeout': {
    meaning: 'The call ran longer than the time limit, so Opsmith ended the op host.',
    remedy:
      'Look for an endless loop at the line that the error names, or raise the limit: `"timeout"` of the call in opsmith.json, else the time limit in Settings.',
  },
  'host.unavailable': {
    meaning:
      'Opsmith could not start an op host (the process that runs your code), or the op host that kept the result has ended.',
    remedy: 'Run the call or the capture again. If the error comes back, run `opsmith doctor`.',
  },
  'host.replaced': {
    meaning:
      'Opsmith ended the op host before the call had finished, for example because of a new build.',
    remedy: 'Try again.',
  },
  'derivative.missing': {
    meaning: 'No output of the call requires grad, so there is no backward to time or to profile.',
    remedy: 'Give an input `"requires_grad": true`, or measure forward only.',
  },
  'device.lost': {
    meaning:
      'A GPU kernel failed. After such a failure, an op host can no longer use the device, so Opsmith ended the op host.',
    remedy:
      'Look for an out-of-bounds access in your GPU kernels: `compute-sanitizer` reports the kernel, the thread and the address. The next call gets a new op host.',
  },
  'device.unavailable': {
    meaning: 'This machine does not have the device that the call names.',
    remedy:
      'Set `"device": "cpu"`, or use a machine with that device. For CUDA, you can also use the virtual GPU, which needs clang and a CPU build of libtorch.',
  },
  'target.unavailable': {
    meaning:
      'Opsmith could not reach the machine that `--on` or *Connect to …* names, or the connection was lost.',
    remedy:
      'Read the message. In a terminal, run the command that reaches the machine, such as `ssh HOST`. Opsmith can use the machine only if this command works.',
  },
  'target.noOpsmith': {
    meaning:
      'The machine that `--on` or *Connect to …* names has no Opsmith, or has another version or build of it.',
    remedy:
      'Copy this Opsmith to that machine: *Connect to …* offers to copy it. With `--on`, use `--copy`.',
  },
  cancelled: {
    meaning: 'You stopped the work, or closed the project.',
    remedy: 'Nothing is broken. If you still want the result, start the work again.',
  },
  'request.invalid': {
    meaning: 'An option, a value or a combination of them is not possible.',
    remedy:
      'Read the message, which names the option. `opsmith VERB --help` lists the options and their values.',
  },
  io: {
    meaning: 'The operating system refused to read or write a file.',
    remedy:
      'Check the permissions of the path that the message names, and the free space on its disk.',
  },
  internal: {
    meaning: 'A bug in Opsmith.',
    remedy: 'Report the bug, with the details and the versions (Help, About).',
  },
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof errorCodes
