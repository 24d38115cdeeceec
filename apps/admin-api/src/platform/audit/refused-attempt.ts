import type { AuditEntry } from '../unit-of-work/audit-recorder';

const ACTIONS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  DELETE: 'delete',
  GET: 'read',
  HEAD: 'read',
};

/**
 * Last path segments of POST routes that run an action on a resource. Every other POST creates a
 * resource.
 */
const VERBS: ReadonlySet<string> = new Set([
  ...['apply', 'approve', 'cancel', 'connect', 'fork', 'invoke', 'preview', 'reject', 'resend', 'restore'],
  ...['rotate', 'share', 'start', 'sync', 'test', 'unshare', 'verify'],
]);

/** Resources whose audit entries have a type other than the first segment of their path. */
const NESTED: readonly (readonly [path: RegExp, type: string])[] = [
  [/^organisation\/domains/, 'domains'],
  [/^organisation\/oauth-clients/, 'oauth_clients'],
  [/^organisation\/signing-keys/, 'signing_keys'],
  [/^organisation\/sso-connections/, 'sso_connections'],
  [/^users\/invites/, 'invites'],
  [/^logs\/exports/, 'log_exports'],
  [/^scim\/workspaces/, 'scim_mappings'],
  [/^workspaces\/[^/]+\/users/, 'members'],
];

export const isRead = (method: string): boolean => ACTIONS[method] === 'read';

/**
 * Returns the action and resource of a refused request, as the audit entry of a successful request
 * has them, from its method and path. `url` may contain a query.
 */
export function refusedAttempt(
  method: string,
  url: string,
): Pick<AuditEntry, 'action' | 'resourceType' | 'resourceId'> {
  const [, path = ''] = /^\/v[12]\/(?:admin\/)?([^?]*)/.exec(url) ?? [];
  return { action: actionOf(method, path), resourceType: typeOf(path), resourceId: null };
}

function actionOf(method: string, path: string): string {
  const [, verb = ''] = /\/([^/]*)$/.exec(path) ?? [];
  return method === 'POST' && VERBS.has(verb) ? verb : (ACTIONS[method] ?? 'manage');
}

function typeOf(path: string): string {
  const nested = NESTED.find(([form]) => form.test(path));
  if (nested) return nested[1];
  const [first = 'unknown'] = /^[a-z0-9-]+/.exec(path) ?? [];
  return first.replaceAll('-', '_');
}
