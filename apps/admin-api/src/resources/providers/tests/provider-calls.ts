import { ROUTE_FAMILIES, type RouteFamily, type RouteKind } from '@gw/contracts';
import { isHeaderValue, GatewayError } from '@gw/kernel';
import type { BufferedClient } from '@gw/outbound';
import type { Credential, HeaderList, JsonObject, Provider, RouteSupport } from '@gw/providers';

/** Timeout of one call in milliseconds, and maximum size of its response in bytes. */
const TIMEOUT_MS = 20_000;
const BYTES_MAX = 1_048_576;
/** Maximum number of chunks of a response that is generated in this process. */
const CHUNKS_MAX = 1_000;

export interface TestedProvider {
  readonly provider: Provider;
  readonly credential: Credential;
  /** Address that replaces the provider's own; null for the provider's own. */
  readonly customHost: string | null;
}

export interface ProviderResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  readonly ms: number;
}

export interface PlannedCall {
  readonly provider: Provider;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** Plans the call that lists models; null for a provider without such a list in its own dialect. */
export function planModels(tested: TestedProvider): PlannedCall | null {
  const variant = variantFor(tested, 'models', null);
  const support = variant.routes.models;
  if (support?.via !== 'native') return null;
  return planned(tested, variant, {
    kind: 'models',
    model: null,
    path: nativePath(support, '/models'),
    body: null,
  });
}

/** Plans one small streamed chat; null for a provider that serves no chats. */
export function planChat(tested: TestedProvider, model: string): PlannedCall | null {
  const kind = 'chat.completions';
  const variant = variantFor(tested, kind, model);
  const support = variant.routes[kind];
  if (support === undefined) return null;
  const body = chatOf(variant, model);
  if (support.via === 'translated') {
    const { path, body: sent } = support.translator.request(body, 'adapt');
    return planned(tested, variant, { kind, model, path, body: sent });
  }
  const { pathEnd = '' }: RouteFamily = ROUTE_FAMILIES[kind];
  return planned(tested, variant, { kind, model, path: nativePath(support, pathEnd), body });
}

const OUTPUT_TOKENS_MAX = 16;

const chatOf = ({ id, usageOnRequest }: Provider, model: string): JsonObject => ({
  model,
  messages: [{ role: 'user', content: 'Reply with the word: ok' }],
  // Newer OpenAI models refuse the older parameter name, which all other providers accept.
  [id === 'openai' || id === 'azure-openai' ? 'max_completion_tokens' : 'max_tokens']: OUTPUT_TOKENS_MAX,
  stream: true,
  ...(usageOnRequest === true ? { stream_options: { include_usage: true } } : {}),
});

/** Returns the variant of the provider for calls of this kind, chosen as the gateway chooses it. */
function variantFor(
  { provider, customHost }: TestedProvider,
  kind: RouteKind,
  model: string | null,
): Provider {
  const taking = provider.forCall?.({ model, customHost }) ?? provider;
  const variant = taking.variants?.[kind];
  return variant !== undefined && (variant.atCustomHost || customHost === null) ? variant.provider : taking;
}

const nativePath = (support: RouteSupport & { readonly via: 'native' }, pathEnd: string): string =>
  support.path ?? support.prefix + pathEnd;

interface Parts {
  readonly kind: RouteKind;
  readonly model: string | null;
  readonly path: string;
  readonly body: JsonObject | null;
}

function planned(
  { credential, customHost }: TestedProvider,
  provider: Provider,
  { kind, model, path, body: content }: Parts,
): PlannedCall {
  const method = content === null ? 'GET' : 'POST';
  const body = content === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(content));
  const base = customHost ?? (provider.local ? IN_PROCESS : provider.baseUrl(credential, model, kind));
  const url = new URL(base.replace(/(?<!\/)\/+$/, '') + path);
  for (const [name, value] of Object.entries(provider.query?.(credential, model, kind) ?? {}))
    if (!url.searchParams.has(name)) url.searchParams.set(name, value);
  const headers: HeaderList = [
    ...['accept-encoding', 'identity'],
    ...(content === null ? [] : ['content-type', 'application/json']),
    ...customHeaders(credential),
  ];
  provider.sign(headers, credential);
  provider.signRequest?.(
    { method, host: url.host, path: url.pathname + url.search, headers, body },
    credential,
    Date.now(),
  );
  return { provider, method, url: url.href, headers, body };
}

/** Placeholder address for a provider that runs in this process. */
const IN_PROCESS = 'http://sandbox.invalid';

const customHeaders = ({ configurations }: Credential): HeaderList =>
  Object.entries((configurations['custom_headers'] ?? {}) as Record<string, unknown>).flatMap(
    ([name, value]) => (typeof value === 'string' ? [name.toLowerCase(), value] : []),
  );

/** Makes a call under the address policy. Throws `OutboundError`. */
export async function makeCall(http: BufferedClient, call: PlannedCall): Promise<ProviderResponse> {
  const startedAt = performance.now();
  const took = (): number => Math.round(performance.now() - startedAt);
  const { provider, method, url, headers, body } = call;
  if (provider.local) return { ...localResponse(provider.local, call), ms: took() };
  const response = await http.fetchBuffered({
    ...{ url, method, headers: headersOf(headers), totalTimeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX },
    ...(body.length === 0 ? {} : { body }),
  });
  const { 'content-type': contentType = '' } = response.headers;
  return { status: response.status, contentType, body: response.body, ms: took() };
}

/**
 * Returns the headers by name. The last value of a name counts, as with the gateway's `setHeader`.
 */
function headersOf(list: HeaderList): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < list.length; i += 2) {
    const [name, value] = [list[i] as string, list[i + 1] as string];
    if (!isHeaderValue(value))
      throw new GatewayError('validation_failed', {
        param: name,
        message: `The value of the header ${name} holds a control character; remove it.`,
      });
    headers[name] = value;
  }
  return headers;
}

function localResponse(
  local: NonNullable<Provider['local']>,
  { method, url, body }: PlannedCall,
): Omit<ProviderResponse, 'ms'> {
  const response = local.respond({ method, path: new URL(url).pathname, body, metadata: {} });
  const parts: Buffer[] = [];
  for (const { data } of response.chunks) {
    parts.push(data);
    if (parts.length === CHUNKS_MAX) break;
  }
  const { 'content-type': contentType = '' } = headersOf(response.headers);
  return { status: response.status, contentType, body: Buffer.concat(parts) };
}
