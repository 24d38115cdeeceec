import { OrganisationEntity, type OauthSettings, type OrganisationSettings } from '@gw/entities';
import type { EntityManager } from 'typeorm';

const DEFAULTS: Required<OauthSettings> = { clients: 'any', device_flow: true, require_dpop: false };

/** Rules of an organisation for OAuth clients, with the defaults. */
export const oauthSettingsInForce = ({ oauth }: OrganisationSettings): Required<OauthSettings> => ({
  ...DEFAULTS,
  ...oauth,
});

/** Reads what an organisation lets OAuth clients do. `held`: until the end of the transaction it does not change. */
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
