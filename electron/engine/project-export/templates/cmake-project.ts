import type { Manifest } from '../../../contract/manifest'
import { buildExtensionFlags } from '../../compile/cuda'
import { architectureOf } from '../../compile/cuda-architectures'
import { summaryOf } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { supportFolder } from '../exported-sources'
import type { CompiledSource } from '../exported-sources'
import { applicationSource, ctestLines, modelData, modelRuns } from './cpp-application'
import { upperName } from './names'
import { codeBlock, noAsNeeded, readmeOf, torchPrefix } from './readme'

const quoted = (text: string): string => (/^[\w./+=:,-]+$/.test(text) ? text : JSON.stringify(text))

function packageTarget(name: string): string {
  return upperName(name)
}

/** target_…(name SCOPE\n  item\n  item) */
function command(name: string, first: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const line = `${name}(${first} ${items.join(' ')})`
  return line.length <= 100
    ? [line]
    : [`${name}(${first}`, ...items.map((item) => `  ${item}`), ')']
}

interface Target {
  name: string
  kind: 'SHARED' | 'STATIC'
  sources: string[]
  torch: boolean
  cuda: boolean
  /** Made where there is a CUDA compiler only. */
  conditional: boolean
}

/** As the project is laid out: sources that know nothing of libtorch, CUDA, and the operators. */
function targetsOf(project: ExportedProject): Target[] {
  const { name, sources } = project
  const always = sources.compiled.filter((source) => !source.conditional)
  const of = (wanted: (source: CompiledSource) => boolean): string[] =>
    always.filter(wanted).map((source) => source.path)
  const own = (path: string): boolean => !path.startsWith(supportFolder)
  const kernels = of((source) => !source.cuda && !source.torch && own(source.path))
  const rest = of((source) => !source.cuda && (source.torch || !own(source.path)))
  const cuda = [false, true].flatMap((conditional): Target[] => {
    const found = sources.compiled.filter((one) => one.cuda && one.conditional === conditional)
    if (found.length === 0) return []
    return [
      {
        name: conditional && always.some((one) => one.cuda) ? `${name}_more_cuda` : `${name}_cuda`,
        kind: 'STATIC',
        sources: found.map((one) => one.path),
        torch: found.some((one) => one.torch),
        cuda: true,
        conditional,
      },
    ]
  })
  // A library of nothing but kernels has no operators: it is the project's only one then.
  const split = kernels.length > 0 && rest.length > 0
  return [
    ...(split
      ? [
          {
            name: `${name}_kernels`,
            kind: 'STATIC' as const,
            sources: kernels,
            torch: false,
            cuda: false,
            conditional: false,
          },
        ]
      : []),
    ...cuda,
    {
      name,
      kind: 'SHARED' as const,
      torch: true,
      cuda: false,
      conditional: false,
      sources: split ? rest : [...kernels, ...rest],
    },
  ]
}

function targetLines(project: ExportedProject, target: Target, all: readonly Target[]): string[] {
  const { manifest, sources, toolchain } = project
  const helpers = all.filter(
    (one) => one.name !== target.name && target.kind === 'SHARED' && !one.conditional,
  )
  const libraries = [
    ...helpers.map((one) => one.name),
    ...(target.torch ? ['${TORCH_LIBRARIES}'] : []),
    ...(target.kind === 'SHARED' && sources.parallel
      ? ['$<TARGET_NAME_IF_EXISTS:OpenMP::OpenMP_CXX>']
      : []),
    ...(target.kind === 'SHARED' || target.torch
      ? manifest.pkgConfig.map((name) => `PkgConfig::${packageTarget(name)}`)
      : []),
    ...(target.kind === 'SHARED' ? manifest.ldflags.map(quoted) : []),
  ]
  const folders = sources.includeFolders.map((folder) =>
    folder === '.' ? '${CMAKE_CURRENT_SOURCE_DIR}' : folder,
  )
  return [
    `add_library(${target.name} ${target.kind}`,
    ...target.sources.map((source) => `  ${source}`),
    ')',
    `target_compile_features(${target.name} PRIVATE cxx_std_${toolchain.libtorch.cxxStandard})`,
    ...command('target_include_directories', `${target.name} BEFORE PRIVATE`, folders),
    ...command('target_compile_definitions', `${target.name} PRIVATE`, [
      ...(target.torch ? sources.definitions : []),
      ...(target.conditional ? manifest.cudaDefines : []),
    ]),
    ...command(
      'target_compile_options',
      `${target.name} PRIVATE`,
      (target.cuda ? [...buildExtensionFlags, ...manifest.cudaCflags] : manifest.cflags).map(
        quoted,
      ),
    ),
    ...command('target_link_libraries', `${target.name} PRIVATE`, libraries),
    ...(target.kind === 'STATIC'
      ? [`set_target_properties(${target.name} PROPERTIES POSITION_INDEPENDENT_CODE ON)`]
      : []),
    '',
  ]
}

