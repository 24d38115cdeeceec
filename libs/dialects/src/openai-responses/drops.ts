import { pathOf, type CallMember, type JsonObject, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import type { Target } from '../target';

/**
 * Member names in a provider's row, which are those of Chat Completions, and the corresponding
 * members of this dialect.
 */
const MEMBERS: Readonly<
  Record<string, { readonly names: readonly string[]; readonly member: CallMember; readonly kind: Kind }>
> = {
  user: { names: ['user', 'safety_identifier'], member: 'user', kind: 'hint' },
  store: { names: ['store'], member: 'store', kind: 'hint' },
  metadata: { names: ['metadata'], member: 'metadata', kind: 'hint' },
  service_tier: { names: ['service_tier'], member: 'serviceTier', kind: 'hint' },
  prompt_cache_key: { names: ['prompt_cache_key'], member: 'cache', kind: 'hint' },
  top_logprobs: { names: ['top_logprobs'], member: 'logprobs', kind: 'parameter' },
  parallel_tool_calls: { names: ['parallel_tool_calls'], member: 'parallelTools', kind: 'parameter' },
  tool_choice: { names: ['tool_choice'], member: 'toolChoice', kind: 'parameter' },
  tools: { names: ['tools'], member: 'tools', kind: 'content' },
};
type Kind = 'hint' | 'parameter' | 'content';

/** Removes the members from a body that the provider does not support according to its row. */
export function dropMembers(body: JsonObject, call: ModelCall, target: Target, losses: LossLedger): void {
  for (const dropped of target.traits.drop ?? []) {
    const { names = [], member, kind } = MEMBERS[dropped] ?? {};
    for (const name of names) {
      const value = body[name];
      if (value === undefined || member === undefined) continue;
      Reflect.deleteProperty(body, name);
      if (!isNeutral(name, value)) record(kind, pathOf(call, member), losses);
    }
  }
}

const isNeutral = (name: string, value: unknown): boolean =>
  (name === 'store' && value === false) ||
  (name === 'parallel_tool_calls' && value === true) ||
  (name === 'tool_choice' && value === 'auto');

function record(kind: Kind | undefined, path: string, losses: LossLedger): void {
  const message = `The provider does not take ${path}.`;
  if (kind === 'content') losses.refuse(path, message);
  else if (kind === 'parameter') losses.parameter(path, message);
  else losses.note(path);
}
