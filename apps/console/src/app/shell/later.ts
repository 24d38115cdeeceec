import { useIdle } from './use-idle';

const load = (): Promise<unknown> =>
  Promise.all([
    import('./me-list'),
    import('./workspace-list'),
    import('./pages-drawer'),
    import('../state/why-not-popup'),
    import('../../ui/range/range-popup'),
  ]);

/** Loads what a click opens and no page shows at first: menus, the drawer of the pages, and popups. What is opened sooner loads itself. */
export function Later(): null {
  useIdle(load);
  return null;
}
