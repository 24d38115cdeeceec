import { AuditLogEntity, verifyAuditChain } from '@gw/entities';
import { invalid, recordsOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { Between, DataSource, LessThanOrEqual, MoreThanOrEqual, type FindOperator } from 'typeorm';
import type { Principal } from '../common/principal';
import { inOrganisation, reach } from '../auth/tenancy';
import type {
  AuditRecordResponse,
  AuditRecordsResponse,
  AuditVerificationResponse,
  ListAuditLogsQuery,
  VerifyAuditLogsQuery,
} from './audit-logs.dto';

@Injectable()
export class AuditLogsService {
  constructor(private readonly dataSource: DataSource) {}

  async list(caller: Principal, query: ListAuditLogsQuery): Promise<AuditRecordsResponse> {
    const createdAt = timesOf(query);
    const filters = {
      createdAt,
      method: query.method,
      uri: query.uri,
      requestId: query.request_id,
      userId: query.user_id,
      userType: query.user_type,
      responseStatusCode: query.response_status_code,
      resourceType: query.resource_type,
      resourceId: query.resource_id,
      action: query.action,
      clientIp: query.client_ip,
    };
    const usedFilters = Object.fromEntries(
      Object.entries(filters).filter(([, value]) => value !== undefined),
    );
    const [rows, total] = await this.dataSource.manager.findAndCount(AuditLogEntity, {
      where: { ...usedFilters, ...reach(caller) },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return recordsOf([rows.map(toRecord), total]);
  }

  /**
   * Verifies the audit chain. The chain spans all workspaces, so only callers for the whole
   * organisation may verify it.
   */
  async verify(caller: Principal, query: VerifyAuditLogsQuery): Promise<AuditVerificationResponse> {
    const { organisationId } = inOrganisation(caller);
    const found = await verifyAuditChain(
      this.dataSource.manager,
      organisationId,
      query.from_sequence,
      query.limit,
    );
    return {
      object: 'audit-verification',
      valid: found.valid,
      checked: found.checked,
      broken_at: found.brokenAt,
      next_sequence: found.next,
      head: found.head,
    };
  }
}

function timesOf({ start_time, end_time }: ListAuditLogsQuery): FindOperator<Date> | undefined {
  const start = start_time === undefined ? undefined : new Date(start_time);
  const end = end_time === undefined ? undefined : new Date(end_time);
  if (start && end) {
    if (start > end) throw invalid('start_time', 'start_time must not be after end_time');
    return Between(start, end);
  }
  return start ? MoreThanOrEqual(start) : end && LessThanOrEqual(end);
}

const toRecord = (row: AuditLogEntity): AuditRecordResponse => ({
  id: row.id,
  timestamp: row.createdAt.toISOString(),
  method: row.method,
  uri: row.uri,
  request_id: row.requestId,
  user_id: row.userId,
  user_type: row.userType,
  organisation_id: row.organisationId,
  workspace_id: row.workspaceId,
  response_status_code: row.responseStatusCode,
  error_type: row.errorType,
  resource_type: row.resourceType,
  resource_id: row.resourceId,
  action: row.action,
  before: row.before,
  after: row.after,
  client_ip: row.clientIp,
  user_agent: row.userAgent,
  sequence: row.sequence === null ? null : Number(row.sequence),
  previous_hash: row.previousHash,
  hash: row.hash,
});
