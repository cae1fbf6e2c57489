import type { AppCallName } from '../../contract/app-calls'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCall } from './project-job'

type TerminalCalls = Extract<AppCallName, `terminal.${string}`>

export const terminalCalls: Handlers<TerminalCalls> = {
  'terminal.open': projectCall(({ session, project }, { folder, ...size }) =>
    project.terminals.start(session.installation, folder, size),
  ),
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
