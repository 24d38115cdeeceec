import { OrganisationEntity, OrganisationUserEntity, UserEntity, type SessionFactor } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { LoginDto, TokenResponse } from '../auth/auth.dto';
import { FailureThrottle } from '../auth/failure-throttle';
import { PasswordChecks } from '../auth/password-checks';
import type { OrganisationMembership } from '../accounts/organisation-membership';
import { PasswordLogins } from './password-logins';
import { SessionsService } from '../auth/sessions.service';
import type { RequestFacts } from '../common/principal';
import { Factors } from '../mfa/factors';
import { endedChallenge, LoginChallenges } from '../mfa/login-challenges';
import type { MfaChallengeResponse, MfaLoginDto } from '../mfa/mfa.dto';
import { AuditRecorder } from '../unit-of-work/audit-recorder';

/** A membership that a login may use. */
export interface LoginMembership {
  readonly user: UserEntity;
  readonly organisationId: string;
  readonly role: OrganisationUserEntity['role'];
  readonly passwordHash: string | null;
  /** True when the password is valid in this organisation only. */
  readonly isOwnPassword: boolean;
}

/** Fields of the audit record of a login. */
interface LoginFacts {
  readonly sessionId: string | null;
  readonly isBreakGlass?: boolean;
  readonly mfa?: SessionFactor;
  readonly isByClaim?: boolean;
  /** Why no session was opened; by default, a wrong password or code. */
  readonly refusal?: Pick<GatewayError, 'status' | 'type'>;
}

/** How a session was opened, in addition to a password. */
export interface OpenedHow {
  readonly mfa?: SessionFactor;
  readonly byClaim?: boolean;
  /**
   * Whether the proofs are valid in every organisation of the user; by default, where the password
   * is valid.
   */
  readonly countsEverywhere?: boolean;
  /** Latest end of the session. */
  readonly endsBy?: Date | null;
}

const WRONG = { status: 401, type: 'unauthenticated' } as const;
/**
 * Maximum number of refusals of one user per minute that are recorded; further ones are refused
 * without a record.
 */
const RECORDED_MAX = 60;

/** Logins by password, and by a second factor where the user has one. */
@Injectable()
export class PasswordSessions {
  private readonly refusals = new FailureThrottle(RECORDED_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: SessionsService,
    private readonly audits: AuditRecorder,
    private readonly passwords: PasswordChecks,
    private readonly passwordLogins: PasswordLogins,
    private readonly factors: Factors,
    private readonly challenges: LoginChallenges,
  ) {}

  /**
   * Returns a session, or a challenge for a user with a second factor. Throws `unauthenticated`
   * with the same message for an unknown user and for a wrong password, and `rate_limited` after
   * many attempts.
   */
  async login(
    input: LoginDto & { readonly email: string; readonly password: string },
    request: RequestFacts,
  ): Promise<TokenResponse | MfaChallengeResponse> {
    const email = input.email.toLowerCase();
    const address = request.clientIp ?? '';
    const seats = await this.seatsOf({ email }, input.organisation_id);
    const hashes = seats.flatMap(({ passwordHash }) => passwordHash ?? []);
    const right = await this.passwords.matching(address, email, hashes, input.password);
    const seat = right === null ? undefined : seats.find(({ passwordHash }) => passwordHash === right);
    if (!seat) {
      const [first] = seats;
      if (first) await this.record(this.dataSource.manager, first, request, { sessionId: null });
      throw new GatewayError('unauthenticated', { message: 'The email or the password is wrong.' });
    }
    return this.orRefused(seat, request, (manager) => this.openOrChallenge(manager, seat, request));
  }

  /**
   * Opens the session of a launcher's link in the same way as `login` does after a correct
   * password. `spend` ends the link and returns whether it was still valid. Returns null for an
   * invalid link and for a user who is no longer an owner.
   */
  async loginByClaim(
    organisationId: string,
    userId: string,
    request: RequestFacts,
    spend: (manager: EntityManager) => Promise<boolean>,
  ): Promise<TokenResponse | MfaChallengeResponse | null> {
    const [seat] = await this.seatsOf({ id: userId }, organisationId);
    if (seat?.role !== 'owner') return null;
    return this.orRefused(seat, request, async (manager) =>
      (await spend(manager)) ? this.openOrChallenge(manager, seat, request, { byClaim: true }) : null,
    );
  }

  /**
   * Opens a session, or returns a challenge for a user with a second factor that has not been
   * proved.
   */
  async openOrChallenge(
    manager: EntityManager,
    seat: LoginMembership,
    request: RequestFacts,
    how: OpenedHow = {},
  ): Promise<TokenResponse | MfaChallengeResponse> {
    await this.passwordLogins.isBreakGlass(manager, loginOf(seat));
    const at = membershipOf(seat);
    const factors = await this.factors.kindsOf(manager, at);
    if (factors.length === 0 || how.mfa !== undefined) return this.open(manager, seat, request, how);
    const { challenge, expiresAt } = await this.challenges.make(manager, at);
    return { challenge, factors, expires_at: expiresAt.toISOString(), object: 'mfa-challenge' };
  }

