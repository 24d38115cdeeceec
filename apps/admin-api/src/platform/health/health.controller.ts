import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { Answer, HealthBoard, type HealthWords, type PartReport, type PartStatus } from '@gw/web';
import { Controller, Get, Res, type OnApplicationShutdown } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiResponse } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public, ServiceOnly } from '../auth/access';

export class HealthAnswer {
  @Answer.oneOf(['ok', 'degraded']) readonly status!: 'ok' | 'degraded';
  @Answer.oneOf(['admin-api']) readonly service!: 'admin-api';
  @Answer.text({ example: '1.0.0' }) readonly version!: string;
  @Answer.texts({ description: 'Parts that do not work.' }) readonly degraded!: readonly string[];
  @Answer.map({ description: 'How each part is: ok, degraded or down.', example: { postgres: 'ok' } })
  readonly parts!: Readonly<Record<string, PartStatus>>;
}

export class ReadinessAnswer {
  @Answer.oneOf(['ok', 'down', 'stopping']) readonly status!: 'ok' | 'down' | 'stopping';
  @Answer.texts({ description: 'What it cannot serve without.' }) readonly lacks!: readonly string[];
}

export class LivenessAnswer {
  @Answer.oneOf(['ok']) readonly status!: 'ok';
}

const SERVICE = { service: 'admin-api', version: CONTROL_PLANE_VERSION } as const;
const pathsOf = (end: string): string[] => ['health', 'v1/health', 'v2/health'].map((path) => path + end);

@Controller()
export class HealthController implements OnApplicationShutdown {
  constructor(private readonly board: HealthBoard) {
    board.start();
  }

  /** 200 also when degraded: the process itself is well and must not be restarted for a database that is away. */
  @Get(pathsOf(''))
  @ApiOkResponse({ type: HealthAnswer })
  @Public('Load balancers ask without a credential; it tells no more than what works.')
  async health(): Promise<HealthWords & typeof SERVICE> {
    return { ...SERVICE, ...(await this.board.words()) };
  }

  @Get(pathsOf('/live'))
  @ApiOkResponse({ type: LivenessAnswer })
  @Public('Orchestrators ask without a credential; it tells that the process answers.')
  live(): LivenessAnswer {
    return { status: 'ok' };
  }

  /** 503 while the database is away, for there is no answer without it, and from the moment on when the process was stopped. */
  @Get(pathsOf('/ready'))
  @ApiOkResponse({ type: ReadinessAnswer })
  @ApiResponse({ status: 503, type: ReadinessAnswer, description: 'It cannot serve now.' })
  @Public('Orchestrators ask without a credential; it tells no more than whether the database answers.')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessAnswer> {
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
