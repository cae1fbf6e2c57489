import fs from 'node:fs/promises'
import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import type { Installation } from '../installation'
import { systemCode } from './file-errors'
import { ioError } from './files'

/** The sample that a new operator begins as: it builds, and its checks pass. */
const pattern = 'my_op'
const files = ['op.cpp', 'program.py', 'opsmith.json'] as const

/** What C++ and Python would read as something else. */
const reserved = new Set(
  'and as assert auto bool break case char class const continue def default delete do double else enum except export float for from global if import in inline int is lambda long namespace new none not null operator or pass private public return short signed static struct switch template this throw torch true try typedef union unsigned using void while with yield'.split(
    ' ',
  ),
)

/**
 * Makes a project of one operator in a new folder of its name: forward, backward, a program, inputs, calls and
 * gradchecks. Errors: the name is none (request.invalid); the folder exists or cannot be made (io).
 * @param parent absolute
 */
export async function createOperator(
  installation: Installation,
  name: string,
  parent: string,
): Promise<Result<{ folder: string }>> {
  if (!/^[a-z][a-z0-9_]{0,60}$/.test(name) || reserved.has(name)) {
    return err('request.invalid', `${name} cannot be the name of an operator.`, {
      path: 'name',
      hint: 'Take small letters, digits and _, with a letter first: "fused_gelu". C++ and Python must not know the word.',
    })
  }
  const folder = path.join(parent, name)
  try {
    await fs.mkdir(folder)
    for (const file of files) {
      const text = await fs.readFile(path.join(installation.samplesFolder, pattern, file), 'utf8')
      const own = text
        .replaceAll(pattern, name)
        .replace(
          /"description": "[^"]*"/,
          '"description": "A new operator, which begins as 3x - y"',
        )
      await fs.writeFile(path.join(folder, file), own, { flag: 'wx' })
    }
    return ok({ folder })
  } catch (error) {
    return systemCode(error) === 'EEXIST'
      ? err('io', `There is a folder ${folder} already.`, { hint: 'Choose another name.' })
      : ioError(error, `make ${folder}`)
  }
}
