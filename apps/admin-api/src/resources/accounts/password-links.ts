import { PasswordResetEntity, queueMail, type UserEntity } from '@gw/entities';
import { hashApiKey, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { MoreThan, type EntityManager } from 'typeorm';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

const TOKEN_LENGTH = 48;
const LIFE_MS = 30 * 60_000;
/**
 * Minimum time between two mails that a user requests, in milliseconds. Links from administrators
 * are mailed immediately.
 */
const REPEAT_MS = 2 * 60_000;

export interface PasswordLink {
  /** Contains the token in clear text; shown or mailed once. */
  readonly link: string;
  readonly expiresAt: Date;
}

type LinkSettings = PublicUrlSettings & Pick<AdminSettings, 'SMTP_HOST'>;

/**
 * Creates, mails and finds the links that set a new password. The database stores only the HMAC of
 * a token.
 */
@Injectable()
export class PasswordLinks {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: LinkSettings,
  ) {}

  get hasMail(): boolean {
    return this.settings.SMTP_HOST !== null;
  }

  hash(token: string): string {
    return hashApiKey(this.secrets.inviteTokenPepper, `password-reset ${token}`);
  }

  /**
   * Creates a link and deletes the user's other links with the same `organisationId`. This is the
   * organisation in which the new password will be valid; null for all organisations.
   */
  async make(
    manager: EntityManager,
    userId: string,
    organisationId: string | null,
    now = Date.now(),
  ): Promise<PasswordLink> {
    const token = randomAlphanumeric(TOKEN_LENGTH);
    const expiresAt = new Date(now + LIFE_MS);
    const others = manager.createQueryBuilder().delete().from(PasswordResetEntity);
    await others
      .where('user_id = :userId AND organisation_id IS NOT DISTINCT FROM :organisationId', {
        userId,
        organisationId,
      })
      .execute();
    await manager.insert(PasswordResetEntity, {
      tokenHash: this.hash(token),
      userId,
      organisationId,
      expiresAt,
    });
    return { link: publicUrl(this.settings, `/reset/${token}`), expiresAt };
  }

  /** Whether the user got a link within the last two minutes. */
  hasRecentLink(manager: EntityManager, userId: string): Promise<boolean> {
    const since = new Date(Date.now() - REPEAT_MS);
    return manager.existsBy(PasswordResetEntity, { userId, createdAt: MoreThan(since) });
  }

  find(manager: EntityManager, token: string): Promise<PasswordResetEntity | null> {
    return manager.findOneBy(PasswordResetEntity, {
      tokenHash: this.hash(token),
      expiresAt: MoreThan(new Date()),
    });
  }

  async mail(
    manager: EntityManager,
    organisationId: string,
    user: Pick<UserEntity, 'id' | 'email' | 'firstName'>,
  ): Promise<PasswordLink> {
    const made = await this.make(manager, user.id, null);
    await queueMail(manager, this.secrets.sealingKeyring, {
      organisationId,
      topic: `password-reset/${user.id}`,
      to: [user.email],
      message: {
        subject: 'Reset your password',
        paragraphs: [
          user.firstName === '' ? 'Hello,' : `Hello ${user.firstName},`,
          'Someone requested a new password for your account. If it was not you, ignore this mail.',
          `The link works once, until ${made.expiresAt.toUTCString()}.`,
        ],
        action: { label: 'Set a new password', url: made.link },
      },
    });
    return made;
  }
}
