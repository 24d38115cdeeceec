import type { IncomingHttpHeaders } from 'node:http';
import { CONTROL_PLANE_SEGMENTS, HEADER, UNVERSIONED_SEGMENTS } from '@gw/contracts';

const CONTROL_PLANE: ReadonlySet<string> = new Set(CONTROL_PLANE_SEGMENTS);
const UNVERSIONED: ReadonlySet<string> = new Set(UNVERSIONED_SEGMENTS);

/** What the data plane does with a saved prompt; everything else about prompts is the control plane's. */
const PROMPT_CALL = /^\/v1\/prompts\/(?!partials\/)[^/]+\/(?:completions|render)$/;

/** Words for anyone; whether the process lives; whether it can serve; every part in detail. */
export type HealthView = 'words' | 'live' | 'ready' | 'parts';

const HEALTH = new Map<string, HealthView>([
  ['/health', 'words'],
  ['/health/live', 'live'],
  ['/health/ready', 'ready'],
  ['/health/parts', 'parts'],
]);

/** Paths of the control plane that a provider has, too: Anthropic's API has deployments. */
const SHARED: ReadonlySet<string> = new Set(['deployments']);
const NAMES_TARGET = [HEADER.provider, HEADER.config, HEADER.virtualKey] as const;

export type Destination =
  | { readonly plane: 'data'; readonly path: string }
  | { readonly plane: 'control' }
  | { readonly plane: 'limits' }
  | { readonly plane: 'health'; readonly view: HealthView }
  | { readonly plane: 'openapi' }
  | { readonly plane: 'refused'; readonly rule: string }
  | { readonly plane: 'none' };

/**
 * Classifies a path, compared as it was sent: nothing is decoded or normalised, so no spelling can pass one check as one
 * thing and be routed as another. What a server behind us could read as a different path is refused.
 */
export function destinationOf(
  path: string,
  method = 'GET',
  headers: IncomingHttpHeaders = NO_HEADERS,
): Destination {
  const rule = brokenRule(path);
  if (rule !== null) return { plane: 'refused', rule };
  const view = healthViewOf(path);
  if (view !== undefined) return { plane: 'health', view };
  if (path.startsWith('/v1/')) {
    if (path === '/v1/me/limits') return { plane: 'limits' };
    if (path === '/v1/openapi.json') return { plane: 'openapi' };
    return isOfControlPlane(path, method, headers)
      ? { plane: 'control' }
      : { plane: 'data', path: path.slice(3) };
  }
  if (path.startsWith('/v2/') || UNVERSIONED.has(firstSegment(path, 1))) return { plane: 'control' };
  if (path === '/openapi.json') return { plane: 'openapi' };
  return { plane: 'none' };
}

const NO_HEADERS: IncomingHttpHeaders = {};

/** The segment that begins at `start`. */
function firstSegment(path: string, start: number): string {
  const end = path.indexOf('/', start);
  return end === -1 ? path.slice(start) : path.slice(start, end);
}

/** Below `/v1` and without it. Other paths cost a comparison, no look-up. */
function healthViewOf(path: string): HealthView | undefined {
  const start = path.startsWith('/v1/') ? 3 : 0;
  return path.startsWith('/health', start) ? HEALTH.get(path.slice(start)) : undefined;
}

/**
 * Of a path below `/v1/`. A shared one is the data plane's where the request names who is to answer it. There it takes the key of a
 * workspace, while the control plane's own calls need one of an organisation: what is meant for the one can't be done at the other.
 */
function isOfControlPlane(path: string, method: string, headers: IncomingHttpHeaders): boolean {
  const segment = firstSegment(path, 4);
  if (!CONTROL_PLANE.has(segment)) return false;
  if (SHARED.has(segment)) return NAMES_TARGET.every((name) => headers[name] === undefined);
  return segment !== 'prompts' || method !== 'POST' || !PROMPT_CALL.test(path);
}

// One pass with a plain class: most paths hold none of these characters.

const SUSPICIOUS = /[\\\x00-\x20\x7f#]|\/\/|%(?:00|0a|0d|2e|5c)|(?:\/|%2f)\.{1,2}(?:\/|%2f|$)/i;

function brokenRule(path: string): string | null {
  if (!path.startsWith('/')) return 'must start with a slash';
  if (!SUSPICIOUS.test(path)) return null;
  return 'must hold no empty or dot segment, no backslash, control character, fragment or encoded dot, backslash, NUL or line break';
}
