import type { McpAccessRule } from '@gw/contracts';
import { isUuid } from '../../platform/auth/tenancy';
import { ScimGroupEntity, type McpServerEntity } from '@gw/entities';
import type { ErrorDetail } from '@gw/kernel';
import { argumentConditionFault, RULE_ROLES } from '@gw/mcp';
import { validationFailed } from '@gw/web';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import type { At } from '../../platform/resource/at';
import { findRow, patchRow } from '../../platform/resource/rows';
import { SSO_GROUP_PREFIX } from '../../platform/rows/user-facts.queries';
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
      patchRow(write, MCP_SERVER, at, async (row) => {
        await assertGroups(write.manager, row, rules);
        row.accessRules = rules;
        if (input.default !== undefined) row.defaultEffect = input.default;
      }),
    );
  }
}

/** Throws `validation_failed` for groups that the organisation does not have: a denial of them would do nothing. */
async function assertGroups(
  manager: EntityManager,
  { organisationId }: McpServerEntity,
  rules: readonly Pick<McpAccessRule, 'subject'>[],
): Promise<void> {
  const named = rules.map(({ subject: { type, id } }) => (type === 'group' && isUuid(id) ? id : null));
  const ids = named.filter((id) => id !== null);
  if (ids.length === 0) return;
  const groups = await manager.find(ScimGroupEntity, {
    where: { organisationId, id: In([...new Set(ids)]) },
    select: { id: true },
  });
  const known = new Set(groups.map(({ id }) => id));
  const faults = named.flatMap((id, index) =>
    id === null || known.has(id) ? [] : [{ path: `rules.${String(index)}.subject.id`, message: GROUP_RULE }],
  );
  if (faults.length > 0) throw validationFailed(faults.slice(0, 100));
}

export const rulesOf = ({ accessRules }: McpServerEntity): McpAccessRule[] =>
  accessRules as object[] as McpAccessRule[];

/** Subjects that have a UUID; a client has any text. */
const WITH_UUID: ReadonlySet<string> = new Set(['user', 'key', 'trust']);
const ROLES: ReadonlySet<string> = new Set(RULE_ROLES);
const GROUP_RULE = `must be the id of a group of SCIM in the organisation, or ${SSO_GROUP_PREFIX} and the name of a group`;
const PATTERN = /^[^*]*\*?$/;

function faultsOf({ subject, tools, when }: RuleDto, index: number): ErrorDetail[] {
  const path = `rules.${String(index)}`;
  const faults: ErrorDetail[] = [];
  const unfit = subjectFault(subject);
  if (unfit !== null) faults.push({ path: `${path}.subject.id`, message: unfit });
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

function subjectFault({ type, id }: RuleDto['subject']): string | null {
  if (WITH_UUID.has(type)) return isUuid(id) ? null : `must be the id of a ${type}`;
  if (type === 'role') return ROLES.has(id) ? null : `must be one of ${RULE_ROLES.join(', ')}`;
  if (type === 'group') return isUuid(id) || isSsoGroup(id) ? null : GROUP_RULE;
  return null;
}

const isSsoGroup = (id: string): boolean =>
  id.startsWith(SSO_GROUP_PREFIX) && id.length > SSO_GROUP_PREFIX.length;
