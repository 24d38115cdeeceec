import { SessionEntity, SsoConnectionEntity, SsoSessionEntity } from '@gw/entities';
import type { ProvidedLogout } from '@gw/federation';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull } from 'typeorm';
import { SETTINGS } from '../../settings';
import type { Principal, RequestFacts } from '../common/principal';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { OidcClients } from './oidc-clients.service';
import { ssoCaller, SsoAttempts } from './sso-attempts';
import { useMessage } from './used-messages';

/** Logouts by OpenID Connect: ends sessions when their users log out at the provider, and names the address to log out there. */
@Injectable()
export class SsoLogouts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clients: OidcClients,
    private readonly writes: Writes,
    private readonly attempts: SsoAttempts,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  /**
   * Takes a logout token of a provider, once. Ends the sessions that its session there opened, or all sessions of its subject. Throws
   * `not_found` for an unknown connection and `sso_logout_refused`.
   */
  async take(connectionId: string, token: string, request: RequestFacts): Promise<void> {
    const where = { id: connectionId, type: 'oidc' as const };
    const connection = await this.dataSource.manager.findOneBy(SsoConnectionEntity, where);
    if (connection === null) throw new GatewayError('not_found');
    const caller = ssoCaller(connection.organisationId, null, request);
    await this.attempts.record('logout', connection, caller, async () => {
      const logout = await this.clients.use(
        connection,
        (client) => client.logout(token),
        'sso_logout_refused',
      );
      await this.end(connection, logout, caller);
    });
  }

  private async end(
    { id: connectionId }: SsoConnectionEntity,
    { subject, session, id, usableUntil }: ProvidedLogout,
    caller: AuditCaller,
  ): Promise<void> {
    await this.writes.run<void, AuditCaller>(caller, async (write) => {
      const { manager } = write;
      if (!(await useMessage(manager, { connectionId, id, expiresAt: usableUntil }))) {
        throw new GatewayError('sso_logout_refused', {
          cause: new Error('The logout token was used before.'),
        });
      }
      const opened = await manager.findBy(SsoSessionEntity, {
        connectionId,
        ...(session === null ? {} : { providerSession: session }),
        ...(subject === null ? {} : { subject }),
      });
      const ids = opened.map(({ sessionId }) => sessionId);
      const live = await manager.findBy(SessionEntity, { id: In(ids), revokedAt: IsNull() });
      await manager.update(SessionEntity, { id: In(live.map((each) => each.id)) }, { revokedAt: new Date() });
      for (const { id: sessionId, userId } of live) {
        write.audit({
          action: 'logout',
          resourceType: 'auth',
          resourceId: sessionId,
          after: { sso_client_id: connectionId, user_id: userId },
        });
      }
    });
  }

  /** Where the user of a session ends the session at the identity provider too; null when there is none. */
  async urlFor({ sessionId }: Principal): Promise<string | null> {
    const { manager } = this.dataSource;
    const opened = await manager.findOneBy(SsoSessionEntity, { sessionId: sessionId ?? '' });
    if (opened === null) return null;
    const where = { id: opened.connectionId, type: 'oidc' as const };
    const connection = await manager.findOneBy(SsoConnectionEntity, where);
    if (connection === null) return null;
    const backTo = publicUrl(this.settings, '/');
    try {
      return await this.clients.use(connection, (client) =>
        Promise.resolve(client.logoutUrl(opened.subject, backTo)),
      );
    } catch (error) {
      // The session here has ended; a provider that is not there cannot end its own. The client logs why.
      if (error instanceof GatewayError && error.type === 'sso_login_refused') return null;
      throw error;
    }
  }
}
