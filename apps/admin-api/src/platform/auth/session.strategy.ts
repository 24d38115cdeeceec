import { createSecretKey } from 'node:crypto';
import type { OrganisationRole, WorkspaceRole } from '@gw/auth-scopes';
import { TOKEN_AUDIENCE, TOKEN_ISSUER } from '@gw/contracts';
import {
  OrganisationEntity,
  OrganisationUserEntity,
  PreparedStatement,
  SessionEntity,
  UserEntity,
} from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-jwt';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import { membershipsInJson } from './active-memberships';
import { presentedBy } from './credentials';
import type { SessionClaims } from './session-token';

export interface AuthenticatedSession {
  readonly id: string;
  readonly organisationId: string;
  readonly userId: string;
  readonly role: OrganisationRole;
  readonly expiresAt: Date;
  /**
   * True when the organisation requires a second factor and this login by password has none; the
   * session may then only add one.
   */
  readonly lacksFactor: boolean;
  readonly memberships: ReadonlyMap<string, WorkspaceRole>;
}

type SessionRow = Omit<AuthenticatedSession, 'memberships'> & {
  readonly memberships: Readonly<Record<string, WorkspaceRole>>;
};

/** Prepared statement; its parameters are the ids of a session and of its user. */
const SESSION = new PreparedStatement<SessionRow>('session', (source) => {
  const [statement] = source
    .createQueryBuilder(SessionEntity, 'session')
    .innerJoin(UserEntity, 'person', `person.id = session.userId AND person.status = 'active'`)
    .innerJoin(
      OrganisationUserEntity,
      'seat',
      `seat.userId = session.userId AND seat.organisationId = session.organisationId AND seat.status = 'active'`,
    )
    .innerJoin(
      OrganisationEntity,
      'organisation',
      `organisation.id = session.organisationId AND organisation.status = 'active'`,
    )
    .select('session.id', 'id')
    .addSelect('session.organisationId', 'organisationId')
    .addSelect('session.userId', 'userId')
    .addSelect('session.expiresAt', 'expiresAt')
    .addSelect('seat.role', 'role')
    .addSelect(
      `organisation.settings @> '{"require_mfa": true}' AND session.byPassword AND session.mfa IS NULL`,
      'lacksFactor',
    )
    .addSelect(membershipsInJson('session.userId', 'session.organisationId'), 'memberships')
    .where('session.id = :sid AND session.userId = :sub', { sid: '', sub: '' })
    .andWhere('session.revokedAt IS NULL AND session.expiresAt > now()')
    .getQueryAndParameters();
  return statement;
});

/**
 * Turns a valid access token into its session. Refuses a session that has ended, even if its token
 * has not expired.
 */
@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, 'session') {
  constructor(
    private readonly dataSource: DataSource,
    secrets: Secrets,
  ) {
    super({
      jwtFromRequest: (request: FastifyRequest) => {
        const presented = presentedBy(request);
        return presented.kind === 'session' ? presented.token : null;
      },
      // Uses a KeyObject, because for plain bytes the verification first tries to parse a public
      // key, which takes longer than the rest. The types of `passport-jwt` do not allow a
      // KeyObject.
      secretOrKey: createSecretKey(secrets.sessionKey) as unknown as Buffer,
      algorithms: ['HS256'],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      ignoreExpiration: false,
    });
  }

  async validate({ sid, sub }: SessionClaims): Promise<AuthenticatedSession | null> {
    const [row] = await SESSION.run(this.dataSource, [sid, sub]);
    return row ? { ...row, memberships: new Map(Object.entries(row.memberships)) } : null;
  }
}

@Injectable()
export class SessionGuard extends AuthGuard('session') {
  override handleRequest<T>(error: unknown, session: T | false | null): T {
    if (error instanceof Error) throw error;
    if (!session) throw new GatewayError('unauthenticated');
    return session;
  }
}
