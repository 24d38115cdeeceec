import { Global, Module } from '@nestjs/common';
import { AuditLogsController } from './audit-logs.controller';
import { AuditLogsService } from './audit-logs.service';
import { AuditRecorder } from '../unit-of-work/audit-recorder';
import { ResourceCaps } from '../resource-caps/resource-caps';
import { Writes } from '../unit-of-work/writes';

/** Global: every resource writes through `Writes`. */
@Global()
@Module({
  controllers: [AuditLogsController],
  providers: [AuditLogsService, AuditRecorder, ResourceCaps, Writes],
  exports: [AuditRecorder, Writes],
})
export class AuditModule {}
