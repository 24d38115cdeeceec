import { seal, unseal, type Keyring } from '@gw/kernel';
import type { PushRecord } from './push-store';

/**
 * Prefix of the paths to which agents send notifications; the sealed id of the registration
 * follows.
 */
export const PUSH_PATH = '/v1/agent-push/';

const BINDING = 'agent_push';
const SEALED_LENGTH_MAX = 1_024;

/** Returns the URL to which an agent sends the notifications of a registration. */
export const pushUrl = (ring: Keyring, publicUrl: string, { agentId, id }: PushRecord): string =>
  `${publicUrl.replace(/\/$/, '')}${PUSH_PATH}${seal(ring, JSON.stringify([agentId, id]), BINDING)}`;

/** Returns the registration that a path names; null when this installation did not seal it. */
export function registrationOf(ring: Keyring, sealed: string): Pick<PushRecord, 'agentId' | 'id'> | null {
  if (sealed.length > SEALED_LENGTH_MAX) return null;
  try {
    const [agentId, id] = JSON.parse(unseal(ring, sealed, BINDING).toString('utf8')) as [string, string];
    return { agentId, id };
  } catch {
    return null;
  }
}
