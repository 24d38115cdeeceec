import { PasswordResetEntity, queueMail, type UserEntity } from '@gw/entities';
import { hashApiKey, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { MoreThan, type EntityManager } from 'typeorm';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

const TOKEN_LENGTH = 48;
const LIFE_MS = 30 * 60_000;
/** A user gets no second mail sooner. */
const REPEAT_MS = 2 * 60_000;

export interface PasswordLink {
  /** Holds the token in the clear; shown or mailed once. */
  readonly link: string;
  readonly expiresAt: Date;
}

type LinkSettings = PublicUrlSettings & Pick<AdminSettings, 'SMTP_HOST'>;

/** Makes, mails and reads the links that set a new password. The database holds only the HMAC of a token. */
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

  /** Replaces every link of the same kind that the user has. `organisationId`: see the entity. */
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

  /** Whether the user was sent a link just now. */
  wasJustMade(manager: EntityManager, userId: string): Promise<boolean> {
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
