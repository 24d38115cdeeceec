import { applyDecorators, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route } from '../../platform/resource/route';
import { Requires } from '../../platform/auth/access';
import { ContinuedAccess } from '../../platform/auth/continued-access';
import { Caller, type Principal } from '../../platform/common/principal';
import { LOGS_BODY, TakesBody } from '../../platform/bodies';
import { OneOrManyBody } from '../../platform/common/one-or-many';
import { ControlRoutes } from '../../platform/control-routes';
import { CustomLogDto, InsertedLogsResponse } from './custom-log.dto';
import { CustomLogsService } from './custom-logs.service';
import { LogDetailResponse, LogPage, LogTraceResponse } from '../../platform/logs/log-responses.dto';
import { ListLogsQuery, ReadLogQuery, TailLogsQuery } from '../../platform/logs/logs.dto';
import { READS_A_LOG } from '../../platform/logs/log-reader';
import { LogBodyFiles } from './log-body-files';
import { LogsService } from './logs.service';

const ONE = { $ref: getSchemaPath(CustomLogDto) };

const TAIL =
  'Server-sent events. `log`: a log in the form of lists, as JSON, with its id. `skipped`: `{"count": 12, "exact": true}` ' +
  'when more than 500 logs came in a second; the oldest `count` of them are not sent, and with `exact: false` there may ' +
  'be more. The stream ends after `max_seconds`, and within seconds after the session or key has ended.';

const BYTES: ApiResponseOptions = { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };

/** Declares the route of one body of a log: its stored bytes, or a range of them, as a file. */
const RawBody = (part: 'request' | 'response'): MethodDecorator =>
  applyDecorators(
    Get(`:logId/${part}`),
    Requires(...READS_A_LOG),
    ApiHeader({ name: 'range', required: false, description: 'One range of bytes: `bytes=0-65535`.' }),
    ApiOkResponse({
      ...BYTES,
      description: `The stored ${part} body, with its content type, as an attachment.`,
    }),
    ApiResponse({ ...BYTES, status: 206, description: 'The range of bytes that the request names.' }),
  );

@ControlRoutes('logs')
@ApiExtraModels(CustomLogDto)
export class LogsController {
  constructor(
    private readonly logs: LogsService,
    private readonly custom: CustomLogsService,
    private readonly files: LogBodyFiles,
    private readonly access: ContinuedAccess,
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
  @ApiOkResponse({ description: TAIL, content: { 'text/event-stream': { schema: { type: 'string' } } } })
  tail(
    @Caller() caller: Principal,
    @Query() query: TailLogsQuery,
    @Query() all: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.logs.tail(caller, query, all, {
      mayContinue: () => this.access.holds(request, caller),
      takeOver: () => {
        reply.hijack();
        return reply.raw;
      },
    });
  }

  @Route.get('traces/:traceId', 'logs.list', LogTraceResponse)
  trace(@Caller() caller: Principal, @Param('traceId') traceId: string): Promise<LogTraceResponse> {
    return this.logs.trace(caller, traceId);
  }

  @Route.get(':logId', READS_A_LOG, LogDetailResponse)
  get(
    @Caller() caller: Principal,
    @Param('logId') logId: string,
    @Query() { bodies = true }: ReadLogQuery,
  ): Promise<LogDetailResponse> {
    return this.logs.get(caller, logId, { bodies });
  }

  @RawBody('request')
  request(
    @Caller() caller: Principal,
    @Param('logId') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.files.send(caller, { id, part: 'request' }, request, reply);
  }

  @RawBody('response')
  response(
    @Caller() caller: Principal,
    @Param('logId') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.files.send(caller, { id, part: 'response' }, request, reply);
  }
}
