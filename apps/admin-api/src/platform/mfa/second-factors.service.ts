import { SecondFactorEntity, SessionEntity, UserEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, MoreThan, Not, type EntityManager } from 'typeorm';
import { Secrets } from '../../settings';
import { found, isUuid } from '../auth/tenancy';
import { endSessionsWhere } from '../auth/session-ends';
import type { Principal } from '../common/principal';
import { Writes, type Write } from '../unit-of-work/writes';
import { Factors } from './factors';
import type {
  ConfirmTotpDto,
  CreateTotpDto,
  MfaResponse,
  ProofFields,
  RecoveryCodesResponse,
  TotpEnrolmentResponse,
} from './mfa.dto';
import { Proofs } from './proofs';
import {
  countRecoveryCodes,
  removeRecoveryCodes,
  renewRecoveryCodes,
  type FactorScope,
} from './recovery-codes';
import { newTotpSecret, sealTotpSecret, totpUri } from './totp';

/** Time in which a new authenticator app must be confirmed with its first code, in milliseconds. */
const ENROLMENT_MS = 10 * 60_000;
/**
 * Maximum number of authenticator apps of a user; each additional app makes guessing a code easier.
 */
const APPS_MAX = 3;

/** Manages the authenticator apps and recovery codes of the caller. */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly secrets: Secrets,
    private readonly factors: Factors,
    private readonly proofs: Proofs,
  ) {}

  async list(caller: Principal): Promise<MfaResponse> {
    const { manager } = this.dataSource;
    const userId = caller.userId ?? '';
    const rows = await manager.find(SecondFactorEntity, {
      where: scopesOf(caller).map((scope) => ({ ...at(scope), confirmedAt: Not(IsNull()) })),
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const counts = await Promise.all(scopesOf(caller).map((scope) => countRecoveryCodes(manager, scope)));
    const session = await manager.findOneByOrFail(SessionEntity, { id: caller.sessionId ?? '', userId });
    return {
      factors: rows.map((row) => ({
        id: row.id,
        type: row.kind,
        name: row.name,
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
      })),
      recovery_codes_left: counts.reduce((sum, count) => sum + count, 0),
      session_factor: session.mfa,
      object: 'mfa',
    };
  }

  /**
   * Starts the enrolment of an authenticator app, which becomes valid with `confirm`. Replaces an
   * earlier enrolment that was not confirmed.
   */
  async enrol(caller: Principal, { name, ...proof }: CreateTotpDto): Promise<TotpEnrolmentResponse> {
    const scope = await this.proofs.prove(caller, proof);
    const [id, secret] = [uuidv7(), newTotpSecret()];
    return this.writes.run({ ...caller, workspaceId: null }, async ({ manager }) => {
      const { email } = await lockUser(manager, scope.userId);
      await manager.delete(SecondFactorEntity, { ...at(scope), confirmedAt: IsNull() });
      if ((await manager.countBy(SecondFactorEntity, { ...at(scope), kind: 'totp' })) >= APPS_MAX) {
        throw new GatewayError('conflict', {
          message: `You have ${String(APPS_MAX)} authenticator apps, which is the maximum; remove one first.`,
        });
      }
      const sealedSecret = sealTotpSecret(this.secrets.sealingKeyring, id, secret);
      await manager.insert(SecondFactorEntity, {
        ...scope,
        ...{ id, kind: 'totp', name: name ?? 'Authenticator app', sealedSecret },
      });
      return { id, secret, otpauth_uri: totpUri(email, secret), object: 'totp-enrolment' };
    });
  }

  /**
   * Confirms an authenticator app with its first code, ends the user's other sessions in the
   * organisations where the app is valid, and returns recovery codes to a user who has none. Throws
   * `not_found` for an enrolment that is unknown, older than ten minutes or already confirmed, and
   * `unauthenticated` for a wrong code.
   */
  async confirm(caller: Principal, { id, code }: ConfirmTotpDto): Promise<RecoveryCodesResponse> {
    const userId = caller.userId ?? '';
    const address = caller.request.clientIp ?? '';
    const since = new Date(Date.now() - ENROLMENT_MS);
    const pendingFactors = scopesOf(caller).map((scope) => ({
      ...{ ...at(scope), id, kind: 'totp' as const, confirmedAt: IsNull(), createdAt: MoreThan(since) },
    }));
    const factor = found(await this.dataSource.manager.findOneBy(SecondFactorEntity, pendingFactors));
    await this.factors.admit(this.dataSource.manager, userId, code, address);
    const codes = await this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const { manager } = write;
      await lockUser(manager, userId);
      if (!(await this.factors.takeStep(manager, factor, code))) return null;
      const unconfirmed = { id, confirmedAt: IsNull() };
      const { affected } = await manager.update(SecondFactorEntity, unconfirmed, { confirmedAt: new Date() });
      if (affected !== 1) return null;
      await endOtherSessions(write, factor, caller.sessionId ?? '');
      await manager.update(SessionEntity, { id: caller.sessionId ?? '' }, { mfa: 'totp' });
      write.audit({ action: 'create', resourceType: 'mfa', resourceId: id, after: viewOf(factor) });
      const scope = { userId, organisationId: factor.organisationId };
      return (await countRecoveryCodes(manager, scope)) > 0 ? [] : renewRecoveryCodes(manager, scope);
    });
    if (codes === null) {
      throw new GatewayError('unauthenticated', {
        message: 'The code is wrong; check the clock of the device and send the code that it shows now.',
      });
    }
    await this.factors.succeeded(this.dataSource.manager, userId, address);
    return { recovery_codes: codes, object: 'recovery-codes' };
  }

  async renewCodes(caller: Principal, proof: ProofFields): Promise<RecoveryCodesResponse> {
    const scope = await this.proofs.prove(caller, proof);
    return this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const { manager } = write;
      await lockUser(manager, scope.userId);
      if (!(await hasFactor(manager, scope))) {
        throw new GatewayError('conflict', { message: 'Set up a second factor first.' });
      }
      write.audit({ action: 'rotate', resourceType: 'mfa_recovery_codes', resourceId: scope.userId });
      return { recovery_codes: await renewRecoveryCodes(manager, scope), object: 'recovery-codes' };
    });
  }

  /**
   * Removes a factor, and with the last one also the recovery codes. Throws `not_found` for a
   * factor that is valid outside the scope of the proof.
   */
  async remove(caller: Principal, id: string, proof: ProofFields): Promise<object> {
    const proven = await this.proofs.prove(caller, proof);
    return this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const { manager } = write;
      await lockUser(manager, proven.userId);
      // A proof that is valid in one organisation reaches only the factors of that organisation.
      const reached = proven.organisationId === null ? scopesOf(caller) : [proven];
      const where = reached.map((scope) => ({ ...at(scope), id }));
      const row = found(isUuid(id) ? await manager.findOneBy(SecondFactorEntity, where) : null);
      await this.removeRow(write, row);
      return {};
    });
  }

  private async removeRow(write: Write<Principal>, row: SecondFactorEntity): Promise<void> {
    const { manager } = write;
    await manager.delete(SecondFactorEntity, { id: row.id });
    if (!(await hasFactor(manager, row))) await removeRecoveryCodes(manager, scopeOf(row));
    if (row.confirmedAt === null) return;
    const { userId } = row;
    if (!(await manager.existsBy(SecondFactorEntity, { userId, confirmedAt: Not(IsNull()) }))) {
      // If the organisation requires a factor, these sessions may then only add one.
      await manager.update(SessionEntity, { userId }, { mfa: null });
    }
    write.audit({ action: 'delete', resourceType: 'mfa', resourceId: row.id, before: viewOf(row) });
  }
}

