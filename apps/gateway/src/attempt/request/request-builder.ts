import type { CompiledTarget } from '@gw/routing';
import { ROUTE_FAMILIES, type RouteFamily, type RouteKind } from '@gw/contracts';
import { GatewayError, isHeaderValue, type AddressPolicy } from '@gw/kernel';
import { type BodySource, knownCodings, type OutboundRequest } from '@gw/outbound';
import type { HeaderList, JsonObject, RouteSupport } from '@gw/providers';
import { isReadForUse } from '../../usage/made-earlier';
import { removeHeader, setHeader, upstreamHeaders, valueOf } from '../../http/header-rules';
import { queryWithModel } from '../../realtime/model-query';
import type { GeminiAddress } from '../../routes/gemini-path';
import { isStreamPath } from '../../routes/path-call';
import { callAddress } from '../call-address';
import type { Upstream } from '../../core/upstream';
import type { RequestView } from '../../core/request-context';
import { BaseAddresses } from './base-address';
import { forwardedHeaders } from './forwarded-headers';
import { wholeResponseQuery } from './whole-response-query';
import { bodyOf, type BuiltBody } from './request-body';
import { withUsageRequest } from './stream-usage';
import { modelOf } from '../saved-model';

export interface RequestBuilderOptions {
  readonly policy: AddressPolicy;
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

export interface BuiltRequest {
  readonly request: OutboundRequest;
  /** The client's body after parameter rules, when a translator needs it for the response. */
  readonly clientBody: JsonObject | null;
  /** Members that the translation dropped; null when the body was not translated. */
  readonly losses: NonNullable<BuiltBody['losses']> | null;
  /** True when the request asks for usage that the client did not request and must not see. */
  readonly hidesUsage: boolean;
}

/** Builds the provider request: address, headers and body. */
export class RequestBuilder {
  private readonly bases: BaseAddresses;

  constructor(private readonly options: RequestBuilderOptions) {
    this.bases = new BaseAddresses(options.policy);
  }

  build(context: RequestView, upstream: Upstream): BuiltRequest {
    const base = this.bases.of(context, upstream);
    const built = bodyOf(context, upstream);
    const { body: original, clientBody, contentType, losses = null } = built;
    const bodyWithRequest = Buffer.isBuffer(original)
      ? withUsageRequest(context, upstream, original, clientBody)
      : null;
    const body = bodyWithRequest ?? original;
    const path =
      base.path +
      (built.path === undefined
        ? pathOf(context, upstream)
        : translatedPath(built.path, upstream, context.route.kind));
    const headers = headersOf(context, upstream, contentType);
    signWhole(context, upstream, { origin: base.origin, path, headers, body });
    return {
      clientBody,
      losses,
      hidesUsage: bodyWithRequest !== null,
      request: {
        origin: base.origin,
        path,
        method: context.method,
        headers,
        body: body.length > 0 ? body : null,
        // Connections are never shared between tenants.
        poolClass: upstream.saved?.id ?? context.principal?.workspace.id ?? upstream.provider.id,
        // A model that hangs must not use all connections of the pool. Requests without a model are
        // bounded by their route.
        holder: upstream.model ?? context.route.kind,
        ...this.timeoutsOf(context, upstream, clientBody),
      },
    };
  }

  /**
   * Returns the timeout of a call in milliseconds: from the request's header, otherwise from the
   * target's `request_timeout`, otherwise from the gateway's setting.
   */
  timeoutOf(context: RequestView, target: CompiledTarget): number {
    return context.gw.requestTimeoutMs ?? target.requestTimeoutMs ?? this.options.requestTimeoutMs;
  }

