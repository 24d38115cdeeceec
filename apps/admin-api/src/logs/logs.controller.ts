import { Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Requires } from '../auth/access';
import { Caller, type Principal } from '../auth/principal';
import { ControlRoutes } from '../control-routes';
import { LogDetailAnswer, LogPage } from './log-answers.dto';
import { ListLogsQuery } from './logs.dto';
import { LogsService } from './logs.service';

/** Any one of them. */
export const READS_A_LOG: [string, ...string[]] = ['logs.view', 'completions.write', 'logs.write'];

@ControlRoutes('logs')
export class LogsController {
  constructor(private readonly logs: LogsService) {}

  @Get()
  @Requires('logs.list')
  @ApiOkResponse({ type: LogPage })
  list(
    @Caller() caller: Principal,
    @Query() query: ListLogsQuery,
    @Query() all: Record<string, unknown>,
  ): Promise<LogPage> {
    return this.logs.list(caller, query, all);
  }

  @Get(':logId')
  @Requires(...READS_A_LOG)
  @ApiOkResponse({ type: LogDetailAnswer })
  get(@Caller() caller: Principal, @Param('logId') logId: string): Promise<LogDetailAnswer> {
    return this.logs.get(caller, logId);
  }
}
