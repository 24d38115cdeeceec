import { ROUTE_FAMILIES, type RouteFamily } from '@gw/contracts';

/**
 * A route family for specs. Import this file first: other modules read the list of families when
 * they load.
 */
const POEMS: RouteFamily = {
  requestType: 'poems',
  operations: { 'poems.create': 'writePoem' },
  pathOperation: 'poems.create',
  pathEnd: '/poems',
  isCacheable: true,
  answersWithJson: true,
};

Object.assign(ROUTE_FAMILIES, { poems: POEMS });
