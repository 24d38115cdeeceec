import type { SsoConnectionEntity } from '@gw/entities';
import { GatewayError, networkOf } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FailureThrottle } from '../auth/failure-throttle';
import type { RequestFacts } from '../common/principal';
import { AuditRecorder, type AuditCaller } from '../unit-of-work/audit-recorder';

/**
 * Maximum number of failed attempts of one network at one connection that are recorded per minute;
 * further ones are refused without a record.
 */
const RECORDED_MAX = 60;

/** Records failed attempts at single sign-on in the audit log of the organisation. */
@Injectable()
export class SsoAttempts {
  private readonly recorded = new FailureThrottle(RECORDED_MAX);

  constructor(
    private readonly dataSource: DataSource,
    private readonly audits: AuditRecorder,
  ) {}

  /**
   * Runs a step of a login or logout. When it fails, the caller gets one sentence and the audit log
   * contains the failed check.
   */
  async record<T>(
    action: 'login' | 'logout',
    connection: SsoConnectionEntity,
    caller: AuditCaller,
    step: () => Promise<T> | T,
  ): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.refuse(action, connection, caller, error);
      throw error;
    }
  }

  private async refuse(
    action: string,
    connection: SsoConnectionEntity,
    caller: AuditCaller,
    error: unknown,
  ): Promise<void> {
    // Anyone can send responses that are refused, so their records are limited to keep the audit
    // log of an organisation usable.
    const source = `${connection.id} ${networkOf(caller.request.clientIp ?? '')}`;
    if (!this.recorded.countIfOpen(source)) return;
    const gatewayError = error instanceof GatewayError ? error : new GatewayError('internal_error');
    const reason = (gatewayError.options.cause as Error | undefined)?.message ?? gatewayError.message;
    const { status, type: errorType } = gatewayError;
    await this.audits.record(this.dataSource.manager, caller, [
      {
        ...{ action, resourceType: 'auth', resourceId: null, status, errorType },
        after: { sso_client_id: connection.id, reason },
      },
    ]);
  }
}

/**
 * Returns the caller of a step of single sign-on; its user is set once the provider has identified
 * the user.
 */
export const ssoCaller = (
  organisationId: string,
  userId: string | null,
  request: RequestFacts,
): AuditCaller => ({
  kind: userId === null ? 'system' : 'session',
  ...{ organisationId, workspaceId: null, userId, apiKeyId: null, request },
});
