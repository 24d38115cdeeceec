import { SessionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { TokenResponse } from '../auth/auth.dto';
import { SessionsService } from '../auth/sessions.service';
import type { Principal } from '../common/principal';
import type { MfaChallengeResponse } from '../mfa/mfa.dto';
import { PasswordSessions } from './password-sessions.service';

/** Changes the organisation of a session by replacing the session with a new one. */
@Injectable()
export class OrganisationChanges {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: PasswordSessions,
    private readonly opened: SessionsService,
  ) {}

  /**
   * Opens a session in another organisation of the user with the proofs of the caller's session,
   * and ends that session. The new session ends no later than the old one. Returns a challenge, and
   * ends nothing, when the user has a second factor in the other organisation and has not proved
   * it.
   *
   * An identity provider of one organisation, or a password that one organisation has set, proves
   * nothing to another one: its administrators could otherwise log in to the other organisation as
   * any of its users. Throws `forbidden` in this case, `not_found` when the user is not a member,
   * and `sso_login_refused`.
   */
  async change(caller: Principal, organisationId: string): Promise<TokenResponse | MfaChallengeResponse> {
    const { sessionId, userId, request } = caller;
    if (organisationId === caller.organisationId)
      throw invalid('organisation_id', 'organisation_id is the organisation of this session already');
    const live = { id: sessionId ?? '', revokedAt: IsNull() };
    const session = await this.dataSource.manager.findOneBy(SessionEntity, live);
    if (session === null) throw new GatewayError('unauthenticated');
    const [seat] = await this.sessions.seatsOf({ id: userId ?? '' }, organisationId);
    if (!seat) throw new GatewayError('not_found');
    if (!session.countsEverywhere || seat.isOwnPassword) throw needsLogin();
    const { byClaim, expiresAt: endsBy, mfa } = session;
    const how = { byClaim, endsBy, countsEverywhere: true, ...(mfa !== null && { mfa }) };
    return this.sessions.orRefused(seat, request, async (manager) => {
      const response = await this.sessions.openOrChallenge(manager, seat, request, how);
      // Throws when the session has ended in the meantime, so that no session is replaced twice.
      if (response.object === 'session') await this.opened.end(manager, session.id);
      return response;
    });
  }
}

const needsLogin = (): GatewayError =>
  new GatewayError('forbidden', {
    param: 'organisation_id',
    message:
      'The login of this session counts in its own organisation alone. Log in to the other organisation: POST /v1/auth/login with its organisation_id.',
  });