const withCuda = (condition: string, lines: readonly string[]): string[] => [
  `if(${condition})`,
  ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
  'endif()',
  '',
]

/** What the library gets where there is a CUDA compiler. */
function conditionalLines(project: ExportedProject, targets: readonly Target[]): string[] {
  const { name, sources, manifest } = project
  const kernels = targets.filter((target) => target.conditional)
  const host = sources.compiled.filter((one) => one.conditional && !one.cuda)
  const always = targets.filter((target) => !target.conditional)
  const { cudaDefines, cudaLdflags } = manifest
  if (kernels.length + host.length + cudaDefines.length + cudaLdflags.length === 0) return []
  // libtorch's CPU build has no CUDA headers that compile, and no tensors for such kernels.
  const asksTorch = kernels.some((target) => target.torch)
  return withCuda(`CMAKE_CUDA_COMPILER${asksTorch ? ' AND TARGET torch_cuda' : ''}`, [
    ...always.flatMap((target) =>
      command('target_compile_definitions', `${target.name} PRIVATE`, cudaDefines),
    ),
    ...kernels.flatMap((target) => targetLines(project, target, targets)),
    ...command(
      'target_sources',
      `${name} PRIVATE`,
      host.map((one) => one.path),
    ),
    // Where CUDA's headers are, for sources that the C++ compiler takes.
    ...command('target_link_libraries', `${name} PRIVATE`, [
      ...kernels.map((target) => target.name),
      ...cudaLdflags.map(quoted),
      'CUDA::cudart_static',
    ]),
  ])
}

/** The language itself: needed, or taken where it is. */
function cudaLines(project: ExportedProject): string[] {
  const { manifest, sources } = project
  const kernels = sources.compiled.filter((one) => one.cuda || one.conditional)
  const { cudaDefines, cudaLdflags } = manifest
  if (kernels.length + cudaDefines.length + cudaLdflags.length === 0) return []
  return [
    '',
    ...(manifest.cudaArchitectures.length > 0
      ? [
          'if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)',
          `  set(CMAKE_CUDA_ARCHITECTURES ${manifest.cudaArchitectures.map(architectureOf).join(' ')})`,
          'endif()',
        ]
      : []),
    ...(kernels.some((one) => !one.conditional)
      ? ['enable_language(CUDA)', 'find_package(CUDAToolkit REQUIRED)']
      : [
          '# Without a CUDA compiler, the library has only its CPU part.',
          'include(CheckLanguage)',
          'check_language(CUDA)',
          'if(CMAKE_CUDA_COMPILER)',
          '  enable_language(CUDA)',
          '  find_package(CUDAToolkit REQUIRED)',
          'endif()',
        ]),
  ]
}

function findPackages(manifest: Manifest, parallel: boolean): string[] {
  return [
    ...(manifest.pkgConfig.length > 0 ? ['find_package(PkgConfig REQUIRED)'] : []),
    ...manifest.pkgConfig.map(
      (name) =>
        `pkg_check_modules(${packageTarget(name)} REQUIRED IMPORTED_TARGET ${quoted(name)})`,
    ),
    ...(parallel
      ? [
          '# Without OpenMP, at::parallel_for runs on one thread.',
          'find_package(OpenMP COMPONENTS CXX)',
        ]
      : []),
  ]
}

