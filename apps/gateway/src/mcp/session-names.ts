import type { SessionFacts, SessionOwner } from '@gw/mcp';
import type { Endpoint } from './endpoint';
import type { SessionName } from './sessions/session-store';

/** The session of a request, for what gateways share. */
export const nameOf = ({ caller }: Endpoint, { nonce }: Pick<SessionFacts, 'nonce'>): SessionName => ({
  principal: caller.binding,
  session: nonce,
});

/** Owner that session ids of an address are bound to. */
export const ownerOf = ({ caller, id }: Endpoint): SessionOwner => ({
  principal: caller.binding,
  serverId: id,
});
