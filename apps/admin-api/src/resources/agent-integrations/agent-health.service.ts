import { AgentHealthEntity, AgentIntegrationEntity, AgentServerEntity } from '@gw/entities';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UpstreamHealth } from '../../platform/upstreams/upstream-health';
import { AgentTestsService } from './agent-tests.service';

/** Checks whether agents respond by requesting a task that does not exist. */
@Injectable()
export class AgentHealth {
  private readonly health: UpstreamHealth<AgentIntegrationEntity>;

  constructor(dataSource: DataSource, tests: AgentTestsService) {
    this.health = new UpstreamHealth(dataSource, {
      ...{ entity: AgentIntegrationEntity, checks: AgentHealthEntity, servers: AgentServerEntity },
      ...{ table: 'agent_integrations', alert: 'agent_integration', check: (row) => tests.check(row) },
    });
  }

  /** Checks the integrations that are due; see `UpstreamHealth.checkDue`. */
  checkDue(): Promise<number> {
    return this.health.checkDue();
  }
}
