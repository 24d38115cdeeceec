import type { RouteKind } from '@gw/contracts';
import type { Dialect } from '@gw/providers';
import type { FollowUp } from './batch-output';
import type { QueryCheck } from './checks/list-query';
import type { Rule } from './checks/rules';
import type { Schema } from './openapi/schema';

/**
 * `json`: a JSON object. `json-or-none`: the same, or no body at all. `any`: bytes as they are, in memory or streamed, such as
 * a multipart form; also none.
 */
export type RouteBody = 'json' | 'json-or-none' | 'any';

/**
 * Whether a request of the route names the model that answers: always, when it likes, or never. Decides what a provider with
 * an allow-list of models refuses.
 */
export type NamesModel = 'always' | 'maybe' | 'never';

/** What a route has of its own; see `route` for what the others have. */
export interface RouteOptions extends RouteDocument {
  readonly dialect?: Dialect;
  readonly body?: RouteBody;
  readonly model?: NamesModel;
  readonly scopes?: readonly string[];
  /** The specification's bounds on the body; a route without them never parses it. */
  readonly checkBody?: Rule;
  readonly checkQuery?: QueryCheck;
  /** The route's path without its last segment is called first; this names the call that follows. */
  readonly followUp?: FollowUp;
  /** The path names a saved prompt: it is rendered, and then sent as the request that it describes, or answered as it is. */
  readonly prompt?: 'completions' | 'render';
}

/** What the OpenAPI document says of a route, besides its summary. */
export interface RouteDocument {
  /** Absent: that of `checkBody`; without one the body is forwarded to the provider as it is. */
  readonly request?: Schema;
  readonly response?: Schema;
  /** Also answers `text/event-stream` when the body has `stream: true`. */
  readonly streams?: true;
  /** The response is a WebSocket. */
  readonly upgrades?: true;
  /** The response is a file: bytes of any type. */
  readonly bytes?: true;
  readonly query?: Readonly<Record<string, Schema>>;
}

export interface RouteRow extends Required<
  Omit<RouteOptions, 'checkBody' | 'checkQuery' | 'followUp' | 'prompt' | keyof RouteDocument>
> {
  readonly method: string;
  /** Below `/v1`; an id is in braces. */
  readonly path: string;
  readonly kind: RouteKind;
  /** Of the operation; unique. */
  readonly name: string;
  readonly checkBody: Rule | null;
  readonly checkQuery: QueryCheck | null;
  readonly followUp: FollowUp | null;
  readonly prompt: 'completions' | 'render' | null;
  readonly document: RouteDocument & { readonly summary: string };
}

export const SCOPES = ['completions.write'] as const;

/** A route. By default it takes a JSON object and may name a model where it is a POST, and takes any bytes and names none else. */
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

/** Members without a value are left out. */
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
/** Cancels what its path names; most clients send no body. */
export const cancel: Named = (path, kind, summary, name = kind, options = {}) =>
  route('POST', path, kind, `${name}.cancel`, summary, { body: 'json-or-none', model: 'never', ...options });

export const ALWAYS = { model: 'always' } as const;
export const NEVER = { model: 'never' } as const;
export const FORM = { body: 'any' } as const;
export const ANTHROPIC = { dialect: 'anthropic', model: 'always' } as const;
