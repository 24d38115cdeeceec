import { INTERNAL, type McpSyncResponse } from '@gw/contracts';
import { McpIntegrationEntity } from '@gw/entities';
import { mcpSyncJob, type JobProcessor } from '@gw/jobs';
import type { ServiceClient } from '@gw/outbound';
import { LessThanOrEqual, type DataSource } from 'typeorm';

/** Maximum number of batches in one run; the rest is left for the next run. */
const BATCHES_MAX = 10;

export interface McpSyncOptions {
  readonly client: Pick<ServiceClient, 'call'>;
  readonly adminUrl: string;
  readonly serviceToken: string;
}

/**
 * Safe to run twice and on many machines: the admin API leases the servers of a batch, and those that were read are
 * due again in a quarter of an hour. A batch that fails ends the run.
 */
export class McpSyncProcessor implements JobProcessor {
  readonly spec = mcpSyncJob;

  constructor(
    private readonly source: DataSource,
    private readonly options: McpSyncOptions,
  ) {}

  async process(): Promise<void> {
    const due = { status: 'active', nextSyncAt: LessThanOrEqual(new Date()) } as const;
    for (let count = 0; count < BATCHES_MAX; count += 1) {
      if (!(await this.source.manager.existsBy(McpIntegrationEntity, due))) return;
      if ((await this.readBatch()) === 0) return;
    }
  }

  /** Returns the number of servers that the admin API has read. */
  private async readBatch(): Promise<number> {
    const { client, adminUrl, serviceToken } = this.options;
    const { status, body } = await client.call({
      url: new URL(INTERNAL.mcpSync, adminUrl).href,
      method: 'POST',
      headers: { authorization: `Bearer ${serviceToken}` },
    });
    if (status !== 200)
      throw new Error(`The admin API responded with ${String(status)} to a batch of MCP servers.`);
    return (JSON.parse(body.toString('utf8')) as McpSyncResponse).read;
  }
}
