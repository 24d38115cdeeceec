import type { McpAccessRule } from '@gw/contracts';
import { isUuid } from '../../platform/auth/tenancy';
import type { McpServerEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { argumentConditionFault } from '@gw/mcp';
import { validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { At } from '../../platform/resource/at';
import { findRow, patchRow } from '../../platform/resource/rows';
import { Writes } from '../../platform/unit-of-work/writes';
import type { McpAccessRulesResponse, UpdateMcpAccessRulesDto } from './mcp-server-access.dto';
import { MCP_SERVER } from './mcp-server-rows';

type RuleDto = UpdateMcpAccessRulesDto['rules'][number];

/** Rules of an MCP server about who may call which tools. */
@Injectable()
export class McpAccessRulesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly writes: Writes,
  ) {}

  async get(at: At): Promise<McpAccessRulesResponse> {
    const row = await findRow(this.dataSource.manager, MCP_SERVER, at);
    return { rules: rulesOf(row), default: row.defaultEffect };
  }

  /** Replaces all rules. */
  update(at: At, input: UpdateMcpAccessRulesDto): Promise<object> {
    const faults = input.rules.flatMap(faultsOf);
    if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
    const rules = input.rules.map(({ subject, tools, effect, when }) => ({
      subject: { type: subject.type, id: isUuid(subject.id) ? subject.id.toLowerCase() : subject.id },
      ...{ tools, effect, when: when ?? [] },
    }));
    return this.writes.run(at.caller, (write) =>
      patchRow(write, MCP_SERVER, at, (row) => {
        row.accessRules = rules;
        if (input.default !== undefined) row.defaultEffect = input.default;
      }),
    );
  }
}

export const rulesOf = ({ accessRules }: McpServerEntity): McpAccessRule[] =>
  accessRules as object[] as McpAccessRule[];

/** Subjects that gateways do not know of a caller, so that a rule about them would do nothing. */
const NOT_ENFORCED: ReadonlySet<string> = new Set(['group', 'role']);
/** Subjects that have a UUID; a client has any text. */
const WITH_UUID: ReadonlySet<string> = new Set(['user', 'key', 'trust']);
const PATTERN = /^[^*]*\*?$/;

function faultsOf({ subject, tools, when }: RuleDto, index: number): ErrorDetail[] {
  const path = `rules.${String(index)}`;
  const faults: ErrorDetail[] = [];
  if (WITH_UUID.has(subject.type) && !isUuid(subject.id))
    faults.push({ path: `${path}.subject.id`, message: `must be the id of a ${subject.type}` });
  if (NOT_ENFORCED.has(subject.type)) {
    const message = `gateways do not enforce rules for a ${subject.type}; use user, key, client or trust`;
    faults.push({ path: `${path}.subject.type`, message });
  }
  for (const [place, tool] of tools.entries()) {
    if (!PATTERN.test(tool))
      faults.push({ path: `${path}.tools.${String(place)}`, message: 'may have * only at the end' });
  }
  for (const [place, condition] of (when ?? []).entries()) {
    const message = argumentConditionFault(condition);
    if (message !== null) faults.push({ path: `${path}.when.${String(place)}`, message });
  }
  return faults;
}
