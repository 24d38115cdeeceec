import { familyNamed, HEADER } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';

/** The request's own cache headers. `namespace` and `maxAgeS` are null when absent. */
export interface CacheControls {
  /** `x-gw-cache-namespace` */
  readonly namespace: string | null;
  /** True for `x-gw-cache-force-refresh: true`. Without it, or with `false`, the config decides. */
  readonly forceRefresh: boolean;
  /** `max-age` of `cache-control`, in seconds. */
  readonly maxAgeS: number | null;
}

/** Cache settings of a target, as its config has them. */
export interface CacheRules {
  readonly mode: 'simple' | 'semantic';
  readonly maxAgeSeconds: number | null;
  readonly namespace: string | null;
  readonly forceRefresh: boolean;
  readonly coalesce: boolean;
  readonly threshold: number;
}

export interface CachePolicy {
  readonly maxAgeMs: number;
  readonly namespace: string | null;
  /** Whether to skip reading the cache; the fresh response replaces the stored one. */
  readonly refresh: boolean;
  readonly coalesce: boolean;
  /** Minimum similarity; null for the exact cache only. */
  readonly threshold: number | null;
}

/** Values of `x-gw-cache-status`. */
export type CacheStatus = 'DISABLED' | 'HIT' | 'MISS' | 'REFRESH' | 'SEMANTIC HIT' | 'SEMANTIC MISS';

export const CACHE_LIMITS = {
  /** Seconds. */
  maxAgeDefaultS: 604_800,
  /** Bounds of the request's own `cache-control: max-age`; a config may use a smaller value. */
  maxAgeMinS: 60,
  maxAgeMaxS: 7_776_000,
  namespaceLengthMax: 255,
} as const;

/** Path segments below which any provider keeps state, runs jobs, or carries audio or pictures. */
const STATEFUL =
  /\/(?:assistants|audio|batch(?:es)?|cancel|containers|conversations|evals|files|fine_tuning|fine-tunes|images\/(?:edits|variations)|jobs|threads|uploads|vector_stores|videos)(?:\/|$)/i;

/**
 * Returns whether responses of a route may be stored: POST requests in stateless families. `path`
 * is the part after the provider's base URL, without its query.
 */
export const isCacheable = (method: string, route: string, path: string): boolean =>
  method === 'POST' && familyNamed(route)?.isCacheable === true && !STATEFUL.test(path);

/**
 * Combines settings and headers. Headers adjust what the config enables, and enable no cache
 * themselves. A `max-age` of the request takes precedence over that of the config, also when it is
 * longer; a forced refresh of either applies.
 */
export const cachePolicy = (settings: CacheRules, controls: CacheControls): CachePolicy => ({
  maxAgeMs: 1_000 * (controls.maxAgeS ?? settings.maxAgeSeconds ?? CACHE_LIMITS.maxAgeDefaultS),
  namespace: controls.namespace ?? settings.namespace,
  refresh: controls.forceRefresh || settings.forceRefresh,
  coalesce: settings.coalesce,
  threshold: settings.mode === 'semantic' ? settings.threshold : null,
});

const NO_CONTROLS: CacheControls = Object.freeze({ namespace: null, forceRefresh: false, maxAgeS: null });

/**
 * Reads the headers `x-gw-cache-namespace`, `x-gw-cache-force-refresh` and `cache-control`.
 * A `max-age` out of bounds is ignored instead of refused, because clients and proxies send that
 * header on their own. Throws `header_invalid`.
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
