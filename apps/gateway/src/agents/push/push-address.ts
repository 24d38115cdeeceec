import { seal, unseal, type Keyring } from '@gw/kernel';
import type { PushRecord } from './push-store';

/** Path to which agents send notifications, before what names the registration. */
export const PUSH_PATH = '/v1/agent-push/';

const BINDING = 'agent_push';
const SEALED_LENGTH_MAX = 1_024;

/** The URL to which an agent sends notifications of a registration. */
export const pushUrl = (ring: Keyring, publicUrl: string, { agentId, id }: PushRecord): string =>
  `${publicUrl.replace(/\/$/, '')}${PUSH_PATH}${seal(ring, JSON.stringify([agentId, id]), BINDING)}`;

/** The registration that a path names; null for what this installation did not seal. */
export function pushNamed(ring: Keyring, sealed: string): Pick<PushRecord, 'agentId' | 'id'> | null {
  if (sealed.length > SEALED_LENGTH_MAX) return null;
  try {
    const [agentId, id] = JSON.parse(unseal(ring, sealed, BINDING).toString('utf8')) as [string, string];
    return { agentId, id };
  } catch {
    return null;
  }
}