/** The lines that make the operator library, whether they stand alone or in a subdirectory. */
export function libraryLines(project: ExportedProject): string[] {
  const targets = targetsOf(project)
  return [
    ...targets
      .filter((target) => !target.conditional)
      .flatMap((target) => targetLines(project, target, targets)),
    ...conditionalLines(project, targets),
    `add_library(${project.name}::${project.name} ALIAS ${project.name})`,
    '# Applications use no symbol of this library: without this flag, linkers drop the library.',
    `target_link_options(${project.name} INTERFACE "LINKER:--no-as-needed")`,
  ]
}

export function projectLines(project: ExportedProject, name: string): string[] {
  const { manifest, sources } = project
  return [
    'cmake_minimum_required(VERSION 3.21)',
    `project(${name}`,
    `  VERSION ${manifest.version}`,
    `  DESCRIPTION ${JSON.stringify(summaryOf(manifest))}`,
    '  LANGUAGES CXX)',
    ...cudaLines(project),
    '',
    'set(CMAKE_CXX_EXTENSIONS OFF)',
    'if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)',
    '  set(CMAKE_BUILD_TYPE Release)',
    'endif()',
    '',
    '# libtorch: -DCMAKE_PREFIX_PATH="$(python3 -c \'import torch; print(torch.utils.cmake_prefix_path)\')"',
    'find_package(Torch REQUIRED)',
    ...findPackages(manifest, sources.parallel),
    '',
  ]
}

/** Where an installed library looks; by CMake's own way it would be every folder that libtorch was linked with. */
function runPathLines({ manifest }: ExportedProject): string[] {
  const folders = manifest.pkgConfig.map((name) => `\${${packageTarget(name)}_LIBRARY_DIRS}`)
  return [
    "# The installed library finds other libraries in its own folder, then in libtorch's.",
    'if(NOT DEFINED CMAKE_INSTALL_RPATH)',
    `  set(CMAKE_INSTALL_RPATH ${['"$ORIGIN"', '"${TORCH_INSTALL_PREFIX}/lib"', ...folders].join(' ')})`,
    'endif()',
    '',
  ]
}

function lists(project: ExportedProject): string {
  const { name } = project
  const upper = upperName(name)
  return [
    ...projectLines(project, name),
    'include(CMakePackageConfigHelpers)',
    'include(GNUInstallDirs)',
    '',
    `option(${upper}_TESTS "Build the tests, which make the recorded calls again" \${PROJECT_IS_TOP_LEVEL})`,
    '',
    ...runPathLines(project),
    ...libraryLines(project),
    '',
    `install(TARGETS ${name} EXPORT ${name}Targets LIBRARY DESTINATION \${CMAKE_INSTALL_LIBDIR})`,
    `install(EXPORT ${name}Targets`,
    `  NAMESPACE ${name}::`,
    `  DESTINATION \${CMAKE_INSTALL_LIBDIR}/cmake/${name})`,
    `configure_package_config_file(cmake/${name}Config.cmake.in ${name}Config.cmake`,
    `  INSTALL_DESTINATION \${CMAKE_INSTALL_LIBDIR}/cmake/${name})`,
    `write_basic_package_version_file(${name}ConfigVersion.cmake COMPATIBILITY SameMinorVersion)`,
    `install(FILES`,
    `  \${CMAKE_CURRENT_BINARY_DIR}/${name}Config.cmake`,
    `  \${CMAKE_CURRENT_BINARY_DIR}/${name}ConfigVersion.cmake`,
    `  DESTINATION \${CMAKE_INSTALL_LIBDIR}/cmake/${name})`,
    '',
    `if(${upper}_TESTS)`,
    '  enable_testing()',
    '  add_subdirectory(tests)',
    'endif()',
  ].join('\n')
}

