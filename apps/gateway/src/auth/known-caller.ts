import { principalBinding, type AccessCaller, type McpPrincipal } from '@gw/mcp';
import type { Principal } from './principals';

/** A caller of MCP servers and agents: what rules look at, and what sessions and states are bound to. */
export interface KnownCaller {
  readonly principal: Principal;
  readonly access: AccessCaller;
  /** `principalBinding` of the caller. */
  readonly binding: string;
}

const known = new WeakMap<Principal, KnownCaller>();

/** The caller of a principal, made once for each version of the principal. */
export function knownCaller(principal: Principal): KnownCaller {
  let caller = known.get(principal);
  if (caller === undefined) {
    const { key, scopes } = principal;
    const isTrust = key.limitsId !== undefined;
    const clientId = key.defaults.metadata['_client'] ?? null;
    const access: AccessCaller = {
      userId: isTrust ? null : key.userId,
      groups: [],
      roles: [],
      keyId: isTrust || clientId !== null ? null : key.id,
      clientId,
      trustId: isTrust ? key.id : null,
      scopes: [...scopes],
      key: null,
    };
    caller = { principal, access, binding: principalBinding(principalOf(principal, access)) };
    known.set(principal, caller);
  }
  return caller;
}

function principalOf({ key }: Principal, { clientId, trustId }: AccessCaller): McpPrincipal {
  if (trustId !== null) return { kind: 'workload', trustId, subject: key.userId ?? '' };
  if (clientId !== null && key.userId !== null) return { kind: 'user', userId: key.userId, clientId };
  return { kind: 'key', keyId: key.id };
}
