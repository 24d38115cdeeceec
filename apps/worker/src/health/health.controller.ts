import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { HealthBoard, type HealthWords, type PartReport } from '@gw/web';
import { Controller, Get, Res, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

const SERVICE = { service: 'worker', version: CONTROL_PLANE_VERSION } as const;
interface Readiness {
  readonly status: 'ok' | 'down' | 'stopping';
  /** Parts that are down. */
  readonly lacks: readonly string[];
}

@Controller('health')
export class HealthController implements OnApplicationShutdown {
  constructor(private readonly board: HealthBoard) {
    board.start();
  }

  /** Always 200 while the process can answer: what is degraded mends itself, and a restart would not help. */
  @Get()
  async health(): Promise<HealthWords & typeof SERVICE> {
    return { ...SERVICE, ...(await this.board.words()) };
  }

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * 503 without the database: records would be refused, and no balance could be read. Other parts that are down are reported and not reason enough to
   * be left out: without Redis gateways ask here what budgets have used. 503 too from the moment on when the process was stopped.
   */
  @Get('ready')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    if (reply.server.drain.isAnnounced) {
      void reply.status(503);
      return { status: 'stopping', lacks: [] };
    }
    const { parts } = await this.board.words();
    const lacks = Object.keys(parts).filter((name) => parts[name] === 'down');
    if (parts['postgres'] !== 'down') return { status: 'ok', lacks };
    void reply.status(503);
    return { status: 'down', lacks };
  }

  /** With the service token, as all that is not open. */
  @Get('parts')
  async parts(): Promise<typeof SERVICE & { readonly parts: readonly PartReport[] }> {
    return { ...SERVICE, parts: await this.board.report() };
  }

  onApplicationShutdown(): void {
    this.board.stop();
  }
}
