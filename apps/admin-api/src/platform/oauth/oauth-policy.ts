import type { OauthSettings } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import type { EntityManager } from 'typeorm';
import { oauthSettingsOf } from '../tenant-settings/oauth-settings';
import type { ClientKind } from './oauth-resources';

type Clients = Required<OauthSettings>['clients'];

/** Kinds of clients that each setting of an organisation allows. */
const ALLOWED: Readonly<Record<Clients, readonly ClientKind[]>> = {
  any: ['registered', 'document', 'dynamic'],
  documents: ['registered', 'document'],
  registered: ['registered'],
};

export const kindsAllowed = (clients: Clients): readonly ClientKind[] => ALLOWED[clients];

/** A client that requests a grant, and the flow that it uses. */
export interface RequestingClient {
  readonly kind: ClientKind;
  /** Whether the user enters a code that a device shows. */
  readonly byDevice: boolean;
}

/**
 * Throws `forbidden` when the organisation does not allow this kind of client or the device flow.
 * `held` is passed to `oauthSettingsOf`.
 */
export async function assertAllowed(
  manager: EntityManager,
  organisationId: string,
  { kind, byDevice }: RequestingClient,
  lock: { readonly held: boolean } = { held: false },
): Promise<void> {
  const { clients, device_flow: deviceFlow } = await oauthSettingsOf(manager, organisationId, lock);
  if (byDevice && !deviceFlow)
    throw new GatewayError('forbidden', { message: 'Your organisation does not allow the device flow.' });
  if (!kindsAllowed(clients).includes(kind))
    throw new GatewayError('forbidden', { message: 'Your organisation does not allow this client.' });
}
