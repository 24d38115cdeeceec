import { INTERNAL, type HealthCheckResponse } from '@gw/contracts';
import { McpIntegrationEntity } from '@gw/entities';
import { mcpHealthJob, type JobProcessor } from '@gw/jobs';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/**
 * Safe to run twice and on many machines: the admin API leases the servers of a batch, and those that were checked are
 * due again in a minute at the earliest. A batch that fails ends the run.
 */
export class McpHealthProcessor implements JobProcessor {
  readonly spec = mcpHealthJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {}

  process(): Promise<void> {
    const due = { status: 'active', nextHealthAt: LessThanOrEqual(new Date()) } as const;
    return runAdminBatches<HealthCheckResponse>(this.options, {
      ...{ path: INTERNAL.mcpHealth, of: 'checks of MCP servers', batchesMax: 25 },
      isDue: () => this.source.manager.existsBy(McpIntegrationEntity, due),
      done: ({ checked }) => checked,
    });
  }
}
