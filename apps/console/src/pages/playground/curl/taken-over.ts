import { API_PATHS, type GatewayApi } from '../../../gateway';
import { isJson, textOf, type Json } from '../../../ui/body/conversation';
import { parsePairs, writePairs } from '../../../url/search-text';
import { configHeader, newDraft, newMessage, type Draft } from '../draft/draft';
import { columnOf, draftOf, isHeld, type Replay } from '../draft/replay';
import { isSingleInput, targetOfConfig } from '../draft/request';
import { APIS, DRAFT_TARGET, NEW_COLUMN, type ColumnSettings } from '../search';
import type { CurlCall } from './read-curl';

/** Finds the API whose path is the longest suffix of the address; `raw` when there is none. */
function apiOf(pathname: string): GatewayApi {
  const path = pathname.replace(/\/$/, '');
  const [found] = APIS.filter((api) => api !== 'raw' && path.endsWith(API_PATHS[api])).sort(
    (one, other) => API_PATHS[other].length - API_PATHS[one].length,
  );
  return found ?? 'raw';
}

function jsonOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** Names of query parameters that hold keys, such as `key`, `api_key` and `access_token`. */
const KEY_PARAMETER = /(?:^|[-_])(?:api|access|auth)?(?:key|token|secret|signature|sig)$/i;

/** Returns a query without the parameters that hold keys. */
function withoutKeys(search: string): string {
  const pairs = parsePairs(search);
  const kept = pairs.filter(([name]) => !KEY_PARAMETER.test(name));
  if (kept.length === pairs.length) return search;
  return kept.length === 0 ? '' : `?${writePairs(kept)}`;
}

/** Returns the path after the version prefix, with the query. */
const pathOf = ({ pathname, search }: URL): string =>
  `${pathname.replace(/^.*?\/v1(?=\/|$)/, '') || '/'}${withoutKeys(search)}`;

const isNumberHeld = (member: string, value: unknown): boolean =>
  ['temperature', 'max_tokens'].includes(member) && isHeld(member, value);

/** Converts a body to a draft of an API without a conversation. */
function singleDraftOf({ model: _model, stream: _stream, ...body }: Json): Draft {
  const name = ['input', 'prompt'].find((member) => typeof body[member] === 'string');
  const rest = Object.fromEntries(
    Object.entries(body).filter(([member, value]) => member !== name && !isNumberHeld(member, value)),
  );
  return {
    ...newDraft(),
    messages: [newMessage('user', name === undefined ? '' : (textOf(body[name]) ?? ''))],
    rest,
  };
}

/**
 * Target of a command: an inline config, a saved config or a provider; empty when it names none.
 */
function targetOf(headers: CurlCall['headers']): string {
  const config = headers.get('x-gw-config') ?? '';
  if (configHeader(config) !== null) return DRAFT_TARGET;
  if (config !== '') return targetOfConfig(config);
  const provider = headers.get('x-gw-provider') ?? '';
  return provider === '' || provider.startsWith('@') ? provider : `@${provider}`;
}

/** Splits a model such as `@openai/gpt-4o`, which includes its provider. */
function withProvider(column: ColumnSettings): ColumnSettings {
  const [, target, model] = /^(@[\w.-]+)\/(.+)$/.exec(column.model) ?? [];
  return target === undefined || model === undefined ? column : { ...column, target, model };
}

/** Converts the body of an API request to a draft. */
function readBody(api: GatewayApi, json: Json | null): Draft {
  if (json === null || api === 'raw') return newDraft();
  return isSingleInput(api) ? singleDraftOf(json) : draftOf(api, json);
}

/**
 * Converts a command to a replay: the API follows from the address, the target from Tollgate's
 * headers. Keys are dropped.
 */
export function takenOver({ method, url, headers, body }: CurlCall): Replay {
  const json = jsonOf(body);
  const api = method === 'POST' && json !== null ? apiOf(url.pathname) : 'raw';
  const target = targetOf(headers);
  const column = json === null || api === 'raw' ? NEW_COLUMN : columnOf(json);
  const config = target === DRAFT_TARGET ? jsonOf(headers.get('x-gw-config') ?? '') : null;
  return {
    api,
    column: target === '' ? withProvider(column) : { ...column, target },
    isStreamed: json?.['stream'] === true,
    draft: {
      ...readBody(api, json),
      config: config === null ? '' : JSON.stringify(config, null, 2),
      raw: { method, path: pathOf(url), body },
    },
  };
}
