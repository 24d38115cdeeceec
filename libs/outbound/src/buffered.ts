import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { got, type OptionsInit, type Response } from 'got';
import type { AddressPolicy } from '@gw/kernel';
import { Connector, type LookupAll } from './connector';
import { createProxySelector, type ProxySettings } from './proxy';
import { isFollowedRedirect } from './redirects';
import { parseTarget } from './target';
import { OutboundError, ResponseTooLarge } from './types';

export interface BufferedClientOptions {
  readonly policy: AddressPolicy;
  readonly proxy?: ProxySettings;
  /** Resolves host names; the system's resolver by default. */
  readonly lookup?: LookupAll;
}

export interface BufferedRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not sent with GET and HEAD. */
  readonly body?: string | Buffer;
  /** Milliseconds from the DNS lookup to the last byte, including all redirects. */
  readonly totalTimeoutMs: number;
  /** Maximum size of the decompressed body. Beyond it, the call fails with `ResponseTooLarge`. */
  readonly bytesMax: number;
  /**
   * Whether only the head is needed: the response is returned with an empty body, and its body is
   * not read.
   */
  readonly isHeadOnly?: boolean;
  /** 0 to 3. By default 0: a redirect is returned like any other response. */
  readonly redirectsMax?: 0 | 1 | 2 | 3;
  /** Aborts the call, which then fails as `aborted`. */
  readonly signal?: AbortSignal;
}

export interface BufferedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The decompressed body. */
  readonly body: Buffer;
  /** The URL of the response, after redirects. */
  readonly url: string;
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

type BodyLimits = Pick<BufferedRequest, 'bytesMax' | 'isHeadOnly'>;
type StreamOptions = OptionsInit & { isStream: true };

/** The only headers that are sent to another origin; any other header may be a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

/**
 * Makes small calls whose whole response is needed: JSON, keys, images. Each call opens its own
 * connection, to an address that the policy has just allowed, and checks each redirect like the
 * first URL. For proxied requests use `OutboundClient`.
 */
export class BufferedClient {
  private readonly connector: Connector;
  private readonly policy: AddressPolicy;

  constructor({ policy, proxy, lookup }: BufferedClientOptions) {
    this.policy = policy;
    this.connector = new Connector(policy, createProxySelector(proxy ?? {}), lookup);
  }

  /**
   * Makes a call and returns its response with any status. Throws if the response is missing or
   * broken.
   * @throws OutboundError
   */
  async fetchBuffered(request: BufferedRequest): Promise<BufferedResponse> {
    const limit = new AbortController();
    const { totalTimeoutMs, redirectsMax = 0, signal } = request;
    const release = signal && followAbort(signal, limit);
    const timer = setTimeout(() => {
      const message = `The total timeout of ${String(totalTimeoutMs)} ms ran out.`;
      limit.abort(new OutboundError('timeout', message, 'total'));
    }, totalTimeoutMs);
    try {
      let hop: Hop = {
        url: this.allowed(request.url),
        method: request.method ?? 'GET',
        headers: lowerCased(request.headers ?? {}),
        body: request.body,
      };
      for (let redirects = 0; ; redirects += 1) {
        const response = await this.send(hop, request, limit.signal);
        const { location } = response.headers;
        if (redirectsMax === 0 || !isFollowedRedirect(response.status) || location === undefined)
          return response;
        if (redirects === redirectsMax) {
          throw new OutboundError('refused', `More than ${String(redirectsMax)} redirects.`);
        }
        hop = nextHop(hop, this.redirected(location, hop.url), response.status);
      }
    } finally {
      clearTimeout(timer);
      release?.();
    }
  }

  private allowed(url: string): URL {
    const verdict = this.policy.checkUrl(url);
    if (!verdict.ok) throw new OutboundError('refused', verdict.rule);
    return verdict.url;
  }

