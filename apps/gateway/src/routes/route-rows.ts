import type { RouteKind } from '@gw/contracts';
import type { Dialect } from '@gw/providers';
import type { FollowUp } from './batch-output';
import type { QueryCheck } from './checks/list-query';
import type { Rule } from './checks/rules';
import type { ApiBase } from './gemini-path';
import type { Schema } from './openapi/schema';

/**
 * `json`: a JSON object. `json-or-none`: a JSON object or no body. `any`: any bytes, in memory or
 * streamed, such as a multipart form, or no body. `rpc`: a JSON-RPC message of at most 4 MiB, which
 * is not scanned.
 */
export type RouteBody = 'json' | 'json-or-none' | 'any' | 'rpc';

/**
 * Whether a request of the route names a model: always, optionally or never. A provider refuses an
 * `always` request without a model; with an allow-list, it also refuses a `maybe` request that has
 * a body and no model.
 */
export type NamesModel = 'always' | 'maybe' | 'never';

/** The properties of one route; see `route` for the defaults. */
export interface RouteOptions extends RouteDocument {
  readonly dialect?: Dialect;
  /**
   * The path prefix of the route; `/v1` except for clients that use another version in their paths.
   */
  readonly base?: ApiBase;
  readonly body?: RouteBody;
  readonly model?: NamesModel;
  readonly scopes?: readonly string[];
  /** The specification's bounds on the body; a route without them does not parse it. */
  readonly checkBody?: Rule;
  readonly checkQuery?: QueryCheck;
  /**
   * Set for a route of two calls: the first goes to the path without its last segment, and this
   * returns the path of the second.
   */
  readonly followUp?: FollowUp;
  /**
   * Set if the path names a saved prompt: it is rendered, and then sent as the request that it
   * describes, or returned.
   */
  readonly prompt?: 'completions' | 'render';
}

/** A route in the OpenAPI document, except its summary. */
export interface RouteDocument {
  /** Absent: the schema of `checkBody`; without `checkBody`, the body is forwarded unchanged. */
  readonly request?: Schema;
  readonly response?: Schema;
  /**
   * The response may be `text/event-stream`: if the body has `stream: true`, or, on Gemini’s
   * routes, if the method in the path is `streamGenerateContent`.
   */
  readonly streams?: true;
  /** The response is a WebSocket. */
  readonly upgrades?: true;
  /** The response is a file of any type. */
  readonly bytes?: true;
  readonly query?: Readonly<Record<string, Schema>>;
}

export interface RouteRow extends Required<
  Omit<RouteOptions, 'checkBody' | 'checkQuery' | 'followUp' | 'prompt' | keyof RouteDocument>
> {
  readonly method: string;
  /** Path below `base`; ids are in braces. */
  readonly path: string;
  readonly kind: RouteKind;
  /** Unique name of the operation. */
  readonly name: string;
  readonly checkBody: Rule | null;
  readonly checkQuery: QueryCheck | null;
  readonly followUp: FollowUp | null;
  readonly prompt: 'completions' | 'render' | null;
  readonly document: RouteDocument & { readonly summary: string };
}

export const SCOPES = ['completions.write'] as const;

/**
 * Creates a route. By default, a POST accepts a JSON object and may name a model; other methods
 * accept any bytes and name no model.
 */
export function route(
  method: string,
  path: string,
  kind: RouteKind,
  name: string,
  summary: string,
  options: RouteOptions = {},
): RouteRow {
  const { request = options.checkBody?.schema, response, streams, upgrades, bytes, query, ...own } = options;
  const document = { summary, request, response, streams, upgrades, bytes, query };
  const defaults = {
    dialect: 'openai',
    base: '/v1',
    body: method === 'POST' ? 'json' : 'any',
    model: method === 'POST' ? 'maybe' : 'never',
    scopes: SCOPES,
    checkBody: null,
    checkQuery: null,
    followUp: null,
    prompt: null,
  } as const;
  return { method, path, kind, name, ...defaults, ...own, document: definedOf(document) };
}

/** Removes members without a value. */
const definedOf = <T extends object>(document: T) =>
  Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]: Exclude<T[K], undefined>;
  };

type Named = (
  path: string,
  kind: RouteKind,
  summary: string,
  name?: string,
  options?: RouteOptions,
) => RouteRow;

export const list: Named = (path, kind, summary, name = kind, options = {}) =>
  route('GET', path, kind, `${name}.list`, summary, options);
export const get: Named = (path, kind, summary, name = kind, options = {}) =>
  route('GET', path, kind, `${name}.get`, summary, options);
export const remove: Named = (path, kind, summary, name = kind, options = {}) =>
  route('DELETE', path, kind, `${name}.delete`, summary, options);
/** A route that cancels an object; most clients send no body. */
export const cancel: Named = (path, kind, summary, name = kind, options = {}) =>
  route('POST', path, kind, `${name}.cancel`, summary, { body: 'json-or-none', model: 'never', ...options });

export const ALWAYS = { model: 'always' } as const;
export const NEVER = { model: 'never' } as const;
export const FORM = { body: 'any' } as const;
export const ANTHROPIC = { dialect: 'anthropic', model: 'always' } as const;
