import { listResponseOf, type ListResponse } from '@gw/web';
import { Body, Get, Param, Query, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ResourceParam, type ResourceReference } from '../../platform/resource/resource-reference';
import { Route } from '../../platform/resource/route';
import { Public } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { ControlRoutes } from '../../platform/control-routes';
import { WORKSPACE_ID } from '../../platform/common/workspace-query';
import { LogExportFiles } from './log-export-files';
import {
  CreateLogExportDto,
  FieldRestrictionsResponse,
  ListLogExportsQuery,
  LogExportResponse,
  LogExportDownloadResponse,
  LogExportTaskResponse,
  UpdateLogExportDto,
  WrittenLogExportResponse,
} from './log-exports.dto';
import { LogExportsService } from './log-exports.service';

const SCOPE = 'logs.export';

@ControlRoutes('logs/exports')
@ApiQuery(WORKSPACE_ID)
export class LogExportsController {
  constructor(
    private readonly exports: LogExportsService,
    private readonly files: LogExportFiles,
  ) {}

  @Route.post('', SCOPE, WrittenLogExportResponse)
  create(@Caller() caller: Principal, @Body() body: CreateLogExportDto): Promise<WrittenLogExportResponse> {
    return this.exports.create(caller, body);
  }

  @Route.get('', SCOPE, listResponseOf(LogExportResponse))
  list(
    @Caller() caller: Principal,
    @Query() query: ListLogExportsQuery,
  ): Promise<ListResponse<LogExportResponse>> {
    return this.exports.list(caller, query);
  }

  @Route.get('field-restrictions', SCOPE, FieldRestrictionsResponse)
  fieldRestrictions(@Caller() caller: Principal): Promise<FieldRestrictionsResponse> {
    return this.exports.fieldRestrictions(caller);
  }

  @Route.get(':exportId', SCOPE, LogExportResponse)
  get(@ResourceParam('exportId') at: ResourceReference): Promise<LogExportResponse> {
    return this.exports.get(at);
  }

  @Route.put(':exportId', SCOPE, WrittenLogExportResponse)
  update(
    @ResourceParam('exportId') at: ResourceReference,
    @Body() body: UpdateLogExportDto,
  ): Promise<WrittenLogExportResponse> {
    return this.exports.update(at, body);
  }

  @Route.post(':exportId/start', SCOPE, LogExportTaskResponse)
  start(@Caller() caller: Principal, @Param('exportId') id: string): Promise<LogExportTaskResponse> {
    return this.exports.start(caller, id);
  }

  @Route.post(':exportId/cancel', SCOPE, LogExportTaskResponse)
  cancel(@Caller() caller: Principal, @Param('exportId') id: string): Promise<LogExportTaskResponse> {
    return this.exports.cancel(caller, id);
  }

  @Route.get(':exportId/download', SCOPE, LogExportDownloadResponse)
  download(@ResourceParam('exportId') at: ResourceReference): Promise<LogExportDownloadResponse> {
    return this.exports.download(at);
  }

  @Route.delete(':exportId', SCOPE)
  remove(@ResourceParam('exportId') at: ResourceReference): Promise<object> {
    return this.exports.remove(at);
  }

  /** Serves the file to browsers; not part of the documented API. */
  @Get(':exportId/file')
  @Public('The link is signed and valid for an hour, as long as the credential that created it is valid.')
  @ApiExcludeEndpoint()
  file(
    @Param('exportId') id: string,
    @Query('expires') expires: unknown,
    @Query('by') by: unknown,
    @Query('signature') signature: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.files.send(id, { expires, by, signature }, () => {
      reply.hijack();
      return reply.raw;
    });
  }
}
