import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute } from '@tanstack/react-router';

/** Context of the loaders of routes. */
export interface RouterContext {
  readonly queries: QueryClient;
  /** Settles when the session that the page was opened with is among the answers, where it is. */
  readonly facts: Promise<void>;
}

/** Parents of the pages' routes. `router.tsx` gives them their components, so that pages and shell import no circle. */
export const rootRoute = createRootRouteWithContext<RouterContext>()();

/** Needs a session: signs in first. */
export const sessionRoute = createRoute({ getParentRoute: () => rootRoute, id: 'session' });

/** `/w/:ws`: pages of one workspace, by its slug or id. */
export const workspaceRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/w/$ws' });

/** `/org`: pages of the organisation. */
export const organisationRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/org' });

/** `/me`: pages of the signed-in user. */
export const meRoute = createRoute({ getParentRoute: () => sessionRoute, path: '/me' });
