import type { OperatorCheckName } from '../../contract/operator-check'
import type { OperatorDetail, RegisteredKernel } from '../../contract/operators'
import { findFunction } from '../project/scan-source'

/** Checks that are about which kernels there are, not about what one does. */
const aboutRegistration = new Set<OperatorCheckName>([
  'registration',
  'autograd_registration',
  'gradient_lost',
])

/** Dispatch keys in the order in which a check is about them; "" stands for any. */
function keysFor(check: OperatorCheckName): readonly string[] {
  if (check === 'meta') return ['Meta', 'CPU', 'CUDA', '']
  if (check === 'autograd_registration' || check === 'gradient_lost')
    return ['AutogradCPU', 'Autograd', 'CPU', '']
  return ['CPU', 'CompositeExplicitAutograd', 'CompositeImplicitAutograd', 'CUDA', '']
}

/** The kernel that a failure of this check is about; undefined where none was registered. */
export function kernelFor(
  check: OperatorCheckName,
  operator: Pick<OperatorDetail, 'kernels'>,
): RegisteredKernel | undefined {
  for (const key of keysFor(check)) {
    const found = operator.kernels.find((one) => key === '' || one.dispatchKey === key)
    if (found) return found
  }
  return undefined
}

/** `m.impl("f", &f_cpu)` → f_cpu; undefined where the kernel is no plain function, as a lambda. */
function functionRegistered(source: string, line: number): string | undefined {
  const statement = source
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .split(';')[0]
  return /,\s*(?:TORCH_FN\s*\(\s*)?&?\s*((?:\w+::)*[A-Za-z_]\w*)\s*\)+\s*$/.exec(
    statement ?? '',
  )?.[1]
}

/**
 * The line to look at: of a check on behaviour where the kernel's function is defined, if that is in
 * the file that registers it; else where it is registered.
 */
export function placeIn(
  check: OperatorCheckName,
  kernel: RegisteredKernel,
  source: string,
): number {
  if (aboutRegistration.has(check)) return kernel.line
  const name = functionRegistered(source, kernel.line)
  const defined = name === undefined ? undefined : findFunction(source, name)
  return defined?.line ?? kernel.line
}
