import { ClaimEntity, InstallationEntity, OrganisationUserEntity, UserEntity } from '@gw/entities';
import type { ClaimResponse } from '@gw/contracts';
import { GatewayError, hashApiKey, networkOf, randomAlphanumeric } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import type { TokenResponse } from '../auth/auth.dto';
import { FailureThrottle } from '../auth/failure-throttle';
import { found } from '../auth/tenancy';
import type { RequestFacts } from '../common/principal';
import type { MfaChallengeResponse } from '../mfa/mfa.dto';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { PasswordSessions } from './password-sessions.service';

const TOKEN_LENGTH = 48;
const LIFE_MS = 15 * 60_000;
/** Maximum number of wrong tokens from one network per minute. */
const FAILURES_MAX = 20;

/**
 * One-time links with which the launcher logs in the owner of an installation on one machine. The
 * database stores only the HMAC of a token, so that the duration of a comparison reveals nothing
 * about the token.
 */
@Injectable()
export class Claims {
  private readonly failures = new FailureThrottle(FAILURES_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: PasswordSessions,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'CLAIM_ENABLED'>,
  ) {}

  /**
   * Creates a token for the owner who joined first and invalidates the previous token. Throws
   * `feature_disabled` and `not_found`.
   */
  async make(now = Date.now()): Promise<ClaimResponse> {
    this.assertClaimsEnabled();
    const { organisationId } = found(await this.dataSource.manager.findOneBy(InstallationEntity, { id: 1 }));
    const { userId } = found(await this.ownerOf(organisationId));
    const token = randomAlphanumeric(TOKEN_LENGTH);
    const expiresAt = new Date(now + LIFE_MS);
    const claim = { userId, organisationId, tokenHash: this.hash(token), expiresAt };
    await this.dataSource.manager.upsert(ClaimEntity, claim, ['userId']);
    return { token, expires_at: expiresAt.toISOString() };
  }

  /**
   * Opens the session of a token once, even when several processes receive it at the same time.
   * Returns a challenge for an owner with a second factor. Throws `unauthenticated`, and
   * `rate_limited` after many wrong tokens.
   */
  async use(
    token: string,
    request: RequestFacts,
    now = Date.now(),
  ): Promise<TokenResponse | MfaChallengeResponse> {
    this.assertClaimsEnabled();
    const network = networkOf(request.clientIp ?? '');
    this.failures.assertOpen(network);
    const live = { tokenHash: this.hash(token), expiresAt: MoreThan(new Date(now)) };
    const claim = await this.dataSource.manager.findOneBy(ClaimEntity, live);
    const response =
      claim &&
      (await this.sessions.loginByClaim(claim.organisationId, claim.userId, request, async (manager) => {
        const { affected } = await manager.delete(ClaimEntity, live);
        return affected === 1;
      }));
    if (response !== null) return response;
    this.failures.count(network);
    throw new GatewayError('unauthenticated', {
      param: 'token',
      message:
        'The link has been used, has been replaced or is older than 15 minutes. Log in with your password, or restart Tollgate for a new link.',
    });
  }

  private ownerOf(organisationId: string): Promise<OrganisationUserEntity | null> {
    return this.dataSource.manager
      .createQueryBuilder(OrganisationUserEntity, 'seat')
      .innerJoin(UserEntity, 'person', `person.id = seat.userId AND person.status = 'active'`)
      .where(`seat.organisationId = :organisationId AND seat.role = 'owner' AND seat.status = 'active'`, {
        organisationId,
      })
      .orderBy('seat.createdAt', 'ASC')
      .addOrderBy('seat.userId', 'ASC')
      .take(1)
      .getOne();
  }

  private assertClaimsEnabled(): void {
    if (this.settings.CLAIM_ENABLED) return;
    throw new GatewayError('feature_disabled', {
      message: 'Links of the launcher sign in only where one machine runs everything. Log in instead.',
    });
  }

  private hash(token: string): string {
    return hashApiKey(this.secrets.inviteTokenPepper, `claim ${token}`);
  }
}
