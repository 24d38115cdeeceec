import { Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExcludeEndpoint, ApiExtraModels, ApiOkResponse, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Route } from '../../platform/resource/route';
import { Requires } from '../../platform/auth/access';
import { Caller, type Principal } from '../../platform/common/principal';
import { LOGS_BODY, TakesBody } from '../../platform/bodies';
import { OneOrManyBody } from '../../platform/common/one-or-many';
import { ControlRoutes } from '../../platform/control-routes';
import { CustomLogDto, InsertedLogsResponse } from './custom-log.dto';
import { CustomLogsService } from './custom-logs.service';
import { LogDetailResponse, LogPage, LogTraceResponse } from '../../platform/logs/log-responses.dto';
import { ListLogsQuery, TailLogsQuery } from '../../platform/logs/logs.dto';
import { READS_A_LOG } from '../../platform/logs/log-reader';
import { LogsService } from './logs.service';

const ONE = { $ref: getSchemaPath(CustomLogDto) };

@ControlRoutes('logs')
@ApiExtraModels(CustomLogDto)
export class LogsController {
  constructor(
    private readonly logs: LogsService,
    private readonly custom: CustomLogsService,
  ) {}

  @Post()
  @Requires('logs.write')
  @TakesBody(LOGS_BODY)
  @ApiBody({ schema: { oneOf: [ONE, { type: 'array', items: ONE, minItems: 1, maxItems: 1_000 }] } })
  @ApiOkResponse({ type: InsertedLogsResponse })
  insert(@Caller() caller: Principal, @OneOrManyBody() body: unknown): Promise<InsertedLogsResponse> {
    return this.custom.insert(caller, body);
  }

  @Route.get('', 'logs.list', LogPage)
  list(
    @Caller() caller: Principal,
    @Query() query: ListLogsQuery,
    @Query() all: Record<string, unknown>,
  ): Promise<LogPage> {
    return this.logs.list(caller, query, all);
  }

  @Get('tail')
  @Requires('logs.list')
  @ApiExcludeEndpoint()
  tail(
    @Caller() caller: Principal,
    @Query() query: TailLogsQuery,
    @Query() all: Record<string, unknown>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.logs.tail(caller, query, all, () => {
      reply.hijack();
      return reply.raw;
    });
  }

  @Route.get('traces/:traceId', 'logs.list', LogTraceResponse)
  trace(@Caller() caller: Principal, @Param('traceId') traceId: string): Promise<LogTraceResponse> {
    return this.logs.trace(caller, traceId);
  }

  @Route.get(':logId', READS_A_LOG, LogDetailResponse)
  get(@Caller() caller: Principal, @Param('logId') logId: string): Promise<LogDetailResponse> {
    return this.logs.get(caller, logId);
  }
}
