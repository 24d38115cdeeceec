import type { McpAccessRule } from '@gw/contracts';
import type { McpServerEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { argumentConditionFault } from '@gw/mcp';
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
import type { McpAccessRulesResponse, UpdateMcpAccessRulesDto } from './mcp-server-access.dto';
import { MCP_SERVER } from './mcp-server-rows';

type RuleDto = UpdateMcpAccessRulesDto['rules'][number];

/** Manages the access rules of an MCP server: who may call which tools. */
@Injectable()
export class McpAccessRulesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(at: ResourceReference): Promise<McpAccessRulesResponse> {
    const row = await findRow(this.dataSource.manager, MCP_SERVER, at);
    return { rules: rulesOf(row), default: row.defaultEffect };
  }

  /** Replaces all rules of the server. Throws `validation_failed` with the faults. */
  update(at: ResourceReference, input: UpdateMcpAccessRulesDto): Promise<object> {
    const faults = input.rules.flatMap(faultsOf);
    if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
    const rules = input.rules.map(({ subject, tools, effect, when }) => ({
      subject: storedSubject(subject),
      ...{ tools, effect, when: when ?? [] },
    }));
    return this.writes.run(at.caller, (write) =>
      patchRow(write, MCP_SERVER, at, async (row) => {
        await assertGroups(write.manager, row, rules);
        row.accessRules = rules;
        if (input.default !== undefined) row.defaultEffect = input.default;
      }),
    );
  }
}

export const rulesOf = ({ accessRules }: McpServerEntity): McpAccessRule[] =>
  accessRules as object[] as McpAccessRule[];

function faultsOf({ subject, tools, when }: RuleDto, index: number): ErrorDetail[] {
  const path = `rules.${String(index)}`;
  const faults = [...subjectFaults(subject, path), ...patternFaults(tools, `${path}.tools`)];
  for (const [place, condition] of (when ?? []).entries()) {
    const message = argumentConditionFault(condition);
    if (message !== null) faults.push({ path: `${path}.when.${String(place)}`, message });
  }
  return faults;
}
