import { AgentIntegrationEntity, AgentSkillEntity } from '@gw/entities';
import { invalid } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, lockRow } from '../../platform/resource/rows';
import { AGENT_SKILL_REACH } from '../../platform/rows/agent-rows';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  decideCapabilities,
  switchCapabilities,
  waitingCapabilities,
  type CapabilityKind,
  type Decision,
} from '../../platform/upstreams/capability-decisions';
import { saveSync } from '../../platform/upstreams/upstream-sync.queries';
import { agentIntegrationTo } from './agent-integration-rows';
import type {
  AgentSkillChangesQuery,
  AgentSkillDecisionDto,
  AgentSkillsQuery,
  UpdateAgentSkillsDto,
} from './agent-skills.dto';
import {
  toAgentSkill,
  toAgentSkillChange,
  type AgentSkillChangesResponse,
  type AgentSkillDecisionResponse,
  type AgentSkillsResponse,
  type AgentSkillSuccessResponse,
} from './agent-skills.view';
import { AgentSnapshots } from './agent-snapshots.service';

const READ = agentIntegrationTo('read', AGENT_SKILL_REACH);
const UPDATE = agentIntegrationTo('update', AGENT_SKILL_REACH);

const SKILLS: CapabilityKind<AgentIntegrationEntity, AgentSkillEntity> = {
  ...{ integration: UPDATE, entity: AgentSkillEntity, member: 'skills', selfType: 'agent' },
  unknown: (index) => ({
    path: `skills.${String(index)}.id`,
    message: 'is not a skill that the card lists; synchronise the integration, or remove it',
  }),
  serveSelf: (manager, integration) =>
    saveSync(manager, AgentIntegrationEntity, integration, { approvedEndpoint: integration.endpoint }),
  withdrawSelf: (manager, integration) =>
    saveSync(manager, AgentIntegrationEntity, integration, { approvedEndpoint: null }),
};

/** Lists the skills on an integration's card and applies the decisions of administrators. */
@Injectable()
export class AgentSkillsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
    private readonly snapshots: AgentSnapshots,
  ) {}

  async list(
    at: ResourceReference,
    { page, page_size: size }: AgentSkillsQuery,
  ): Promise<AgentSkillsResponse> {
    const { manager } = this.dataSource;
    const { id } = await findRow(manager, READ, at);
    const [rows, total] = await manager.findAndCount(AgentSkillEntity, {
      where: { integrationId: id, goneAt: IsNull(), type: 'skill' },
      order: { position: 'ASC', id: 'ASC' },
      ...{ skip: (page - 1) * size, take: size },
    });
    return { data: rows.map(toAgentSkill), total, has_more: page * size < total };
  }

  /** Lists the items whose newest definition is not approved, each with its approved definition. */
  async changes(at: ResourceReference, query: AgentSkillChangesQuery): Promise<AgentSkillChangesResponse> {
    const { manager } = this.dataSource;
    const integration = await findRow(manager, READ, at);
    const [rows, total] = await waitingCapabilities(manager, AgentSkillEntity, integration, query);
    return {
      data: rows.map(toAgentSkillChange),
      ...{ total, has_more: query.page * query.page_size < total },
    };
  }

  /** Enables or disables skills for all workspaces. */
  update(at: ResourceReference, { skills }: UpdateAgentSkillsDto): Promise<AgentSkillSuccessResponse> {
    const switches = skills.map(({ id: name, enabled }) => ({ type: 'skill', name, enabled }));
    return this.writes.run(at.caller, async (write) => {
      await switchCapabilities(write, SKILLS, await lockRow(write, UPDATE, at), switches);
      return { success: true };
    });
  }

  /**
   * Approves or rejects definitions by their digests. A definition that has changed since the
   * administrator saw it stays as it is and is returned as stale. Throws `conflict` when all are
   * stale.
   */
  decide(
    at: ResourceReference,
    decision: Decision,
    { items, reason }: AgentSkillDecisionDto,
  ): Promise<AgentSkillDecisionResponse> {
    const named = items.map(({ type = 'skill', id: name, digest }) => ({ type, name, digest }));
    return this.writes.run(at.caller, async (write) => {
      const integration = await lockRow(write, UPDATE, at);
      const { decided, stale } = await decideCapabilities(write, SKILLS, integration, decision, {
        ...{ items: named, reason },
      });
      return {
        approved: decision === 'approve' ? decided : 0,
        rejected: decision === 'reject' ? decided : 0,
        stale: stale.map(({ type, name: id, digest }) => ({ type, id, digest })),
      };
    });
  }

  /**
   * Reads the card now. Throws `validation_failed` for an integration whose card an administrator
   * sent.
   */
  async sync(at: ResourceReference): Promise<AgentSkillSuccessResponse> {
    const row = await findRow(this.dataSource.manager, agentIntegrationTo('update'), at);
    if (row.source === 'manual')
      throw invalid(
        'agent_card',
        'agent_card was given by hand; update the integration with another one, or with null',
      );
    await this.snapshots.sync(row, at.caller);
    return { success: true };
  }
}
