import { GatewayError, hashApiKey, seal, unseal } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Secrets } from '../../settings';

const LIFE_MS = 5 * 60_000;
const BINDING = 'passkey-challenge';

/** Purpose of a challenge; `subject` binds it to a user or a login. */
export interface ChallengePurpose {
  readonly use: 'register' | 'login' | 'factor';
  readonly subject: string;
  /** Organisation in which a new passkey is valid; null for all organisations. */
  readonly organisationId?: string | null;
}

interface Content extends ChallengePurpose {
  readonly expiresAt: number;
}

/**
 * Challenges for passkeys. They are sealed instead of stored, so that clients without a login
 * cannot fill a table. Only challenges with a correct response are stored until they expire, so
 * that each works once.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(private readonly secrets: Secrets) {}

  make(purpose: ChallengePurpose): string {
    const content: Content = { ...purpose, expiresAt: Date.now() + LIFE_MS };
    return seal(this.secrets.sealingKeyring, JSON.stringify(content), BINDING);
  }

  /**
   * Returns the purpose of the challenge in a client's response; null for a challenge that Tollgate
   * did not create or that has expired.
   */
  read(response: object): (ChallengePurpose & { readonly challenge: string }) | null {
    try {
      const { clientDataJSON } = Reflect.get(response, 'response') as { clientDataJSON: string };
      const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
        challenge: string;
      };
      const sealed = Buffer.from(data.challenge, 'base64url').toString('utf8');
      const text = unseal(this.secrets.sealingKeyring, sealed, BINDING).toString('utf8');
      const { expiresAt, ...purpose } = JSON.parse(text) as Content;
      return expiresAt > Date.now() ? { ...purpose, challenge: data.challenge } : null;
    } catch {
      return null;
    }
  }

  /** Uses up a challenge. Throws `unauthenticated` when another call has already used it. */
  async take(manager: EntityManager, challenge: string): Promise<void> {
    const rows = await manager.query<unknown[]>(
      `INSERT INTO taken_challenges (challenge_hash, expires_at) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING challenge_hash`,
      [hashApiKey(this.secrets.refreshTokenPepper, challenge), new Date(Date.now() + LIFE_MS)],
    );
    if (rows.length === 1) return;
    throw new GatewayError('unauthenticated', { message: 'The passkey challenge was used already.' });
  }
}
