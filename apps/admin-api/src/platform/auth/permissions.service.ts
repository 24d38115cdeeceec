import {
  ceilingOf,
  SECURITY_SETTINGS,
  securityInForce,
  settingGroupOf,
  type OrganisationRole,
  type SecuritySettings,
  type WorkspaceRole,
} from '@gw/auth-scopes';
import {
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { Inject, Injectable } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { SETTINGS, type AdminSettings } from '../../settings';
import { ITEMS_OF_A_TURN } from '../common/one-or-many';
import type { Principal } from '../common/principal';
import { switchesOf } from './features';
import type { OwnPermissionsResponse, PermissionsResponse } from './permissions.dto';
import { found } from './tenancy';

/** Maximum number of memberships in the response. */
const WORKSPACES_MAX = 1_000;

interface Membership {
  readonly id: string;
  readonly slug: string;
  readonly role: WorkspaceRole;
  readonly source: WorkspaceUserEntity['source'];
  readonly security: Readonly<Record<string, boolean>> | null;
}

type Rights = Pick<PermissionsResponse['organisation'], 'scopes' | 'settings'>;

/** Returns the scopes of a role and each security setting that decides about some of them. */
export function explainRole(
  role: OrganisationRole,
  workspaceRole: WorkspaceRole | null,
  settings: SecuritySettings,
): Rights {
  const group = settingGroupOf(role, workspaceRole);
  const scopesWith = (name: string, value: boolean): ReadonlySet<string> =>
    ceilingOf(role, workspaceRole, { ...settings, [name]: value });
  const effects = SECURITY_SETTINGS.filter(({ settingGroup: standing }) => standing === group).map(
    ({ name }) => {
      const without = scopesWith(name, false);
      const scopes = [...scopesWith(name, true)].filter((scope) => !without.has(scope));
      return { name, allows: settings[name] === true, scopes };
    },
  );
  return {
    scopes: [...ceilingOf(role, workspaceRole, settings)],
    settings: effects.filter(({ scopes }) => scopes.length > 0),
  };
}

/**
 * Explains the rights of memberships. Yields to the event loop, because a user may have a thousand
 * memberships.
 */
export async function explainMemberships(
  organisationRole: OrganisationRole,
  memberships: readonly Membership[],
  settingsOf: (workspace: Membership['security']) => SecuritySettings,
): Promise<PermissionsResponse['workspaces']> {
  const explained: PermissionsResponse['workspaces'] = [];
  for (const [at, { id, slug, role, source, security }] of memberships.entries()) {
    if (at % ITEMS_OF_A_TURN === ITEMS_OF_A_TURN - 1) await setImmediate();
    explained.push({ id, slug, role, source, ...explainRole(organisationRole, role, settingsOf(security)) });
  }
  return explained;
}

/** Explains the rights of a user of an organisation. */
@Injectable()
export class PermissionsService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {}

  /** Throws `not_found` for a user without an active membership of the organisation. */
  async describe(organisationId: string, userId: string): Promise<PermissionsResponse> {
    const { manager } = this.dataSource;
    const seat = found(
      await manager.findOneBy(OrganisationUserEntity, { organisationId, userId, status: 'active' }),
    );
    const { securitySettings, workspaceOverrides: overrides } = found(
      await manager.findOneBy(OrganisationEntity, { id: organisationId }),
    );
    const settingsOf = (workspace: Membership['security']): SecuritySettings =>
      securityInForce({ organisation: securitySettings, workspace: workspace ?? {}, overrides });
    const memberships = await this.membershipsOf(organisationId, userId);
    const workspaces = await explainMemberships(seat.role, memberships, settingsOf);
    return {
      object: 'permissions',
      user_id: userId,
      organisation: {
        id: organisationId,
        role: seat.role,
        ...explainRole(seat.role, null, settingsOf(null)),
      },
      workspaces,
    };
  }

  /**
   * Explains the caller's own rights. With `named`, also explains those in the workspace that the
   * request names.
   */
  async describeOwn(caller: Principal, named: boolean): Promise<OwnPermissionsResponse> {
    const { organisationId, workspaceId, userId } = caller;
    const all = await this.describe(organisationId, userId ?? '');
    if (!named || workspaceId === null) return all;
    return {
      ...all,
      scopes: [...caller.scopes],
      closed: await this.closedFor(caller, workspaceId),
      admins_count: await this.adminsOf(organisationId, workspaceId),
      features_off: Object.entries(switchesOf(this.settings)).flatMap(([name, isOn]) => (isOn ? [] : [name])),
    };
  }

  private async closedFor(
    { organisationId, settingGroup, removedCapabilities }: Principal,
    workspaceId: string,
  ): Promise<NonNullable<OwnPermissionsResponse['closed']>> {
    const { manager } = this.dataSource;
    const { workspaceOverrides } = found(await manager.findOneBy(OrganisationEntity, { id: organisationId }));
    const { securitySettings: own } = found(await manager.findOneBy(WorkspaceEntity, { id: workspaceId }));
    return SECURITY_SETTINGS.filter(
      (setting) => setting.settingGroup === settingGroup && removedCapabilities.has(setting.capability),
    ).map(({ name, capability, category }) => ({
      capability,
      setting: name,
      from: workspaceOverrides[category] === true && own[name] !== undefined ? 'workspace' : 'organisation',
    }));
  }

  /**
   * Returns the number of active users who can change the workspace's settings and members: its
   * admins and those of the organisation.
   */
  private adminsOf(organisationId: string, workspaceId: string): Promise<number> {
    return this.dataSource
      .createQueryBuilder(OrganisationUserEntity, 'seat')
      .innerJoin(UserEntity, 'person', `person.id = seat.userId AND person.status = 'active'`)
      .leftJoin(
        WorkspaceUserEntity,
        'member',
        `member.userId = seat.userId AND member.workspaceId = :workspaceId AND member.role = 'admin'`,
        { workspaceId },
      )
      .where(`seat.organisationId = :organisationId AND seat.status = 'active'`, { organisationId })
      .andWhere(`(seat.role <> 'member' OR member.userId IS NOT NULL)`)
      .getCount();
  }

  private membershipsOf(organisationId: string, userId: string): Promise<Membership[]> {
    return this.dataSource
      .createQueryBuilder(WorkspaceUserEntity, 'member')
      .innerJoin(WorkspaceEntity, 'workspace', 'workspace.id = member.workspaceId')
      .select('workspace.id', 'id')
      .addSelect('workspace.slug', 'slug')
      .addSelect('workspace.securitySettings', 'security')
      .addSelect('member.role', 'role')
      .addSelect('member.source', 'source')
      .where('member.userId = :userId', { userId })
      .andWhere(`workspace.organisationId = :organisationId AND workspace.status = 'active'`, {
        organisationId,
      })
      .orderBy('member.createdAt', 'DESC')
      .addOrderBy('workspace.id', 'DESC')
      .limit(WORKSPACES_MAX)
      .getRawMany<Membership>();
  }
}
