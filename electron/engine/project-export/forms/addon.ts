import path from 'node:path'

import { err, ok } from '../../../contract/outcome'
import type { Result } from '../../../contract/outcome'
import { minorVersion, summaryOf } from '../exported-project'
import type { ExportedProject, RecordedCall } from '../exported-project'
import { joinTrees, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { javascriptExample } from '../templates/example-call'
import { addonTest, addonTypes } from '../templates/node-package'
import { npmPackage } from '../templates/names'
import { codeBlock, readmeOf } from '../templates/readme'
import type { Form } from '../form'
import { refusalOf } from '../form'
import type { Proof } from '../proof/proof'

/** What Node can call: operators, not functions of the program. */
const operatorCalls = ({ calls }: ExportedProject): RecordedCall[] =>
  calls.filter((call) => call.isOperator)

function packageJson(project: ExportedProject, name: string): string {
  const { manifest } = project
  const description = {
    name,
    version: manifest.version,
    description: summaryOf(manifest),
    ...(manifest.license === undefined ? {} : { license: manifest.license }),
    main: 'index.js',
    types: 'index.d.ts',
    files: ['index.js', 'index.d.ts', `${project.name}.node`, `lib${project.name}.so`],
    // A file by name: what a folder means here differs between versions of Node.
    scripts: { test: 'node --test test/calls.test.js' },
    engines: { node: '>=18' },
    os: ['linux'],
    cpu: [process.arch],
  }
  return JSON.stringify(description, null, 2)
}

function entry(project: ExportedProject): string {
  const version = minorVersion(project.toolchain.libtorch.version)
  return [
    `'use strict'`,
    '',
    `// The addon loads lib${project.name}.so, which is next to it. Both need libtorch.`,
    'try {',
    `  module.exports = require('./${project.name}.node')`,
    '} catch (error) {',
    `  if (!/lib(torch|c10)/.test(error.message)) throw error`,
    '  throw new Error(',
    `    \`libtorch ${version} was not found: set LD_LIBRARY_PATH to its lib folder. \${error.message}\`,`,
    '    { cause: error },',
    '  )',
    '}',
  ].join('\n')
}

function readme(project: ExportedProject, name: string): string {
  const example = javascriptExample(project)
  return readmeOf(project, name, [
    'A compiled package for Node and Electron. Its installation does not compile anything.',
    '## Install',
    codeBlock(
      'shell',
      'npm install /path/to/this/folder',
      'export LD_LIBRARY_PATH=/path/to/torch/lib',
    ),
    `The package needs libtorch ${minorVersion(project.toolchain.libtorch.version)}, from a Python package (\`python3 -c 'import torch; print(torch.__path__[0] + "/lib")'\`) or from an archive of pytorch.org. The loader also looks for libtorch in the package's folder.`,
    '## Use',
    codeBlock(
      'js',
      `const { ops, schemas } = require('${name}')`,
      '',
      ...(example
        ? [
            ...example.inputs,
            `const result = ops['${example.call.call.op}'](${example.arguments.join(', ')})`,
          ]
        : [
            '// A tensor: { dtype: "float32", shape: [2, 2], data: new Float32Array(4) }',
            "console.log(schemas.join('\\n'))",
          ]),
    ),
    'If the name of an operator is unique, you can call it without its namespace. Each call copies its input and output tensors. `index.d.ts` has the TypeScript types.',
    ...(project.classes.length > 0
      ? [
          'JavaScript cannot create objects of the classes below. To call an operator that needs such an object, use Python, TorchScript or C++.',
        ]
      : []),
    '## Test',
    codeBlock('shell', 'npm test'),
    operatorCalls(project).length > 0
      ? 'During the export, Opsmith recorded calls and their results. The tests make these calls again, and compare the results with the recorded ones.'
      : 'During the export, Opsmith recorded no call of an operator, so the test only checks that the operators exist.',
  ])
}

/** An npm package with the built library and its addon. */
function addonFiles(project: ExportedProject): Result<FileTree> {
  const named = npmPackage(project.manifest)
  if (!named.ok) return named
  if (!project.addon) {
    return err(
      'toolchain.missing',
      `This export needs Opsmith's Node addon, which is not compiled for libtorch ${project.toolchain.libtorch.version}.`,
      {
        ...(project.addonHint === undefined ? {} : { hint: project.addonHint }),
      },
    )
  }
  const { name } = project
  return ok(
    joinTrees(
      treeOf({
        'package.json': packageJson(project, named.value),
        'index.js': entry(project),
        'index.d.ts': addonTypes(project),
        [`${name}.node`]: project.addon,
        [`lib${name}.so`]: project.library,
        'README.md': readme(project, named.value),
        'test/calls.test.js': addonTest(project),
      }),
      treeOf(
        Object.fromEntries(
          operatorCalls(project).map((call) => [
            `test/data/${call.name}.safetensors`,
            call.tensors,
          ]),
        ),
      ),
    ),
  )
}

/** Packs the package, installs it into another one, and makes its tests. */
async function proveAddon(proof: Proof): Promise<void> {
  const { node, npm, libtorch } = proof.tools
  if (!proof.has(node, 'install and call in Node') || !proof.has(npm, 'install with npm')) return
  const named = npmPackage(proof.project.manifest)
  if (!named.ok) return
  const { manifest } = proof.project
  const archive = `${named.value.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`
  const env = { LD_LIBRARY_PATH: path.join(libtorch, 'lib') }
  const user = proof.beside('user')
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'warn']
  const installed = await proof.run('pack and install', [
    [npm.path, 'pack', ...quiet, '--pack-destination', proof.beside('tmp')],
    [npm.path, 'install', ...quiet, '--prefix', user, path.join(proof.beside('tmp'), archive)],
  ])
  if (!installed) return
  const load = `console.log(require(${JSON.stringify(path.join(user, 'node_modules', named.value))}).schemas.join('\\n'))`
  await proof.run('load the installed package', [[node.path, '-e', load]], { env })
  const calls = proof.project.calls.filter((call) => call.isOperator).length
  const name = calls === 0 ? 'test in Node' : `calls in Node (${calls})`
  await proof.run(name, [[npm.path, 'test']], { env })
  if (calls === 0) {
    proof.skip('calls in Node', 'opsmith.json has no operator call that could be recorded')
  }
}

export const form: Form = {
  id: 'addon',
  order: 7,
  purpose: 'An npm package with a Node addon, TypeScript types and a test',
  needs:
    "npm must accept the name (`name`, or `packageName` in opsmith.json), and set-up must have compiled Opsmith's Node addon for the libtorch of the project",
  tools: ['node', 'npm'],
  refusal: (manifest) => refusalOf(npmPackage(manifest)),
  files: addonFiles,
  prove: proveAddon,
}
