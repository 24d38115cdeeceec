import {
  OrganisationUserEntity,
  UserEntity,
  UserInviteEntity,
  WorkspaceEntity,
  type InvitedApiKey,
  type InvitedWorkspace,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid, listOf, viewOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, MoreThan, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { normaliseScopes, toExpiry } from '../../platform/keys/api-key-rules';
import { Writes } from '../../platform/unit-of-work/writes';
import { dropInviteMail, isDeactivatedByScim } from '../../platform/accounts/pending-invites';
import { assertHolds, assertMayGrant, rightsOfRole } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import { byReference, idOf, inOrganisation } from '../../platform/auth/tenancy';
import { userPageOf } from '../../platform/common/user-page';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import {
  audit,
  changeRow,
  createRow,
  findRow,
  listRows,
  lockRow,
  present,
  type Resource,
} from '../../platform/resource/rows';
import { InviteLinks } from './invite-links';
import {
  InviteResponse,
  type CreatedInvite,
  type CreateInviteDto,
  type InvitedApiKeyDto,
  type InviteStatus,
  type ListInvitesQuery,
  type ResentInvite,
} from './invites.dto';

const INVITE: Resource<UserInviteEntity> = {
  entity: UserInviteEntity,
  type: 'invites',
  view: (row) => toInvite(row),
  where: (caller, reference) => ({ ...inOrganisation(caller), id: idOf(reference) }),
  /** A pending invite can be cancelled and resent; an expired invite can only be resent. */
  allow: ({ status }, _caller, action) => {
    if (status === 'pending' || (status === 'expired' && action === 'update')) return;
    throw new GatewayError('conflict', { message: 'The invite is no longer pending.' });
  },
};

@Injectable()
export class InvitesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly links: InviteLinks,
  ) {}

  /**
   * Creates an invite. Throws `conflict` for an address that has a pending invite, belongs to a
   * member of the organisation, or belongs to a user whom the identity provider has deactivated.
   */
  create(caller: Principal, input: CreateInviteDto): Promise<CreatedInvite> {
    const { organisationId } = inOrganisation(caller);
    const email = input.email.toLowerCase();
    const apiKeyDetails = toInvitedKey(caller, input.workspace_api_key_details);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertMayJoin(manager, organisationId, email);
      await assertNotInvited(manager, organisationId, email);
      const workspaces = await workspacesOf(manager, organisationId, input);
      await assertMayInvite(manager, caller, { role: input.role, workspaces });
      const link = this.links.make();
      const values = {
        organisationId,
        email,
        role: input.role,
        firstName: input.first_name ?? '',
        lastName: input.last_name ?? '',
        workspaces,
        apiKeyDetails,
        tokenHash: link.hash,
        mailed: this.links.hasMail,
        expiresAt: link.expiresAt,
        invitedBy: caller.userId,
      };
      const { id } = await createRow(write, INVITE, values, (row) => this.links.mail(manager, row, link));
      return { id, invite_link: this.links.hasMail ? null : link.link, object: 'invite' };
    });
  }

  async list(caller: Principal, query: ListInvitesQuery): Promise<ListResponse<InviteResponse>> {
    const { role, email, status } = query;
    const filters = present({ role, email: email?.toLowerCase() });
    const [rows, total] = await listRows(this.dataSource.manager, INVITE, userPageOf(query), {
      where: whereStatus(status).map((of) => ({ ...inOrganisation(caller), ...filters, ...of })),
    });
    return listOf([rows.map(toInvite), total]);
  }

  async get(at: ResourceReference): Promise<InviteResponse> {
    return toInvite(await findRow(this.dataSource.manager, INVITE, at));
  }

  /**
   * Cancels an invite; its link stops working immediately. Throws `conflict` for an invite that is
   * no longer pending.
   */
  cancel(at: ResourceReference): Promise<object> {
    return this.writes.run(at.caller, async (write) => {
      const row = await lockRow(write, INVITE, at, 'delete');
      const before = toInvite(row);
      row.status = 'cancelled';
      await write.manager.save(row);
      await dropInviteMail(write.manager, row.id);
      audit(write, INVITE, 'delete', row, { before });
      return {};
    });
  }

  /**
   * Creates a new link with a new expiry, also for an expired invite. All earlier links of the
   * invite stop working.
   */
  resend(caller: Principal, reference: string): Promise<ResentInvite> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const link = this.links.make();
      await changeRow(write, INVITE, { caller, reference, ifMatch: undefined }, async (row) => {
        await assertMayInvite(manager, caller, row);
        assertHolds(caller, row.apiKeyDetails?.scopes ?? [], 'A key', 'workspace_api_key_details.scopes');
        await assertMayJoin(manager, row.organisationId, row.email);
        row.status = 'pending';
        row.tokenHash = link.hash;
        row.mailed = this.links.hasMail;
        row.expiresAt = link.expiresAt;
        await this.links.mail(manager, row, link);
      });
      return { inviteLink: this.links.hasMail ? null : link.link };
    });
  }
}

