import { INTERNAL, type McpSyncResponse } from '@gw/contracts';
import { McpIntegrationEntity } from '@gw/entities';
import { mcpSyncJob, type JobProcessor } from '@gw/jobs';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/**
 * Safe to run twice and on many machines: the admin API leases the servers of a batch, and those that were read are
 * due again in a quarter of an hour. A batch that fails ends the run.
 */
export class McpSyncProcessor implements JobProcessor {
  readonly spec = mcpSyncJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {}

  process(): Promise<void> {
    const due = { status: 'active', nextSyncAt: LessThanOrEqual(new Date()) } as const;
    return runAdminBatches<McpSyncResponse>(this.options, {
      ...{ path: INTERNAL.mcpSync, of: 'MCP servers', batchesMax: 10 },
      isDue: () => this.source.manager.existsBy(McpIntegrationEntity, due),
      done: ({ read }) => read,
    });
  }
}
