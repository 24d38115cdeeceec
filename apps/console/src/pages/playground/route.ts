import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { workspaceRoute } from '../../app/routes';
import { decodePlayground, encodePlayground } from './search';

export const playgroundRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'playground',
  validateSearch: (search: Record<string, unknown>) => encodePlayground(decodePlayground(search)),
  component: lazyRouteComponent(() => import('./page'), 'PlaygroundPage'),
});
