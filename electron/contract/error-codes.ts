/** What a code of an error means, and what helps in general; the message and the hint of an error are about the case. */
type ErrorMeaning = { meaning: string; remedy: string }

/** Every code, in the order of the reference page that is made of it (docs/reference/errors.md). */
export const errorCodes = {
  'toolchain.missing': {
    meaning: 'A compiler, libtorch, a tool or a library is not installed, or was not found.',
    remedy:
      'Run the command that the hint names, or choose another installation in Settings. `opsmith doctor` lists what Opsmith looked for, and where.',
  },
  'toolchain.mismatch': {
    meaning:
      'A tool was found, but it does not fit: its version is too old, or its ABI differs from libtorch’s.',
    remedy:
      'Choose another installation in Settings, or install the version that the message names.',
  },
  'project.invalid': {
    meaning: 'opsmith.json is not valid.',
    remedy:
      'Open the line that the error names. The reference of opsmith.json lists all keys and their types.',
  },
  'project.missing': {
    meaning: 'The folder does not exist, or it has no opsmith.json.',
    remedy:
      'Check the path. `opsmith init FOLDER` proposes an opsmith.json for a folder with sources.',
  },
  'project.empty': {
    meaning: 'The folder has no files.',
    remedy: 'Make a project in it: `opsmith new FOLDER`, or New project in the window.',
  },
  'project.restricted': {
    meaning:
      'The folder is in restricted mode: you have not trusted its authors, so Opsmith runs none of its code.',
    remedy: 'Trust the folder if you trust its authors. You can change your decisions in Settings.',
  },
  'file.conflict': {
    meaning: 'A file on disk differs from the version that Opsmith read, wrote or expected.',
    remedy:
      'Compare both versions, then keep one. For an export, keep or replace each file that was changed by hand (`--keep`, `--overwrite`), or choose another folder.',
  },
  'build.required': {
    meaning:
      'The project has no library that can be loaded: it was never built, or its build fails.',
    remedy: 'Build the project (Ctrl+B) and fix what the Problems panel lists.',
  },
  'build.checked': {
    meaning:
      'Timings, profiles and exports need a build without checks, and the last build checks its kernels. Checked kernels are slow.',
    remedy:
      'Turn off “Check kernels” in the Kernels panel. Opsmith then builds the project again, without checks.',
  },
  'library.load': {
    meaning: 'The library was built, but the loader or libtorch rejected it.',
    remedy:
      'Read the message: most often a symbol is undefined (a source or a library is missing), or an operator is registered twice.',
  },
  'program.compile': {
    meaning:
      'TorchScript cannot compile the program, or an expression in opsmith.json (a reference, for example).',
    remedy:
      'Open the line that the error names. TorchScript is a subset of Python: types are static, and many modules are not available.',
  },
  'input.invalid': {
    meaning: 'An input, an argument or a literal does not fit the operator’s schema.',
    remedy: 'Compare your value with the schema (Schemas panel, or `opsmith schemas PROJECT`).',
  },
  'operator.unknown': {
    meaning: 'There is no operator, overload, method or function of this name.',
    remedy: 'Check the spelling, `namespace::name`. Build first, if the operator is new.',
  },
  'operator.check': {
    meaning:
      'The operator itself threw an exception: a failed `TORCH_CHECK`, a `c10::Error` or another C++ exception.',
    remedy: 'Read the message, which comes from the operator. Change the inputs or the operator.',
  },
  'host.crashed': {
    meaning:
      'The op host ended while it ran your code, for example because of a segfault, an abort or `exit()`.',
    remedy:
      'Open the line that the error names. Build with sanitizers to find where memory was damaged. The window continues with a new op host.',
  },
  'host.timeout': {
    meaning: 'The call ran longer than its limit, so Opsmith ended its op host.',
    remedy:
      'Look for an endless loop at the line that the error names, or raise the limit in Settings.',
  },
  'host.unavailable': {
    meaning: 'No op host could be started, or the op host that had the result has ended.',
    remedy: 'Try again. If the error comes back, run `opsmith doctor`.',
  },
  'host.replaced': {
    meaning:
      'Opsmith ended the op host before the call had finished, for example because of a new build.',
    remedy: 'Try again.',
  },
  'derivative.missing': {
    meaning: 'No output of the call requires grad: there is no backward to time or to profile.',
    remedy: 'Give an input `"requires_grad": true`, or measure forward only.',
  },
  'device.lost': {
    meaning:
      'A GPU kernel failed, and its process can no longer use the device, so Opsmith ended the op host.',
    remedy:
      'Look for an access out of bounds in your GPU kernels: `compute-sanitizer` reports the kernel, the thread and the address. The next call gets a new op host.',
  },
  'device.unavailable': {
    meaning: 'This machine does not have the device that the call names.',
    remedy:
      'Set `"device": "cpu"`, or use a machine with that device. For CUDA, the virtual GPU also works: it needs clang and a CPU build of libtorch.',
  },
  cancelled: {
    meaning: 'You stopped the work, or closed the project.',
    remedy: 'You need not do anything. To get the result, start the work again.',
  },
  'request.invalid': {
    meaning: 'An option, a value or a combination of them is not possible.',
    remedy:
      'Read the message, which names the option. `opsmith VERB --help` lists what is allowed.',
  },
  io: {
    meaning: 'The operating system refused to read or write a file.',
    remedy:
      'Check the permissions of the path that the message names, and the free space on its disk.',
  },
  internal: {
    meaning: 'A bug in Opsmith.',
    remedy: 'Report it, with the details and the versions (Help, About).',
  },
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof errorCodes
