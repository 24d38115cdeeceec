import { documentKey, type DocumentKey, type UserDocument } from '@gw/contracts';
import { readDocument, type Documents } from './documents';
import { userIdOf } from './known-caller';
import type { GatewayPrincipal } from './principals';

/** An MCP server or agent whose rules may name groups and roles. */
export interface RuledServer {
  readonly rules: readonly { readonly subject: { readonly type: string } }[];
}

type RuledServers = readonly (RuledServer | null | undefined)[];

/** Reads the groups and roles of callers, only when rules need them. */
export class CallerUsers {
  constructor(private readonly documents: Pick<Documents, 'get' | 'load'>) {}

  /** Returns the caller's user when rules of one of the servers need it; otherwise null. */
  async of(principal: GatewayPrincipal, servers: RuledServers): Promise<UserDocument | null> {
    const key = userKey(principal, servers);
    const user = key === null ? null : await readDocument(this.documents, key);
    return user?.kind === 'user' ? user : null;
  }

  /** Like `of`, but from memory only; undefined when the user is not in memory. */
  inMemory(principal: GatewayPrincipal, servers: RuledServers): UserDocument | null | undefined {
    const key = userKey(principal, servers);
    const user = key === null ? null : this.documents.get(key);
    if (user === undefined) return undefined;
    return user?.kind === 'user' ? user : null;
  }
}

const namesUsersByServer = new WeakMap<RuledServer, boolean>();

/** Whether the rules of a server name groups or roles. */
export function namesUsers(server: RuledServer): boolean {
  let names = namesUsersByServer.get(server);
  if (names === undefined) {
    names = server.rules.some(({ subject: { type } }) => type === 'group' || type === 'role');
    namesUsersByServer.set(server, names);
  }
  return names;
}

/**
 * Returns the document key of the caller's user when the rules of one of the servers need it;
 * otherwise null.
 */
function userKey(principal: GatewayPrincipal, servers: RuledServers): DocumentKey | null {
  if (!servers.some((server) => server != null && namesUsers(server))) return null;
  const userId = userIdOf(principal);
  return userId === null ? null : documentKey.user(principal.organisation.id, userId);
}
