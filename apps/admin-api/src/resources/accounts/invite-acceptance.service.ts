import {
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  UserInviteEntity,
  WorkspaceEntity,
  WorkspaceUserEntity,
} from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { UserKeysService } from '../../platform/keys/user-keys.service';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { PasswordChecks } from '../../platform/auth/password-checks';
import { assertGoodPassword } from '../../platform/auth/password-rules';
import type { RequestFacts } from '../../platform/common/principal';
import type { InvitePage } from '../../platform/auth/account-pages';
import { setPassword } from '../../platform/auth/user-password';
import { InviteMails } from './invite-mails';
import { InviteTokens } from './invite-tokens';
import type { AcceptedInvite, AcceptInviteDto } from './invites.dto';

/** Turns an invite into a user of the organisation, once. */
@Injectable()
export class InviteAcceptanceService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly tokens: InviteTokens,
    private readonly mails: InviteMails,
    private readonly userKeys: UserKeysService,
    private readonly passwords: PasswordChecks,
  ) {}

  /**
   * Throws `not_found` with one text for a link that is unknown, used, replaced, cancelled or over. Someone whose address is
   * proven must show their own password, and never gets a new one. Anyone else sets one: for every organisation where the link
   * was mailed, which proves the address, and otherwise for this organisation alone (decision 0028).
   */
  async accept(input: AcceptInviteDto, request: RequestFacts): Promise<AcceptedInvite> {
    const { invite, tokenHash, known } = await this.find(input.token);
    const passwordHash = await this.newPassword(invite, known, input.password, request);
    const userId = known?.id ?? uuidv7();
    const caller = {
      kind: 'session',
      organisationId: invite.organisationId,
      workspaceId: null,
      userId,
      apiKeyId: null,
      request,
    } as const;
    return this.writes.run(caller, async (write) => {
      const row = await write.manager.findOne(UserInviteEntity, {
        where: { id: invite.id, tokenHash, status: 'pending' },
        lock: FOR_UPDATE,
      });
      const organisation = await write.manager.existsBy(OrganisationEntity, {
        id: invite.organisationId,
        status: 'active',
      });
      if (!row || !organisation) throw ended();
      const names = {
        firstName: input.first_name ?? row.firstName,
        lastName: input.last_name ?? row.lastName,
      };
      if (!known) {
        await write.manager.insert(UserEntity, { id: userId, email: row.email, ...names });
      } else if (known.status !== 'active') {
        await write.manager.update(UserEntity, { id: userId }, { status: 'active' });
      }
      await this.seat(write, row, userId);
      if (passwordHash !== null) {
        const organisationId = row.mailed ? null : row.organisationId;
        await setPassword(write.manager, { userId, organisationId, passwordHash });
      }
      row.status = 'accepted';
      row.acceptedAt = new Date();
      await write.manager.save(UserInviteEntity, row);
      await this.mails.drop(write.manager, row.id);
      write.audit({
        action: 'update',
        resourceType: 'invites',
        resourceId: row.id,
        after: { status: 'accepted', email: row.email, role: row.role, user_id: userId },
      });
      return { object: 'user', id: userId, email: row.email, organisation_id: row.organisationId };
    });
  }

  /** What the page of the link says. Throws as `accept` does. */
  async describe(token: string): Promise<Pick<InvitePage, 'email' | 'organisation' | 'isKnown'>> {
    const { invite, known } = await this.find(token);
    const { manager } = this.dataSource;
    const { name } = await manager.findOneByOrFail(OrganisationEntity, { id: invite.organisationId });
    return { email: invite.email, organisation: name, isKnown: known?.passwordHash != null };
  }

  private async find(token: string): Promise<{
    readonly invite: UserInviteEntity;
    readonly tokenHash: string;
    readonly known: UserEntity | null;
  }> {
    const tokenHash = this.tokens.hash(token);
    const { manager } = this.dataSource;
    const invite = await manager.findOneBy(UserInviteEntity, { tokenHash, status: 'pending' });
    if (!invite || invite.expiresAt.getTime() <= Date.now()) throw ended();
    return { invite, tokenHash, known: await manager.findOneBy(UserEntity, { email: invite.email }) };
  }

  /** Of the password to set; null for a user who has shown the one that they have. */
  private async newPassword(
    { email }: UserInviteEntity,
    known: UserEntity | null,
    password: string,
    request: RequestFacts,
  ): Promise<string | null> {
    const address = request.clientIp ?? '';
    const own = known?.passwordHash ?? null;
    if (own === null) {
      assertGoodPassword(password, email);
      return this.passwords.hash(address, password);
    }
    if ((await this.passwords.matching(address, email, [own], password)) === null) {
      throw new GatewayError('unauthenticated', {
        message: 'A user of this address exists: the password must be theirs.',
      });
    }
    return null;
  }

  /** Workspaces that have gone since the invite are left out. */
  private async seat(write: Write, invite: UserInviteEntity, userId: string): Promise<void> {
    const { manager } = write;
    const { organisationId, role } = invite;
    await manager.upsert(OrganisationUserEntity, { organisationId, userId, role, status: 'active' }, [
      'organisationId',
      'userId',
    ]);
    write.audit({
      action: 'create',
      resourceType: 'users',
      resourceId: userId,
      after: { email: invite.email, role },
    });
    const live = await manager.find(WorkspaceEntity, {
      where: { id: In(invite.workspaces.map(({ id }) => id)), organisationId, status: 'active' },
      select: { id: true },
    });
    for (const { id: workspaceId } of live) {
      const named = invite.workspaces.find(({ id }) => id === workspaceId);
      const membership = { workspaceId, userId, role: named?.role ?? 'member' };
      await manager.upsert(WorkspaceUserEntity, membership, ['workspaceId', 'userId']);
      write.audit({
        action: 'create',
        resourceType: 'members',
        resourceId: userId,
        workspaceId,
        after: { role: membership.role },
      });
      const at = { organisationId, workspaceId, userId };
      if (invite.apiKeyDetails) await this.userKeys.makePromised(write, at, invite.apiKeyDetails);
      else await this.userKeys.provision(write, at);
    }
  }
}

const ended = (): GatewayError =>
  new GatewayError('not_found', { message: 'The invite is not valid any more; ask for a new one.' });
