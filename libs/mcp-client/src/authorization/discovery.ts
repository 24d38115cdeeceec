import { isSecureUrl, type AddressPolicy } from '@gw/kernel';
import {
  checkResourceMetadata,
  checkServerMetadata,
  isMetadataUrlAllowed,
  resourceMetadataUrls,
  serverMetadataUrls,
  type BearerChallenge,
  type Checked,
  type ResourceMetadata,
  type ServerMetadata,
} from '@gw/mcp';
import { OutboundError, type BufferedClient } from '@gw/outbound';

export interface DiscoveryOptions {
  readonly client: Pick<BufferedClient, 'fetchBuffered'>;
  readonly policy: AddressPolicy;
  readonly serverUrl: URL;
  /** Challenge of the server's 401 response; null to begin at the well-known addresses. */
  readonly challenge: BearerChallenge | null;
  /** Metadata addresses on other origins that the integration names. */
  readonly namedUrls: readonly string[];
  /** Issuer of the authorization server that the administrator pinned; null for none. */
  readonly pinnedIssuer: string | null;
  readonly signal?: AbortSignal;
}

/** A document that was fetched or skipped, and the reason why it was not used. */
export interface DiscoveryAttempt {
  readonly url: string;
  /** HTTP status; null when there was no response. */
  readonly status: number | null;
  readonly reason: string;
}

export type Discovery =
  | {
      readonly kind: 'found';
      readonly resource: ResourceMetadata;
      readonly server: ServerMetadata;
      readonly attempts: readonly DiscoveryAttempt[];
    }
  /**
   * The server publishes no resource metadata: every address responded with "not found". A server
   * of 2025-03-26 may have its endpoints at `defaultEndpoints` or metadata at its origin.
   */
  | { readonly kind: 'no_resource_metadata'; readonly attempts: readonly DiscoveryAttempt[] }
  /** The documents are unusable or could not be fetched. */
  | { readonly kind: 'failed'; readonly attempts: readonly DiscoveryAttempt[] };

const BYTES_MAX = 262_144;
const TIMEOUT_MS = 5_000;
const REDIRECTS_MAX = 3;
const ABSENT: ReadonlySet<number | null> = new Set([400, 401, 403, 404, 405, 410]);

/**
 * Finds the authorization server of an upstream: reads the upstream's resource metadata (RFC 9728),
 * then the metadata of the server that it names (RFC 8414, OpenID Connect Discovery). A document
 * may take at most 256 KiB, 5 s and 3 redirects; the address policy judges every address and every
 * redirect. Sends no credential. Failures of the upstream are results; rejects only with an
 * `OutboundError` when aborted.
 */
export async function discoverAuthorization(options: DiscoveryOptions): Promise<Discovery> {
  const { serverUrl, policy, pinnedIssuer } = options;
  const fetched = new MetadataFetches(options);
  const resource = await fetched.first(resourceUrls(options, fetched), (document) =>
    checkResourceMetadata(document, { serverUrl, policy, pinnedIssuer }),
  );
  const { attempts } = fetched;
  if (resource === null)
    return {
      kind: attempts.every(({ status }) => ABSENT.has(status)) ? 'no_resource_metadata' : 'failed',
      attempts,
    };
  const server = await discoverServer(resource.issuer, fetched, policy);
  return server === null ? { kind: 'failed', attempts } : { kind: 'found', resource, server, attempts };
}

/**
 * Returns the metadata of an authorization server whose issuer is known; null on failure, which the
 * attempts explain.
 */
export async function discoverIssuer(
  issuer: string,
  options: Pick<DiscoveryOptions, 'client' | 'policy' | 'signal'>,
): Promise<{ readonly server: ServerMetadata | null; readonly attempts: readonly DiscoveryAttempt[] }> {
  const fetched = new MetadataFetches(options);
  return { server: await discoverServer(issuer, fetched, options.policy), attempts: fetched.attempts };
}

async function discoverServer(
  issuer: string,
  fetched: MetadataFetches,
  policy: AddressPolicy,
): Promise<ServerMetadata | null> {
  if (!URL.canParse(issuer)) return null;
  return fetched.first(serverMetadataUrls(new URL(issuer)), (document) =>
    checkServerMetadata(document, { issuer, policy }),
  );
}

/**
 * Returns the addresses to try: that of the challenge, if it may be fetched, then the well-known
 * ones.
 */
function resourceUrls(
  { challenge, serverUrl, namedUrls }: DiscoveryOptions,
  fetched: MetadataFetches,
): readonly string[] {
  const wellKnown = resourceMetadataUrls(serverUrl);
  const named = challenge?.resourceMetadata ?? null;
  if (named === null) return wellKnown;
  if (isMetadataUrlAllowed(named, serverUrl, namedUrls))
    return [named, ...wellKnown.filter((url) => url !== named)];
  fetched.skip(named, 'The address of the challenge is on another origin.');
  return wellKnown;
}

/**
 * Fetches documents one after the other until one is usable, and records why the others are not.
 */
class MetadataFetches {
  readonly attempts: DiscoveryAttempt[] = [];

  constructor(private readonly options: Pick<DiscoveryOptions, 'client' | 'signal'>) {}

  skip(url: string, reason: string, status: number | null = null): void {
    this.attempts.push({ url: url.slice(0, 2_048), status, reason });
  }

  async first<T>(urls: readonly string[], check: (document: unknown) => Checked<T>): Promise<T | null> {
    for (const url of urls) {
      const document = await this.document(url);
      if (document === null) continue;
      const checked = check(document.value);
      if (checked.ok) return checked;
      this.skip(url, checked.reason, 200);
    }
    return null;
  }

  private async document(url: string): Promise<{ readonly value: unknown } | null> {
    const { client, signal } = this.options;
    try {
      const response = await client.fetchBuffered({
        ...{ url, totalTimeoutMs: TIMEOUT_MS, bytesMax: BYTES_MAX, redirectsMax: REDIRECTS_MAX },
        headers: { accept: 'application/json' },
        ...(signal !== undefined && { signal }),
      });
      const reason = unusable(response.status, response.headers['content-type'] ?? '', response.url);
      if (reason === null) return { value: JSON.parse(response.body.toString('utf8')) as unknown };
      this.skip(url, reason, response.status);
    } catch (error) {
      if (error instanceof OutboundError && error.failure === 'aborted') throw error;
      if (error instanceof OutboundError) this.skip(url, error.message);
      else if (error instanceof SyntaxError) this.skip(url, 'The document is not JSON.', 200);
      else throw error;
    }
    return null;
  }
}

/**
 * Returns why a response is not a metadata document; null if it is one. `url` is the address after
 * redirects.
 */
function unusable(status: number, contentType: string, url: string): string | null {
  if (status !== 200) return `The status is ${String(status)}.`;
  if (!isSecureUrl(url)) return 'The document must come over https.';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return type === 'application/json' || type.endsWith('+json') ? null : 'The document is not JSON.';
}
