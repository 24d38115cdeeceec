import type { Part, Turn } from '../call';
import { invalid } from '../losses';

/**
 * Checks that every tool result belongs to an earlier call. Providers respond with 400 to other
 * histories. `member` is the client's name of the id, for the error.
 */
export function checkToolResults(turns: readonly Turn[], member: string): void {
  const called = new Set<string>();
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind === 'tool_call') called.add(part.id);
      else if (part.kind === 'tool_result' && !called.has(part.callId)) {
        throw invalid(
          `${part.at ?? 'messages'}.${member}`,
          `${member} names no tool call of an earlier message; send the assistant message with the call first.`,
        );
      }
    }
  }
}

/** Returns the names of the called tools by call id. */
export function toolNames(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of turns)
    for (const part of parts) if (part.kind === 'tool_call') names.set(part.id, part.name);
  return names;
}

/** Returns the text of parts, joined without a separator. */
export const joinedText = (parts: readonly Part[]): string => {
  let text = '';
  for (const part of parts) if (part.kind === 'text') text += part.text;
  return text;
};
