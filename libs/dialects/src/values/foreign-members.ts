import { type Dialect, type ModelCall } from '../call';
import type { LossLedger } from '../losses';

/**
 * Members of a client's body that are content, state or a contract: without them the response would not be the requested one.
 * Members that are not named here are hints.
 */
const CONTRACTS: Readonly<Partial<Record<Dialect, ReadonlySet<string>>>> = {
  'openai-responses': new Set(['prompt', 'context_management', 'tool_choice']),
  'anthropic-messages': new Set(['container', 'mcp_servers', 'context_management']),
};

/** Records the members that only the client's dialect has. `own`: the dialect of the encoder, which writes its own members. */
export function recordForeignMembers(call: ModelCall, own: Dialect, losses: LossLedger): void {
  for (const [dialect, members] of Object.entries(call.x ?? {})) {
    if (dialect === own) continue;
    const contracts = CONTRACTS[dialect as Dialect];
    for (const name of Object.keys(members)) {
      if (contracts?.has(name) === true) {
        losses.refuse(name, `The provider has no equivalent of ${name}; remove it.`);
      } else losses.note(name);
    }
  }
}
