import { Global, Module } from '@nestjs/common';
import { AuditLogsController } from './audit-logs.controller';
import { AuditLogsService } from './audit-logs.service';
import { AuditRecorder } from './audit-recorder';
import { Writes } from './writes';

/** Global: every resource writes through `Writes`. */
@Global()
@Module({
  controllers: [AuditLogsController],
  providers: [AuditLogsService, AuditRecorder, Writes],
  exports: [AuditRecorder, Writes],
})
export class AuditModule {}