  /**
   * Opens the session of a challenge with a second factor. Throws `unauthenticated` for a challenge
   * that has ended and for a wrong or used code, and `rate_limited` after many attempts.
   */
  async loginByFactor({ challenge, code }: MfaLoginDto, request: RequestFacts): Promise<TokenResponse> {
    const { manager: reader } = this.dataSource;
    const address = request.clientIp ?? '';
    const { userId, organisationId } = await this.challenges.attempt(reader, challenge);
    const [seat] = await this.seatsOf({ id: userId }, organisationId);
    if (!seat) throw endedChallenge();
    await this.factors.admit(reader, userId, code, address);
    const response = await this.orRefused(seat, request, async (manager) => {
      const taken = await this.factors.take(manager, { userId, organisationId }, code);
      if (taken === null) return null;
      if (!(await this.challenges.end(manager, challenge))) throw endedChallenge();
      const countsEverywhere = taken.organisationId === null && !seat.isOwnPassword;
      return this.open(manager, seat, request, { mfa: taken.kind, countsEverywhere });
    });
    if (response === null) {
      await this.record(reader, seat, request, { sessionId: null });
      throw new GatewayError('unauthenticated', { message: 'The code is wrong or was used already.' });
    }
    await this.factors.succeeded(reader, userId, address);
    return response;
  }

  /**
   * Opens a session for a user who has proved their identity, unless the organisation enforces
   * single sign-on for them.
   */
  async open(
    manager: EntityManager,
    seat: LoginMembership,
    request: RequestFacts,
    { mfa, byClaim = false, countsEverywhere = !seat.isOwnPassword, endsBy = null }: OpenedHow = {},
  ): Promise<TokenResponse> {
    const by = loginOf(seat);
    const isBreakGlass = await this.passwordLogins.isBreakGlass(manager, by);
    const { id, response } = await this.sessions.openFor(manager, {
      ...membershipOf(seat),
      mfa: mfa ?? null,
      byPassword: true,
      ...{ byClaim, countsEverywhere, endsBy },
    });
    if (isBreakGlass) await this.passwordLogins.notifyOwners(manager, by, { id });
    await this.record(manager, seat, request, {
      sessionId: id,
      isBreakGlass,
      isByClaim: byClaim,
      ...(mfa && { mfa }),
    });
    return response;
  }

  /**
   * Returns the organisation memberships that a login may use, oldest first, each with the password
   * hash that is valid there.
   */
  async seatsOf(
    who: Partial<Pick<UserEntity, 'id' | 'email'>>,
    organisationId: string | undefined,
  ): Promise<LoginMembership[]> {
    const { manager } = this.dataSource;
    const user = await manager.findOneBy(UserEntity, { ...who, status: 'active' });
    if (!user) return [];
    const seats = await manager
      .createQueryBuilder(OrganisationUserEntity, 'seat')
      .innerJoin(
        OrganisationEntity,
        'organisation',
        `organisation.id = seat.organisationId AND organisation.status = 'active'`,
      )
      .where(`seat.userId = :userId AND seat.status = 'active'`, { userId: user.id })
      .orderBy('seat.createdAt', 'ASC')
      .addOrderBy('seat.organisationId', 'ASC')
      .take(1_000)
      .getMany();
    return seats
      .filter((seat) => (organisationId ?? seat.organisationId) === seat.organisationId)
      .map((seat) => ({
        user,
        organisationId: seat.organisationId,
        role: seat.role,
        passwordHash: seat.passwordHash ?? user.passwordHash,
        isOwnPassword: seat.passwordHash !== null,
      }));
  }

  /**
   * Runs a step after a correct password. Records a login that must use single sign-on as refused
   * in the audit log.
   */
  async orRefused<T>(
    seat: LoginMembership,
    request: RequestFacts,
    step: (manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    try {
      return await this.dataSource.transaction(step);
    } catch (error) {
      const isRefusal = error instanceof GatewayError && error.type === 'sso_login_refused';
      if (isRefusal && this.refusals.countIfOpen(seat.user.id))
        await this.record(this.dataSource.manager, seat, request, { sessionId: null, refusal: error });
      throw error;
    }
  }

  /** Records a login in the audit log; a login without a session is recorded as refused. */
  record(
    manager: EntityManager,
    { user, organisationId }: LoginMembership,
    request: RequestFacts,
    { sessionId, isBreakGlass = false, isByClaim = false, mfa, refusal = WRONG }: LoginFacts,
  ): Promise<void> {
    const place = { userId: user.id, apiKeyId: null, organisationId, workspaceId: null };
    const caller = { kind: 'session' as const, ...place, request };
    const facts = {
      ...(isBreakGlass && { break_glass: true }),
      ...(isByClaim && { claim: true }),
      ...(mfa && { mfa }),
    };
    const after = Object.keys(facts).length === 0 ? {} : { after: facts };
    const entry = { action: 'login', resourceType: 'auth', resourceId: sessionId, ...after };
    return this.audits.record(manager, caller, [
      sessionId === null ? { ...entry, status: refusal.status, errorType: refusal.type } : entry,
    ]);
  }
}

const membershipOf = ({ user, organisationId }: LoginMembership): OrganisationMembership => ({
  userId: user.id,
  organisationId,
});

const loginOf = ({ user, organisationId, role }: LoginMembership) => ({
  organisationId,
  role,
  email: user.email,
});
