import type { Operation } from '@gw/a2a';
import type { Route } from '../routes/route-table';

/** The route of requests to agents before their operation is known, and of cards. */
export const AGENT_ROUTE: Route = {
  kind: 'passthrough',
  name: 'a2a',
  dialect: 'openai',
  address: null,
  body: 'rpc',
  model: 'never',
  scopes: ['agents.invoke'],
  checkBody: null,
  checkQuery: null,
  followUp: null,
  prompt: null,
  upstreamPath: '',
  call: null,
  handsOutAccess: false,
};

/** The route of the catalogue, which belongs to the API: tokens for the API are for it too. */
export const CATALOGUE_ROUTE: Route = { ...AGENT_ROUTE, name: 'a2a.catalog', body: 'json' };

const NAMES: Readonly<Record<Operation, string>> = {
  sendMessage: 'message.send',
  sendStreamingMessage: 'message.stream',
  getTask: 'tasks.get',
  listTasks: 'tasks.list',
  cancelTask: 'tasks.cancel',
  subscribeToTask: 'tasks.subscribe',
  createPushConfig: 'push.create',
  getPushConfig: 'push.get',
  listPushConfigs: 'push.list',
  deletePushConfig: 'push.delete',
  getExtendedCard: 'card.extended',
};

const ROUTES = Object.fromEntries(
  Object.entries(NAMES).map(([operation, name]) => [operation, { ...AGENT_ROUTE, name: `a2a.${name}` }]),
) as Readonly<Record<Operation, Route>>;

/** The route of an operation, such as `a2a.message.send`. */
export const routeOfOperation = (operation: Operation): Route => ROUTES[operation];