  /**
   * Checks a redirect with a host as it is written, because resolving the URL would normalise the
   * host.
   */
  private redirected(location: string, base: URL): URL {
    const text = location.replace(/#.*$/s, '');
    if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return this.allowed(text);
    if (/^[/\\]{2}/.test(text)) return this.allowed(base.protocol + text);
    if (!URL.canParse(text, base.href)) throw new OutboundError('refused', 'The redirect is not valid.');
    return this.allowed(new URL(text, base).href);
  }

  private async send(hop: Hop, limits: BodyLimits, signal: AbortSignal): Promise<BufferedResponse> {
    const target = parseTarget(hop.url.origin);
    const proxy = this.connector.absoluteFormProxy(target);
    const socket = await this.connector.openSocket(target, {}, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    const authorization = proxy?.authorization ? { 'proxy-authorization': proxy.authorization } : {};
    const options: StreamOptions = {
      isStream: true,
      method: hop.method as 'GET',
      // Without an agent, Node.js assumes port 80 for https too, and would add the port.
      headers: { 'user-agent': 'tollgate', ...hop.headers, host: hop.url.host, ...authorization },
      // Without a body, got would wait for one to be piped in.
      ...(hop.method === 'GET' || hop.method === 'HEAD' ? {} : { body: hop.body ?? '' }),
      createConnection: () => socket,
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      ...(proxy ? { request: (url, native) => httpRequest(url, { ...native, path: url.href }) } : {}),
    };
    try {
      return await readAll(hop.url, options, limits, signal);
    } finally {
      socket.destroy();
    }
  }
}

/** Aborts the call when the caller's signal is aborted. Returns a function that stops that. */
function followAbort(signal: AbortSignal, call: AbortController): () => void {
  const giveUp = (): void => call.abort(new OutboundError('aborted', 'The caller has aborted the call.'));
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  return () => signal.removeEventListener('abort', giveUp);
}

function readAll(
  url: URL,
  options: StreamOptions,
  { bytesMax, isHeadOnly }: BodyLimits,
  signal: AbortSignal,
): Promise<BufferedResponse> {
  return new Promise((resolve, reject) => {
    let response: Response | undefined;
    const chunks: Buffer[] = [];
    let length = 0;
    const stream = got.stream(url, options);
    const onAbort = (): void => fail(signal.reason);
    const fail = (error: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      stream.destroy();
      reject(toFailure(error, response !== undefined));
    };
    const succeed = ({ statusCode: status, headers }: Response): void => {
      signal.removeEventListener('abort', onAbort);
      resolve({ status, headers, body: Buffer.concat(chunks), url: url.href });
    };
    signal.addEventListener('abort', onAbort);
    stream
      .on('response', (received: Response) => {
        response = received;
        if (isHeadOnly !== true) return;
        succeed(received);
        stream.destroy();
      })
      .on('data', (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= bytesMax) return;
        fail(new ResponseTooLarge(bytesMax, response?.statusCode ?? 0));
      })
      .on('error', fail)
      .on('end', () => {
        if (response) succeed(response);
        else signal.removeEventListener('abort', onAbort);
      });
  });
}

function toFailure(error: unknown, responseBegan: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const options = { cause: error };
  const isInvalid = String((error as { code?: unknown }).code).startsWith('HPE_');
  return responseBegan || isInvalid
    ? new OutboundError('interrupted', 'The response broke off or is not valid HTTP.', null, options)
    : new OutboundError('unreachable', 'The connection broke before the response began.', null, options);
}

/**
 * Returns the request that follows a redirect.
 * @throws OutboundError `refused` for a downgrade to http, and for a body that would be sent to
 * another origin.
 */
function nextHop(hop: Hop, url: URL, status: number): Hop {
  if (hop.url.protocol === 'https:' && url.protocol !== 'https:') {
    throw new OutboundError('refused', 'A redirect from https to http is not followed.');
  }
  const turnsToGet = status === 303 || (status < 303 && hop.method === 'POST');
  const method = turnsToGet && hop.method !== 'HEAD' ? 'GET' : hop.method;
  const body = turnsToGet ? undefined : hop.body;
  if (url.origin === hop.url.origin) {
    const headers = Object.entries(hop.headers).filter(
      ([name]) => body !== undefined || name !== 'content-type',
    );
    return { url, method, headers: Object.fromEntries(headers), body };
  }
  if (body !== undefined) {
    throw new OutboundError(
      'refused',
      'A redirect that would send the body to another origin is not followed.',
    );
  }
  const headers = Object.entries(hop.headers).filter(([name]) => HARMLESS_HEADERS.has(name));
  return { url, method, headers: Object.fromEntries(headers), body };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
