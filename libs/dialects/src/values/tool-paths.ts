import type { ModelCall, Tool } from '../call';

/**
 * Returns the client's path of a tool's member; Chat Completions has the members of functions in an
 * object of their own.
 */
export function toolPath(call: ModelCall, { at = 'tools' }: Tool, member: 'name' | 'strict'): string {
  const isNested = call.from === 'openai-chat' && at.startsWith('tools.');
  return isNested ? `${at}.function.${member}` : `${at}.${member}`;
}
