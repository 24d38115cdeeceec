import {
  OrganisationUserEntity,
  queueMail,
  SsoConnectionEntity,
  UserEntity,
  type SessionEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { domainOf } from '../accounts/verified-domains';

interface PasswordLogin {
  readonly organisationId: string;
  readonly email: string;
  readonly role: OrganisationUserEntity['role'];
}

/** Decides which users may log in by password when an organisation enforces single sign-on. */
@Injectable()
export class PasswordLogins {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SSO_BREAK_GLASS' | 'SMTP_HOST'>,
  ) {}

  /**
   * Whether the login bypasses an enforced connection. Only owners may do that, so that they can
   * log in when the identity provider is broken (SSO_BREAK_GLASS). Throws `sso_login_refused` for
   * other users in the domains of an enforced connection.
   */
  async isBreakGlass(
    manager: EntityManager,
    { organisationId, email, role }: PasswordLogin,
  ): Promise<boolean> {
    const enforced = await manager.findBy(SsoConnectionEntity, {
      ...{ organisationId, status: 'active', enforced: true },
    });
    const domain = domainOf(email) ?? '';
    if (!enforced.some(({ domains }) => domains.includes(domain))) return false;
    if (role === 'owner' && this.settings.SSO_BREAK_GLASS) return true;
    throw new GatewayError('sso_login_refused', {
      message: 'Your organisation requires single sign-on; log in without a password.',
    });
  }

  /**
   * Notifies all owners by mail that one of them has logged in without the enforced single sign-on.
   * Does nothing when mail is not configured.
   */
  async notifyOwners(
    manager: EntityManager,
    { organisationId, email }: PasswordLogin,
    { id }: Pick<SessionEntity, 'id'>,
  ): Promise<void> {
    if (this.settings.SMTP_HOST === null) return;
    const seats = await manager.findBy(OrganisationUserEntity, {
      ...{ organisationId, role: 'owner', status: 'active' },
    });
    const owners = await manager.findBy(UserEntity, { id: In(seats.map(({ userId }) => userId)) });
    await queueMail(manager, this.secrets.sealingKeyring, {
      organisationId,
      topic: `break-glass/${id}`,
      to: owners.map((owner) => owner.email),
      message: {
        subject: 'An owner has logged in by password',
        paragraphs: [
          `${email} has logged in by password, although your organisation requires single sign-on.`,
          'If none of you did this, end the session, change the password and look at the audit log.',
        ],
        action: null,
      },
    });
  }
}
