import { OrganisationUserEntity, SessionEntity, UserEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { PasswordChecks } from '../auth/password-checks';
import type { Principal } from '../common/principal';
import { AuditRecorder } from '../unit-of-work/audit-recorder';
import { Factors } from './factors';
import type { ProofFields } from './mfa.dto';
import type { FactorScope } from './recovery-codes';

/**
 * Checks that the caller is the user, which changes of factors require because the access token of
 * a session may have been stolen. A proof allows changes only where its password or factor is
 * valid, so that a password of one organisation changes nothing in another one.
 */
@Injectable()
export class Proofs {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: PasswordChecks,
    private readonly factors: Factors,
    private readonly audits: AuditRecorder,
  ) {}

  /**
   * Returns the scope in which the proof is valid. Throws `unauthenticated` for a wrong password or
   * code, `forbidden` for a password when a code is required, and `rate_limited`.
   */
  async prove(caller: Principal, { password, code }: ProofFields): Promise<FactorScope> {
    if ((password === undefined) === (code === undefined)) {
      throw invalid('password', 'password and code: send one of them, to prove that it is you');
    }
    const scope =
      password === undefined
        ? await this.byCode(caller, code ?? '')
        : await this.byPassword(caller, password);
    if (scope !== null) return scope;
    const refusal = { action: 'prove', resourceType: 'mfa', resourceId: caller.userId } as const;
    await this.audits.record(this.dataSource.manager, { ...caller, workspaceId: null }, [
      { ...refusal, status: 401, errorType: 'unauthenticated' },
    ]);
    throw new GatewayError('unauthenticated', {
      message: password === undefined ? 'The code is wrong or was used already.' : 'The password is wrong.',
    });
  }

  private async byCode(caller: Principal, code: string): Promise<FactorScope | null> {
    const { manager } = this.dataSource;
    const seat = { userId: caller.userId ?? '', organisationId: caller.organisationId };
    const address = caller.request.clientIp ?? '';
    await this.factors.admit(manager, seat.userId, code, address);
    const taken = await this.factors.take(manager, seat, code);
    if (taken === null) return null;
    await this.factors.succeeded(manager, seat.userId, address);
    return { userId: taken.userId, organisationId: taken.organisationId };
  }

  private async byPassword(caller: Principal, password: string): Promise<FactorScope | null> {
    const { manager } = this.dataSource;
    const { organisationId } = caller;
    const userId = caller.userId ?? '';
    const session = await manager.findOneByOrFail(SessionEntity, { id: caller.sessionId ?? '' });
    const kinds = await this.factors.kindsOf(manager, { userId, organisationId });
    if (session.mfa === null && kinds.length > 0) {
      throw new GatewayError('forbidden', {
        message: 'This session was opened without a second factor; send code instead of password.',
      });
    }
    const user = await manager.findOneByOrFail(UserEntity, { id: userId });
    const seat = await manager.findOneByOrFail(OrganisationUserEntity, { organisationId, userId });
    const current = seat.passwordHash ?? user.passwordHash;
    if (current === null) {
      throw new GatewayError('forbidden', {
        message: 'Second factors are for users with a password; your identity provider checks yours.',
      });
    }
    const address = caller.request.clientIp ?? '';
    const right = await this.passwords.matching(address, user.email, [current], password);
    return right === null
      ? null
      : { userId, organisationId: seat.passwordHash === null ? null : organisationId };
  }
}
