import { Get, Query } from '@nestjs/common';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { ListAuditLogsQuery } from './audit-logs.dto';
import { AuditLogsService, type AuditRecords } from './audit-logs.service';

@ControlRoutes('audit-logs')
export class AuditLogsController {
  constructor(private readonly auditLogs: AuditLogsService) {}

  @Get()
  @Requires('audit_logs.list')
  list(@Caller() caller: Principal, @Query() query: ListAuditLogsQuery): Promise<AuditRecords> {
    return this.auditLogs.list(caller, query);
  }
}
