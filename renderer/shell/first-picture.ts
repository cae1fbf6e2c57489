// The first script of the page. It lets Chromium paint what index.html has, and only then has the window's code read,
// which keeps this thread busy for a while.

/** Milliseconds after which nobody waits for a picture any more: a window that is covered may get none. */
const longest = 100

const painted = new Promise<void>((resolve) => {
  requestAnimationFrame(() => {
    setTimeout(resolve, 0)
  })
  setTimeout(resolve, longest)
})
void painted.then(() => import('./main'))
