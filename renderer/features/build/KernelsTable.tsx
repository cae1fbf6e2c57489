import type { ReactElement } from 'react'

import type { KernelResources } from '../../../electron/contract/build'

/** What the kernels of a CUDA source take of a GPU, by the assembler for it. */
export function KernelsTable({ kernels }: { kernels: readonly KernelResources[] }): ReactElement {
  return (
    <table className="table kernels" data-testid="build-kernels">
      <thead>
        <tr>
          <th scope="col">Kernel</th>
          <th scope="col">For</th>
          <th scope="col" className="right">
            Registers
          </th>
          <th scope="col" className="right">
            Shared
          </th>
          <th scope="col" className="right">
            Spills
          </th>
        </tr>
      </thead>
      <tbody>
        {kernels.map((kernel) => {
          const spills = kernel.spillStoreBytes + kernel.spillLoadBytes
          return (
            <tr key={`${kernel.architecture} ${kernel.name}`}>
              <td className="mono" title={kernel.name}>
                {kernel.shortName}
              </td>
              <td className="mono">sm_{kernel.architecture}</td>
              <td className="right number">{kernel.registers}</td>
              <td className="right number">{kernel.sharedBytes} B</td>
              <td className={`right number ${spills > 0 ? 'tone-warning' : ''}`}>{spills} B</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