/**
 * Throws `forbidden` or `scope_exceeds_creator` unless the caller holds all rights of the roles
 * that the invite gives.
 */
async function assertMayInvite(
  manager: EntityManager,
  caller: Principal,
  { role, workspaces }: Pick<UserInviteEntity, 'role' | 'workspaces'>,
): Promise<void> {
  const at = caller.organisationId;
  const settings = await securityOf(manager, at, null);
  assertMayGrant(caller, rightsOfRole(role, null, settings), `The role ${role}`, 'role');
  for (const [index, workspace] of workspaces.entries()) {
    const rights = rightsOfRole(role, workspace.role, await securityOf(manager, at, workspace.id));
    assertMayGrant(caller, rights, `The role ${workspace.role}`, `workspaces.${String(index)}.role`);
  }
}

function toInvitedKey(caller: Principal, input: InvitedApiKeyDto | null | undefined): InvitedApiKey | null {
  if (!input) return null;
  const scopes = normaliseScopes(input.scopes, 'workspace-user');
  assertHolds(caller, scopes, 'A key', 'workspace_api_key_details.scopes');
  return {
    name: input.name ?? null,
    scopes,
    expires_at: toExpiry(input.expiry)?.toISOString() ?? null,
    metadata: input.defaults?.metadata ?? input.metadata ?? null,
  };
}

/**
 * Throws `conflict` for the address of a member, and of a user whom only the identity provider may
 * reactivate.
 */
async function assertMayJoin(manager: EntityManager, organisationId: string, email: string): Promise<void> {
  const seats = await manager
    .createQueryBuilder(OrganisationUserEntity, 'seat')
    .innerJoin(UserEntity, 'person', 'person.id = seat.userId AND person.email = :email', { email })
    .where(`seat.organisationId = :organisationId AND seat.status = 'active'`, { organisationId })
    .getCount();
  if (seats > 0)
    throw new GatewayError('conflict', { message: 'A user with this address is already a member.' });
  if (await isDeactivatedByScim(manager, { organisationId, email })) {
    throw new GatewayError('conflict', {
      message: 'The identity provider has deactivated the user with this address; activate the user there.',
    });
  }
}

/**
 * Throws `conflict` for an address with a pending invite. First marks overdue invites as expired,
 * so that they do not count.
 */
async function assertNotInvited(
  manager: EntityManager,
  organisationId: string,
  email: string,
): Promise<void> {
  const pending = { organisationId, email, status: 'pending' as const };
  await manager.update(
    UserInviteEntity,
    { ...pending, expiresAt: LessThanOrEqual(new Date()) },
    { status: 'expired' },
  );
  if (await manager.existsBy(UserInviteEntity, pending)) {
    throw new GatewayError('conflict', {
      message: 'This address already has a pending invite; resend that invite.',
    });
  }
}

async function workspacesOf(
  manager: EntityManager,
  organisationId: string,
  { workspaces }: CreateInviteDto,
): Promise<InvitedWorkspace[]> {
  const named: InvitedWorkspace[] = [];
  for (const [index, { id, role }] of workspaces.entries()) {
    const row = await manager.findOne(WorkspaceEntity, {
      where: { ...byReference(id), organisationId, status: 'active' },
      select: { id: true },
    });
    if (!row || named.some((before) => before.id === row.id)) {
      throw invalid(
        `workspaces.${String(index)}.id`,
        'must be a workspace of the organisation and must not occur twice',
      );
    }
    named.push({ id: row.id, role });
  }
  return named;
}

/**
 * Returns the status of an invite. A pending invite is expired after `expiresAt`, even if its row
 * is not marked yet.
 */
const statusOf = (row: UserInviteEntity): InviteStatus =>
  row.status === 'pending' && row.expiresAt.getTime() <= Date.now() ? 'expired' : row.status;

/** Returns conditions, one of which an invite of the status meets. */
function whereStatus(status: InviteStatus | undefined): FindOptionsWhere<UserInviteEntity>[] {
  if (status === undefined) return [{}];
  const now = new Date();
  if (status === 'pending') return [{ status, expiresAt: MoreThan(now) }];
  if (status !== 'expired') return [{ status }];
  return [{ status }, { status: 'pending', expiresAt: LessThanOrEqual(now) }];
}

const toInvite = (row: UserInviteEntity): InviteResponse =>
  viewOf(InviteResponse, row, { status: statusOf(row), object: 'invite' });
