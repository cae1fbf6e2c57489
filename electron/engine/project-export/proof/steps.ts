import path from 'node:path'

import { modelRuns } from '../templates/cpp-application'
import { withoutShapes } from '../templates/python-tests'
import type { Proof } from './proof'

/** Where CMake's `release` preset of an export builds. */
const presetBuild = (proof: Proof): string => path.join(proof.folder, 'build')

/**
 * CMake's configure, build and the tests that make every recorded call, in a folder of the export; by
 * its `release` preset where it has one.
 */
export async function proveCmake(
  proof: Proof,
  folder: string,
  hasPresets = false,
): Promise<boolean> {
  const { cmake, libtorch } = proof.tools
  if (!proof.has(cmake, 'build and run in C++')) return false
  const build = proof.beside('build')
  const cwd = path.join(proof.folder, folder)
  const [configure, make, test] = hasPresets
    ? [
        ['--preset', 'release'],
        ['--preset', 'release'],
        ['--preset', 'release'],
      ]
    : [['-S', '.', '-B', build], [build], ['--test-dir', build, '--output-on-failure']]
  const prefix = `-DCMAKE_PREFIX_PATH=${path.join(libtorch, 'share/cmake')}`
  if (!(await proof.run('configure', [[cmake.path, ...configure, prefix]], { cwd }))) return false
  const built = await proof.run('build', [[cmake.path, '--build', ...make, '--parallel', '2']], {
    cwd,
  })
  if (!built) return false
  const ctest = path.join(path.dirname(cmake.path), 'ctest')
  const runs = modelRuns(proof.project)
  if (runs.length === 0) {
    proof.skip('calls in C++', 'opsmith.json has no call that could be saved as a model')
    return true
  }
  return await proof.run(`calls in C++ (${runs.length})`, [[ctest, ...test, '--verbose']], { cwd })
}

/** Installs what proveCmake built, and links another project with it that knows its package by name. */
export async function proveInstalled(proof: Proof): Promise<void> {
  const { cmake, libtorch } = proof.tools
  const { name } = proof.project
  const [prefix, source, build] = ['prefix', 'user', 'user-build'].map((one) => proof.beside(one))
  if (prefix === undefined || source === undefined || build === undefined) return
  await proof.write('user/CMakeLists.txt', [
    'cmake_minimum_required(VERSION 3.21)',
    'project(user LANGUAGES CXX)',
    `find_package(${name} REQUIRED)`,
    'add_executable(user main.cpp)',
    `target_link_libraries(user PRIVATE ${name}::${name})`,
  ])
  await proof.write('user/main.cpp', ['int main() { return 0; }'])
  const folders = [prefix, path.join(libtorch, 'share/cmake')].join(';')
  await proof.run('install the package, and use it from another project with find_package', [
    [cmake.path, '--install', presetBuild(proof), '--prefix', prefix],
    [cmake.path, '-S', source, '-B', build, `-DCMAKE_PREFIX_PATH=${folders}`],
    [cmake.path, '--build', build],
    [path.join(build, 'user')],
  ])
}

const suites = [
  { file: 'test_calls.py', name: 'calls in Python' },
  { file: 'test_gradients.py', name: 'gradients in Python' },
  { file: 'test_operators.py', name: 'torch.library.opcheck' },
  { file: 'test_functions.py', name: 'autograd.Function wrappers' },
]

/** The tests of an export, each file a step, with the Python given. */
export async function provePython(
  proof: Proof,
  python: string,
  files: readonly string[],
): Promise<void> {
  for (const { file, name } of suites) {
    if (!files.includes(`tests/${file}`)) continue
    // From where README says, so that nothing in the export's folder hides what is installed.
    await proof.run(name, [[python, '-m', 'unittest', 'discover', '-v', '-s', 'tests', '-p', file]])
  }
  if (!files.includes('tests/test_operators.py')) return
  for (const op of withoutShapes(proof.project)) {
    proof.skip(
      `torch.compile of ${op}`,
      'the operator has no Meta kernel, which torch.compile needs to get the shape of the result',
    )
  }
}
