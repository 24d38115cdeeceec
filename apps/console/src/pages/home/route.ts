import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';

/**
 * Search parameters of Home. `t`: time range in the format of `src/url`. `by`: kind of spenders.
 * `vs=1`: compares with the range before.
 */
export interface HomeSearch {
  readonly t?: string;
  readonly by?: 'provider';
  readonly vs?: '1';
}

const RANGE_MAX = 60;

export const homeRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: '/',
  validateSearch: ({ t, by, vs }: Record<string, unknown>): HomeSearch => ({
    ...(typeof t === 'string' && t.length <= RANGE_MAX ? { t } : {}),
    ...(by === 'provider' ? { by } : {}),
    ...(vs === '1' ? { vs } : {}),
  }),
  loader: ({ cause, context, params: { ws }, location }) => {
    if (cause !== 'enter') return;
    const { t }: HomeSearch = location.search;
    // The component loads the page too and shows an error when it is missing.
    import('./page').then(({ readFigures }) => readFigures(context, ws, t)).catch(() => undefined);
  },
  component: lazyRouteComponent(() => import('./page'), 'HomePage'),
});
