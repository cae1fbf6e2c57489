import { Menu } from 'electron'

/**
 * The window draws its own toolbar and palette; the application menu only keeps the editing
 * shortcuts alive where the system needs a menu for them.
 */
export function installMenu(development: boolean): void {
  if (process.platform !== 'darwin' && !development) {
    Menu.setApplicationMenu(null)
    return
  }
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      { role: 'appMenu', visible: process.platform === 'darwin' },
      { role: 'editMenu' },
      { label: 'View', submenu: [{ role: 'toggleDevTools' }, { role: 'togglefullscreen' }] },
    ]),
  )
}
