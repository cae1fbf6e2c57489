import { useMemo, type ReactElement } from 'react'

import type { KernelResources } from '../../../electron/contract/build'
import { Section } from '../../shell/primitives/Section'
import { useBuild } from '../../store/build'

/** What ptxas reports; for the virtual GPU, nvcc compiles in the background, after the build. */
export function useCompiledKernels(): readonly KernelResources[] {
  const value = useBuild((state) => state.value)
  return useMemo(() => {
    const steps = [...(value?.report.steps ?? []), ...(value?.settled?.steps ?? [])]
    const kernels = steps.flatMap((step) => step.kernels ?? [])
    const byName = kernels.map((one) => [`${one.architecture} ${one.name}`, one] as const)
    return [...new Map(byName).values()]
  }, [value])
}

/** What the kernels of the last build take of a GPU, by nvcc; nothing where it compiled none. */
export function CompiledKernels(): ReactElement | null {
  const kernels = useCompiledKernels()
  if (kernels.length === 0) return null
  return (
    <Section title="Registers and memory" note="in the last build, as reported by nvcc">
      <KernelsTable kernels={kernels} />
    </Section>
  )
}

function KernelsTable({ kernels }: { kernels: readonly KernelResources[] }): ReactElement {
  return (
    <table className="table kernels-table" data-testid="kernels-resources">
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
