import {
  OrganisationUserEntity,
  UserEntity,
  UserInviteEntity,
  WorkspaceEntity,
  type InvitedApiKey,
  type InvitedWorkspace,
} from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { assertMatches, invalid, listOf, rowFields, windowOf, type ListResponse } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, LessThanOrEqual, MoreThan, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { normaliseScopes, toExpiry } from '../../platform/keys/api-key-rules';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { assertHolds, assertMayGrant, rightsOfRole } from '../../platform/auth/grants';
import type { Principal } from '../../platform/common/principal';
import { securityOf } from '../../platform/auth/security';
import { byReference, found, inOrganisation, isUuid } from '../../platform/auth/tenancy';
import { InviteMails } from './invite-mails';
import { InviteTokens } from './invite-tokens';
import type {
  CreatedInvite,
  CreateInviteDto,
  InviteResponse,
  InvitedApiKeyDto,
  InviteStatus,
  ListInvitesQuery,
  ResentInvite,
} from './invites.dto';

@Injectable()
export class InvitesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly tokens: InviteTokens,
    private readonly mails: InviteMails,
  ) {}

  /** Throws `conflict` for an address that is invited already, or a member. */
  create(caller: Principal, input: CreateInviteDto): Promise<CreatedInvite> {
    const { organisationId } = inOrganisation(caller);
    const email = input.email.toLowerCase();
    const apiKeyDetails = toInvitedKey(caller, input.workspace_api_key_details);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      await assertNotMember(manager, organisationId, email);
      await assertNotInvited(manager, organisationId, email);
      const workspaces = await workspacesOf(manager, organisationId, input);
      await assertMayInvite(manager, caller, { role: input.role, workspaces });
      const token = this.tokens.make();
      const id = uuidv7();
      await manager.insert(UserInviteEntity, {
        id,
        organisationId,
        email,
        role: input.role,
        firstName: input.first_name ?? '',
        lastName: input.last_name ?? '',
        workspaces,
        apiKeyDetails,
        tokenHash: token.hash,
        mailed: this.mails.isOn,
        expiresAt: token.expiresAt,
        invitedBy: caller.userId,
      });
      const row = await manager.findOneByOrFail(UserInviteEntity, { id });
      await this.mails.queue(manager, row, token);
      write.audit({ action: 'create', resourceType: 'invites', resourceId: id, after: toInvite(row) });
      return { id, invite_link: this.mails.isOn ? null : token.link, object: 'invite' };
    });
  }

  async list(caller: Principal, query: ListInvitesQuery): Promise<ListResponse<InviteResponse>> {
    const { organisationId } = inOrganisation(caller);
    const [rows, total] = await this.dataSource.manager.findAndCount(UserInviteEntity, {
      where: {
        organisationId,
        ...(query.role === undefined ? {} : { role: query.role }),
        ...(query.email === undefined ? {} : { email: query.email.toLowerCase() }),
        ...whereStatus(query.status),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf({
        current_page: query.currentPage ?? query.current_page ?? 0,
        page_size: query.pageSize ?? query.page_size ?? 50,
      }),
    });
    return listOf([rows.map(toInvite), total]);
  }

  async get(caller: Principal, id: string): Promise<InviteResponse> {
    return toInvite(await this.find(this.dataSource.manager, caller, id));
  }

  /** The link ends at once. Throws `conflict` for an invite that is no longer pending. */
  cancel(caller: Principal, id: string, ifMatch: string | undefined): Promise<object> {
    return this.writes.run(caller, async (write) => {
      const row = await this.findPending(write.manager, caller, id);
      assertMatches(ifMatch, row);
      const before = toInvite(row);
      row.status = 'cancelled';
      await write.manager.save(UserInviteEntity, row);
      await this.mails.drop(write.manager, row.id);
      write.audit({ action: 'delete', resourceType: 'invites', resourceId: row.id, before });
      return {};
    });
  }

  /** A new link with a new term, also for an invite that has expired; every link before it ends. */
  resend(caller: Principal, id: string): Promise<ResentInvite> {
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const row = await this.find(manager, caller, id, true);
      if (row.status !== 'pending' && row.status !== 'expired') throw notPending();
      await assertMayInvite(manager, caller, row);
      await assertNotMember(manager, row.organisationId, row.email);
      const before = toInvite(row);
      const token = this.tokens.make();
      row.status = 'pending';
      row.tokenHash = token.hash;
      row.mailed = this.mails.isOn;
      row.expiresAt = token.expiresAt;
      await manager.save(UserInviteEntity, row);
      await this.mails.queue(manager, row, token);
      write.audit({
        action: 'update',
        resourceType: 'invites',
        resourceId: row.id,
        before,
        after: toInvite(row),
      });
      return { inviteLink: this.mails.isOn ? null : token.link };
    });
  }

  private async findPending(
    manager: EntityManager,
    caller: Principal,
    id: string,
  ): Promise<UserInviteEntity> {
    const row = await this.find(manager, caller, id, true);
    if (row.status !== 'pending') throw notPending();
    return row;
  }

  private async find(
    manager: EntityManager,
    caller: Principal,
    id: string,
    forUpdate = false,
  ): Promise<UserInviteEntity> {
    const { organisationId } = inOrganisation(caller);
    if (!isUuid(id)) throw new GatewayError('not_found');
    return found(
      await manager.findOne(UserInviteEntity, {
        where: { id, organisationId },
        ...(forUpdate ? { lock: FOR_UPDATE } : {}),
      }),
    );
  }
}

const notPending = (): GatewayError =>
  new GatewayError('conflict', { message: 'The invite is no longer pending.' });

/** An invite gives its roles to the user who accepts it, so the caller must hold all that they hold. */
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

async function assertNotMember(manager: EntityManager, organisationId: string, email: string): Promise<void> {
  const seats = await manager
    .createQueryBuilder(OrganisationUserEntity, 'seat')
    .innerJoin(UserEntity, 'person', 'person.id = seat.userId AND person.email = :email', { email })
    .where(`seat.organisationId = :organisationId AND seat.status = 'active'`, { organisationId })
    .getCount();
  if (seats > 0)
    throw new GatewayError('conflict', { message: 'A user of this address is a member already.' });
}

/** An invite whose term is over makes room for a new one. */
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
    throw new GatewayError('conflict', { message: 'This address is invited already; resend the invite.' });
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
        'names no workspace of the organisation, or one named before',
      );
    }
    named.push({ id: row.id, role });
  }
  return named;
}

/** A pending invite past its end is expired, whether or not someone has marked it. */
const statusOf = (row: UserInviteEntity): InviteStatus =>
  row.status === 'pending' && row.expiresAt.getTime() <= Date.now() ? 'expired' : row.status;

function whereStatus(status: InviteStatus | undefined): FindOptionsWhere<UserInviteEntity> {
  if (status === undefined) return {};
  if (status === 'pending') return { status, expiresAt: MoreThan(new Date()) };
  return { status };
}

const toInvite = (row: UserInviteEntity): InviteResponse => ({
  object: 'invite',
  id: row.id,
  email: row.email,
  role: row.role,
  status: statusOf(row),
  workspaces: row.workspaces,
  expires_at: row.expiresAt.toISOString(),
  accepted_at: row.acceptedAt?.toISOString() ?? null,
  invited_by: row.invitedBy,
  ...rowFields(row),
});
