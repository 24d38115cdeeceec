import type { AgentAccessRule } from '@gw/contracts';
import type { AgentServerEntity } from '@gw/entities';
import { validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ResourceReference } from '../../platform/resource/resource-reference';
import { findRow, patchRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import {
  assertGroups,
  patternFaults,
  storedSubject,
  subjectFaults,
} from '../../platform/upstreams/access-rules';
import type { AgentAccessRulesResponse, UpdateAgentAccessRulesDto } from './agent-server-access.dto';
import { AGENT_SERVER } from './agent-server-rows';

/** Manages the access rules of an agent: who may use which skills. */
@Injectable()
export class AgentAccessRulesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(at: ResourceReference): Promise<AgentAccessRulesResponse> {
    const row = await findRow(this.dataSource.manager, AGENT_SERVER, at);
    return { rules: rulesOf(row), default: row.defaultEffect };
  }

  /** Replaces all rules of the agent. Throws `validation_failed` with all faults. */
  update(at: ResourceReference, input: UpdateAgentAccessRulesDto): Promise<object> {
    const faults = input.rules.flatMap(({ subject, skills }, index) => {
      const path = `rules.${String(index)}`;
      return [...subjectFaults(subject, path), ...patternFaults(skills, `${path}.skills`)];
    });
    if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
    const rules = input.rules.map(({ subject, skills, effect }) => ({
      subject: storedSubject(subject),
      ...{ skills, effect },
    }));
    return this.writes.run(at.caller, (write) =>
      patchRow(write, AGENT_SERVER, at, async (row) => {
        await assertGroups(write.manager, row, rules);
        row.accessRules = rules;
        if (input.default !== undefined) row.defaultEffect = input.default;
      }),
    );
  }
}

const rulesOf = ({ accessRules }: AgentServerEntity): AgentAccessRule[] =>
  accessRules as object[] as AgentAccessRule[];
