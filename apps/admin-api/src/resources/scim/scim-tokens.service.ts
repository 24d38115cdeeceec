import { OrganisationEntity, ScimTokenEntity } from '@gw/entities';
import { DAY_MS, hashApiKey, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, MoreThan, type EntityManager } from 'typeorm';
import { assertMayGrant, rightsOfRole } from '../../platform/auth/grants';
import { securityOf } from '../../platform/auth/security';
import { inOrganisation } from '../../platform/auth/tenancy';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import type { Principal } from '../../platform/common/principal';
import { FOR_CHANGE, Writes } from '../../platform/unit-of-work/writes';
import { Secrets, SETTINGS } from '../../settings';
import type { NewScimToken, ScimTokenListResponse } from './scim-tokens.dto';

const PREFIX = 'scim_';
const LENGTH = 48;
/** How long the previous token remains valid after a rotation, in milliseconds. */
const TRANSITION_MS = DAY_MS;
/** Minimum time between two writes of a token's last use, in milliseconds. */
const USE_PRECISION_MS = 60_000;
const TYPE = 'scim_tokens';

/** Creates, rotates, finds and deletes the tokens of identity providers. */
@Injectable()
export class ScimTokensService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  async list(caller: Principal): Promise<ScimTokenListResponse> {
    const { organisationId } = inOrganisation(caller);
    const rows = await this.dataSource.manager.find(ScimTokenEntity, {
      where: [
        { organisationId, expiresAt: IsNull() },
        { organisationId, expiresAt: MoreThan(new Date()) },
      ],
      order: { createdAt: 'DESC' },
    });
    return {
      object: 'list',
      base_url: publicUrl(this.settings, '/v1/scim'),
      data: rows.map((row) => ({
        masked: row.masked,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
        expires_at: row.expiresAt?.toISOString() ?? null,
      })),
    };
  }

  /**
   * Creates a token. The previous one remains valid for one more day; an earlier one stops working.
   */
  rotate(caller: Principal): Promise<NewScimToken> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const { organisationId } = inOrganisation(caller);
      await assertMayProvision(manager, caller);
      // The lock on the organisation's row serialises rotations.
      await manager.findOne(OrganisationEntity, { where: { id: organisationId }, lock: FOR_CHANGE });
      const previousExpiresAt = new Date(Date.now() + TRANSITION_MS);
      await manager.delete(ScimTokenEntity, { organisationId, expiresAt: LessThan(previousExpiresAt) });
      const previous = await manager.update(
        ScimTokenEntity,
        { organisationId, expiresAt: IsNull() },
        { expiresAt: previousExpiresAt },
      );
      const token = `${PREFIX}${randomAlphanumeric(LENGTH)}`;
      const masked = `${token.slice(0, 7)}*****${token.slice(-3)}`;
      await manager.insert(ScimTokenEntity, { tokenHash: this.hash(token), organisationId, masked });
      write.audit({ action: 'rotate', resourceType: TYPE, resourceId: null, after: { masked } });
      const hasPrevious = (previous.affected ?? 0) > 0;
      return { token, previous_expires_at: hasPrevious ? previousExpiresAt.toISOString() : null };
    });
  }

  /** Deletes all tokens, so that the identity provider is refused from now on. */
  remove(caller: Principal): Promise<object> {
    return this.writes.run(caller, async (write) => {
      await write.manager.delete(ScimTokenEntity, { organisationId: inOrganisation(caller).organisationId });
      write.audit({ action: 'delete', resourceType: TYPE, resourceId: null });
      return {};
    });
  }

  /** Returns the active organisation of a token; null for text that is not a valid token. */
  async organisationOf(token: string): Promise<string | null> {
    if (!token.startsWith(PREFIX) || token.length > PREFIX.length + LENGTH) return null;
    const { manager } = this.dataSource;
    const tokenHash = this.hash(token);
    const row = await manager.findOneBy(ScimTokenEntity, { tokenHash });
    const now = Date.now();
    if (row === null || (row.expiresAt !== null && row.expiresAt.getTime() <= now)) return null;
    const { organisationId } = row;
    if (!(await manager.existsBy(OrganisationEntity, { id: organisationId, status: 'active' }))) return null;
    if ((row.lastUsedAt?.getTime() ?? 0) < now - USE_PRECISION_MS) {
      await manager.update(ScimTokenEntity, { tokenHash }, { lastUsedAt: new Date(now) });
    }
    return organisationId;
  }

  private hash(token: string): string {
    return hashApiKey(this.secrets.apiKeyPepper, token);
  }
}

/**
 * Throws unless the caller is an administrator of the organisation, because a token can give every
 * role in workspaces and end every membership.
 */
async function assertMayProvision(manager: EntityManager, caller: Principal): Promise<void> {
  const settings = await securityOf(manager, caller.organisationId, null);
  assertMayGrant(caller, rightsOfRole('admin', null, settings), 'A SCIM token', 'token');
}
