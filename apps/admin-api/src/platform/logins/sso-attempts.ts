import type { SsoConnectionEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { RequestFacts } from '../common/principal';
import { AuditRecorder, type AuditCaller } from '../unit-of-work/audit-recorder';

/** Records attempts at single sign-on that fail, for the administrators of the organisation. */
@Injectable()
export class SsoAttempts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audits: AuditRecorder,
  ) {}

  /** Does a step of a login or logout. The caller learns one sentence; the audit log has the check that failed. */
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
    const known = error instanceof GatewayError ? error : new GatewayError('internal_error');
    const reason = (known.options.cause as Error | undefined)?.message ?? known.message;
    const { status, type: errorType } = known;
    await this.audits.record(this.dataSource.manager, caller, [
      {
        ...{ action, resourceType: 'auth', resourceId: null, status, errorType },
        after: { sso_client_id: connection.id, reason },
      },
    ]);
  }
}

/** The caller of a step of single sign-on: the user, once the provider has named them. */
export const ssoCaller = (
  organisationId: string,
  userId: string | null,
  request: RequestFacts,
): AuditCaller => ({
  kind: userId === null ? 'system' : 'session',
  ...{ organisationId, workspaceId: null, userId, apiKeyId: null, request },
});
