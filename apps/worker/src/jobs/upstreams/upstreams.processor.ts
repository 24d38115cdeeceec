import { INTERNAL } from '@gw/contracts';
import { AgentIntegrationEntity, McpIntegrationEntity } from '@gw/entities';
import { agentCardSyncJob, agentHealthJob, mcpHealthJob, mcpSyncJob, type JobProcessor } from '@gw/jobs';
import { LessThanOrEqual, type DataSource } from 'typeorm';
import { runAdminBatches, type AdminBatchOptions } from '../admin-batches';

/** A batch of MCP servers or agents takes five minutes at most. */
const READINGS = {
  due: 'nextSyncAt',
  count: 'read',
  batchesMax: 10,
  client: { timeoutMs: 360_000, connections: 1, bytesMax: 65_536 },
} as const;

/** A batch of 40 checks, eight at once, takes 50 seconds at most. */
const CHECKS = {
  due: 'nextHealthAt',
  count: 'checked',
  batchesMax: 25,
  client: { timeoutMs: 90_000, connections: 1, bytesMax: 65_536 },
} as const;

/**
 * Jobs that read or check upstreams. `due`: column with the time of the next turn; `count`: member of the response with
 * the number of upstreams of a batch; `client`: bounds of its request.
 */
export const UPSTREAM_JOBS = [
  {
    ...{ ...READINGS, spec: mcpSyncJob, path: INTERNAL.mcpSync },
    ...{ entity: McpIntegrationEntity, of: 'MCP servers' },
  },
  {
    ...{ ...READINGS, spec: agentCardSyncJob, path: INTERNAL.agentCardSync },
    ...{ entity: AgentIntegrationEntity, of: 'agent cards' },
  },
  {
    ...{ ...CHECKS, spec: mcpHealthJob, path: INTERNAL.mcpHealth },
    ...{ entity: McpIntegrationEntity, of: 'checks of MCP servers' },
  },
  {
    ...{ ...CHECKS, spec: agentHealthJob, path: INTERNAL.agentHealth },
    ...{ entity: AgentIntegrationEntity, of: 'checks of agents' },
  },
] as const;

export type UpstreamJob = (typeof UPSTREAM_JOBS)[number];

/**
 * Runs one of these jobs. Safe to run twice and on many machines: the admin API leases the upstreams of a batch, and those
 * that were read or checked are due again later. A batch that fails ends the run.
 */
export class UpstreamsProcessor implements JobProcessor {
  readonly spec: UpstreamJob['spec'];

  constructor(
    private readonly job: UpstreamJob,
    private readonly source: DataSource,
    private readonly options: AdminBatchOptions,
  ) {
    this.spec = job.spec;
  }

  process(): Promise<void> {
    const { path, of, batchesMax, entity, due, count } = this.job;
    return runAdminBatches<Readonly<Record<UpstreamJob['count'], number>>>(this.options, {
      ...{ path, of, batchesMax },
      isDue: () =>
        this.source.manager.existsBy<McpIntegrationEntity | AgentIntegrationEntity>(entity, {
          status: 'active',
          [due]: LessThanOrEqual(new Date()),
        }),
      done: (response) => response[count],
    });
  }
}
