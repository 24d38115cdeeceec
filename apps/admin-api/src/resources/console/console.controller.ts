import { Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../platform/auth/access';
import { AccessGate } from '../../platform/auth/access.gate';
import { ControlRoutes } from '../../platform/control-routes';
import { ConsoleBootstrapResponse } from './console.dto';
import { ConsoleService } from './console.service';

@ControlRoutes('console')
export class ConsoleController {
  constructor(
    private readonly gate: AccessGate,
    private readonly console: ConsoleService,
  ) {}

  /**
   * Returns the data with which a console signs a user in and, with a session, renders its first
   * page.
   */
  @Get('bootstrap')
  @Public('Without a session it has only what a sign-in page shows.')
  @ApiOkResponse({ type: ConsoleBootstrapResponse })
  async bootstrap(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ConsoleBootstrapResponse> {
    return this.console.bootstrap(await this.gate.visitorOf(request, reply));
  }
}
