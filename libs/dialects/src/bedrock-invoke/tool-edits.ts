import type { JsonObject } from '../call';
import type { LossLedger } from '../losses';
import { asArray, asObject, asString } from '../values/json';

/** Flag that replaces `eager_input_streaming`, which Bedrock does not accept. */
const STREAMING_BETA = 'fine-grained-tool-streaming-2025-05-14';
/** Prefixes of the types of tools that Anthropic runs on its own platform only. */
const SERVER_TOOLS = ['web_search_', 'web_fetch_', 'code_execution_', 'mcp_toolset', 'advisor_'];

/** Tools to send instead of the client's, and the beta flags that they need. */
export interface ToolEdits {
  readonly tools: readonly unknown[];
  readonly flags: readonly string[];
}

/**
 * Returns the changed tools; null when they are sent unchanged. `isStrict` tells whether the model
 * supports strict tools on Bedrock.
 */
export function encodeToolEdits(value: unknown, isStrict: boolean, losses: LossLedger): ToolEdits | null {
  const tools = asArray(value);
  if (tools === null) return null;
  let isChanged = false;
  let isEager = false;
  const edited = tools.map((item, index) => {
    const tool = asObject(item);
    if (tool === null) return item;
    const at = `tools.${String(index)}`;
    const type = asString(tool['type']) ?? '';
    if (SERVER_TOOLS.some((prefix) => type.startsWith(prefix)))
      losses.refuse(at, `Claude on Bedrock has no tool ${type.slice(0, 64)}; leave it out.`);
    isEager ||= tool['eager_input_streaming'] === true;
    const left = unsupported(tool, isStrict, at, losses);
    isChanged ||= left.size > 0;
    return left.size === 0 ? item : without(tool, left);
  });
  return isChanged ? { tools: edited, flags: isEager ? [STREAMING_BETA] : [] } : null;
}

function unsupported(
  tool: JsonObject,
  isStrict: boolean,
  at: string,
  losses: LossLedger,
): ReadonlySet<string> {
  const left = new Set<string>();
  if ('eager_input_streaming' in tool) {
    left.add('eager_input_streaming');
    if (tool['eager_input_streaming'] === true)
      losses.note(`${at}.eager_input_streaming`, 'moved', STREAMING_BETA);
  }
  if ('strict' in tool && !isStrict) {
    left.add('strict');
    if (tool['strict'] === true) losses.note(`${at}.strict`);
  }
  return left;
}

function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  const kept: JsonObject = {};
  for (const name in object) if (!names.has(name) && name !== '__proto__') kept[name] = object[name];
  return kept;
}
