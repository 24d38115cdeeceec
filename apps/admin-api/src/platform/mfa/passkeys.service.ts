import { SecondFactorEntity, SessionEntity, UserEntity } from '@gw/entities';
import { GatewayError, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { found, isUuid } from '../auth/tenancy';
import type { Principal } from '../common/principal';
import { Writes } from '../unit-of-work/writes';
import type {
  PasskeyOptionsResponse,
  ProofFields,
  RecoveryCodesResponse,
  RegisterPasskeyDto,
  RenameFactorDto,
} from './mfa.dto';
import { PasskeyCeremonies } from './passkey-ceremonies';
import { PasskeyChallenges } from './passkey-challenges';
import { Proofs } from './proofs';
import { countRecoveryCodes, renewRecoveryCodes } from './recovery-codes';
import { at, endOtherSessions, lockUser, scopesOf, viewOf } from './second-factors.service';

const PASSKEYS_MAX = 20;

/** Lists, registers and renames the passkeys of the caller. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly proofs: Proofs,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly challenges: PasskeyChallenges,
  ) {}

  /**
   * Starts a registration. The challenge contains the organisation in which the passkey will be
   * valid, which the proof determines.
   */
  async begin(caller: Principal, proof: ProofFields): Promise<PasskeyOptionsResponse> {
    const scope = await this.proofs.prove(caller, proof);
    const { email } = await this.dataSource.manager.findOneByOrFail(UserEntity, { id: scope.userId });
    const { userId: subject, organisationId } = scope;
    const challenge = this.challenges.make({ use: 'register', subject, organisationId });
    const options = await this.ceremonies.registration({ ...scope, email }, challenge);
    return { options, object: 'passkey-options' };
  }

  /**
   * Throws `unauthenticated` for a response that does not prove a new passkey, and `conflict` above
   * the maximum.
   */
  async register(caller: Principal, input: RegisterPasskeyDto): Promise<RecoveryCodesResponse> {
    const userId = caller.userId ?? '';
    const pending = this.challenges.read(input.response);
    if (pending?.use !== 'register' || pending.subject !== userId) throw unproved();
    const scope = { userId, organisationId: pending.organisationId ?? null };
    if (scope.organisationId !== null && scope.organisationId !== caller.organisationId) throw unproved();
    const isSame = (challenge: string): boolean => challenge === pending.challenge;
    const passkey = await this.ceremonies.registered(input.response, isSame);
    if (passkey === null) throw unproved();
    return this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const { manager } = write;
      await lockUser(manager, userId);
      await this.challenges.take(manager, pending.challenge);
      const isKnown = await manager.existsBy(SecondFactorEntity, { credentialId: passkey.credentialId });
      const count = await manager.countBy(SecondFactorEntity, { ...at(scope), kind: 'passkey' });
      if (isKnown || count >= PASSKEYS_MAX) {
        const message = isKnown
          ? 'This passkey is registered already.'
          : `You have ${String(PASSKEYS_MAX)} passkeys, which is the maximum; remove one first.`;
        throw new GatewayError('conflict', { message });
      }
      const row = { id: uuidv7(), kind: 'passkey' as const, name: input.name ?? 'Passkey' };
      await manager.insert(SecondFactorEntity, { ...scope, ...row, ...passkey, confirmedAt: new Date() });
      await endOtherSessions(write, scope, caller.sessionId ?? '');
      await manager.update(SessionEntity, { id: caller.sessionId ?? '' }, { mfa: 'passkey' });
      write.audit({ action: 'create', resourceType: 'mfa', resourceId: row.id, after: viewOf(row) });
      const codes =
        (await countRecoveryCodes(manager, scope)) > 0 ? [] : await renewRecoveryCodes(manager, scope);
      return { recovery_codes: codes, object: 'recovery-codes' };
    });
  }

  async rename(caller: Principal, id: string, { name }: RenameFactorDto): Promise<object> {
    return this.writes.run({ ...caller, workspaceId: null }, async (write) => {
      const { manager } = write;
      const where = scopesOf(caller).map((scope) => ({ ...at(scope), id }));
      const row = found(isUuid(id) ? await manager.findOneBy(SecondFactorEntity, where) : null);
      await manager.update(SecondFactorEntity, { id: row.id }, { name });
      const change = { before: viewOf(row), after: viewOf({ ...row, name }) };
      write.audit({ action: 'update', resourceType: 'mfa', resourceId: row.id, ...change });
      return {};
    });
  }
}

const unproved = (): GatewayError =>
  new GatewayError('unauthenticated', {
    message:
      'The response does not prove a new passkey; begin again with POST /v1/auth/mfa/passkeys/options.',
  });