  /**
   * `request_timeout` bounds the whole call; for a stream, the time until its first byte and
   * between its pieces.
   */
  private timeoutsOf(context: RequestView, { target }: Upstream, ruled: JsonObject | null) {
    const { connectTimeoutMs } = this.options;
    const timeoutMs = this.timeoutOf(context, target);
    return {
      connectTimeoutMs: Math.min(connectTimeoutMs, timeoutMs),
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: isStreamed(context, ruled) ? 0 : timeoutMs,
    };
  }
}

/**
 * Whether the request demands a stream: its path, or its body after parameter rules. `ruled` is
 * null if no rule was applied.
 */
function isStreamed({ route, scan }: RequestView, ruled: JsonObject | null): boolean {
  if (route.address !== null) return route.address.stream;
  if (route.call !== null && isStreamPath(route.upstreamPath)) return true;
  return ruled === null ? scan?.stream === true : ruled['stream'] === true;
}

/** Signs the request for a provider whose signature covers the body. */
function signWhole(
  { method }: RequestView,
  { provider, credential }: Upstream,
  {
    origin,
    path,
    headers,
    body,
  }: Pick<OutboundRequest, 'origin' | 'path'> & {
    readonly headers: HeaderList;
    readonly body: Buffer | BodySource;
  },
): void {
  if (provider.signRequest === undefined) return;
  if (!Buffer.isBuffer(body)) {
    throw new GatewayError('body_too_large', {
      message: `The provider ${provider.id} signs each body, so it must fit into memory; send a smaller one.`,
    });
  }
  provider.signRequest({ method, host: new URL(origin).host, path, headers, body }, credential, Date.now());
}

/**
 * A translated path with the parameters that the provider needs; the client's query belongs to the
 * client's dialect.
 */
const translatedPath = (path: string, upstream: Upstream, kind: RouteKind): string => {
  const [name = path, query] = path.split('?', 2);
  return name + queryOf(query === undefined ? '' : `?${query}`, kind, upstream);
};

const pathOf = (context: RequestView, upstream: Upstream): string =>
  pathBelowBase(upstream, context.route) +
  queryOf(ownQueryOf(context, upstream), context.route.kind, upstream);

/**
 * Returns the path below the base URL: the client's own path, including ids, when the provider uses
 * the client's dialect.
 */
function pathBelowBase(
  upstream: Upstream,
  { kind, upstreamPath: own, address }: RequestView['route'],
): string {
  const { support } = upstream;
  if (support?.via !== 'native' || kind === 'passthrough') return own;
  if (address !== null) return support.prefix + addressedPath(address, upstream, support.pathOf);
  const { pathEnd }: RouteFamily = ROUTE_FAMILIES[kind];
  if (support.path === undefined || pathEnd === undefined || !own.startsWith(pathEnd))
    return support.prefix + own;
  return support.path + own.slice(pathEnd.length);
}

/** Builds the path of a Gemini client's call from its parts. */
function addressedPath(
  address: GeminiAddress,
  upstream: Upstream,
  pathOf: ((model: string, method: string) => string) | undefined,
): string {
  const { model } = callAddress(address, upstream);
  if (model === undefined) return '/models';
  return address.method === null || pathOf === undefined
    ? `/models/${encodeURIComponent(model)}`
    : pathOf(model, address.method);
}

function withEvents(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.delete('$alt');
  parameters.set('alt', 'sse');
  return `?${parameters.toString()}`;
}

/**
 * Returns the client's query. A WebSocket request names its model in the query, an HTTP request in
 * the body.
 */
function ownQueryOf({ query, upgrade, route }: RequestView, { model }: Upstream): string {
  if (upgrade !== null) return queryWithModel(query, model);
  // The gateway converts the events to the JSON list that the client requested.
  if (route.address?.stream === true) return withEvents(wholeResponseQuery(query));
  return route.call === null || query === '' ? query : wholeResponseQuery(query);
}

/**
 * Adds the parameters that the provider needs on every call to a query; values that the query
 * already has take precedence.
 */
function queryOf(query: string, kind: RouteKind, { provider, credential, model }: Upstream): string {
  const needed = provider.query?.(credential, model, kind);
  if (!needed) return query;
  const requested = new URLSearchParams(query);
  const added = new URLSearchParams(
    Object.entries(needed).filter(([name]) => !requested.has(name)),
  ).toString();
  if (added === '') return query;
  return query.length > 1 ? `${query}&${added}` : `?${added}`;
}

function headersOf(context: RequestView, upstream: Upstream, contentType: string | null): HeaderList {
  const { provider, credential, saved, support, model } = upstream;
  const { req } = context;
  const received = upstreamHeaders(req.rawHeaders, req.headers.connection);
  const headers = [...received];
  if (contentType !== null) {
    setHeader(headers, 'content-type', contentType);
    removeHeader(headers, 'content-encoding');
  }
  const beta = valueOf(headers, 'vendor-beta');
  if (beta !== undefined) {
    removeHeader(headers, 'vendor-beta');
    if (provider.betaHeader !== null) setHeader(headers, provider.betaHeader, beta);
  }
  addCustom(headers, credential.configurations['custom_headers']);
  if (saved && model !== null) addCustom(headers, modelOf(saved, model)?.customHeaders);
  provider.sign(headers, credential);
  if (credential.issued?.kind === 'bearer')
    setHeader(headers, 'authorization', `Bearer ${credential.issued.token}`);
  const forwarded = forwardedHeaders(context, upstream);
  for (let i = 0; i < forwarded.length; i += 2)
    setHeader(headers, forwarded[i] as string, forwarded[i + 1] as string);
  requestReadable(headers, context, support);
  assertSendable(headers, received);
  return headers;
}

const RANGE_HEADERS = ['range', 'if-range'];
/** This header selects members of the response, as `fields` does in the query. */
const FIELD_MASK = 'x-goog-fieldmask';

/**
 * Sets headers so that the gateway can read the response. A built-in route, and a read that may
 * report usage, request a response without encoding; the latter also requests it whole. Other
 * requests may use any encoding that the gateway can decode. Without the header the provider could
 * choose any encoding.
 */
function requestReadable(headers: HeaderList, context: RequestView, support: RouteSupport | null): void {
  const isRead = isReadForUse(context);
  if (isRead) for (const name of RANGE_HEADERS) removeHeader(headers, name);
  if (context.route.call !== null) removeHeader(headers, FIELD_MASK);
  const accepted = valueOf(headers, 'accept-encoding');
  if (support !== null || isRead) setHeader(headers, 'accept-encoding', 'identity');
  else if (accepted !== undefined) setHeader(headers, 'accept-encoding', knownCodings(accepted));
}

/**
 * Throws for header values with control characters, which may come from a secret manager or from
 * settings saved before they were validated. Values in `received` were parsed from the client's
 * headers, so they are valid.
 */
function assertSendable(headers: HeaderList, received: HeaderList): void {
  for (let i = 1; i < headers.length; i += 2) {
    if (headers[i] === received[i] || isHeaderValue(headers[i] as string)) continue;
    const name = headers[i - 1] as string;
    throw new GatewayError('validation_failed', {
      param: name,
      message: `The value of the header ${name} holds a control character; remove it from the setting or secret that the header comes from.`,
    });
  }
}

function addCustom(headers: HeaderList, custom: unknown): void {
  if (typeof custom !== 'object' || custom === null) return;
  for (const [name, value] of Object.entries(custom)) {
    if (typeof value === 'string') setHeader(headers, name.toLowerCase(), value);
  }
}
