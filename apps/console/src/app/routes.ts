import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';

/** Context that route loaders receive. */
export interface RouterContext {
  readonly queries: QueryClient;
  /**
   * Resolves when the session that was requested at page load is in the query cache, or could not
   * be read.
   */
  readonly facts: Promise<void>;
}

/**
 * Parent routes of the pages. `router.tsx` sets their components, which avoids an import cycle
 * between pages and shell.
 */
export const rootRoute = createRootRouteWithContext<RouterContext>()();

/** Parent of routes that need a session; shows the sign-in without one. */
export const sessionRoute = createRoute({ getParentRoute: () => rootRoute, id: 'session' });

/** `/w/:ws`: pages of one workspace, by its slug or id. */
export const workspaceRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/w/$ws' });

/** `/org`: pages of the organisation. */
export const organisationRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/org' });

/** `/me`: pages of the signed-in user. */
export const meRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/me' });
