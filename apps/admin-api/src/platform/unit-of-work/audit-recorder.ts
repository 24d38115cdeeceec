import { appendAudit, type AuditLogEntity, type AuditRow } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/principal';
import { SETTINGS, type AdminSettings } from '../../settings';
import { mask } from './mask';

export interface AuditEntry {
  /** Action such as `create`, `update`, `delete`, `rotate`, `publish` or `login`. */
  readonly action: string;
  /** Resource type in the plural, as in the path: `api_keys`. */
  readonly resourceType: string;
  readonly resourceId: string | null;
  /** Workspace of the row if it differs from that of the call. */
  readonly workspaceId?: string | null;
  /** Public form before and after the change; secrets in it are masked again. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** A refused attempt with its status and error type. */
export interface Refusal extends AuditEntry {
  readonly status: number;
  readonly errorType: string;
}

/** The part of the caller that the audit log stores. */
export type AuditCaller = Pick<
  Principal,
  'kind' | 'organisationId' | 'workspaceId' | 'userId' | 'apiKeyId' | 'request'
>;

function actorOf(caller: AuditCaller): Pick<AuditLogEntity, 'userType' | 'userId'> {
  switch (caller.kind) {
    case 'session':
      return { userType: 'user', userId: caller.userId };
    case 'api_key':
      return { userType: 'api_key', userId: caller.apiKeyId };
    case 'system':
      return { userType: 'system', userId: null };
  }
}

/**
 * Writes audit records in the transaction of their change. Writes none with AUDIT_LOGS_ENABLED=OFF.
 */
@Injectable()
export class AuditRecorder {
  constructor(@Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'AUDIT_LOGS_ENABLED'>) {}

  /**
   * Writes the records. Call it at the end of the transaction, only before the change event,
   * because it locks the organisation's chain until the commit.
   */
  async record(
    manager: EntityManager,
    caller: AuditCaller,
    entries: readonly (AuditEntry | Refusal)[],
  ): Promise<void> {
    if (entries.length === 0 || !this.settings.AUDIT_LOGS_ENABLED) return;
    const rows = entries.map((entry) => rowOf(caller, entry));
    await appendAudit(manager, rows);
  }
}

function rowOf(caller: AuditCaller, entry: AuditEntry | Refusal): AuditRow {
  const { request } = caller;
  return {
    id: uuidv7(),
    createdAt: new Date(),
    organisationId: caller.organisationId,
    workspaceId: entry.workspaceId === undefined ? caller.workspaceId : entry.workspaceId,
    ...actorOf(caller),
    action: entry.action,
    resourceType: entry.resourceType,
    resourceId: entry.resourceId,
    before: mask(entry.before ?? null) as object | null,
    after: mask(entry.after ?? null) as object | null,
    method: request.method,
    uri: request.uri.slice(0, 2048),
    requestId: request.id,
    responseStatusCode: 'status' in entry ? entry.status : 200,
    errorType: 'status' in entry ? entry.errorType : null,
    clientIp: request.clientIp,
    userAgent: request.userAgent?.slice(0, 512) ?? null,
  };
}
