import { AGENTS_SCOPE } from '@gw/a2a';
import type { AgentAccessRule } from '@gw/contracts';
import {
  AgentServerSkillEntity,
  AgentServerUserEntity,
  AgentSkillEntity,
  type AgentServerEntity,
} from '@gw/entities';
import {
  ALL_SKILLS_ON,
  judgeSkill,
  NO_SKILL,
  skillRules,
  type AccessCaller,
  type AccessCapability,
  type AccessServer,
} from '@gw/mcp';
import { listWithMoreOf, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow } from '../../platform/resource/rows';
import { AGENT_INTEGRATION } from '../../platform/rows/agent-rows';
import { effectOf, type EffectiveQuery } from '../../platform/upstreams/effective-access';
import { assertMaySee, previewedCaller } from '../../platform/rows/previewed-callers';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { usableIntegrations } from '../../platform/upstreams/usable-integrations';
import type { AgentEffectiveResponse, AgentEffectResponse } from './agent-server-access.dto';
import { AGENT_SERVER, approvedSkillsOf } from './agent-server-rows';

/** Explains which skills of an agent a user or an API key may use, and why. */
@Injectable()
export class AgentEffectiveAccessService {
  constructor(private readonly dataSource: DataSource) {}

  async list(at: ResourceReference, query: EffectiveQuery): Promise<AgentEffectiveResponse> {
    const { manager } = this.dataSource;
    const row = await findRow(manager, AGENT_SERVER, at);
    const caller = await previewedCaller(manager, row, query, AGENTS_SCOPE);
    assertMaySee(at.caller, caller.userId);
    const page = pageFromZero(query);
    const [skills, total] = await manager.findAndCount(AgentSkillEntity, {
      where: approvedSkillsOf(row),
      order: { position: 'ASC', id: 'ASC' },
      ...windowOf(page),
    });
    const server = await accessServerOf(manager, row);
    const capabilityId = In(skills.map(({ id }) => id));
    const switches = { serverId: row.id, enabled: false, capabilityId };
    const off = new Set(
      (await manager.findBy(AgentServerSkillEntity, switches)).map((each) => each.capabilityId),
    );
    const data = skills.map(({ id: skill_id, name, enabled }) => ({
      ...{ id: name, skill_id },
      ...effectOn(
        server,
        { ...ALL_SKILLS_ON, name, isEnabledAtIntegration: enabled, isEnabledAtServer: !off.has(skill_id) },
        caller,
      ),
    }));
    const without_skill = effectOn(server, { ...ALL_SKILLS_ON, name: NO_SKILL }, caller);
    return { ...listWithMoreOf([data, total], page), without_skill };
  }
}

async function accessServerOf(manager: EntityManager, row: AgentServerEntity): Promise<AccessServer> {
  const { id: serverId, slug, defaultUserAccess, defaultEffect, accessRules } = row;
  const users = await manager.findBy(AgentServerUserEntity, { serverId });
  const isAvailable = await usableIntegrations(manager, AGENT_INTEGRATION, row)
    .andWhere('i.id = :integrationId', { integrationId: row.integrationId })
    .getExists();
  return {
    ...{ slug, isAvailable, defaultEffect },
    userAccess: {
      isAllowed: defaultUserAccess === 'allow',
      exceptions: new Map(users.map(({ userId, enabled }) => [userId, enabled])),
    },
    rules: skillRules(slug, accessRules as object[] as AgentAccessRule[]),
  };
}

function effectOn(
  server: AccessServer,
  capability: AccessCapability,
  caller: AccessCaller,
): AgentEffectResponse {
  const verdict = caller.scopes.includes(AGENTS_SCOPE)
    ? judgeSkill(server, capability, caller)
    : ({ kind: 'insufficient_scope', scope: AGENTS_SCOPE } as const);
  const { rule, ...effect } = effectOf(server, capability, { ...caller, key: null }, verdict);
  return { ...effect, rule: rule && { subject: rule.subject, skills: rule.tools, effect: rule.effect } };
}
