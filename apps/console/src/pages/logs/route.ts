import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';
import { knownSearch } from './known-search';

export const logsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'logs',
  validateSearch: knownSearch,
  component: lazyRouteComponent(() => import('./page'), 'LogsPage'),
});

/** Route of the page of one log. */
export const logRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'logs/$log',
  validateSearch: knownSearch,
  component: lazyRouteComponent(() => import('./detail/log-page'), 'LogPage'),
});
