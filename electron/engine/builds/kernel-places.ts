import fs from 'node:fs/promises'
import path from 'node:path'

import type { OperatorDetail } from '../../contract/operators'
import { registrationLine } from '../project/scan-source'

/**
 * Operators with the absolute file and the line of each kernel. A library names its sources relative to the
 * project, and a registration macro records the line of its whole block.
 */
export async function withKernelPlaces(
  operators: OperatorDetail[],
  folder: string,
): Promise<OperatorDetail[]> {
  const texts = new Map<string, Promise<string>>()
  const read = (file: string): Promise<string> => {
    const known = texts.get(file) ?? fs.readFile(file, 'utf8').catch(() => '')
    texts.set(file, known)
    return known
  }
  const placed = async (operator: OperatorDetail): Promise<OperatorDetail> => {
    const name = operator.name.split('::').at(-1) ?? operator.name
    const kernels = operator.kernels.map(async (kernel) => {
      const file = path.resolve(folder, kernel.file)
      const text = await read(file)
      return text === ''
        ? kernel
        : { ...kernel, file, line: registrationLine(text, kernel.line, name) }
    })
    return { ...operator, kernels: await Promise.all(kernels) }
  }
  return await Promise.all(operators.map(placed))
}
