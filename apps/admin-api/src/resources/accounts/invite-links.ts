import { OrganisationEntity, queueMail, UserEntity, type UserInviteEntity } from '@gw/entities';
import { hashApiKey, randomAlphanumeric, DAY_MS } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { inviteTopic } from '../../platform/accounts/pending-invites';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

/** 48 characters of [A-Za-z0-9] contain 285 bits. */
const TOKEN_LENGTH = 48;

export interface InviteLink {
  /** HMAC of the token. */
  readonly hash: string;
  /** Contains the token in clear text; shown or mailed once. */
  readonly link: string;
  readonly expiresAt: Date;
}

type LinkSettings = PublicUrlSettings & Pick<AdminSettings, 'INVITE_DAYS' | 'SMTP_HOST'>;
type MailedInvite = Pick<UserInviteEntity, 'id' | 'organisationId' | 'email' | 'firstName' | 'invitedBy'>;

/** Creates and mails the links of invites. The database stores only the HMAC of a token. */
@Injectable()
export class InviteLinks {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: LinkSettings,
  ) {}

  /** Whether links are mailed to the invited address. If so, no response shows them. */
  get hasMail(): boolean {
    return this.settings.SMTP_HOST !== null;
  }

  hash(token: string): string {
    return hashApiKey(this.secrets.inviteTokenPepper, token);
  }

  make(now = Date.now()): InviteLink {
    const token = randomAlphanumeric(TOKEN_LENGTH);
    return {
      hash: this.hash(token),
      link: publicUrl(this.settings, `/invite/${token}`),
      expiresAt: new Date(now + this.settings.INVITE_DAYS * DAY_MS),
    };
  }

  /**
   * Queues the mail of a link and replaces an unsent mail of the invite. Does nothing when mail is
   * not configured.
   */
  async mail(manager: EntityManager, invite: MailedInvite, { link, expiresAt }: InviteLink): Promise<void> {
    if (!this.hasMail) return;
    const { id, organisationId, email, firstName, invitedBy } = invite;
    const { name } = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
    const host = invitedBy === null ? null : await manager.findOneBy(UserEntity, { id: invitedBy });
    const invited = host ? `${host.email} invites you to ${name}.` : `You are invited to ${name}.`;
    await queueMail(manager, this.secrets.sealingKeyring, {
      organisationId,
      topic: inviteTopic(id),
      to: [email],
      message: {
        subject: `Invitation to ${name}`,
        paragraphs: [
          firstName === '' ? 'Hello,' : `Hello ${firstName},`,
          invited,
          `The link works once, until ${expiresAt.toUTCString()}. If you did not expect this invitation, ignore this mail.`,
        ],
        action: { label: 'Accept the invitation', url: link },
      },
    });
  }
}
