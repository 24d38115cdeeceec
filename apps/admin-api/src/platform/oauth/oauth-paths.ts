import { resourcePathOfAuthorize } from '@gw/oauth';

/**
 * Kind of a path of the OAuth server. `target` is the path and query that the protocol engine
 * receives.
 */
export type OauthPath =
  | { readonly kind: 'engine'; readonly route: EngineRoute; readonly target: string }
  | { readonly kind: 'protected-resource'; readonly resourcePath: string }
  | { readonly kind: 'fault'; readonly error: string; readonly description: string };

export type EngineRoute =
  'metadata' | 'jwks' | 'register' | 'authorize' | 'resume' | 'device' | 'token' | 'introspect' | 'revoke';

const ROUTES: Readonly<Record<string, EngineRoute>> = {
  '/oauth/register': 'register',
  '/oauth/authorize': 'authorize',
  '/oauth/device': 'device',
  '/oauth/token': 'token',
  '/oauth/introspect': 'introspect',
  '/oauth/revoke': 'revoke',
  '/oauth/jwks': 'jwks',
};
const METADATA = /^\/\.well-known\/(oauth-authorization-server|openid-configuration)(?:\/|$)/;
const PROTECTED = /^\/\.well-known\/oauth-protected-resource(\/.*)?$/;
const RESUME = /^\/oauth\/authorize\/[\w-]{43}$/;

/** Returns the kind of a path; null for a path that is not of the OAuth server. */
export function oauthPathOf(method: string, url: string, publicUrl: string): OauthPath | null {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at);
  const path = (at < 0 ? url : url.slice(0, at)).replace(/^\/v2(?=\/(?:oauth|\.well-known)\/)/, '');
  if (path.startsWith('/.well-known/')) return published(path);
  // The consent API of the console, which the admin API handles itself.
  if (path === '/oauth/authorize' && method === 'POST') return null;
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : RESUME.test(path) ? 'resume' : undefined;
  if (route !== undefined) return { kind: 'engine', route, target: path + query };
  const named = resourcePathOfAuthorize(path);
  return named === undefined ? null : ofResource(publicUrl + named, query);
}

/** Returns the kind of a metadata path; null for any other path. */
function published(path: string): OauthPath | null {
  const [, document] = METADATA.exec(path) ?? [];
  // Older clients append the path of the resource; they get the same document.
  if (document !== undefined)
    return { kind: 'engine', route: 'metadata', target: `/.well-known/${document}` };
  const resource = PROTECTED.exec(path);
  if (resource) return { kind: 'protected-resource', resourcePath: resource[1] ?? '' };
  return path === '/.well-known/jwks.json' ? { kind: 'engine', route: 'jwks', target: '/oauth/jwks' } : null;
}

/** Adds the resource in the path `/oauth/{workspace}/{server}/authorize` to the query. */
function ofResource(resource: string, query: string): OauthPath {
  const parameters = new URLSearchParams(query);
  const requested = parameters.getAll('resource');
  if (requested.some((each) => each !== resource)) {
    return {
      ...{ kind: 'fault', error: 'invalid_target' },
      description: 'resource names another resource than the path',
    };
  }
  parameters.set('resource', resource);
  return { kind: 'engine', route: 'authorize', target: `/oauth/authorize?${parameters.toString()}` };
}
