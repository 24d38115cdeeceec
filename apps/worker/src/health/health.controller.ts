import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { HealthBoard, type HealthWords, type PartReport } from '@gw/web';
import { Controller, Get, Res, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

const SERVICE = { service: 'worker', version: CONTROL_PLANE_VERSION } as const;
interface Readiness {
  readonly status: 'ok' | 'down' | 'stopping';
  /** Names of the parts that are down. */
  readonly lacks: readonly string[];
}

@Controller('health')
export class HealthController implements OnApplicationShutdown {
  constructor(private readonly board: HealthBoard) {
    board.start();
  }

  /** Returns 200 while the process can respond: degraded parts recover without a restart. */
  @Get()
  async health(): Promise<HealthWords & typeof SERVICE> {
    return { ...SERVICE, ...(await this.board.words()) };
  }

  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /**
   * Returns 503 without the database, because the worker could store no records and read no
   * balances, and 503 once the process is stopping. Other failed parts are only reported: without
   * Redis, gateways read budget usage from this worker.
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

  /** Requires the service token, like every internal route. */
  @Get('parts')
  async parts(): Promise<typeof SERVICE & { readonly parts: readonly PartReport[] }> {
    return { ...SERVICE, parts: await this.board.report() };
  }

  onApplicationShutdown(): void {
    this.board.stop();
  }
}
