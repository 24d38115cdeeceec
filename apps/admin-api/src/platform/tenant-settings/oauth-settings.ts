import { OrganisationEntity, type OauthSettings, type OrganisationSettings } from '@gw/entities';
import type { EntityManager } from 'typeorm';

const DEFAULTS: Required<OauthSettings> = { clients: 'any', device_flow: true, require_dpop: false };

/** Returns the rules of an organisation for OAuth clients, completed with the defaults. */
export const oauthSettingsInForce = ({ oauth }: OrganisationSettings): Required<OauthSettings> => ({
  ...DEFAULTS,
  ...oauth,
});

/**
 * Returns the organisation's rules for OAuth clients. With `held`, locks them until the end of the
 * transaction.
 */
export async function oauthSettingsOf(
  manager: EntityManager,
  id: string,
  { held }: { readonly held: boolean } = { held: false },
): Promise<Required<OauthSettings>> {
  const { settings } = await manager.findOneOrFail(OrganisationEntity, {
    where: { id },
    select: { id: true, settings: true },
    ...(held ? { lock: { mode: 'pessimistic_read' } } : {}),
  });
  return oauthSettingsInForce(settings);
}
