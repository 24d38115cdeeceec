import { SecondFactorEntity, type SessionFactor } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { IsNull, Not, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import { LoginThrottle } from '../auth/login-throttle';
import type { OrganisationMembership } from '../accounts/organisation-membership';
import { countCodeAttempt, forgetCodeAttempts } from './code-throttle';
import { takeRecoveryCode, type FactorScope } from './recovery-codes';
import { isTotpCode, totpStepOf } from './totp';

/** A factor that has just been proved, and the organisation in which it is valid. */
export interface TakenFactor extends FactorScope {
  readonly kind: SessionFactor;
}

/**
 * Returns conditions for the factors that are valid in an organisation: its own, and those that are
 * valid everywhere.
 */
const countingIn = ({ userId, organisationId }: OrganisationMembership) =>
  [IsNull(), organisationId].map((scope) => ({ userId, organisationId: scope, confirmedAt: Not(IsNull()) }));

/**
 * Checks second factors. Each code is accepted once, even when several processes receive it at the
 * same time.
 */
@Injectable()
export class Factors {
  private readonly throttle = new LoginThrottle();

  constructor(private readonly secrets: Secrets) {}

  /**
   * Returns the kinds of factors with which a login in this organisation can continue; empty when
   * there are none.
   */
  async kindsOf(manager: EntityManager, seat: OrganisationMembership): Promise<SessionFactor[]> {
    const rows = await manager.find(SecondFactorEntity, { where: countingIn(seat), select: { kind: true } });
    const kinds = new Set<SessionFactor>(rows.map(({ kind }) => kind));
    return kinds.size > 0 ? [...kinds, 'recovery_code'] : [];
  }

  /** Returns the credential ids of the passkeys that are valid in this organisation. */
  async credentialsOf(manager: EntityManager, seat: OrganisationMembership): Promise<string[]> {
    const rows = await manager.find(SecondFactorEntity, { where: countingIn(seat) });
    return rows.flatMap(({ credentialId }) => credentialId ?? []);
  }

  /**
   * Counts an attempt before it is checked. Throws `rate_limited` when the user or the network has
   * too many failed attempts.
   */
  async admit(manager: EntityManager, userId: string, code: string, address: string): Promise<void> {
    this.throttle.attempt(address, userId);
    if (isTotpCode(code)) await countCodeAttempt(manager, userId);
  }

  /** Resets the failed attempts of a user and network after a correct code. */
  async succeeded(manager: EntityManager, userId: string, address: string): Promise<void> {
    this.throttle.succeeded(address, userId);
    await forgetCodeAttempts(manager, userId);
  }

  /**
   * Uses up a code of an authenticator app or a recovery code. Returns its factor; null for a wrong
   * or used code.
   */
  async take(
    manager: EntityManager,
    seat: OrganisationMembership,
    code: string,
  ): Promise<TakenFactor | null> {
    return isTotpCode(code) ? this.takeTotp(manager, seat, code) : takeRecovery(manager, seat, code);
  }

  /**
   * Uses up a code of one authenticator app, confirmed or not. Returns false for a wrong code and
   * for one whose time step was already accepted.
   */
  async takeStep(manager: EntityManager, factor: SecondFactorEntity, code: string): Promise<boolean> {
    const step = totpStepOf(this.secrets.sealingKeyring, factor, code);
    if (step === null) return false;
    const { affected } = await manager
      .createQueryBuilder()
      .update(SecondFactorEntity)
      .set({ lastStep: step, lastUsedAt: new Date() })
      .where('id = :id AND (last_step IS NULL OR last_step < :step)', { id: factor.id, step })
      .execute();
    return affected === 1;
  }

  private async takeTotp(
    manager: EntityManager,
    seat: OrganisationMembership,
    code: string,
  ): Promise<TakenFactor | null> {
    const factors = await manager.find(SecondFactorEntity, { where: countingIn(seat) });
    for (const factor of factors) {
      const { userId, organisationId } = factor;
      if (await this.takeStep(manager, factor, code)) return { kind: 'totp', userId, organisationId };
    }
    return null;
  }
}

async function takeRecovery(
  manager: EntityManager,
  { userId, organisationId }: OrganisationMembership,
  code: string,
): Promise<TakenFactor | null> {
  for (const scope of [null, organisationId]) {
    const at = { userId, organisationId: scope };
    if (await takeRecoveryCode(manager, at, code)) return { kind: 'recovery_code', ...at };
  }
  return null;
}
