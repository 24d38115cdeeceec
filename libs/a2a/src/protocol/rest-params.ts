import { isObject } from '@gw/kernel';
import type { Members } from '../shapes/members';
import { A2aError } from './errors';
import { rpcParams } from '../shapes/proto03/rest-forms';
import { parsedCall } from './read-call';
import type { RestRoute } from './rest-routes';
import type { A2aVersion } from './versions';

/** Query parameters of 1.0 and of 0.3 that are numbers and booleans in JSON. */
const INTEGERS: ReadonlySet<string> = new Set(['historyLength', 'pageSize']);
const BOOLEANS: ReadonlySet<string> = new Set(['includeArtifacts']);
const TEXTS: ReadonlySet<string> = new Set(['contextId', 'status', 'pageToken', 'statusTimestampAfter']);
const INTEGER = /^\d{1,10}$/;

/**
 * Reads the body of a request of HTTP+JSON within `CALL_BOUNDS`; null for none. Throws `A2aError`
 * `parse` or `invalidRequest`.
 */
export function readRestBody(body: Buffer): Members | null {
  if (body.length === 0) return null;
  const value = parsedCall(body);
  if (!isObject(value)) throw new A2aError('invalidRequest', 'The request body must be one JSON object.');
  return value;
}

/**
 * Returns the parameters that a request of HTTP+JSON has in JSON-RPC of the same version: those of
 * its body, or of its query for a request without a body, with the ids of the path. Unknown query
 * parameters are ignored. Throws `A2aError` `invalidParams`.
 */
export function restParams(
  route: Pick<RestRoute, 'operation' | 'taskId' | 'configId'>,
  version: A2aVersion,
  given: { readonly body: Members | null; readonly query: URLSearchParams },
): Members {
  return rpcParams(route.operation, namedParams(route, version, given), version);
}

function namedParams(
  { operation, taskId, configId }: Pick<RestRoute, 'operation' | 'taskId' | 'configId'>,
  version: A2aVersion,
  { body, query }: { readonly body: Members | null; readonly query: URLSearchParams },
): Members {
  const params: Members = body ?? Object.fromEntries([...query].flatMap(queryParameter));
  if (taskId === undefined) return params;
  const isOnConfig = configId !== undefined || operation === 'listPushConfigs';
  if (operation === 'createPushConfig' || (isOnConfig && version === '1.0'))
    return { ...params, taskId, ...(configId === undefined ? {} : { id: configId }) };
  return {
    ...params,
    id: taskId,
    ...(configId === undefined ? {} : { pushNotificationConfigId: configId }),
  };
}

function queryParameter([name, value]: readonly [string, string]): [string, unknown][] {
  if (TEXTS.has(name)) return [[name, value]];
  if (INTEGERS.has(name)) {
    if (!INTEGER.test(value)) throw new A2aError('invalidParams', `${name} must be a non-negative integer.`);
    return [[name, Number(value)]];
  }
  if (!BOOLEANS.has(name)) return [];
  if (value !== 'true' && value !== 'false')
    throw new A2aError('invalidParams', `${name} must be true or false.`);
  return [[name, value === 'true']];
}
