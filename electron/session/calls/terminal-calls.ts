import type { AppCallName } from '../../contract/app-calls'
import { projectEnvironment } from '../../engine/toolchain/python-environment'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type TerminalCalls = Extract<AppCallName, `terminal.${string}`>

export const terminalCalls: Handlers<TerminalCalls> = {
  'terminal.open': projectCall(async ({ session, project, workbench }, { folder, ...size }) => {
    // A broken opsmith.json chooses nothing, and takes no terminal away.
    const opened = await workbench.projects.open(folder)
    const libtorch = opened.ok ? opened.value.chosenLibtorch : ''
    const environment = projectEnvironment(folder, { libtorch })
    return await project.terminals.start(session.installation, { folder, environment }, size)
  }),
  'terminal.write': projectCall(async ({ project }, { terminal, text }) => {
    project.terminals.write(terminal, text)
    return await Promise.resolve(nothing)
  }),
  'terminal.resize': projectCall(async ({ project }, { terminal, columns, rows }) => {
    project.terminals.resize(terminal, columns, rows)
    return await Promise.resolve(nothing)
  }),
  'terminal.drawn': projectCall(async ({ project }, { terminal, characters }) => {
    project.terminals.drawn(terminal, characters)
    return await Promise.resolve(nothing)
  }),
  'terminal.close': projectCall(async ({ project }, { terminal }) => {
    await project.terminals.close(terminal)
    return nothing
  }),
}
