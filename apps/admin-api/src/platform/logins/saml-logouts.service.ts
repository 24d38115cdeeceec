import { SsoConnectionEntity, type SsoSessionEntity } from '@gw/entities';
import {
  buildLogoutResponse,
  buildLogoutRequest,
  logoutIssuer,
  readLogoutRequest,
  SamlFault,
  type LogoutMessage,
  type OutgoingMessage,
  type ReceivedLogout,
} from '@gw/federation';
import { describeFault } from '@gw/web';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Secrets } from '../../settings';
import type { RequestFacts } from '../common/principal';
import { EndedLogins, logoutRefused } from './ended-logins';
import { SamlProviders, samlSettingsOf } from './saml-providers.service';
import { ssoCaller, SsoAttempts } from './sso-attempts';
import { openSecrets } from './sso-secrets';

/** A LogoutRequest, with the RelayState that the response must return to the provider. */
export interface SentLogout {
  readonly organisationId: string;
  readonly received: ReceivedLogout;
  readonly relayState: string | null;
}

/** Logouts by SAML: receives requests of identity providers and sends requests to them. */
@Injectable()
export class SamlLogouts {
  private readonly log = new Logger(SamlLogouts.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly secrets: Secrets,
    private readonly providers: SamlProviders,
    private readonly attempts: SsoAttempts,
    private readonly ended: EndedLogins,
  ) {}

  /**
   * Ends the sessions that a signed LogoutRequest names; an unknown user has none. Returns the
   * response that the browser delivers to the provider, or null when the provider accepts none.
   * Throws `sso_logout_refused`.
   */
  async take(
    { organisationId, received, relayState }: SentLogout,
    request: RequestFacts,
  ): Promise<OutgoingMessage | null> {
    const connection = await this.connectionOf(organisationId, received);
    const caller = ssoCaller(organisationId, null, request);
    return this.attempts.record('logout', connection, caller, async () => {
      const logout = refusing(() =>
        readLogoutRequest(received, this.providers.connectionOf(connection), {
          sloUrl: this.providers.addressesOf(connection).sloUrl,
          now: new Date(),
        }),
      );
      await this.ended.end(connection, logout, caller);
      return this.answerTo(connection, logout.id, relayState);
    });
  }

  /**
   * Returns the URL at which the browser also ends the session at the provider; null when a link
   * cannot end it.
   */
  urlFor(connection: SsoConnectionEntity, { subject, providerSession }: SsoSessionEntity): string | null {
    const { sloUrl, nameIdFormat } = samlSettingsOf(connection);
    const message = this.messageTo(connection, sloUrl);
    if (message?.to.binding !== 'redirect') return null;
    return buildLogoutRequest({ ...message, subject, nameIdFormat, sessionIndex: providerSession }).url;
  }

  private answerTo(
    connection: SsoConnectionEntity,
    requestId: string,
    relayState: string | null,
  ): OutgoingMessage | null {
    const { sloUrl, sloResponseUrl } = samlSettingsOf(connection);
    const message = this.messageTo(connection, sloResponseUrl ?? sloUrl);
    return message === null ? null : buildLogoutResponse({ ...message, requestId, relayState });
  }

  /**
   * Returns the common fields of messages to a provider; null when the provider has no logout
   * address.
   */
  private messageTo(connection: SsoConnectionEntity, url: string | null): LogoutMessage | null {
    const { sloBinding: binding = 'redirect' } = samlSettingsOf(connection);
    const { samlKey: signingKey } = openSecrets(this.secrets.sealingKeyring, connection);
    if (url === null || signingKey === undefined) return null;
    const { entityId } = this.providers.addressesOf(connection);
    return { entityId, to: { url, binding }, issuedAt: new Date(), signingKey };
  }

  /**
   * Returns the connection that the request names as its sender. A request without a known
   * connection belongs to no organisation, so it is not recorded in an audit log.
   */
  private async connectionOf(organisationId: string, received: ReceivedLogout): Promise<SsoConnectionEntity> {
    const issuer = refusing(() => logoutIssuer(received)) ?? '';
    const where = { organisationId, issuer, type: 'saml' as const };
    const connection = await this.dataSource.manager.findOneBy(SsoConnectionEntity, where);
    if (connection !== null) return connection;
    const error = logoutRefused('The issuer is of no connection of the organisation.');
    this.log.warn(describeFault(error), 'a logout by SAML was refused');
    throw error;
  }
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SamlFault) throw logoutRefused(`check ${String(error.check)}: ${error.message}`);
    throw error;
  }
}
