import type { AbiReport } from '../../../contract/export'
import { abiText } from '../abi'
import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { applicationSource, ctestLines, modelData } from '../templates/cpp-application'
import { pythonTests } from '../templates/python-tests'
import { codeBlock, noAsNeeded, readmeOf, testSection, torchPrefix } from '../templates/readme'
import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import { proveCmake, provePython } from '../proof/steps'

function lists(project: ExportedProject): string {
  const { name } = project
  return [
    'cmake_minimum_required(VERSION 3.21)',
    'project(run_call LANGUAGES CXX)',
    '',
    'set(CMAKE_CXX_EXTENSIONS OFF)',
    '# libtorch: -DCMAKE_PREFIX_PATH="$(python3 -c \'import torch; print(torch.utils.cmake_prefix_path)\')"',
    'find_package(Torch REQUIRED)',
    '',
    `add_library(${name} SHARED IMPORTED)`,
    `set_target_properties(${name} PROPERTIES`,
    `  IMPORTED_LOCATION "\${CMAKE_CURRENT_SOURCE_DIR}/../lib${name}.so")`,
    `target_link_options(${name} INTERFACE "LINKER:--no-as-needed")`,
    '',
    'add_executable(run_call run_call.cpp)',
    `target_compile_features(run_call PRIVATE cxx_std_${project.toolchain.libtorch.cxxStandard})`,
    `target_link_libraries(run_call PRIVATE \${TORCH_LIBRARIES} ${name})`,
    '',
    'enable_testing()',
    ...ctestLines(project, 'run_call', '${CMAKE_CURRENT_SOURCE_DIR}'),
  ].join('\n')
}

function readme(project: ExportedProject): string {
  const { name } = project
  return readmeOf(project, `lib${name}.so`, [
    '`ABI.md` lists what a machine needs to load the library.',
    '## In Python',
    codeBlock('python', 'import torch', '', `torch.ops.load_library("lib${name}.so")`),
    `\`torch.ops\` then has the operators, for eager code, \`torch.compile\` and TorchScript.`,
    ...testSection(project, 'python -m unittest discover tests'),
    '## In C++',
    noAsNeeded.join('\n'),
    '`cpp/` is a C++ program that links the library:',
    codeBlock(
      'shell',
      `cmake -S cpp -B build -DCMAKE_PREFIX_PATH=${torchPrefix}`,
      'cmake --build build',
      'ctest --test-dir build',
    ),
  ])
}

/** The built library itself, stripped, with what it needs and programs that show it. */
function libraryFiles(project: ExportedProject, abi: AbiReport): FileTree {
  const { name } = project
  return joinTrees(
    treeOf({
      [`lib${name}.so`]: project.library,
      'ABI.md': abiText(abi),
      'README.md': readme(project),
      'cpp/CMakeLists.txt': lists(project),
      'cpp/run_call.cpp': applicationSource.replaceAll('example_app', 'run_call'),
      ...(project.program === '' ? {} : { 'tests/program.py': Buffer.from(project.program) }),
    }),
    treeIn('cpp', modelData(project)),
    treeIn(
      'tests',
      pythonTests(project, {
        standard: ['from pathlib import Path'],
        load: [`torch.ops.load_library(Path(__file__).parents[1] / "lib${name}.so")`],
        program: 'import program',
      }),
    ),
  )
}

export const form: Form = {
  id: 'library',
  order: 1,
  purpose: 'A .so for torch.ops.load_library and C++, with a report on its ABI',
  needs: '',
  tools: ['python', 'cmake'],
  files: (project, abi) => ok(libraryFiles(project, abi)),
  prove: async (proof, files) => {
    const { python } = proof.tools
    if (proof.has(python, 'load and call in Python')) await provePython(proof, python.path, files)
    await proveCmake(proof, 'cpp')
  },
}
