import { SessionEntity, SsoConnectionEntity, SsoSessionEntity, SsoUsedMessageEntity } from '@gw/entities';
import type { ProvidedLogout } from '@gw/federation';
import { GatewayError } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { DataSource, In, IsNull, LessThan, type EntityManager } from 'typeorm';
import { SETTINGS } from '../../settings';
import type { Principal, RequestFacts } from '../common/principal';
import { publicUrl, type PublicUrlSettings } from '../common/public-url';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { OidcClients } from './oidc-clients.service';
import { ssoCaller, SsoAttempts } from './sso-attempts';

/** Ends sessions when their users log out at the identity provider, and tells where to log out there. */
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
    const connection = await this.dataSource.manager.findOneBy(SsoConnectionEntity, { id: connectionId });
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
      await useOnce(manager, connectionId, id, usableUntil);
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
    const connection = await manager.findOneByOrFail(SsoConnectionEntity, { id: opened.connectionId });
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

/** Throws `sso_logout_refused` for a message that was used before. Ids that have expired are forgotten. */
async function useOnce(
  manager: EntityManager,
  connectionId: string,
  id: string,
  expiresAt: Date,
): Promise<void> {
  await manager.delete(SsoUsedMessageEntity, { connectionId, expiresAt: LessThan(new Date()) });
  const idHash = createHash('sha256').update(id).digest('hex');
  const { identifiers } = await manager
    .createQueryBuilder()
    .insert()
    .into(SsoUsedMessageEntity)
    .values({ connectionId, idHash, expiresAt })
    .orIgnore()
    .returning('id_hash')
    .execute()
    .then(({ raw }: { raw: unknown }) => ({ identifiers: raw as readonly unknown[] }));
  if (identifiers.length === 0) {
    throw new GatewayError('sso_logout_refused', { cause: new Error('The logout token was used before.') });
  }
}
