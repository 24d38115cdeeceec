import type { ModelCall, Tool } from '../call';

/**
 * Returns the client's path of a tool's member; in Chat Completions the members of functions are in
 * a nested object.
 */
export function toolPath(call: ModelCall, { at = 'tools' }: Tool, member: 'name' | 'strict'): string {
  const isNested = call.from === 'openai-chat' && at.startsWith('tools.');
  return isNested ? `${at}.function.${member}` : `${at}.${member}`;
}
