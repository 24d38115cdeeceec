import { type Dialect, type ModelCall } from '../call';
import type { LossLedger } from '../losses';
import { asArray, asObject, objectsOf } from './json';

/**
 * Members of a client's body that are content, state or a contract: without them the response would
 * not be the requested one. Members that are not named here are hints.
 */
const CONTRACTS: Readonly<Partial<Record<Dialect, ReadonlySet<string>>>> = {
  'openai-responses': new Set(['prompt', 'context_management', 'tool_choice']),
  'anthropic-messages': new Set(['container', 'mcp_servers', 'context_management']),
};

/**
 * Records the members that only the client's dialect has. `own` is the dialect of the encoder,
 * which writes its own members.
 */
export function recordForeignMembers(call: ModelCall, own: Dialect, losses: LossLedger): void {
  if (own !== 'openai-chat') refuseSpoken(call, losses);
  for (const [dialect, members] of Object.entries(call.x ?? {})) {
    if (dialect === own) continue;
    const contracts = CONTRACTS[dialect as Dialect];
    for (const [name, value] of Object.entries(members)) {
      if (dialect === 'anthropic-messages' && name === 'context_management' && keepsAll(value)) continue;
      if (contracts?.has(name) === true) {
        losses.refuse(name, `The provider has no equivalent of ${name}; remove it.`);
      } else losses.note(name);
    }
  }
}

/**
 * Refuses messages of the assistant that were spoken: they name audio that only their provider has.
 */
function refuseSpoken({ turns }: ModelCall, losses: LossLedger): void {
  for (const { x, at = 'messages' } of turns) {
    if (asObject(x?.['openai-chat']?.['audio']) !== null)
      losses.refuse(`${at}.audio`, 'The provider has no such audio; send the text of the message.');
  }
}

/**
 * Returns whether edits of the context have no effect: Claude Code requests to keep all reasoning,
 * which providers do by default.
 */
function keepsAll(value: unknown): boolean {
  const edits = asArray(asObject(value)?.['edits']);
  return (
    edits !== null &&
    objectsOf(edits).every(
      ({ type, keep }) => typeof type === 'string' && type.startsWith('clear_thinking_') && keep === 'all',
    )
  );
}
