import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { applicationSource, ctestLines, modelData, modelRuns } from '../templates/cpp-application'
import { codeBlock, noAsNeeded, readmeOf, torchPrefix } from '../templates/readme'
import { libraryLines, projectLines } from '../templates/cmake-project'
import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import { proveCmake } from '../proof/steps'

function lists(project: ExportedProject): string {
  return [
    ...projectLines(project, 'example_app'),
    `add_subdirectory(${project.name})`,
    '',
    'add_executable(example_app main.cpp)',
    `target_compile_features(example_app PRIVATE cxx_std_${project.toolchain.libtorch.cxxStandard})`,
    `target_link_libraries(example_app PRIVATE \${TORCH_LIBRARIES} ${project.name}::${project.name})`,
    '',
    'enable_testing()',
    ...ctestLines(project, 'example_app', '${CMAKE_CURRENT_SOURCE_DIR}'),
  ].join('\n')
}

function readme(project: ExportedProject): string {
  const { name } = project
  const [first] = modelRuns(project)
  const run = first ? `build/example_app ${first.model} ${first.call}` : 'build/example_app'
  return readmeOf(project, 'example_app', [
    `A C++ application without Python. The application loads a TorchScript model that calls the operators of ${name}, runs the model on given inputs, and prints the results.`,
    '## Build and run',
    codeBlock(
      'shell',
      `cmake -B build -DCMAKE_PREFIX_PATH=${torchPrefix}`,
      'cmake --build build --parallel',
      run,
    ),
    [
      '- `main.cpp`: the application. It includes only headers of libtorch.',
      `- \`${name}/\`: the operators, in a library that the application is linked with.`,
      '- `models/`: saved TorchScript functions that call the operators.',
      '- `calls/`: inputs for the models, and the results at the time of the export.',
    ].join('\n'),
    '`ctest --test-dir build` runs every model on each of its recorded calls.',
    noAsNeeded.join('\n') + ` \`${name}/CMakeLists.txt\` sets this flag.`,
  ])
}

/** The C++ application of PyTorch's tutorial on custom operators: the model next to it, the operators below it. */
function appFiles(project: ExportedProject): FileTree {
  return joinTrees(
    treeIn(project.name, project.sources.files),
    modelData(project),
    treeOf({
      'CMakeLists.txt': lists(project),
      [`${project.name}/CMakeLists.txt`]: libraryLines(project).join('\n'),
      'main.cpp': applicationSource,
      'README.md': readme(project),
    }),
  )
}

export const form: Form = {
  id: 'app',
  order: 3,
  purpose: 'A C++ program that loads a saved model and runs it with the operators',
  needs: '',
  tools: ['cmake'],
  files: (project) => ok(appFiles(project)),
  prove: async (proof) => {
    await proveCmake(proof, '.')
  },
}
