import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { Controller, Get, Inject } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { LogStreamConsumer } from './ingest/log-stream.consumer';

export interface Health {
  readonly status: 'ok' | 'degraded';
  readonly version: string;
  /** Parts that do not work right now: `postgres`, `redis`. */
  readonly degraded: readonly string[];
}

const PROBE_TIMEOUT_MS = 2_000;
export const LOG_STREAM = Symbol('log stream consumer, or null without Redis');

@Controller()
export class HealthController {
  constructor(
    private readonly source: DataSource,
    @Inject(LOG_STREAM) private readonly stream: LogStreamConsumer | null,
  ) {}

  /** Always 200 while the process can answer: what is degraded mends itself, and a restart would not help. */
  @Get('health')
  async health(): Promise<Health> {
    const degraded: string[] = [];
    if (!(await this.databaseAnswers())) degraded.push('postgres');
    if (this.stream?.isFailing) degraded.push('redis');
    return { status: degraded.length === 0 ? 'ok' : 'degraded', version: CONTROL_PLANE_VERSION, degraded };
  }

  private async databaseAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => {
        resolve(false);
      }, PROBE_TIMEOUT_MS);
    });
    const answer = this.source.query('SELECT 1').then(
      () => true,
      () => false,
    );
    const answers = await Promise.race([answer, tooLong]);
    clearTimeout(timer);
    return answers;
  }
}
