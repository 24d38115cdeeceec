import { isObject } from '@gw/kernel';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { CheckError, type CheckContext } from '../check';
import { listOf } from '../json';
import { jsonOf } from '../remote';

/**
 * Minimum milliseconds between fetches caused by unknown keys, so that tokens with invented key ids
 * cannot trigger calls.
 */
const REFETCH_MS = 30_000;
/**
 * Timeout of one fetch, in milliseconds. All URLs are fetched concurrently, so no URL delays the
 * others for longer.
 */
const FETCH_TIMEOUT_MS = 1_000;
const URIS_MAX = 10;
const KEYS_MAX = 100;
const RESPONSE_BYTES_MAX = 1_048_576;

/** The keys of one URL. */
interface Published {
  readonly origin: string;
  readonly keys: JWTVerifyGetKey;
}

/**
 * The published keys of one check. They belong to one saved guardrail, so no tenant sees another's.
 */
export class KeySets {
  private readonly published = new Map<string, Published>();
  private fetchedAt = Number.NEGATIVE_INFINITY;
  private fetching: Promise<void> | null = null;

  constructor(
    private readonly uris: readonly string[],
    private readonly maxAgeMs: number,
  ) {}

  /**
   * Returns the key sets that may contain the key of a token: those of its issuer's URLs if the
   * issuer is one of them, else all.
   * An issuer's keys are thus never used for another issuer. Old keys stay in use while a URL does
   * not respond.
   */
  async keys(
    context: CheckContext,
    isRetry: boolean,
    issuer: string | null,
  ): Promise<readonly JWTVerifyGetKey[]> {
    const age = context.port.now() - this.fetchedAt;
    if (age >= (isRetry ? REFETCH_MS : this.maxAgeMs)) {
      this.fetching ??= this.fetch(context).finally(() => {
        this.fetching = null;
      });
      await this.fetching;
    }
    if (this.published.size === 0) throw new CheckError('The keys could not be fetched.');
    const origin = originOf(issuer ?? '');
    const isOurs = this.uris.some((uri) => originOf(uri) === origin);
    return [...this.published.values()]
      .filter((each) => !isOurs || each.origin === origin)
      .map(({ keys }) => keys);
  }

  private async fetch(context: CheckContext): Promise<void> {
    const uris = this.uris.slice(0, URIS_MAX);
    const responses = await Promise.allSettled(uris.map((uri) => fetchKeys(uri, context)));
    responses.forEach((response, index) => {
      const uri = uris[index] ?? '';
      if (response.status !== 'fulfilled' || response.value.length === 0) return;
      const keys = createLocalJWKSet({ keys: response.value.slice(0, KEYS_MAX) });
      this.published.set(uri, { origin: originOf(uri) ?? uri, keys });
    });
    if (responses.some(({ status }) => status === 'fulfilled')) this.fetchedAt = context.port.now();
  }
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

async function fetchKeys(url: string, { port }: CheckContext): Promise<JSONWebKeySet['keys']> {
  const response = await port.call({
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    body: null,
    // Other requests wait for the same fetch, so it does not end with the request that began it.
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    responseBytesMax: RESPONSE_BYTES_MAX,
  });
  const value = jsonOf(response);
  const keys = isObject(value) ? listOf(value['keys']).filter(isObject) : [];
  // Symmetric keys cannot be public, and encryption keys sign nothing.
  return keys.filter(({ kty, use }) => kty !== 'oct' && use !== 'enc');
}
