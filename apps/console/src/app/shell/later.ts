import { useIdle } from './use-idle';

const load = (): Promise<unknown> =>
  Promise.all([
    import('./me-list'),
    import('./workspace-list'),
    import('./pages-drawer'),
    import('../state/why-not-popup'),
    import('../session/session-dialog'),
    import('../../ui/range/range-popup'),
  ]);

/**
 * Loads the code of menus, the page drawer, popups and the session dialog while the browser is idle.
 * No page shows them at first; one that is opened earlier loads itself.
 */
export function Later(): null {
  useIdle(load);
  return null;
}
