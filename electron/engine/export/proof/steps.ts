import path from 'node:path'

import { modelRuns } from '../templates/cpp-application'
import { withoutShapes } from '../templates/python-tests'
import type { Proof } from './proof'

/** CMake's configure, build and the tests that make every recorded call, in a folder of the export. */
export async function proveCmake(proof: Proof, folder: string): Promise<boolean> {
  const { cmake, libtorch } = proof.tools
  if (!proof.has(cmake, 'build and run in C++')) return false
  const build = proof.beside('build')
  const source = path.join(proof.folder, folder)
  const prefix = path.join(libtorch, 'share/cmake')
  const configured = await proof.run('configure', [
    [cmake.path, '-S', source, '-B', build, `-DCMAKE_PREFIX_PATH=${prefix}`],
  ])
  if (!configured) return false
  if (!(await proof.run('build', [[cmake.path, '--build', build, '--parallel', '2']]))) return false
  const ctest = path.join(path.dirname(cmake.path), 'ctest')
  const runs = modelRuns(proof.project)
  if (runs.length === 0) {
    proof.skip('calls in C++', 'opsmith.json has no call that could be saved as a model')
    return true
  }
  return await proof.run(`calls in C++ (${runs.length})`, [
    [ctest, '--test-dir', build, '--output-on-failure', '--verbose'],
  ])
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
  await proof.run('install, and find_package from another project', [
    [cmake.path, '--install', proof.beside('build'), '--prefix', prefix],
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
    await proof.run(name, [[python, '-m', 'unittest', '-v', file.replace('.py', '')]], {
      cwd: path.join(proof.folder, 'tests'),
    })
  }
  if (!files.includes('tests/test_operators.py')) return
  for (const op of withoutShapes(proof.project)) {
    proof.skip(
      `torch.compile of ${op}`,
      'it has no Meta kernel, which says the shape of its result without computing it',
    )
  }
}
