import { LoginChallengeEntity } from '@gw/entities';
import { GatewayError, hashApiKey, randomAlphanumeric } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { LessThan, MoreThan, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import type { OrganisationMembership } from '../accounts/organisation-membership';

const LIFE_MS = 5 * 60_000;
/**
 * Maximum number of attempts, by code or passkey, with one challenge; after that, the user must log
 * in again.
 */
const ATTEMPTS_MAX = 5;
/** Maximum number of open challenges of one user; a further login ends the oldest. */
const OPEN_MAX = 20;

export interface LoginChallenge {
  readonly challenge: string;
  readonly expiresAt: Date;
}

/**
 * Logins that still need a second factor, after a password, a launcher's link or a change of
 * organisation.
 */
@Injectable()
export class LoginChallenges {
  constructor(private readonly secrets: Secrets) {}

  /** Stores a challenge for the membership, and deletes the user's expired and surplus ones. */
  async make(
    manager: EntityManager,
    { userId, organisationId }: OrganisationMembership,
  ): Promise<LoginChallenge> {
    const challenge = randomAlphanumeric(43);
    const expiresAt = new Date(Date.now() + LIFE_MS);
    await manager.delete(LoginChallengeEntity, { userId, expiresAt: LessThan(new Date()) });
    await manager.query(
      `DELETE FROM login_challenges WHERE token_hash IN
         (SELECT token_hash FROM login_challenges WHERE user_id = $1 ORDER BY created_at DESC OFFSET $2)`,
      [userId, OPEN_MAX - 1],
    );
    const tokenHash = this.hash(challenge);
    await manager.insert(LoginChallengeEntity, { tokenHash, userId, organisationId, expiresAt });
    return { challenge, expiresAt };
  }

  /**
   * Counts an attempt and returns the membership that logs in. Throws `unauthenticated` for a
   * challenge that is unknown, used, expired or has had `ATTEMPTS_MAX` attempts.
   */
  async attempt(manager: EntityManager, challenge: string): Promise<OrganisationMembership> {
    const [rows] = await manager.query<[OrganisationMembership[], number]>(
      `UPDATE login_challenges SET attempts = attempts + 1
       WHERE token_hash = $1 AND expires_at > now() AND attempts < $2
       RETURNING user_id AS "userId", organisation_id AS "organisationId"`,
      [this.hash(challenge), ATTEMPTS_MAX],
    );
    const [membership] = rows;
    if (membership === undefined) throw endedChallenge();
    return membership;
  }

  /**
   * Returns the membership of a challenge without counting an attempt. Throws `unauthenticated` as
   * `attempt` does.
   */
  async membershipOf(manager: EntityManager, challenge: string): Promise<OrganisationMembership> {
    const row = await manager.findOneBy(LoginChallengeEntity, {
      tokenHash: this.hash(challenge),
      expiresAt: MoreThan(new Date()),
      attempts: LessThan(ATTEMPTS_MAX),
    });
    if (row === null) throw endedChallenge();
    return { userId: row.userId, organisationId: row.organisationId };
  }

  /** Ends the challenge. Returns false when another call has already ended it. */
  async end(manager: EntityManager, challenge: string): Promise<boolean> {
    const { affected } = await manager.delete(LoginChallengeEntity, { tokenHash: this.hash(challenge) });
    return affected === 1;
  }

  private hash(challenge: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, `login-challenge ${challenge}`);
  }
}

export const endedChallenge = (): GatewayError =>
  new GatewayError('unauthenticated', {
    message: 'The challenge is not valid any more; log in again.',
  });
