import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { meRoute } from '../../app/routes';

export const profileRoute = createRoute({
  getParentRoute: () => meRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./profile'), 'ProfilePage'),
});

export const factorsRoute = createRoute({
  getParentRoute: () => meRoute,
  path: 'factors',
  component: lazyRouteComponent(() => import('./factors/page'), 'FactorsPage'),
});

export const ownKeysRoute = createRoute({
  getParentRoute: () => meRoute,
  path: 'keys',
  component: lazyRouteComponent(() => import('./own-keys'), 'OwnKeysPage'),
});

export const preferencesRoute = createRoute({
  getParentRoute: () => meRoute,
  path: 'preferences',
  component: lazyRouteComponent(() => import('./preferences'), 'PreferencesPage'),
});
