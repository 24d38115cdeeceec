import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';

/** `t`: range of time as the codec of `url` writes it. `by`: who spends. `vs=1`: compared with the range before. */
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
  component: lazyRouteComponent(() => import('./page'), 'HomePage'),
});
