import { SessionEntity, SsoSessionEntity, type SsoConnectionEntity } from '@gw/entities';
import type { ProvidedLogout } from '@gw/federation';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { endSessionsWhere } from '../auth/session-ends';
import type { AuditCaller } from '../unit-of-work/audit-recorder';
import { Writes } from '../unit-of-work/writes';
import { useMessage } from './used-messages';

/** Error for a refused logout; the audit log contains the reason. */
export const logoutRefused = (reason: string): GatewayError =>
  new GatewayError('sso_logout_refused', { cause: new Error(reason) });

/** Ends the sessions that an identity provider reports as ended. */
@Injectable()
export class EndedLogins {
  constructor(private readonly writes: Writes) {}

  /**
   * Ends only sessions that the connection has opened. Each message works once. Throws
   * `sso_logout_refused`.
   */
  async end(
    { id: connectionId }: SsoConnectionEntity,
    { subject, sessions, id, usableUntil }: ProvidedLogout,
    caller: AuditCaller,
  ): Promise<void> {
    await this.writes.run<void, AuditCaller>(caller, async (write) => {
      const { manager } = write;
      if (!(await useMessage(manager, { connectionId, id, expiresAt: usableUntil }))) {
        throw logoutRefused('The message was used before.');
      }
      if (subject === null && sessions.length === 0) throw logoutRefused('The message names no one.');
      const opened = await manager.findBy(SsoSessionEntity, {
        connectionId,
        ...(sessions.length === 0 ? {} : { providerSession: In(sessions) }),
        ...(subject === null ? {} : { subject }),
      });
      const ids = opened.map(({ sessionId }) => sessionId);
      const live = await manager.findBy(SessionEntity, { id: In(ids), revokedAt: IsNull() });
      const ended = await endSessionsWhere(manager, { id: In(live.map((each) => each.id)) });
      write.removed(ended.documents);
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
}
