import { AgentServerEntity, AgentServerSkillEntity, AgentSkillEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { listWithMoreOf, validationFailed, windowOf } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { skillTexts } from '../../platform/agents/agent-skill-texts';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { audit, findRow, lockRow, publish } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import { nameDigestOf } from '../../platform/upstreams/capability-changes';
import { pageFromZero } from '../../platform/upstreams/upstream-page';
import { saveWithNewVersion } from '../../platform/upstreams/user-access';
import type {
  AgentServerSkillResponse,
  AgentServerSkillsQuery,
  AgentServerSkillsResponse,
  UpdateAgentServerSkillsDto,
} from './agent-server-access.dto';
import { AGENT_SERVER, approvedSkillsOf } from './agent-server-rows';
import type { AgentServerSuccessResponse } from './agent-servers.dto';

/** Manages which skills of its integration an agent of a workspace offers. */
@Injectable()
export class AgentServerSkillsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  /**
   * Lists the approved skills, including those that the integration or the agent has switched off.
   */
  async list(at: ResourceReference, query: AgentServerSkillsQuery): Promise<AgentServerSkillsResponse> {
    const { manager } = this.dataSource;
    const server = await findRow(manager, AGENT_SERVER, at);
    const page = pageFromZero(query);
    const [rows, total] = await manager.findAndCount(AgentSkillEntity, {
      where: approvedSkillsOf(server),
      order: { position: 'ASC', id: 'ASC' },
      ...windowOf(page),
    });
    const capabilityId = In(rows.map(({ id }) => id));
    const switches = { serverId: server.id, enabled: false, capabilityId };
    const off = new Set(
      (await manager.findBy(AgentServerSkillEntity, switches)).map((each) => each.capabilityId),
    );
    return listWithMoreOf([rows.map((row) => toServerSkill(row, !off.has(row.id))), total], page);
  }

  /**
   * Enables or disables skills. Throws `validation_failed` for unknown ids, and for enabling a
   * skill that the integration has disabled.
   */
  update(at: ResourceReference, { skills }: UpdateAgentServerSkillsDto): Promise<AgentServerSuccessResponse> {
    return this.writes.run(at.caller, async (write) => {
      const { manager } = write;
      const server = await lockRow(write, AGENT_SERVER, at);
      const rows = await manager.find(AgentSkillEntity, {
        where: { ...approvedSkillsOf(server), nameDigest: In(skills.map(({ id }) => nameDigestOf(id))) },
        select: { id: true, name: true, enabled: true },
      });
      const byName = new Map(rows.map((row) => [row.name, row]));
      const faults: ErrorDetail[] = [];
      const wanted = new Map<string, boolean>();
      for (const [index, { id, enabled }] of skills.entries()) {
        const path = `skills.${String(index)}`;
        const row = byName.get(id);
        if (row === undefined)
          faults.push({ path: `${path}.id`, message: 'must be an approved skill of the agent' });
        else if (enabled && !row.enabled)
          faults.push({ path: `${path}.enabled`, message: 'must be false: the integration has disabled it' });
        else wanted.set(row.id, enabled);
      }
      if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
      await keep(manager, server.id, wanted);
      await saveWithNewVersion(manager, AgentServerEntity, server);
      audit(write, AGENT_SERVER, 'update', server, { after: { skills } });
      await publish(write, AGENT_SERVER, server);
      return { success: true };
    });
  }
}

/** Stores which skills are disabled; an enabled skill has no row. */
async function keep(
  manager: EntityManager,
  serverId: string,
  wanted: ReadonlyMap<string, boolean>,
): Promise<void> {
  await manager.delete(AgentServerSkillEntity, { serverId, capabilityId: In([...wanted.keys()]) });
  const off = [...wanted].filter(([, enabled]) => !enabled);
  await manager.insert(
    AgentServerSkillEntity,
    off.map(([capabilityId]) => ({ serverId, capabilityId, enabled: false })),
  );
}

const toServerSkill = (row: AgentSkillEntity, isOn: boolean): AgentServerSkillResponse => ({
  ...skillTexts(row, row.approved ?? {}),
  ...{ enabled: row.enabled && isOn, integration_enabled: row.enabled },
});
