import type { A2aVersion, PushConfig } from '@gw/a2a';
import { seal, unseal, type Keyring } from '@gw/kernel';
import type { PushRecord, StoredPushConfig } from './push-store';

const bindingOf = ({ agentId, id }: PushRecord): string => `agent_push_config:${agentId}:${id}`;

/** Seals a config for the store. */
export const sealedConfig = (
  ring: Keyring,
  record: PushRecord,
  config: PushConfig & { readonly id: string },
  version: A2aVersion,
): StoredPushConfig => ({
  ...{ id: config.id, version },
  sealed: seal(ring, JSON.stringify(config), bindingOf(record)),
});

export const openedConfig = (ring: Keyring, record: PushRecord, { sealed }: StoredPushConfig): PushConfig =>
  JSON.parse(unseal(ring, sealed, bindingOf(record)).toString('utf8')) as PushConfig;
