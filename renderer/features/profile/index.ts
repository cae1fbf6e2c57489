import { defineFeature } from '../../store/feature'
import { profileCommands } from './commands'
import { profileJob } from './profile-job'
import { forgetProfile, refreshProfile } from './profile-run'
import { ProfilePanel } from './ProfilePanel'
import { profileChoice, profileResults } from './saved'
import './styles.css'

export const feature = defineFeature({
  id: 'profile',
  title: 'Profile',
  panel: {
    Panel: ProfilePanel,
    icon: 'M1.8 3.2h12.4M1.8 6.4h7M10.4 6.4h3.8M1.8 9.6h3M6.4 9.6h4.2M3.4 12.8h5.4',
    tasks: { measure: 'below' },
    help: {
      about: [
        'Runs one call with libtorch’s profiler. Shows a timeline, a flame graph, a table of operators and lines, and the memory use.',
      ],
      keys: [
        ['Arrows', 'Move from call to call; with Shift, pan'],
        ['+ and -', 'Zoom'],
        ['F', 'Zoom to the selected call'],
        ['0', 'Show all'],
        ['Enter', 'Open the source line of the selected call'],
        ['Escape', 'Clear the selection'],
      ],
    },
    area: 'right',
    order: 70,
  },
  commands: profileCommands(),
  jobs: [profileJob],
  refresh: { order: 80, run: refreshProfile },
  choice: profileChoice,
  results: profileResults,
  forget: forgetProfile,
})
