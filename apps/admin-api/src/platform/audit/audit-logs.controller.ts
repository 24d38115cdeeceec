import { Query } from '@nestjs/common';
import { Route } from '../resource/route';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import {
  AuditRecordsResponse,
  AuditVerificationResponse,
  ListAuditLogsQuery,
  VerifyAuditLogsQuery,
} from './audit-logs.dto';
import { AuditLogsService } from './audit-logs.service';

@ControlRoutes('audit-logs')
export class AuditLogsController {
  constructor(private readonly auditLogs: AuditLogsService) {}

  @Route.get('', 'audit_logs.list', AuditRecordsResponse)
  list(@Caller() caller: Principal, @Query() query: ListAuditLogsQuery): Promise<AuditRecordsResponse> {
    return this.auditLogs.list(caller, query);
  }

  @Route.get('verify', 'audit_logs.list', AuditVerificationResponse)
  verify(
    @Caller() caller: Principal,
    @Query() query: VerifyAuditLogsQuery,
  ): Promise<AuditVerificationResponse> {
    return this.auditLogs.verify(caller, query);
  }
}
