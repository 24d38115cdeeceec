import { WorkspaceEntity } from '@gw/entities';
import type { AddressPolicy, LossMode } from '@gw/kernel';
import { compileConfig, simulate } from '@gw/routing';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertScope } from '../../platform/auth/scope-checks';
import type { Principal } from '../../platform/common/principal';
import { ADDRESS_POLICY } from '../../platform/credentials/integration-credentials';
import type { GuardrailScope } from '../../platform/rows/guardrail-references';
import type { LogDetailResponse } from '../../platform/logs/log-responses.dto';
import { LogReader, READS_A_LOG } from '../../platform/logs/log-reader';
import { validConfig } from './config-content';
import { ConfigsService } from './configs.service';
import type { SimulateConfigDto } from './simulation.dto';
import { givenOutcomes, recordedOutcomes, simulatedRequest } from './simulation-input';
import { simulatedTranslations } from './simulated-translations';
import { toSimulation, type SimulationResponse } from './simulation.view';

@Injectable()
export class SimulationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly configs: ConfigsService,
    private readonly logs: LogReader,
    @Inject(ADDRESS_POLICY) private readonly addresses: AddressPolicy,
  ) {}

  /**
   * Routes a request through a config. Calls no provider and writes nothing. Throws
   * `config_invalid` with all faults, `not_found` for a config or log of another tenant, and
   * `scope_missing` for a log that the caller may not read.
   */
  async run(caller: Principal, input: SimulateConfigDto): Promise<SimulationResponse> {
    const { content, scope } = await this.contentOf(caller, input.config);
    const config = await validConfig(this.dataSource.manager, scope, content, this.addresses);
    const log = input.log_id === undefined ? null : await this.logOf(caller, input.log_id);
    const outcomes = input.outcomes
      ? givenOutcomes(input.outcomes)
      : recordedOutcomes(log?.decision.attempts ?? []);
    const at = input.at ?? log?.created_at;
    const options = {
      nowMs: at === undefined ? Date.now() : Date.parse(at),
      ...(input.random === undefined ? {} : { random: input.random }),
    };
    const request = simulatedRequest(input.request ?? {}, log);
    const compiled = compileConfig(config);
    const translations = await simulatedTranslations(this.dataSource.manager, compiled, {
      ...request,
      scope,
      loss: await this.lossModeOf(scope),
    });
    return toSimulation(simulate(compiled, request, outcomes, options), translations);
  }

  private async lossModeOf({ workspaceId }: GuardrailScope): Promise<LossMode> {
    if (workspaceId === null) return 'strict';
    const workspace = await this.dataSource.manager.findOneBy(WorkspaceEntity, { id: workspaceId });
    return workspace?.settings.translation_loss ?? 'strict';
  }

  private async contentOf(
    caller: Principal,
    config: SimulateConfigDto['config'],
  ): Promise<{ readonly content: Record<string, unknown>; readonly scope: GuardrailScope }> {
    if (typeof config !== 'string') return { content: config, scope: caller };
    const saved = await this.configs.get({ caller, reference: config });
    const scope = { organisationId: saved.organisation_id, workspaceId: saved.workspace_id };
    return { content: JSON.parse(saved.config) as Record<string, unknown>, scope };
  }

  private logOf(caller: Principal, id: string): Promise<LogDetailResponse> {
    // The response shows which conditions match, which reveals content of the log. The caller
    // therefore needs the right to read logs.
    assertScope(caller, READS_A_LOG);
    return this.logs.get(caller, id);
  }
}