const scopeOf = ({ userId, organisationId }: FactorScope): FactorScope => ({ userId, organisationId });

export const at = ({ userId, organisationId }: FactorScope) => ({
  userId,
  organisationId: organisationId ?? IsNull(),
});

export const scopesOf = ({ userId, organisationId }: Principal): FactorScope[] =>
  [null, organisationId].map((scope) => ({ userId: userId ?? '', organisationId: scope }));

export const viewOf = ({ kind, name }: Pick<SecondFactorEntity, 'kind' | 'name'>): object => ({
  type: kind,
  name,
});

const hasFactor = (manager: EntityManager, scope: FactorScope): Promise<boolean> =>
  manager.existsBy(SecondFactorEntity, { ...at(scope), confirmedAt: Not(IsNull()) });

/**
 * Locks the user's row. This serialises changes of the user's factors for the checks of the maximum
 * and of the last factor.
 */
export const lockUser = (manager: EntityManager, id: string): Promise<UserEntity> =>
  manager.findOneOrFail(UserEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });

/**
 * Ends the user's other sessions in the organisations where a new factor is valid, because they
 * were opened without it.
 */
export async function endOtherSessions(
  write: Pick<Write, 'manager' | 'removed'>,
  { userId, organisationId }: FactorScope,
  own: string,
): Promise<void> {
  const where = { userId, id: Not(own), mfa: IsNull() };
  const { documents } = await endSessionsWhere(write.manager, {
    ...where,
    ...(organisationId === null ? {} : { organisationId }),
  });
  write.removed(documents);
}
