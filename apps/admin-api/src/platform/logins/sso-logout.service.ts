import { SsoConnectionEntity, SsoSessionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SETTINGS } from '../../settings';
import type { Principal, RequestFacts } from '../common/principal';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import { EndedLogins } from './ended-logins';
import { OidcClients } from './oidc-clients.service';
import { SamlLogouts } from './saml-logouts.service';
import { ssoCaller, SsoAttempts } from './sso-attempts';

/**
 * Logouts by single sign-on: handles logout tokens of OpenID Connect providers and returns the
 * address at which users log out at their provider.
 */
@Injectable()
export class SsoLogouts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clients: OidcClients,
    private readonly saml: SamlLogouts,
    private readonly ended: EndedLogins,
    private readonly attempts: SsoAttempts,
    @Inject(SETTINGS) private readonly settings: PublicUrlSettings,
  ) {}

  /**
   * Handles a logout token of a provider once. Ends the sessions that belong to the provider's
   * session, or all sessions of its subject. Throws `not_found` for an unknown connection, and
   * `sso_logout_refused`.
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
      await this.ended.end(connection, logout, caller);
    });
  }

  /**
   * Returns the URL at which the user of a session also ends the session at the identity provider;
   * null when there is none.
   */
  async urlFor({ sessionId }: Principal): Promise<string | null> {
    const { manager } = this.dataSource;
    const opened = await manager.findOneBy(SsoSessionEntity, { sessionId: sessionId ?? '' });
    if (opened === null) return null;
    const connection = await manager.findOneBy(SsoConnectionEntity, { id: opened.connectionId });
    if (connection === null) return null;
    try {
      if (connection.type === 'saml') return this.saml.urlFor(connection, opened);
      const backTo = publicUrl(this.settings, '/');
      return await this.clients.use(connection, (client) =>
        Promise.resolve(client.logoutUrl(opened.subject, backTo)),
      );
    } catch (error) {
      // The local session has already ended. A provider that cannot be reached, or whose secrets
      // cannot be opened, cannot end its session.
      if (error instanceof GatewayError && error.type === 'sso_login_refused') return null;
      throw error;
    }
  }
}
