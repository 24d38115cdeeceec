import { dropMail, OrganisationEntity, queueMail, UserEntity, type UserInviteEntity } from '@gw/entities';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import type { InviteToken } from './invite-tokens';

type MailedInvite = Pick<UserInviteEntity, 'id' | 'organisationId' | 'email' | 'firstName' | 'invitedBy'>;

/** The mails of invites. Where mail is on, a link goes to its address and nowhere else. */
@Injectable()
export class InviteMails {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'SMTP_HOST'>,
  ) {}

  get isOn(): boolean {
    return this.settings.SMTP_HOST !== null;
  }

  /** Replaces one that still waits, whose link has ended. */
  async queue(manager: EntityManager, invite: MailedInvite, token: InviteToken): Promise<void> {
    if (!this.isOn) return;
    const { id, organisationId, email, firstName, invitedBy } = invite;
    const { name } = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
    const host = invitedBy === null ? null : await manager.findOneBy(UserEntity, { id: invitedBy });
    const invited = host ? `${host.email} invites you to ${name}.` : `You are invited to ${name}.`;
    await queueMail(manager, this.secrets.sealingKeyring, {
      organisationId,
      topic: topicOf(id),
      to: [email],
      message: {
        subject: `Invitation to ${name}`,
        paragraphs: [
          firstName === '' ? 'Hello,' : `Hello ${firstName},`,
          invited,
          `The link works once, until ${token.expiresAt.toUTCString()}. If you did not expect it, ignore this mail.`,
        ],
        action: { label: 'Accept the invitation', url: token.link },
      },
    });
  }

  async drop(manager: EntityManager, id: string): Promise<void> {
    await dropMail(manager, topicOf(id));
  }
}

const topicOf = (id: string): string => `invite/${id}`;
