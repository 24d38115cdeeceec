import { familyNamed } from '@gw/contracts';
import type { CompiledCache } from '@gw/config-schema';
import { HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';

/** What a request's own headers say about the cache. Null: nothing. */
export interface CacheControls {
  /** `x-gw-cache-namespace` */
  readonly namespace: string | null;
  /** `x-gw-cache-force-refresh` */
  readonly forceRefresh: boolean;
  /** `max-age` of `cache-control`, seconds. */
  readonly maxAgeS: number | null;
}

export interface CachePolicy {
  readonly maxAgeMs: number;
  readonly namespace: string | null;
  /** The cache is not read; the fresh answer replaces what is stored. */
  readonly refresh: boolean;
  readonly coalesce: boolean;
  /** Null: exact only. */
  readonly threshold: number | null;
}

/** Values of `x-gw-cache-status`. */
export type CacheStatus = 'DISABLED' | 'HIT' | 'MISS' | 'REFRESH' | 'SEMANTIC HIT' | 'SEMANTIC MISS';

export const CACHE_LIMITS = {
  /** Seconds. */
  maxAgeDefaultS: 604_800,
  /** Of the request's own `cache-control: max-age`; a config may go below. */
  maxAgeMinS: 60,
  maxAgeMaxS: 7_776_000,
  namespaceLengthMax: 255,
} as const;

/** Parts of a path below which providers keep state, run jobs or carry audio, for any provider. */
const STATEFUL =
  /\/(?:assistants|audio|batch(?:es)?|cancel|containers|conversations|evals|files|fine_tuning|fine-tunes|jobs|threads|uploads|vector_stores|videos)(?:\/|$)/i;

/**
 * Whether answers of a route may be stored at all: POST requests in families that keep no state. `path` is that below
 * the provider's base URL, without its query.
 */
export const isCacheable = (method: string, route: string, path: string): boolean =>
  method === 'POST' && familyNamed(route)?.isCacheable === true && !STATEFUL.test(path);

/** What the cache does for a request. Its headers adjust what the config switches on, and switch nothing on themselves. */
export const cachePolicy = (settings: CompiledCache, controls: CacheControls): CachePolicy => ({
  maxAgeMs: 1_000 * (controls.maxAgeS ?? settings.maxAgeSeconds ?? CACHE_LIMITS.maxAgeDefaultS),
  namespace: controls.namespace ?? settings.namespace,
  refresh: controls.forceRefresh || settings.forceRefresh,
  coalesce: settings.coalesce,
  threshold: settings.mode === 'semantic' ? settings.threshold : null,
});

const NO_CONTROLS: CacheControls = Object.freeze({ namespace: null, forceRefresh: false, maxAgeS: null });

/**
 * Reads the values of `x-gw-cache-namespace`, `x-gw-cache-force-refresh` and `cache-control`. A `max-age` out of bounds is not
 * ours to refuse, because clients and proxies send that header on their own: it counts as not sent. Throws `header_invalid`.
 */
export function readCacheControls(
  namespace: string | undefined,
  forceRefresh: string | undefined,
  cacheControl: string | undefined,
): CacheControls {
  if (namespace === undefined && forceRefresh === undefined && cacheControl === undefined) return NO_CONTROLS;
  if (namespace !== undefined && (namespace === '' || namespace.length > CACHE_LIMITS.namespaceLengthMax)) {
    const most = String(CACHE_LIMITS.namespaceLengthMax);
    throw invalid(HEADER.cacheNamespace, `must have 1 to ${most} characters.`);
  }
  if (forceRefresh !== undefined && forceRefresh !== 'true' && forceRefresh !== 'false') {
    throw invalid(HEADER.cacheForceRefresh, 'must be true or false.');
  }
  return {
    namespace: namespace ?? null,
    forceRefresh: forceRefresh === 'true',
    maxAgeS: cacheControl === undefined ? null : maxAgeOf(cacheControl),
  };
}

function maxAgeOf(cacheControl: string): number | null {
  const found = /(?:^|,)\s*max-age=(\d{1,9})\s*(?:,|$)/i.exec(cacheControl);
  const seconds = Number(found?.[1] ?? Number.NaN);
  return seconds >= CACHE_LIMITS.maxAgeMinS && seconds <= CACHE_LIMITS.maxAgeMaxS ? seconds : null;
}

const invalid = (param: string, rule: string): GatewayError =>
  new GatewayError('header_invalid', { param, message: `${param} ${rule}` });
