import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { got, type OptionsInit, type Response } from 'got';
import type { AddressPolicy } from '@gw/kernel';
import { Connector, type LookupAll } from './connector';
import { createProxySelector, type ProxySettings } from './proxy';
import { isFollowedRedirect } from './redirects';
import { parseTarget } from './target';
import { OutboundError } from './types';

export interface BufferedClientOptions {
  readonly policy: AddressPolicy;
  readonly proxy?: ProxySettings;
  /** Names to addresses; the resolver of the system by default. */
  readonly lookup?: LookupAll;
}

export interface BufferedRequest {
  readonly url: string;
  /** Default: GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Not sent with GET and HEAD. */
  readonly body?: string | Buffer;
  /** From the look-up of the name to the last byte, all redirects included. */
  readonly totalTimeoutMs: number;
  /** Of the unpacked body. At the cap the call fails as `interrupted`. */
  readonly bytesMax: number;
  /** 0 to 3, default 0: a redirect is an answer like any other. */
  readonly redirectsMax?: 0 | 1 | 2 | 3;
  /** Gives the call up: it fails as `aborted`. */
  readonly signal?: AbortSignal;
}

export interface BufferedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Unpacked. */
  readonly body: Buffer;
  /** Where the answer came from, after redirects. */
  readonly url: string;
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

type StreamOptions = OptionsInit & { isStream: true };

/** All that another origin gets to see: any other header may be a credential. */
const HARMLESS_HEADERS: ReadonlySet<string> = new Set(['accept', 'accept-language', 'user-agent']);

/**
 * Small calls whose whole answer is wanted: JSON, keys, images. Each call opens a connection of its own, to an address
 * that the policy has just allowed, and each redirect is judged like the first URL. For the request path there is
 * OutboundClient.
 */
export class BufferedClient {
  private readonly connector: Connector;
  private readonly policy: AddressPolicy;

  constructor({ policy, proxy, lookup }: BufferedClientOptions) {
    this.policy = policy;
    this.connector = new Connector(policy, createProxySelector(proxy ?? {}), lookup);
  }

  /**
   * Any status is an answer; only a missing or broken answer is an error.
   *
   * @throws OutboundError
   */
  async fetchBuffered(request: BufferedRequest): Promise<BufferedAnswer> {
    const limit = new AbortController();
    const { totalTimeoutMs, redirectsMax = 0, signal } = request;
    const release = signal && followed(signal, limit);
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
        const answer = await this.send(hop, request.bytesMax, limit.signal);
        const { location } = answer.headers;
        if (redirectsMax === 0 || !isFollowedRedirect(answer.status) || location === undefined) return answer;
        if (redirects === redirectsMax) {
          throw new OutboundError('refused', `More than ${String(redirectsMax)} redirects.`);
        }
        hop = nextHop(hop, this.redirected(location, hop.url), answer.status);
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

  /** Judged as it was written when it names a host: resolving it would hide how the host was spelt. */
  private redirected(location: string, base: URL): URL {
    const text = location.replace(/#.*$/s, '');
    if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return this.allowed(text);
    if (/^[/\\]{2}/.test(text)) return this.allowed(base.protocol + text);
    if (!URL.canParse(text, base.href)) throw new OutboundError('refused', 'The redirect is not valid.');
    return this.allowed(new URL(text, base).href);
  }

  private async send(hop: Hop, bytesMax: number, signal: AbortSignal): Promise<BufferedAnswer> {
    const target = parseTarget(hop.url.origin);
    const proxy = this.connector.absoluteFormProxy(target);
    const socket = await this.connector.openSocket(target, {}, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    const authorization = proxy?.authorization ? { 'proxy-authorization': proxy.authorization } : {};
    const options: StreamOptions = {
      isStream: true,
      method: hop.method as 'GET',
      // Without an agent Node takes 80 for the default port of https too, and would name the port.
      headers: { 'user-agent': 'tollgate', ...hop.headers, host: hop.url.host, ...authorization },
      // Without a body of any length got would wait for one to be piped in.
      ...(hop.method === 'GET' || hop.method === 'HEAD' ? {} : { body: hop.body ?? '' }),
      createConnection: () => socket,
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      ...(proxy ? { request: (url, native) => httpRequest(url, { ...native, path: url.href }) } : {}),
    };
    try {
      return await readAll(hop.url, options, bytesMax, signal);
    } finally {
      socket.destroy();
    }
  }
}

/** Aborts the call when the caller's signal does; returns what ends that. */
function followed(signal: AbortSignal, call: AbortController): () => void {
  const giveUp = (): void => call.abort(new OutboundError('aborted', 'The caller has given the call up.'));
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  return () => signal.removeEventListener('abort', giveUp);
}

function readAll(
  url: URL,
  options: StreamOptions,
  bytesMax: number,
  signal: AbortSignal,
): Promise<BufferedAnswer> {
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
    signal.addEventListener('abort', onAbort);
    stream
      .on('response', (received: Response) => {
        response = received;
      })
      .on('data', (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        if (length <= bytesMax) return;
        fail(new OutboundError('interrupted', `The answer is larger than ${String(bytesMax)} bytes.`));
      })
      .on('error', fail)
      .on('end', () => {
        signal.removeEventListener('abort', onAbort);
        if (!response) return;
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: Buffer.concat(chunks), url: url.href });
      });
  });
}

function toFailure(error: unknown, answerBegan: boolean): OutboundError {
  if (error instanceof OutboundError) return error;
  const options = { cause: error };
  const isInvalid = String((error as { code?: unknown }).code).startsWith('HPE_');
  return answerBegan || isInvalid
    ? new OutboundError('interrupted', 'The answer broke off or is not valid HTTP.', null, options)
    : new OutboundError('unreachable', 'The connection broke before the answer began.', null, options);
}

/** @throws OutboundError `refused` for a downgrade to http, and for a body that would go to another origin. */
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
