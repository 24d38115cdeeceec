import { Get, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../common/principal';
import { ControlRoutes } from '../control-routes';
import {
  AuditRecordsAnswer,
  AuditVerificationAnswer,
  ListAuditLogsQuery,
  VerifyAuditLogsQuery,
} from './audit-logs.dto';
import { AuditLogsService } from './audit-logs.service';

@ControlRoutes('audit-logs')
export class AuditLogsController {
  constructor(private readonly auditLogs: AuditLogsService) {}

  @Get()
  @Requires('audit_logs.list')
  @ApiOkResponse({ type: AuditRecordsAnswer })
  list(@Caller() caller: Principal, @Query() query: ListAuditLogsQuery): Promise<AuditRecordsAnswer> {
    return this.auditLogs.list(caller, query);
  }

  @Get('verify')
  @Requires('audit_logs.list')
  @ApiOkResponse({ type: AuditVerificationAnswer })
  verify(
    @Caller() caller: Principal,
    @Query() query: VerifyAuditLogsQuery,
  ): Promise<AuditVerificationAnswer> {
    return this.auditLogs.verify(caller, query);
  }
}
