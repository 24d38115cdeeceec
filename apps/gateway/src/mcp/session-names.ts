import type { SessionFacts, SessionOwner } from '@gw/mcp';
import type { Endpoint } from './endpoint';
import type { SessionName } from './sessions/session-store';

/** Returns the name of a session in stores that gateways share. */
export const nameOf = ({ caller }: Endpoint, { nonce }: Pick<SessionFacts, 'nonce'>): SessionName => ({
  principal: caller.binding,
  session: nonce,
});

/** Returns the owner to which session ids of an address are bound. */
export const ownerOf = ({ caller, id }: Endpoint): SessionOwner => ({
  principal: caller.binding,
  serverId: id,
});
