import { HEADER } from '@gw/contracts';
import { assertAllowedUrl, GatewayError, type AddressPolicy } from '@gw/kernel';
import type { OutboundRequest } from '@gw/outbound';
import { spliceModel, type HeaderList, type JsonObject } from '@gw/providers';
import { applyParams } from '@gw/routing';
import { forwardedHeaders, removeHeader, setHeader, upstreamHeaders, valueOf } from '../../http/header-rules';
import { parseJsonObject } from '../../http/json-body';
import type { Upstream } from '../answer';
import type { Exchange } from '../exchange';
import { modelOf, withoutSlug } from './targeting';

export interface RequestBuilderOptions {
  readonly policy: AddressPolicy;
  readonly requestTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

export interface BuiltRequest {
  readonly request: OutboundRequest;
  /** The client's body after parameter rules, where a translator needs it again for the answer. */
  readonly clientBody: JsonObject | null;
}

interface Base {
  readonly origin: string;
  readonly path: string;
}

const BASES_MAX = 10_000;

/** Turns the client's request into the provider's: address, headers, body. */
export class RequestBuilder {
  private readonly bases = new Map<string, Base>();

  constructor(private readonly options: RequestBuilderOptions) {}

  build(exchange: Exchange, upstream: Upstream): BuiltRequest {
    const { provider, saved, target, support } = upstream;
    const base = this.baseOf(exchange, upstream);
    const { body, clientBody, contentType } = bodyOf(exchange, upstream);
    const path =
      base.path + (support ? support.path : exchange.route.upstreamPath) + queryOf(exchange.query, upstream);
    const timeoutMs =
      exchange.gw.requestTimeoutMs ?? target.requestTimeoutMs ?? this.options.requestTimeoutMs;
    const streamed = exchange.scan?.stream === true || exchange.bodyStream !== null;
    return {
      clientBody,
      request: {
        origin: base.origin,
        path,
        method: exchange.method,
        headers: headersOf(exchange, upstream, contentType),
        body: exchange.bodyStream ?? (body.length > 0 ? body : null),
        // Connections are never shared between tenants.
        poolClass: saved?.id ?? exchange.principal?.workspace.id ?? provider.id,
        connectTimeoutMs: Math.min(this.options.connectTimeoutMs, timeoutMs),
        headersTimeoutMs: timeoutMs,
        idleTimeoutMs: timeoutMs,
        totalTimeoutMs: streamed ? 0 : timeoutMs,
      },
    };
  }

  /** The request's host wins, then the target's, the model's, the saved provider's, and last the provider's own. */
  private baseOf(exchange: Exchange, upstream: Upstream): Base {
    const { provider, saved, credential, target, model } = upstream;
    const header = exchange.gw.customHost;
    if (header !== null || (target.customHost !== null && exchange.configSource.source === 'header')) {
      this.refuseChosenHost(exchange, upstream, header ?? (target.customHost as string));
    }
    const byModel = saved && model !== null ? (modelOf(saved, model)?.customHost ?? null) : null;
    const configured = credential.configurations['custom_host'];
    const chosen =
      header ?? target.customHost ?? byModel ?? (typeof configured === 'string' ? configured : null);
    return this.parsed(chosen ?? provider.baseUrl(credential), chosen === null ? null : HEADER.customHost);
  }

  /** A saved credential is never sent to a host that the caller has chosen. */
  private refuseChosenHost(exchange: Exchange, { saved }: Upstream, host: string): void {
    const inline = exchange.gw.customHost !== null || exchange.configSource.slug === null;
    if (saved && inline) {
      throw new GatewayError('custom_host_refused', {
        param: HEADER.customHost,
        message: 'A saved credential is only sent to the host that is saved with it.',
      });
    }
    assertAllowedUrl(this.options.policy, host, HEADER.customHost);
  }

  private parsed(url: string, param: string | null): Base {
    const known = this.bases.get(url);
    if (known) return known;
    if (param !== null) assertAllowedUrl(this.options.policy, url, param);
    if (!URL.canParse(url)) throw new GatewayError('custom_host_refused', { param: param ?? 'provider' });
    const { origin, pathname } = new URL(url);
    const base = { origin, path: pathname.replace(/\/+$/, '') };
    if (this.bases.size >= BASES_MAX) this.bases.clear();
    this.bases.set(url, base);
    return base;
  }
}

/** The client's query, with what the provider needs on every call; the client's own values win. */
function queryOf(query: string, { provider, credential }: Upstream): string {
  const own = provider.query?.(credential);
  if (!own) return query;
  const asked = new URLSearchParams(query);
  const added = new URLSearchParams(Object.entries(own).filter(([name]) => !asked.has(name))).toString();
  if (added === '') return query;
  return query.length > 1 ? `${query}&${added}` : `?${added}`;
}

interface BuiltBody {
  readonly body: Buffer;
  readonly clientBody: JsonObject | null;
  /** Set when the body was made anew. */
  readonly contentType: string | null;
}

/** The client's bytes wherever nothing has to change; a small splice for the model; parsed only for rules and translation. */
function bodyOf(exchange: Exchange, upstream: Upstream): BuiltBody {
  const { target, support } = upstream;
  const { body } = exchange;
  const translated = support?.via === 'translated';
  if (!translated && !(target.hasParamRules && isObjectBody(exchange))) return spliced(exchange, body);
  const original = exchange.json(parseJsonObject);
  const ruled = applyParams(original, target);
  const asked = ruled['model'];
  const named = typeof asked === 'string' ? withoutSlug(asked) : undefined;
  const clientBody = named !== undefined && named !== asked ? { ...ruled, model: named } : ruled;
  if (!translated && clientBody === original) return spliced(exchange, body);
  const sent = translated ? support.translator.request(clientBody) : clientBody;
  return { body: Buffer.from(JSON.stringify(sent)), clientBody, contentType: 'application/json' };
}

const isObjectBody = (exchange: Exchange): boolean => exchange.body.length > 0 && exchange.scan !== null;

function spliced(exchange: Exchange, body: Buffer): BuiltBody {
  const { scan } = exchange;
  if (scan?.modelSpan && scan.model?.startsWith('@')) {
    const model = withoutSlug(scan.model);
    if (model !== scan.model) {
      return { body: spliceModel(body, scan.modelSpan, model), clientBody: null, contentType: null };
    }
  }
  return { body, clientBody: null, contentType: null };
}

function headersOf(exchange: Exchange, upstream: Upstream, contentType: string | null): HeaderList {
  const { provider, credential, target, saved, support, model } = upstream;
  const { req, gw } = exchange;
  const headers = upstreamHeaders(req.rawHeaders, req.headers.connection);
  // A built-in route reads the answer, so it asks for one that needs no decoding.
  if (support) removeHeader(headers, 'accept-encoding');
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
  const names = gw.forwardHeaders ?? target.forwardHeaders;
  if (names.length > 0) {
    const forwarded = forwardedHeaders(req.rawHeaders, names);
    for (let i = 0; i < forwarded.length; i += 2)
      setHeader(headers, forwarded[i] as string, forwarded[i + 1] as string);
  }
  return headers;
}

function addCustom(headers: HeaderList, custom: unknown): void {
  if (typeof custom !== 'object' || custom === null) return;
  for (const [name, value] of Object.entries(custom)) {
    if (typeof value === 'string') setHeader(headers, name.toLowerCase(), value);
  }
}
