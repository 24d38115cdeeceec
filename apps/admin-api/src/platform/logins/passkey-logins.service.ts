import { SecondFactorEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource, type EntityManager } from 'typeorm';
import type { TokenResponse } from '../auth/auth.dto';
import type { RequestFacts } from '../common/principal';
import { Factors } from '../mfa/factors';
import { endedChallenge, LoginChallenges } from '../mfa/login-challenges';
import type { PasskeyLoginDto, PasskeyOptionsDto, PasskeyOptionsResponse } from '../mfa/mfa.dto';
import { PasskeyCeremonies, userHandle } from '../mfa/passkey-ceremonies';
import { PasskeyChallenges } from '../mfa/passkey-challenges';
import type { OrganisationMembership } from '../accounts/organisation-membership';
import { PasswordSessions, type LoginMembership } from './password-sessions.service';

/** Expected values in the signature of a passkey. */
interface Expected {
  readonly use: 'login' | 'factor';
  readonly subject: string;
}

/** Logins with a passkey, either as the second factor after a password or without a password. */
@Injectable()
export class PasskeyLogins {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: PasswordSessions,
    private readonly factors: Factors,
    private readonly loginChallenges: LoginChallenges,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly challenges: PasskeyChallenges,
  ) {}

  /**
   * Returns the options for a login. Without a login challenge they name no passkey, so they reveal
   * nothing about any user.
   */
  async begin({ challenge }: PasskeyOptionsDto): Promise<PasskeyOptionsResponse> {
    const created = this.challenges.make(expectedOf(challenge));
    const ids = challenge === undefined ? undefined : await this.credentialsOf(challenge);
    return { options: await this.ceremonies.authentication(created, ids), object: 'passkey-options' };
  }

  /**
   * Throws `unauthenticated` with one message for everything except a valid signature of a passkey
   * that is in force.
   */
  async login(input: PasskeyLoginDto, request: RequestFacts): Promise<TokenResponse> {
    const { manager: reader } = this.dataSource;
    const { challenge } = input;
    const after = challenge === undefined ? null : await this.loginChallenges.attempt(reader, challenge);
    const credentialId: unknown = Reflect.get(input.response, 'id');
    const passkey =
      typeof credentialId === 'string' && credentialId.length <= 1_366
        ? await reader.findOneBy(SecondFactorEntity, { credentialId })
        : null;
    if (passkey === null || (after !== null && after.userId !== passkey.userId)) throw unproved();
    const address = request.clientIp ?? '';
    await this.factors.admit(reader, passkey.userId, '', address);
    const seat = await this.seatFor(passkey, after, input.organisation_id);
    const response = await this.proved(input, passkey, seat, request);
    if (response === null) {
      await this.sessions.record(reader, seat, request, { sessionId: null });
      throw unproved();
    }
    await this.factors.succeeded(reader, passkey.userId, address);
    return response;
  }

  private async proved(
    { response, challenge }: PasskeyLoginDto,
    passkey: SecondFactorEntity,
    seat: LoginMembership,
    request: RequestFacts,
  ): Promise<TokenResponse | null> {
    const pending = this.challenges.read(response);
    const { use, subject } = expectedOf(challenge);
    if (pending === null || pending.use !== use || pending.subject !== subject) return null;
    const isOnlyFactor = use === 'login';
    if (!isOwnHandle(response, passkey, isOnlyFactor)) return null;
    const expectedChallenge = (text: string): boolean => text === pending.challenge;
    const checks = { expectedChallenge, isOnlyFactor };
    const count = await this.ceremonies.authenticated(response, passkey, checks);
    if (count === null) return null;
    return this.dataSource.transaction(async (manager) => {
      await this.challenges.take(manager, pending.challenge);
      if (!(await countUp(manager, passkey, count))) return null;
      if (challenge !== undefined && !(await this.loginChallenges.end(manager, challenge))) {
        throw endedChallenge();
      }
      const countsEverywhere = passkey.organisationId === null && (isOnlyFactor || !seat.isOwnPassword);
      return this.sessions.open(manager, seat, request, { mfa: 'passkey', countsEverywhere });
    });
  }

  /**
   * Returns the membership that the passkey logs in to. Throws `unauthenticated` when it is valid
   * in none.
   */
  private async seatFor(
    { userId, organisationId }: SecondFactorEntity,
    after: OrganisationMembership | null,
    wanted: string | undefined,
  ): Promise<LoginMembership> {
    const named = after?.organisationId ?? wanted;
    const isElsewhere = named !== undefined && organisationId !== null && named !== organisationId;
    const place = named ?? organisationId ?? undefined;
    const [seat] = isElsewhere ? [] : await this.sessions.seatsOf({ id: userId }, place);
    if (!seat) throw unproved();
    return seat;
  }

  private async credentialsOf(challenge: string): Promise<string[]> {
    const { manager } = this.dataSource;
    const membership = await this.loginChallenges.membershipOf(manager, challenge);
    return this.factors.credentialsOf(manager, membership);
  }
}

const expectedOf = (challenge: string | undefined): Expected =>
  challenge === undefined
    ? { use: 'login', subject: '' }
    : { use: 'factor', subject: createHash('sha256').update(challenge).digest('hex') };

/**
 * Whether the user handle of a response is that of the passkey's owner. A device sends the handle
 * when it offers a passkey without having been given its id.
 */
function isOwnHandle(response: object, passkey: SecondFactorEntity, isNeeded: boolean): boolean {
  const inner: unknown = Reflect.get(response, 'response');
  const handle: unknown =
    typeof inner === 'object' && inner !== null ? Reflect.get(inner, 'userHandle') : undefined;
  if (handle === undefined || handle === null) return !isNeeded;
  return handle === Buffer.from(userHandle(passkey)).toString('base64url');
}

/**
 * Stores the sign count. Returns false when it has not increased, which indicates a copy of the
 * passkey.
 */
async function countUp(manager: EntityManager, { id }: SecondFactorEntity, count: number): Promise<boolean> {
  const { affected } = await manager
    .createQueryBuilder()
    .update(SecondFactorEntity)
    .set({ signCount: String(count), lastUsedAt: new Date() })
    .where('id = :id AND (sign_count < :count OR (sign_count = 0 AND :count = 0))', { id, count })
    .execute();
  return affected === 1;
}

const unproved = (): GatewayError =>
  new GatewayError('unauthenticated', { message: 'The passkey was not accepted; begin again.' });
