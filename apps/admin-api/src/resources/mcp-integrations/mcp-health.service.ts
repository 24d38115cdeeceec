import { isOfUsers } from '@gw/contracts';
import { McpHealthEntity, McpIntegrationEntity, McpServerEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CHECK_MS, responded, UpstreamHealth, type Checked } from '../../platform/upstreams/upstream-health';
import { McpReadError } from './mcp-source';
import { McpSources } from './mcp-sources.service';

/** Checks whether upstream MCP servers respond, with the credential that all callers share. */
@Injectable()
export class McpHealth {
  private readonly health: UpstreamHealth<McpIntegrationEntity>;

  constructor(
    dataSource: DataSource,
    private readonly sources: McpSources,
  ) {
    this.health = new UpstreamHealth(dataSource, {
      ...{ entity: McpIntegrationEntity, checks: McpHealthEntity, servers: McpServerEntity },
      ...{ table: 'mcp_integrations', alert: 'mcp_integration', check: (row) => this.check(row) },
    });
  }

  /** Checks the integrations that are due; see `UpstreamHealth.checkDue`. */
  checkDue(): Promise<number> {
    return this.health.checkDue();
  }

  private async check(row: McpIntegrationEntity): Promise<Checked> {
    try {
      return responded((await this.sources.describe(row, CHECK_MS)).tookMs);
    } catch (error) {
      if (!(error instanceof McpReadError)) throw error;
      const { message, isUnauthorised } = error;
      // A server at which users sign in refuses every other caller, so a refusal shows that it
      // works.
      if (isUnauthorised && isOfUsers(row.authType)) return { state: 'healthy', error: null, tookMs: null };
      return {
        state: isUnauthorised ? 'unauthorised' : 'down',
        error: message.slice(0, 1_024),
        tookMs: null,
      };
    }
  }
}
