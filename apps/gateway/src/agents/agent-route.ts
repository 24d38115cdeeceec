import type { Operation } from '@gw/a2a';
import type { Route } from '../routes/route-table';

/** The route of agent cards, and of requests to agents until their operation is known. */
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

/** The route of the catalogue. It belongs to the API, so tokens for the API are valid for it. */
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

/** Returns the route of an operation; its name is, for example, `a2a.message.send`. */
export const routeOfOperation = (operation: Operation): Route => ROUTES[operation];
