import type { Part, ToolResultPart, Turn } from '../call';
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

/**
 * Returns the names of the called tools by result: the name of the last call before it with its id,
 * because some providers use the same ids in each response.
 */
export function calledNames(turns: readonly Turn[]): ReadonlyMap<ToolResultPart, string> {
  const called = new Map<string, string>();
  const names = new Map<ToolResultPart, string>();
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind === 'tool_call') called.set(part.id, part.name);
      const name = part.kind === 'tool_result' ? called.get(part.callId) : undefined;
      if (part.kind === 'tool_result' && name !== undefined) names.set(part, name);
    }
  }
  return names;
}

/** Returns the text of parts, joined without a separator. */
export const joinedText = (parts: readonly Part[]): string => {
  let text = '';
  for (const part of parts) if (part.kind === 'text') text += part.text;
  return text;
};
