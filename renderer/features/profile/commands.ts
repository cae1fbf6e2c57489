import type { Command } from '../../store/commands'
import { showPanel } from '../../store/layout'
import { profileStore, type ProfileView } from './profile'
import { profileJob, withoutTrace } from './profile-job'
import { runProfile, saveTrace, showProfileView } from './profile-run'

const hasChosen = (): boolean => profileStore.getState().draft.op !== ''
const hasTrace = (): boolean => {
  const { value } = profileJob.store.getState()
  return value !== null && value.report.profile !== withoutTrace
}
const hasReport = (): boolean => profileJob.store.getState().value !== null

/** Everything that can be done with a profile; the panel comes to the front. */
export function profileCommands(): Command[] {
  return [
    command('run', 'Profile the chosen call', runProfile, hasChosen, 'Ctrl+Alt+P'),
    command('stop', 'Stop profiling', profileJob.stop, profileJob.isRunning),
    command('save', 'Save as a Chrome trace …', saveTrace, hasTrace),
    view('timeline', 'Timeline'),
    view('flame', 'Flame graph'),
    view('table', 'Operators and lines'),
    view('memory', 'Memory'),
  ]
}

function view(name: ProfileView, title: string): Command {
  return command(
    `view.${name}`,
    `Show: ${title}`,
    () => {
      showProfileView(name)
      return Promise.resolve()
    },
    hasReport,
  )
}

function command(
  id: string,
  title: string,
  run: () => Promise<void>,
  enabled: () => boolean,
  shortcut?: string,
): Command {
  return {
    id: `profile.${id}`,
    title: `Profile: ${title}`,
    group: 'Profile',
    enabled,
    run: () => {
      showPanel('profile', false)
      return run()
    },
    ...(shortcut === undefined ? {} : { shortcut }),
  }
}
