import { OauthClientEntity, OauthConsentEntity } from '@gw/entities';
import { GatewayError, UUID, uuidv7 } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { MoreThan, type EntityManager } from 'typeorm';
import type { OauthWork } from './oauth-call';
import type { KnownClient } from './oauth-clients';
import { endGrant } from './oauth-grants';
import { assertAllowed } from './oauth-policy';
import { OFFLINE, type OauthResource } from './oauth-resources';
import { scopesHeld, seatOf, type OauthSeat, type Place } from './oauth-seats';
import { targetIdOf } from './oauth-targets';

/**
 * Maximum number of grants of one user in an organisation, and of one client among them. Beyond the
 * second, a new grant ends the oldest remembered one.
 */
const [GRANTS_MAX, OF_CLIENT_MAX] = [200, 20];
const GRANT_MS = 30 * 86_400_000;

/** A client's request for a user's consent. */
export interface Requested {
  readonly client: Pick<KnownClient, 'clientId' | 'name' | 'kind' | 'organisationId'>;
  readonly resource: OauthResource;
  readonly scopes: readonly string[];
  /** Whether the request names `offline_access` to get a refresh token. */
  readonly offline: boolean;
  /** Whether the user enters a code that a device shows. */
  readonly byDevice: boolean;
}

export interface WrittenGrant {
  readonly grantId: string;
  readonly scopes: readonly string[];
}

/** Writes the grants with which users let clients act for them. */
@Injectable()
export class GrantWriter {
  /**
   * Writes a grant of those requested scopes that the user now holds in the workspace or
   * organisation. Throws `forbidden` when the user does not belong there or holds none of the
   * scopes, when the organisation does not allow the client, when the resource does not exist, and
   * above 200 grants.
   */
  async write(
    provider: Provider,
    work: OauthWork,
    { client, resource, scopes: wanted, offline, byDevice }: Requested,
    place: Place,
    rememberedFrom: string | null = null,
  ): Promise<WrittenGrant> {
    const { manager } = work;
    const { userId, organisationId, workspaceId } = place;
    if (workspaceId !== null && !UUID.test(workspaceId))
      throw invalid('workspace_id', 'workspace_id must be an id');
    await assertAllowed(manager, organisationId, { kind: client.kind, byDevice }, { held: true });
    const seat = await seatAt(manager, place, resource);
    const held = await scopesHeld(manager, place, seat);
    const scopes = wanted.filter((scope) => held.has(scope));
    if (scopes.length === 0)
      throw new GatewayError('forbidden', { message: 'You hold none of these scopes there.' });
    const targetId = await targetIdOf(manager, resource, workspaceId);
    if (rememberedFrom !== null) await endOldest(work, rememberedFrom);
    const mine = { userId, organisationId, expiresAt: MoreThan(new Date()) };
    if ((await manager.countBy(OauthConsentEntity, mine)) >= GRANTS_MAX)
      throw new GatewayError('forbidden', {
        message: `You let ${String(GRANTS_MAX)} clients in already; end a grant in your account first.`,
      });
    const grantId = uuidv7();
    await manager.insert(OauthConsentEntity, {
      ...{ id: grantId, userId, organisationId, workspaceId, rememberedFrom },
      ...{ resource: resource.url, targetId, scopes },
      ...{ clientId: client.clientId, clientName: client.name, expiresAt: new Date(Date.now() + GRANT_MS) },
    });
    await manager.update(OauthClientEntity, { id: client.clientId }, { lastUsedAt: new Date() });
    const grant = new provider.Grant({ accountId: userId, clientId: client.clientId });
    grant.jti = grantId;
    grant.addResourceScope(resource.url, scopes.join(' '));
    const withheld = wanted.filter((scope) => !held.has(scope));
    if (withheld.length > 0) grant.rejectResourceScope(resource.url, withheld.join(' '));
    if (offline) grant.addOIDCScope(OFFLINE);
    await grant.save();
    return { grantId, scopes };
  }
}

/**
 * Returns the user in the workspace or organisation. Throws `forbidden` unless tokens for the
 * resource may act there.
 */
async function seatAt(
  manager: EntityManager,
  place: Place,
  { workspace, type }: OauthResource,
): Promise<OauthSeat> {
  const { workspaceId } = place;
  const seat = await seatOf(manager, place);
  const mayBeWhole = seat?.organisationRole !== 'member' && type === 'control_plane';
  const isPlace = workspaceId !== null || mayBeWhole;
  const isOfResource = workspace === null || workspace === workspaceId || workspace === seat?.workspaceSlug;
  if (seat === null || !isPlace || !isOfResource)
    throw new GatewayError('forbidden', { message: 'Choose a workspace of yours.' });
  return seat;
}

/** Ends the oldest remembered grants to make room for one more. */
async function endOldest(work: OauthWork, rememberedFrom: string): Promise<void> {
  const surplus = await work.manager.find(OauthConsentEntity, {
    where: { rememberedFrom },
    order: { expiresAt: 'DESC', id: 'DESC' },
    skip: OF_CLIENT_MAX - 1,
    take: GRANTS_MAX,
    select: { id: true },
  });
  for (const { id } of surplus) await endGrant(work, id, 'newer grants took its place');
}
