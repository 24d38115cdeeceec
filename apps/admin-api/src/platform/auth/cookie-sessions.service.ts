import { HEADER } from '@gw/contracts';
import { SessionEntity } from '@gw/entities';
import { GatewayError, hashApiKey, isLoopbackUrl } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, IsNull, MoreThan } from 'typeorm';
import { Secrets, SETTINGS } from '../../settings';
import { cookiesOf } from '../common/cookies';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import { refreshTokenOf, sessionOfToken } from './refresh-token';
import { SessionsService } from './sessions.service';
import { SessionStrategy, type AuthenticatedSession } from './session.strategy';

const RENEW_MS = 3_600_000;
/** How long requests in flight may still use the previous secret, in milliseconds. */
const GRACE_MS = 60_000;

/** Whether a console in a browser sent the request. */
export const isOfConsole = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  headers[HEADER.console] === '1';

/**
 * Sessions of consoles in browsers. The cookie contains the refresh token, which scripts cannot
 * read, and is renewed every hour. It is accepted only together with a header that other sites
 * cannot set.
 */
@Injectable()
export class CookieSessions {
  private readonly name: string;
  private readonly attributes: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly strategy: SessionStrategy,
    private readonly sessions: SessionsService,
    @Inject(SETTINGS) settings: PublicUrlSettings,
  ) {
    const isPlain = isLoopbackUrl(publicUrl(settings, '/'));
    this.name = isPlain ? 'tollgate' : '__Host-tollgate';
    this.attributes = `Path=/; HttpOnly; SameSite=Strict${isPlain ? '' : '; Secure'}`;
  }

  /** Returns the session secret of a request from a console; null for any other request. */
  secretOf(request: Pick<FastifyRequest, 'headers'>): string | null {
    const site = request.headers['sec-fetch-site'];
    if (!isOfConsole(request) || (site !== undefined && site !== 'same-origin')) return null;
    return cookiesOf(request).get(this.name) || null;
  }

  /**
   * Returns the session of a secret and renews the cookie when it is an hour old. Throws
   * `unauthenticated` for an unknown secret. A secret that was replaced earlier has been copied, so
   * its session ends.
   */
  async find(secret: string, reply: Pick<FastifyReply, 'header'>): Promise<AuthenticatedSession> {
    const presentedHash = this.hash(secret);
    const madeFor = sessionOfToken(this.secrets.refreshTokenPepper, secret);
    const live = { byCookie: true, revokedAt: IsNull(), expiresAt: MoreThan(new Date()) };
    const { manager } = this.dataSource;
    const row = await manager.findOneBy(SessionEntity, [
      { refreshTokenHash: presentedHash, ...live },
      { previousTokenHash: presentedHash, ...live },
      ...(madeFor === null ? [] : [{ id: madeFor, ...live }]),
    ]);
    if (row === null) throw sessionEnded();
    const age = Date.now() - row.tokenMadeAt.getTime();
    const isUsable = row.previousTokenHash === presentedHash && age <= GRACE_MS;
    if (row.refreshTokenHash !== presentedHash && !isUsable) {
      await this.dataSource.transaction((writer) => this.sessions.end(writer, row.id));
      throw sessionEnded();
    }
    const session = await this.strategy.validate({ sid: row.id, sub: row.userId });
    if (session === null) throw sessionEnded();
    if (row.refreshTokenHash === presentedHash && age > RENEW_MS)
      await this.renew(row.id, presentedHash, reply);
    return session;
  }

  /** Renews the cookie of a session now, unless it has just been renewed. */
  async refresh(
    request: Pick<FastifyRequest, 'headers'>,
    reply: Pick<FastifyReply, 'header'>,
  ): Promise<void> {
    const refreshTokenHash = this.hash(this.secretOf(request) ?? '');
    const row = await this.dataSource.manager.findOneBy(SessionEntity, { refreshTokenHash, byCookie: true });
    if (row !== null && Date.now() - row.tokenMadeAt.getTime() > GRACE_MS)
      await this.renew(row.id, refreshTokenHash, reply);
  }

  /** Turns a new session into a console session whose secret is in a cookie, and returns it. */
  async adopt(refreshToken: string, reply: Pick<FastifyReply, 'header'>): Promise<AuthenticatedSession> {
    const where = { refreshTokenHash: this.hash(refreshToken) };
    await this.dataSource.manager.update(SessionEntity, where, { byCookie: true });
    void reply.header('set-cookie', this.cookie(refreshToken));
    return this.find(refreshToken, reply);
  }

  /** Removes the cookie from the browser. */
  clear(reply: Pick<FastifyReply, 'header'>): void {
    void reply.header('set-cookie', `${this.cookie('')}; Max-Age=0`);
  }

  /**
   * Renews the secret once when requests arrive at the same time; the other requests continue with
   * the earlier secret.
   */
  private async renew(id: string, presentedHash: string, reply: Pick<FastifyReply, 'header'>): Promise<void> {
    const secret = refreshTokenOf(this.secrets.refreshTokenPepper, id);
    const { affected } = await this.dataSource.manager.update(
      SessionEntity,
      { id, refreshTokenHash: presentedHash },
      { refreshTokenHash: this.hash(secret), previousTokenHash: presentedHash, tokenMadeAt: new Date() },
    );
    if (affected === 1) void reply.header('set-cookie', this.cookie(secret));
  }

  private cookie(value: string): string {
    return `${this.name}=${value}; ${this.attributes}`;
  }

  private hash(secret: string): string {
    return hashApiKey(this.secrets.refreshTokenPepper, secret);
  }
}

/** Error for a session that has ended. */
export const sessionEnded = (): GatewayError =>
  new GatewayError('unauthenticated', { message: 'The session has ended. Log in again.' });
