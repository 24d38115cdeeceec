import { OrganisationEntity, UserEntity, UserInviteEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { endedInvite, InviteEntries, lockSeat } from '../../platform/accounts/invite-entries';
import { FOR_UPDATE, Writes } from '../../platform/unit-of-work/writes';
import { NewPasswords, type PasswordNote } from '../../platform/auth/new-passwords';
import { PasswordChecks } from '../../platform/auth/password-checks';
import type { RequestFacts } from '../../platform/common/principal';
import type { InvitePage } from '../../platform/auth/account-pages';
import { setPassword } from '../../platform/auth/user-password';
import { InviteLinks } from './invite-links';
import type { AcceptedInvite, AcceptInviteDto } from './invites.dto';

/** Adds invited users to the organisation when they accept; each invite works once. */
@Injectable()
export class InviteAcceptanceService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly links: InviteLinks,
    private readonly entries: InviteEntries,
    private readonly passwords: PasswordChecks,
    private readonly newPasswords: NewPasswords,
  ) {}

  /**
   * Accepts the invite of a token. A user with a proven address must send their existing password;
   * the invite never changes it. Any other user sets a new password. It is valid in every
   * organisation if the link was mailed, because that proves the address, otherwise only in this
   * organisation (decision 0028). Throws `not_found` with the same message for an unknown, used,
   * replaced, cancelled or expired link and for a user who may not join (`InviteEntries.accept`),
   * and `unauthenticated` for a wrong password.
   */
  async accept(input: AcceptInviteDto, request: RequestFacts): Promise<AcceptedInvite> {
    const { invite, tokenHash, user } = await this.find(input.token);
    const newPassword = await this.checkPassword(invite, user, input.password, request);
    const userId = user?.id ?? uuidv7();
    const caller = {
      kind: 'session',
      organisationId: invite.organisationId,
      workspaceId: null,
      userId,
      apiKeyId: null,
      request,
    } as const;
    return this.writes.run(caller, async (write) => {
      await lockSeat(write.manager, { organisationId: invite.organisationId, userId });
      const row = await write.manager.findOne(UserInviteEntity, {
        where: { id: invite.id, tokenHash, status: 'pending' },
        lock: FOR_UPDATE,
      });
      const organisation = await write.manager.existsBy(OrganisationEntity, {
        id: invite.organisationId,
        status: 'active',
      });
      if (!row || !organisation) throw endedInvite();
      const names = {
        firstName: input.first_name ?? row.firstName,
        lastName: input.last_name ?? row.lastName,
      };
      if (!user) {
        await write.manager.insert(UserEntity, { id: userId, email: row.email, ...names });
      } else if (user.status !== 'active') {
        await write.manager.update(UserEntity, { id: userId }, { status: 'active' });
      }
      await this.entries.accept(write, row, userId);
      if (newPassword !== null) {
        const { passwordHash, note } = newPassword;
        const organisationId = row.mailed ? null : row.organisationId;
        await setPassword(write.manager, { userId, organisationId, passwordHash });
        write.audit({ action: 'create', resourceType: 'passwords', resourceId: userId, after: note });
      }
      return { object: 'user', id: userId, email: row.email, organisation_id: row.organisationId };
    });
  }

  /** Returns the contents of the invite page. Throws `not_found` as `accept` does. */
  async describe(token: string): Promise<Pick<InvitePage, 'email' | 'organisation' | 'isKnown'>> {
    const { invite, user } = await this.find(token);
    const { manager } = this.dataSource;
    const { name } = await manager.findOneByOrFail(OrganisationEntity, { id: invite.organisationId });
    return { email: invite.email, organisation: name, isKnown: user?.passwordHash != null };
  }

  private async find(token: string): Promise<{
    readonly invite: UserInviteEntity;
    readonly tokenHash: string;
    readonly user: UserEntity | null;
  }> {
    const tokenHash = this.links.hash(token);
    const { manager } = this.dataSource;
    const invite = await manager.findOneBy(UserInviteEntity, { tokenHash, status: 'pending' });
    if (!invite || invite.expiresAt.getTime() <= Date.now()) throw endedInvite();
    return { invite, tokenHash, user: await manager.findOneBy(UserEntity, { email: invite.email }) };
  }

  /** Returns the password to set; null for a user who sent their existing password. */
  private async checkPassword(
    { email }: UserInviteEntity,
    user: UserEntity | null,
    password: string,
    request: RequestFacts,
  ): Promise<{ readonly passwordHash: string; readonly note: PasswordNote } | null> {
    const clientIp = request.clientIp ?? '';
    // A password in `users.password_hash` implies that the address was proven when it was set
    // (decision 0028).
    const currentHash = user?.passwordHash ?? null;
    if (currentHash === null) {
      const note = await this.newPasswords.assertGood(password, email);
      return { passwordHash: await this.passwords.hash(clientIp, password), note };
    }
    if ((await this.passwords.matching(clientIp, email, [currentHash], password)) === null) {
      throw new GatewayError('unauthenticated', {
        message: 'A user with this address already exists; send the password of that user.',
      });
    }
    return null;
  }
}
