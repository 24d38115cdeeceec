import type { DocumentKey } from '@gw/contracts';
import { OrganisationEntity, SessionEntity } from '@gw/entities';
import { GatewayError, hashApiKey, uuidv7 } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, LessThan, MoreThan, Not, type EntityManager } from 'typeorm';
import { ChangeRecorder } from '../unit-of-work/change-recorder';
import { AuditRecorder } from '../unit-of-work/audit-recorder';
import { FOR_UPDATE } from '../unit-of-work/writes';
import { Secrets } from '../../settings';
import type { TokenResponse } from './auth.dto';
import type { Principal } from '../common/principal';
import { endSessionsWhere } from './session-ends';
import { refreshTokenOf, sessionOfToken } from './refresh-token';
import { sessionSecondsOf } from './session-life';
import { signSessionToken } from './session-token';

const ACCESS_SECONDS = 3_600;
/**
 * Maximum number of live sessions of one user in one organisation. A further login ends the oldest
 * session.
 */
const SESSIONS_MAX = 100;

interface OpenedBy
  extends
    Pick<SessionEntity, 'userId' | 'organisationId' | 'byPassword'>,
    Partial<Pick<SessionEntity, 'mfa' | 'byClaim' | 'countsEverywhere'>> {
  /** Latest end of the session; null for the lifetime that the organisation has set. */
  readonly endsBy?: Date | null;
}

type OpenSession = Pick<SessionEntity, 'id' | 'userId' | 'expiresAt'>;

@Injectable()
export class SessionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly audits: AuditRecorder,
    private readonly changes: ChangeRecorder,
  ) {}

  /**
   * Returns new tokens for the session and invalidates the old refresh token. A refresh token that
   * is not the session's current one has been copied, so the session ends. Throws
   * `unauthenticated`.
   */
  async refresh(refreshToken: string): Promise<TokenResponse> {
    const shown = this.hash(refreshToken);
    const tokenSessionId = sessionOfToken(this.secrets.refreshTokenPepper, refreshToken);
    const response = await this.dataSource.transaction(async (manager) => {
      const live = { byCookie: false, revokedAt: IsNull(), expiresAt: MoreThan(new Date()) };
      const row = await manager.findOne(SessionEntity, {
        where: [
          { refreshTokenHash: shown, ...live },
          { previousTokenHash: shown, ...live },
          ...(tokenSessionId === null ? [] : [{ id: tokenSessionId, ...live }]),
        ],
        lock: FOR_UPDATE,
      });
      if (!row) return null;
      if (row.refreshTokenHash !== shown) {
        const { documents } = await endSessionsWhere(manager, { id: row.id });
        await this.recordEnded(manager, documents);
        return null;
      }
      const token = this.newToken(row.id);
      await manager.update(
        SessionEntity,
        { id: row.id },
        { refreshTokenHash: this.hash(token), previousTokenHash: shown },
      );
      return this.respond(row, token);
    });
    if (!response) throw new GatewayError('unauthenticated', { message: 'The refresh token is not valid.' });
    return response;
  }

  async logout(caller: Principal): Promise<object> {
    await this.dataSource.transaction(async (manager) => {
      const ownSession = { id: caller.sessionId ?? '', organisationId: caller.organisationId };
      const { documents } = await endSessionsWhere(manager, ownSession);
      await this.audits.record(manager, caller, [
        { action: 'logout', resourceType: 'auth', resourceId: caller.sessionId },
      ]);
      await this.recordEnded(manager, documents);
    });
    return {};
  }

  /**
   * Ends one live session. Throws `unauthenticated` for a session that has already ended. Call it
   * as the last step of a transaction.
   */
  async end(manager: EntityManager, id: string): Promise<void> {
    const { ids, documents } = await endSessionsWhere(manager, { id });
    if (ids.length === 0) throw new GatewayError('unauthenticated');
    await this.recordEnded(manager, documents);
  }

  /**
   * Records the removed documents, so that gateways refuse them. Takes the lock of the outbox only
   * when there are any.
   */
  private async recordEnded(manager: EntityManager, documents: readonly DocumentKey[]): Promise<void> {
    if (documents.length > 0) await this.changes.record(manager, { removed: documents });
  }

  /**
   * Opens a session for a user who has proved their identity; `mfa` is the second factor that they
   * used.
   */
  async openFor(
    manager: EntityManager,
    { userId, organisationId, endsBy = null, ...opened }: OpenedBy,
  ): Promise<{ id: string; response: TokenResponse }> {
    await this.deleteSurplusSessions(manager, userId, organisationId);
    const id = uuidv7();
    const token = this.newToken(id);
    const organisation = await manager.findOneByOrFail(OrganisationEntity, { id: organisationId });
    const configuredEnd = Date.now() + sessionSecondsOf(organisation) * 1_000;
    const expiresAt = new Date(Math.min(configuredEnd, endsBy?.getTime() ?? configuredEnd));
    const session = { id, userId, expiresAt };
    await manager.insert(SessionEntity, {
      ...session,
      ...opened,
      organisationId,
      refreshTokenHash: this.hash(token),
    });
    return { id, response: this.respond(session, token) };
  }

  private respond(session: OpenSession, refreshToken: string): TokenResponse {
    const now = Math.floor(Date.now() / 1000);
    const until = Math.min(now + ACCESS_SECONDS, Math.floor(session.expiresAt.getTime() / 1000));
    const claims = { sub: session.userId, sid: session.id };
    return {
      auth_token: signSessionToken(this.secrets.sessionKey, claims, now, until),
      refresh_token: refreshToken,
      expires_at: new Date(until * 1000).toISOString(),
      object: 'session',
    };
  }

  private newToken(sessionId: string): string {
    return refreshTokenOf(this.secrets.refreshTokenPepper, sessionId);
  }

  private hash(token: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, token);
  }

  /**
   * Deletes sessions that have ended, then the oldest above the maximum. Their playground keys are
   * deleted without a change event, so gateways accept them until they expire, for at most 15
   * minutes.
   */
  private async deleteSurplusSessions(
    manager: EntityManager,
    userId: string,
    organisationId: string,
  ): Promise<void> {
    await manager.delete(SessionEntity, [
      { userId, expiresAt: LessThan(new Date()) },
      { userId, organisationId, revokedAt: Not(IsNull()) },
    ]);
    const extra = await manager.find(SessionEntity, {
      where: { userId, organisationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      skip: SESSIONS_MAX - 1,
      take: SESSIONS_MAX,
      select: { id: true },
    });
    if (extra.length > 0)
      await manager.delete(
        SessionEntity,
        extra.map(({ id }) => id),
      );
  }
}