const presets = {
  version: 3,
  cmakeMinimumRequired: { major: 3, minor: 21, patch: 0 },
  configurePresets: [
    {
      name: 'release',
      binaryDir: '${sourceDir}/build',
      cacheVariables: { CMAKE_BUILD_TYPE: 'Release' },
    },
    {
      name: 'debug',
      binaryDir: '${sourceDir}/build-debug',
      cacheVariables: { CMAKE_BUILD_TYPE: 'Debug' },
    },
  ],
  buildPresets: [
    { name: 'release', configurePreset: 'release' },
    { name: 'debug', configurePreset: 'debug' },
  ],
  testPresets: [
    { name: 'release', configurePreset: 'release', output: { outputOnFailure: true } },
    { name: 'debug', configurePreset: 'debug', output: { outputOnFailure: true } },
  ],
}

function readme(project: ExportedProject): string {
  const { name } = project
  const conditional = project.sources.compiled.some((source) => source.conditional)
  const asksTorch = targetsOf(project).some((target) => target.conditional && target.torch)
  return readmeOf(project, name, [
    '## Build',
    codeBlock(
      'shell',
      `cmake -B build -DCMAKE_PREFIX_PATH=${torchPrefix}`,
      'cmake --build build --parallel',
      'ctest --test-dir build --output-on-failure',
      'cmake --install build --prefix PREFIX',
    ),
    '`CMakePresets.json` has a preset `release` for this build, and a preset `debug` with its own build folder: `cmake --preset debug -DCMAKE_PREFIX_PATH=…`, `cmake --build --preset debug`, `ctest --preset debug`.',
    ...(conditional
      ? [
          `If CMake finds a CUDA compiler${asksTorch ? ' and libtorch is a CUDA build' : ''}, the library gets its CUDA part, compiled for the architectures in \`CMAKE_CUDA_ARCHITECTURES\`. Otherwise, the library has only its CPU part.`,
        ]
      : []),
    '## Use',
    'In Python:',
    codeBlock('python', 'import torch', '', `torch.ops.load_library("build/lib${name}.so")`),
    'In a CMake project:',
    codeBlock(
      'cmake',
      'find_package(Torch REQUIRED)',
      `find_package(${name} REQUIRED)`,
      `target_link_libraries(application \${TORCH_LIBRARIES} ${name}::${name})`,
    ),
    noAsNeeded.join('\n') + ' If you link the target with CMake, as above, it sets this flag.',
    'If the loader does not find this library or libtorch, set `LD_LIBRARY_PATH` to their folders:',
    codeBlock('shell', 'export LD_LIBRARY_PATH=PREFIX/lib:/path/to/torch/lib'),
    ...(modelRuns(project).length > 0
      ? [
          'During the export, Opsmith recorded calls and their results. The tests make these calls again, and compare the results with the recorded ones.',
        ]
      : []),
  ])
}

/** A CMake project: library, package config, tests that make the recorded calls. */
export function cmakeFiles(project: ExportedProject): FileTree {
  const { name } = project
  return joinTrees(
    project.sources.files,
    treeOf({
      'CMakeLists.txt': lists(project),
      'CMakePresets.json': JSON.stringify(presets, null, 2),
      [`cmake/${name}Config.cmake.in`]: [
        '@PACKAGE_INIT@',
        '',
        'include(CMakeFindDependencyMacro)',
        'find_dependency(Torch)',
        `include("\${CMAKE_CURRENT_LIST_DIR}/${name}Targets.cmake")`,
        `check_required_components(${name})`,
      ].join('\n'),
      'tests/CMakeLists.txt': [
        'add_executable(run_call run_call.cpp)',
        `target_compile_features(run_call PRIVATE cxx_std_${project.toolchain.libtorch.cxxStandard})`,
        `target_link_libraries(run_call PRIVATE \${TORCH_LIBRARIES} ${name}::${name})`,
        '',
        ...ctestLines(project, 'run_call', '${CMAKE_CURRENT_SOURCE_DIR}'),
      ].join('\n'),
      'tests/run_call.cpp': applicationSource.replaceAll('example_app', 'run_call'),
      'README.md': readme(project),
    }),
    treeIn('tests', modelData(project)),
  )
}
