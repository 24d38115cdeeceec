import { networkOf } from '@gw/kernel';
import { clientIdFault, CLIENT_DOCUMENT_BYTES_MAX, readClientDocument, type Registration } from '@gw/oauth';
import { BufferedClient, OutboundError } from '@gw/outbound';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS, type AdminSettings } from '../../settings';
import { RequestThrottle } from '../auth/request-throttle';
import { currentOauthCall } from './oauth-call';
import { isRegistrable } from './oauth-resources';
import { oidcErrors } from './oidc-library';

/**
 * Maximum length of a client id that is a URL; shorter than the maximum of other URLs, because
 * grants are indexed by the id.
 */
const CLIENT_ID_LENGTH_MAX = 512;
const DOCUMENTS_MAX = 100;
const SECOND_MS = 1_000;
const [CACHE_MIN_MS, CACHE_MAX_MS] = [30 * SECOND_MS, 86_400 * SECOND_MS];
/** How long a document is cached when its server sends no `Cache-Control`. */
const KEPT_MS = 300 * SECOND_MS;
const FETCHES_PER_NETWORK_AND_MINUTE = 30;
const FETCHES_AT_ONCE_MAX = 20;
const TIMEOUT_MS = 5_000;
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json(?:;|$)/i;

type Read = { readonly client: Registration } | { readonly fault: string };

/**
 * Clients whose `client_id` is the URL of a document that describes them (OAuth Client ID Metadata
 * Documents). Reads documents when they are needed and caches up to 100 of them for as long as
 * their servers allow, from 30 seconds to a day. Reads documents that cannot be used again after 30
 * seconds.
 */
@Injectable()
export class ClientDocuments {
  private readonly known = new LRUCache<string, Read>({ max: DOCUMENTS_MAX });
  private readonly underWay = new Map<string, Promise<Read>>();
  private readonly throttle = new RequestThrottle(FETCHES_PER_NETWORK_AND_MINUTE);

  constructor(
    private readonly http: BufferedClient,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'OAUTH_CIMD' | 'OAUTH_PRIVATE_SCHEMES'>,
  ) {}

  /** Whether an id is the URL of a document, readable or not. */
  isDocument(clientId: string): boolean {
    return clientId.startsWith('https://');
  }

  /**
   * Returns the client that a document describes. Throws `invalid_client` with the reason why it
   * cannot be used, and `rate_limited`.
   */
  async clientOf(clientId: string): Promise<Registration> {
    const read = await this.read(clientId);
    if ('client' in read) return read.client;
    throw new (oidcErrors().CustomOIDCProviderError)('invalid_client', `client_id: ${read.fault}`);
  }

  private read(clientId: string): Promise<Read> | Read {
    const fault = this.faultOf(clientId);
    if (fault !== undefined) return { fault };
    const cached = this.known.get(clientId) ?? this.underWay.get(clientId);
    if (cached !== undefined) return cached;
    const call = currentOauthCall();
    // Requests outside an OAuth call come from pages, which have already been admitted.
    if (call !== undefined) this.throttle.admit(networkOf(call.request.clientIp ?? ''));
    if (this.underWay.size >= FETCHES_AT_ONCE_MAX)
      return { fault: 'too many documents of clients are being read; try again in a moment' };
    const reading = this.fetch(clientId).finally(() => this.underWay.delete(clientId));
    this.underWay.set(clientId, reading);
    return reading;
  }

  /** Returns why the document of an id may not be read; undefined when it may. */
  private faultOf(clientId: string): string | undefined {
    const { OAUTH_CIMD: allowed } = this.settings;
    if (allowed === 'off') return 'clients cannot be documents here; register the client';
    if (clientId.length > CLIENT_ID_LENGTH_MAX)
      return `it must have at most ${String(CLIENT_ID_LENGTH_MAX)} characters`;
    const fault = clientIdFault(clientId);
    if (fault !== undefined) return `it ${fault}`;
    const isAllowed = allowed === 'any' || allowed.includes(new URL(clientId).host);
    return isAllowed
      ? undefined
      : 'documents of this host are not allowed here; an administrator can register the client';
  }

  private async fetch(clientId: string): Promise<Read> {
    const { read, cacheMs } = await this.fetched(clientId);
    this.known.set(clientId, read, { ttl: cacheMs });
    return read;
  }

  private async fetched(clientId: string): Promise<{ readonly read: Read; readonly cacheMs: number }> {
    const failed = (fault: string) => ({ read: { fault }, cacheMs: CACHE_MIN_MS });
    try {
      const { status, headers, body } = await this.http.fetchBuffered({
        url: clientId,
        headers: { accept: 'application/json' },
        totalTimeoutMs: TIMEOUT_MS,
        bytesMax: CLIENT_DOCUMENT_BYTES_MAX,
      });
      if (status !== 200)
        return failed(`its URL responded with ${String(status)}; it must be 200, without a redirect`);
      if (!JSON_TYPE.test(headers['content-type'] ?? '')) return failed('its URL must respond with JSON');
      const client = readClientDocument(clientId, body, {
        privateUseRedirectUris: this.settings.OAUTH_PRIVATE_SCHEMES,
        isRegistrable,
      });
      if ('error' in client) return failed(client.description);
      return { read: { client }, cacheMs: cacheMsOf(headers['cache-control'] ?? '') };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return failed(`its URL cannot be read (${error.failure})`);
    }
  }
}

/** Returns how long a response may be cached according to its `Cache-Control`, in milliseconds. */
function cacheMsOf(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return CACHE_MIN_MS;
  const seconds = /\bmax-age=(\d{1,9})\b/i.exec(cacheControl)?.[1];
  const wanted = seconds === undefined ? KEPT_MS : Number(seconds) * SECOND_MS;
  return Math.min(Math.max(wanted, CACHE_MIN_MS), CACHE_MAX_MS);
}
