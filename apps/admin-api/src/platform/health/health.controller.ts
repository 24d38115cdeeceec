import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { ResponseField, HealthBoard, type HealthWords, type PartReport, type PartStatus } from '@gw/web';
import { Controller, Get, Res, type OnApplicationShutdown } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public, ServiceOnly } from '../auth/access';

export class HealthResponse {
  @ResponseField.oneOf(['ok', 'degraded']) readonly status!: 'ok' | 'degraded';
  @ResponseField.oneOf(['admin-api']) readonly service!: 'admin-api';
  @ResponseField.text({ example: '1.0.0' }) readonly version!: string;
  @ResponseField.texts({ description: 'Names of the components that are degraded or down.' })
  readonly degraded!: readonly string[];
  @ResponseField.map({
    description: 'State of each component: ok, degraded or down.',
    example: { postgres: 'ok' },
  })
  readonly parts!: Readonly<Record<string, PartStatus>>;
}

export class ReadinessResponse {
  @ResponseField.oneOf(['ok', 'down', 'stopping']) readonly status!: 'ok' | 'down' | 'stopping';
  @ResponseField.texts({
    description: 'Required components that are down; the service cannot serve requests without them.',
  })
  readonly lacks!: readonly string[];
}

export class LivenessResponse {
  @ResponseField.oneOf(['ok']) readonly status!: 'ok';
}

const SERVICE = { service: 'admin-api', version: CONTROL_PLANE_VERSION } as const;
const pathsOf = (end: string): string[] => ['health', 'v1/health', 'v2/health'].map((path) => path + end);

@Controller()
export class HealthController implements OnApplicationShutdown {
  constructor(private readonly board: HealthBoard) {
    board.start();
  }

  /**
   * Responds with 200 even when degraded: the process works and must not be restarted because of a
   * database outage.
   */
  @Get(pathsOf(''))
  @ApiOkResponse({ type: HealthResponse })
  @Public('Load balancers send no credential; the response only shows which parts work.')
  async health(): Promise<HealthWords & typeof SERVICE> {
    return { ...SERVICE, ...(await this.board.words()) };
  }

  @Get(pathsOf('/live'))
  @ApiOkResponse({ type: LivenessResponse })
  @Public('Orchestrators send no credential; the response only shows that the process runs.')
  live(): LivenessResponse {
    return { status: 'ok' };
  }

  /**
   * Responds with 503 while the database is unavailable and as soon as the process begins to stop.
   */
  @Get(pathsOf('/ready'))
  @ApiOkResponse({ type: ReadinessResponse })
  @ApiResponse({
    status: 503,
    type: ReadinessResponse,
    description: 'The service cannot serve requests now.',
  })
  @Public('Orchestrators send no credential; the response only shows whether the database responds.')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessResponse> {
    if (reply.server.drain.isAnnounced) {
      void reply.status(503);
      return { status: 'stopping', lacks: [] };
    }
    const { parts } = await this.board.words();
    if (parts['postgres'] === 'ok') return { status: 'ok', lacks: [] };
    void reply.status(503);
    return { status: 'down', lacks: ['postgres'] };
  }

  @Get(pathsOf('/parts'))
  @ApiExcludeEndpoint()
  @ServiceOnly()
  async parts(): Promise<typeof SERVICE & { readonly parts: readonly PartReport[] }> {
    return { ...SERVICE, parts: await this.board.report() };
  }

  onApplicationShutdown(): void {
    this.board.stop();
  }
}
