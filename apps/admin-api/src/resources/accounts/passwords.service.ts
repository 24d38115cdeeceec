import { OrganisationUserEntity, PasswordResetEntity, SessionEntity, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, Not, type EntityManager } from 'typeorm';
import { FOR_UPDATE, Writes, type Write } from '../../platform/unit-of-work/writes';
import { activeSeatBelow } from '../../platform/accounts/active-seat';
import { NewPasswords } from '../../platform/auth/new-passwords';
import { PasswordChecks } from '../../platform/auth/password-checks';
import { isLoggedIn, type Principal, type RequestFacts } from '../../platform/common/principal';
import { endSessionsWhere } from '../../platform/auth/session-ends';
import { setPassword } from '../../platform/auth/user-password';
import { inOrganisation } from '../../platform/auth/tenancy';
import type { ChangePasswordDto, PasswordResetResponse, ResetPasswordDto } from './accounts.dto';
import { PasswordLinks } from './password-links';

const DONE = {};

/**
 * Changes and resets passwords. Decision 0028 defines which password is valid in which
 * organisation.
 */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly checks: PasswordChecks,
    private readonly links: PasswordLinks,
    private readonly newPasswords: NewPasswords,
  ) {}

  /**
   * Changes the caller's password, and ends all other sessions in the organisations where the old
   * password was valid.
   */
  async change(caller: Principal, input: ChangePasswordDto): Promise<object> {
    const { organisationId } = caller;
    const userId = caller.userId ?? '';
    const { manager } = this.dataSource;
    const user = await manager.findOneByOrFail(UserEntity, { id: userId });
    const seat = await manager.findOneByOrFail(OrganisationUserEntity, { organisationId, userId });
    const address = caller.request.clientIp ?? '';
    const { current_password: shown } = input;
    if (shown === undefined) await this.assertNoneChosen(caller, user, seat);
    else await this.assertCurrent(address, user, seat, shown);
    const note = await this.newPasswords.assertGood(input.new_password, user.email, 'new_password');
    const passwordHash = await this.checks.hash(address, input.new_password);
    const here = seat.passwordHash === null ? null : organisationId;
    return this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const generated = { id: userId, passwordGenerated: true };
      const isFirst = await write.manager.findOne(UserEntity, { where: generated, lock: FOR_UPDATE });
      if (shown === undefined && isFirst === null) throw needsCurrent();
      await setPassword(write.manager, { userId, organisationId: here, passwordHash });
      await endSessions(write, userId, here, caller.sessionId);
      write.audit({ action: 'update', resourceType: 'passwords', resourceId: userId, after: note });
      return DONE;
    });
  }

  private async assertCurrent(
    address: string,
    user: UserEntity,
    seat: OrganisationUserEntity,
    password: string,
  ): Promise<void> {
    const current = seat.passwordHash ?? user.passwordHash;
    const hashes = current === null ? [] : [current];
    if (await this.checks.matching(address, user.email, hashes, password)) return;
    throw new GatewayError('unauthenticated', { message: 'The current password is wrong.' });
  }

  /**
   * Throws unless the session was opened by the launcher's link and the user still has the password
   * of the first set-up. The link proves control of the machine, where that password is a random
   * text in a file.
   */
  private async assertNoneChosen(
    { sessionId }: Principal,
    user: UserEntity,
    seat: OrganisationUserEntity,
  ): Promise<void> {
    const byClaim = { id: sessionId ?? '', byClaim: true };
    const isFirst = user.passwordGenerated && seat.passwordHash === null;
    if (isFirst && (await this.dataSource.manager.existsBy(SessionEntity, byClaim))) return;
    throw needsCurrent();
  }

  /**
   * Mails a link to the user with this address, if one exists. Throws `feature_disabled` if mail is
   * not configured.
   */
  async forgot(email: string): Promise<void> {
    if (!this.links.hasMail) {
      throw new GatewayError('feature_disabled', {
        message: 'Mail is not configured on this installation; ask an owner of your organisation for a link.',
      });
    }
    await this.dataSource.transaction(async (manager) => {
      const where = { email: email.toLowerCase(), status: 'active' } as const;
      // The row is locked, so that only one of several concurrent requests creates a link.
      const user = await manager.findOne(UserEntity, { where, lock: FOR_UPDATE });
      if (!user) return;
      const seat = await firstSeat(manager, user.id);
      if (!seat || (await this.links.hasRecentLink(manager, user.id))) return;
      await this.links.mail(manager, seat.organisationId, user);
    });
  }

  /**
   * Creates a link for another user and mails it. When mail is not configured, the response shows
   * the link, but only to owners, because anyone with the link can act as that user; the password
   * that it sets is then valid in this organisation only.
   */
  linkFor(caller: Principal, userId: string): Promise<PasswordResetResponse> {
    const { organisationId } = inOrganisation(caller);
    return this.writes.run(caller, async (write) => {
      const { manager } = write;
      const seat = await activeSeatBelow(manager, caller, userId);
      if (!this.links.hasMail) assertOwnerSession(caller);
      const user = await manager.findOneByOrFail(UserEntity, { id: seat.userId });
      const made = this.links.hasMail
        ? await this.links.mail(manager, organisationId, user)
        : await this.links.make(manager, user.id, organisationId);
      write.audit({ action: 'create', resourceType: 'passwords', resourceId: user.id });
      return {
        object: 'password-reset',
        reset_link: this.links.hasMail ? null : made.link,
        expires_at: made.expiresAt.toISOString(),
      };
    });
  }

  /** Throws `not_found` for an unknown, used, replaced or expired link. */
  async assertLink(token: string): Promise<void> {
    if (!(await this.links.find(this.dataSource.manager, token))) throw ended();
  }

  /**
   * Sets a new password, once for each link, and ends the sessions opened with the old password.
   * Throws `not_found` as `assertLink` does, and `validation_failed` for a weak password.
   */
  async reset({ token, password }: ResetPasswordDto, request: RequestFacts): Promise<object> {
    const link = await this.links.find(this.dataSource.manager, token);
    if (!link) throw ended();
    const { userId, organisationId } = link;
    const user = await this.dataSource.manager.findOneByOrFail(UserEntity, { id: userId });
    const note = await this.newPasswords.assertGood(password, user.email);
    const passwordHash = await this.checks.hash(request.clientIp ?? '', password);
    const seat = organisationId ? { organisationId } : await firstSeat(this.dataSource.manager, userId);
    if (!seat) throw ended();
    const { organisationId: recordedIn } = seat;
    const place = { organisationId: recordedIn, workspaceId: null, userId, apiKeyId: null };
    return this.writes.run({ kind: 'session', ...place, request }, async (write) => {
      const { manager } = write;
      const { affected } = await manager.delete(PasswordResetEntity, { tokenHash: link.tokenHash });
      if (affected !== 1) throw ended();
      await setPassword(manager, { userId, organisationId, passwordHash });
      await endSessions(write, userId, organisationId, null);
      write.audit({ action: 'update', resourceType: 'passwords', resourceId: userId, after: note });
      return DONE;
    });
  }
}

const needsCurrent = (): GatewayError =>
  invalid('current_password', 'current_password is required, since a password has been chosen');

const ended = (): GatewayError =>
  new GatewayError('not_found', { message: 'The link is no longer valid; request a new link.' });

function assertOwnerSession(caller: Principal): void {
  if (isLoggedIn(caller) && caller.organisationRole === 'owner') return;
  throw new GatewayError('forbidden', {
    message: 'Without mail, only a logged-in owner can create a link for a new password.',
  });
}

async function endSessions(
  write: Pick<Write, 'manager' | 'removed'>,
  userId: string,
  organisationId: string | null,
  except: string | null,
): Promise<void> {
  const where = {
    userId,
    ...(organisationId === null ? {} : { organisationId }),
    ...(except === null ? {} : { id: Not(except) }),
  };
  write.removed((await endSessionsWhere(write.manager, where)).documents);
}

const firstSeat = (manager: EntityManager, userId: string): Promise<OrganisationUserEntity | null> =>
  manager.findOne(OrganisationUserEntity, {
    where: { userId, status: 'active' },
    order: { createdAt: 'ASC', organisationId: 'ASC' },
  });
