import { hashApiKey, randomAlphanumeric, DAY_MS } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';

/** 48 characters of [A-Za-z0-9] carry 285 bits. */
const TOKEN_LENGTH = 48;

export interface InviteToken {
  readonly hash: string;
  /** Holds the token in the clear; shown once. */
  readonly link: string;
  readonly expiresAt: Date;
}

/** Makes the links of invites. The database holds only the HMAC of a token. */
@Injectable()
export class InviteTokens {
  constructor(
    private readonly secrets: Secrets,
    @Inject(SETTINGS)
    private readonly settings: PublicUrlSettings & Pick<AdminSettings, 'INVITE_DAYS'>,
  ) {}

  make(now = Date.now()): InviteToken {
    const token = randomAlphanumeric(TOKEN_LENGTH);
    return {
      hash: this.hash(token),
      link: publicUrl(this.settings, `/invite/${token}`),
      expiresAt: new Date(now + this.settings.INVITE_DAYS * DAY_MS),
    };
  }

  hash(token: string): string {
    return hashApiKey(this.secrets.inviteTokenPepper, token);
  }
}
