import type { UserDocument } from '@gw/contracts';
import { principalBinding, userRoles, type AccessCaller, type McpPrincipal } from '@gw/mcp';
import type { GatewayPrincipal } from './principals';

/**
 * A caller of MCP servers and agents, with the facts that access rules read and the binding of its
 * sessions and states.
 */
export interface KnownCaller {
  readonly principal: GatewayPrincipal;
  readonly access: AccessCaller;
  /** `principalBinding` of the caller. */
  readonly binding: string;
  /**
   * The user with its roles and groups; null for callers that are not users, and for servers whose
   * rules name neither.
   */
  readonly user: UserDocument | null;
}

const callers = new WeakMap<GatewayPrincipal, KnownCaller>();

/**
 * Returns the caller of a principal; it is created once for each version of the principal and of
 * the user.
 */
export function knownCaller(principal: GatewayPrincipal, user: UserDocument | null): KnownCaller {
  const before = callers.get(principal);
  if (before?.user === user) return before;
  const access = accessOf(principal, user);
  const caller = { principal, access, binding: principalBinding(principalOf(principal, access)), user };
  callers.set(principal, caller);
  return caller;
}

/** Returns the user of a principal; null for service keys, and for tokens of trusts. */
export const userIdOf = ({ key }: GatewayPrincipal): string | null =>
  key.limitsId === undefined ? key.userId : null;

/**
 * Returns the client of OAuth of a principal; null for keys, and for tokens of trusts. Only tokens
 * of the OAuth server have a resource; the metadata of a key may name any client.
 */
export const clientIdOf = ({ key, resource }: GatewayPrincipal): string | null =>
  resource === null ? null : (key.defaults.metadata['_client'] ?? null);

/** Returns the API key of a principal; null for clients of OAuth, and for tokens of trusts. */
export const keyIdOf = (principal: GatewayPrincipal): string | null =>
  principal.key.limitsId !== undefined || clientIdOf(principal) !== null ? null : principal.key.id;

function accessOf(principal: GatewayPrincipal, user: UserDocument | null): AccessCaller {
  const { key, scopes, workspace } = principal;
  const isTrust = key.limitsId !== undefined;
  const clientId = clientIdOf(principal);
  return {
    userId: userIdOf(principal),
    groups: user?.groups ?? [],
    roles: user === null ? [] : userRoles(user, workspace.id),
    keyId: keyIdOf(principal),
    clientId,
    trustId: isTrust ? key.id : null,
    scopes: [...scopes],
    key: key.mcp ?? null,
  };
}

function principalOf({ key }: GatewayPrincipal, { clientId, trustId }: AccessCaller): McpPrincipal {
  if (trustId !== null) return { kind: 'workload', trustId, subject: key.userId ?? '' };
  if (clientId !== null && key.userId !== null) return { kind: 'user', userId: key.userId, clientId };
  return { kind: 'key', keyId: key.id };
}
