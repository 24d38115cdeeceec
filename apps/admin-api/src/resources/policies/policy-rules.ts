import type { PolicyCondition } from '@gw/contracts';
import { validationFailed } from '@gw/web';
import type { PolicyConditionDto, PolicyGroupDto } from './policies.dto';

export type PolicyRuleSet = 'usage' | 'llm' | 'mcp_tools';

const LLM = [
  ...['api_key', 'virtual_key', 'provider', 'config', 'prompt', 'model'],
  ...['workspace_id', 'organisation_id'],
];
const MCP = [
  ...['api_key', 'user_id', 'client_id', 'workspace_id'],
  ...['mcp_server', 'mcp_tool', 'agent', 'agent_skill'],
];

/** Allowed condition keys, in addition to `metadata.<key>`, which is always allowed. */
const CONDITION_KEYS: Readonly<Record<PolicyRuleSet, readonly string[]>> = {
  usage: LLM,
  llm: [...LLM, 'endpoint_type'],
  mcp_tools: [...MCP, 'mcp_annotation'],
};
const GROUP_KEYS: Readonly<Record<PolicyRuleSet, readonly string[]>> = {
  usage: LLM,
  llm: LLM,
  mcp_tools: MCP,
};

const METADATA = /^metadata\../s;

/** Returns the conditions in stored form. Throws `validation_failed` with all faults. */
export function conditionsOf(kind: PolicyRuleSet, input: readonly PolicyConditionDto[]): PolicyCondition[] {
  refuse([
    ...keysAtFault(CONDITION_KEYS[kind], 'conditions', input),
    ...input.flatMap(({ value, excludes }, i) =>
      value === undefined && excludes === undefined
        ? [{ path: `conditions.${String(i)}.value`, message: 'value or excludes is required' }]
        : [],
    ),
  ]);
  return input.map(({ key, value, excludes }) => ({
    key,
    ...(value === undefined ? {} : { value }),
    ...(excludes === undefined ? {} : { excludes }),
  }));
}

/**
 * Returns the group keys. Throws `validation_failed` with all faults, and when a required key is
 * missing.
 */
export function groupKeysOf(kind: PolicyRuleSet, input: readonly PolicyGroupDto[]): string[] {
  const keys = input.map(({ key }) => key);
  refuse([
    ...(keys.length === 0 && kind !== 'mcp_tools'
      ? [{ path: 'group_by', message: 'group_by must have at least one key' }]
      : []),
    ...keysAtFault(GROUP_KEYS[kind], 'group_by', input),
    ...keys.flatMap((key, i) =>
      keys.indexOf(key) < i
        ? [{ path: `group_by.${String(i)}.key`, message: `${key} is duplicated; send each key once` }]
        : [],
    ),
  ]);
  return keys;
}

interface Fault {
  readonly path: string;
  readonly message: string;
}

const keysAtFault = (
  allowed: readonly string[],
  path: string,
  input: readonly { readonly key: string }[],
): Fault[] =>
  input.flatMap(({ key }, i) =>
    allowed.includes(key) || METADATA.test(key)
      ? []
      : [
          {
            path: `${path}.${String(i)}.key`,
            message: `key must be metadata.<key> or one of ${allowed.join(', ')}`,
          },
        ],
  );

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw validationFailed(faults);
}
