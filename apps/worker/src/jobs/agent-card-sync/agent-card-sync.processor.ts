import { INTERNAL, type AgentCardSyncResponse } from '@gw/contracts';
import { AgentIntegrationEntity } from '@gw/entities';
import { agentCardSyncJob, type JobProcessor } from '@gw/jobs';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/**
 * Safe to run twice and on many machines: the admin API leases the agents of a batch, and those that were read are
 * due again in a quarter of an hour. A batch that fails ends the run.
 */
export class AgentCardSyncProcessor implements JobProcessor {
  readonly spec = agentCardSyncJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {}

  process(): Promise<void> {
    const due = { status: 'active', nextSyncAt: LessThanOrEqual(new Date()) } as const;
    return runAdminBatches<AgentCardSyncResponse>(this.options, {
      ...{ path: INTERNAL.agentCardSync, of: 'agent cards', batchesMax: 10 },
      isDue: () => this.source.manager.existsBy(AgentIntegrationEntity, due),
      done: ({ read }) => read,
    });
  }
}
