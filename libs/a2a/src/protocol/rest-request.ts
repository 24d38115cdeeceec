import type { Members } from '../shapes/members';
import { restFormParams } from '../shapes/proto03/rest-forms';
import { A2aError } from './errors';
import type { Operation } from './operations';
import type { A2aVersion } from './versions';

/** A request of the HTTP+JSON binding to an agent. */
export interface RestRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path below the address of the interface, with its query. */
  readonly path: string;
  /** Null for a request without a body. */
  readonly body: Members | null;
}

type Ids = readonly string[];

interface RestForm {
  readonly method: RestRequest['method'];
  /** Members of the parameters that become part of the path, in 0.3 and 1.0. */
  readonly ids: Readonly<Record<A2aVersion, Ids>>;
  readonly path: (ids: Ids, version: A2aVersion) => string;
  /** Whether the other parameters are the body; they are the query otherwise. */
  readonly hasBody: boolean;
}

const NO_IDS = { '0.3': [], '1.0': [] };
const OF_TASK = { '0.3': ['id'], '1.0': ['id'] };
const OF_CONFIGS = { '0.3': ['id'], '1.0': ['taskId'] };
const OF_CONFIG = { '0.3': ['id', 'pushNotificationConfigId'], '1.0': ['taskId', 'id'] };

const post = (ids: RestForm['ids'], path: (ids: Ids) => string): RestForm => ({
  ...{ method: 'POST', ids, path, hasBody: true },
});
const get = (ids: RestForm['ids'], path: RestForm['path']): RestForm => ({
  ...{ method: 'GET', ids, path, hasBody: false },
});
const configPath = ([task = '', config = '']: Ids): string =>
  `/tasks/${task}/pushNotificationConfigs/${config}`;

const FORMS: Readonly<Record<Operation, RestForm>> = {
  sendMessage: post(NO_IDS, () => '/message:send'),
  sendStreamingMessage: post(NO_IDS, () => '/message:stream'),
  getTask: get(OF_TASK, ([task = '']) => `/tasks/${task}`),
  listTasks: get(NO_IDS, () => '/tasks'),
  cancelTask: post(OF_TASK, ([task = '']) => `/tasks/${task}:cancel`),
  subscribeToTask: post(OF_TASK, ([task = '']) => `/tasks/${task}:subscribe`),
  createPushConfig: post({ '0.3': ['taskId'], '1.0': ['taskId'] }, ([task = '']) => {
    return `/tasks/${task}/pushNotificationConfigs`;
  }),
  getPushConfig: get(OF_CONFIG, configPath),
  listPushConfigs: get(OF_CONFIGS, ([task = '']) => `/tasks/${task}/pushNotificationConfigs`),
  deletePushConfig: { ...get(OF_CONFIG, configPath), method: 'DELETE' },
  getExtendedCard: get(NO_IDS, (_ids, version) => (version === '1.0' ? '/extendedAgentCard' : '/card')),
};

/**
 * Returns the request of HTTP+JSON for an operation, whose parameters have the shape of `version`.
 * `tenant` is that of the interface. A query can contain only texts, numbers and booleans. Throws
 * `A2aError` `invalidParams` when an id of the path is missing, or is `.` or `..`, which HTTP
 * clients would resolve.
 */
export function restRequest(
  operation: Operation,
  params: Members,
  { version, tenant = null }: { readonly version: A2aVersion; readonly tenant?: string | null },
): RestRequest {
  const { method, ids: idsBy, path, hasBody } = FORMS[operation];
  const names = idsBy[version];
  const written = restFormParams(operation, params, version);
  const others = Object.entries(written).filter(([name]) => !names.includes(name));
  const below = path(
    names.map((name) => pathId(name, written[name])),
    version,
  );
  const prefix = version === '0.3' ? '/v1' : tenant === null ? '' : `/${pathId('tenant', tenant)}`;
  if (hasBody) return { method, path: prefix + below, body: Object.fromEntries(others) };
  const query = String(new URLSearchParams(others.flatMap(queryParameter)));
  return { method, path: query === '' ? prefix + below : `${prefix}${below}?${query}`, body: null };
}

function pathId(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new A2aError('invalidParams', `${name} must be an id.`);
  return encodeURIComponent(id);
}

const queryParameter = ([name, value]: [string, unknown]): [string, string][] =>
  ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)]] : [];
