import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { Answer } from '@gw/web';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { Public } from '../auth/access';

export class HealthAnswer {
  @Answer.oneOf(['ok', 'degraded'])
  readonly status!: 'ok' | 'degraded';

  @Answer.oneOf(['admin-api'])
  readonly service!: 'admin-api';

  @Answer.text({ example: '1.0.0' })
  readonly version!: string;

  @Answer.texts({ description: 'Parts that do not work.' })
  readonly degraded!: string[];
}

/** A part that says nothing for this long counts as degraded. */
const PROBE_MS = 2_000;

@Controller()
export class HealthController {
  constructor(private readonly dataSource: DataSource) {}

  /** 200 also when degraded: the process itself is well and must not be restarted for a database that is away. */
  @Get(['health', 'v1/health', 'v2/health'])
  @ApiOkResponse({ type: HealthAnswer })
  @Public('Load balancers ask without a credential; it tells no more than what works.')
  async health(): Promise<HealthAnswer> {
    const degraded = (await answers(this.dataSource.query('SELECT 1'))) ? [] : ['database'];
    return {
      status: degraded.length === 0 ? 'ok' : 'degraded',
      service: 'admin-api',
      version: CONTROL_PLANE_VERSION,
      degraded,
    };
  }
}

async function answers(probe: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => {
      resolve(false);
    }, PROBE_MS);
  });
  const answered = probe.then(
    () => true,
    () => false,
  );
  const isWell = await Promise.race([answered, late]);
  clearTimeout(timer);
  return isWell;
}
