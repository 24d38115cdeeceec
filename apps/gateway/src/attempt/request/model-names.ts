import { isObject } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import type { RequestView } from '../../core/request-context';
import type { Upstream } from '../../core/upstream';

/**
 * Whether a Gemini client named another model than the one that the gateway sends: the client used
 * a slug, or the target sets the model.
 */
export const isRenamed = ({ route }: RequestView, { model }: Upstream): boolean =>
  route.address !== null && route.address.method !== null && route.address.model !== model;

/** Members of Google's bodies that hold a request with a model. */
const NESTED = ['generateContentRequest', 'generate_content_request'] as const;

/**
 * Replaces the model wherever a Gemini body repeats the model of the path, because Google refuses a
 * different one. Returns the same object when nothing needs to be replaced.
 */
export function withModelNames(body: JsonObject, model: string | null): JsonObject {
  if (model === null) return body;
  const name = model.startsWith('tunedModels/') ? model : `models/${model}`;
  let named = renamed(body, name);
  for (const key of NESTED) {
    const inner = named[key];
    if (isObject(inner)) named = withMember(named, key, inner, renamed(inner, name));
  }
  const { requests } = named;
  if (!Array.isArray(requests)) return named;
  const list = requests.map((one: unknown) => (isObject(one) ? renamed(one, name) : one));
  return list.every((one, at) => one === requests[at]) ? named : { ...named, requests: list };
}

const renamed = (request: JsonObject, name: string): JsonObject =>
  request['model'] === undefined || request['model'] === name ? request : { ...request, model: name };

const withMember = (body: JsonObject, key: string, before: JsonObject, after: JsonObject): JsonObject =>
  after === before ? body : { ...body, [key]: after };
