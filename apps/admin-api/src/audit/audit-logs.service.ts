import { AuditLogEntity } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { invalid, recordsOf, windowOf } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import { Between, DataSource, LessThanOrEqual, MoreThanOrEqual, type FindOperator } from 'typeorm';
import type { Principal } from '../auth/principal';
import { reach } from '../auth/tenancy';
import { SETTINGS, type AdminSettings } from '../settings';
import type { AuditRecordAnswer, AuditRecordsAnswer, ListAuditLogsQuery } from './audit-logs.dto';

@Injectable()
export class AuditLogsService {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Pick<AdminSettings, 'AUDIT_LOGS_ENABLED'>,
  ) {}

  async list(caller: Principal, query: ListAuditLogsQuery): Promise<AuditRecordsAnswer> {
    if (!this.settings.AUDIT_LOGS_ENABLED) throw new GatewayError('feature_disabled');
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
      action: query.action,
      clientIp: query.client_ip,
    };
    const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
    const [rows, total] = await this.dataSource.manager.findAndCount(AuditLogEntity, {
      where: { ...given, ...reach(caller) },
      order: { createdAt: 'DESC', id: 'DESC' },
      ...windowOf(query),
    });
    return recordsOf([rows.map(toRecord), total]);
  }
}

function timesOf({ start_time, end_time }: ListAuditLogsQuery): FindOperator<Date> | undefined {
  const start = start_time === undefined ? undefined : new Date(start_time);
  const end = end_time === undefined ? undefined : new Date(end_time);
  if (start && end) {
    if (start > end) throw invalid('start_time', 'start_time must not lie after end_time');
    return Between(start, end);
  }
  return start ? MoreThanOrEqual(start) : end && LessThanOrEqual(end);
}

const toRecord = (row: AuditLogEntity): AuditRecordAnswer => ({
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
});
