/**
 * A token has about four characters: close enough for a stand-in, and the same on every machine.
 */
const TOKEN_CHARACTERS = 4;
const QUOTED_CHARACTERS = 80;

export const countTokens = (text: string): number => Math.ceil(text.length / TOKEN_CHARACTERS);

export interface TextLimits {
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** Minimum number of content chunks that the text must provide. */
  readonly chunks: number | null;
}

export interface SandboxText {
  readonly pieces: readonly string[];
  readonly finishReason: 'stop' | 'length';
}

/** Writes the sandbox's reply: a sentence about the prompt, in the chunks of a stream. */
export function writeText(model: string, prompt: string, choice: number, limits: TextLimits): SandboxText {
  const quoted = prompt.replace(/\s+/g, ' ').trim().slice(-QUOTED_CHARACTERS);
  const which = choice === 0 ? '' : ` This is choice ${String(choice + 1)}.`;
  const words = `[sandbox] ${model} read ${String(countTokens(prompt))} tokens, ending in: "${quoted}".${which}`;
  const { text, finishReason } = limit(extend(words, limits.chunks ?? 0), limits);
  return { pieces: split(text, limits.chunks), finishReason };
}

/**
 * Appends words until there are `words` of them, so that a caller gets the requested number of
 * chunks.
 */
function extend(text: string, words: number): string {
  const missing = words - text.split(' ').length;
  return missing <= 0 ? text : text + ' more'.repeat(missing);
}

function limit(
  text: string,
  { maxTokens, stop }: TextLimits,
): { text: string } & Pick<SandboxText, 'finishReason'> {
  const stops = stop.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0);
  const stopped = stops.length === 0 ? text : text.slice(0, Math.min(...stops));
  if (maxTokens === null || countTokens(stopped) <= maxTokens) return { text: stopped, finishReason: 'stop' };
  return { text: stopped.slice(0, maxTokens * TOKEN_CHARACTERS), finishReason: 'length' };
}

/**
 * Splits a text into words, or into `chunks` pieces with the rest in the last. Joined they are the
 * text.
 */
function split(text: string, chunks: number | null): string[] {
  const words: string[] = text.match(/(?<!\s)\s*\S+/g) ?? [];
  const rest = text.slice(words.join('').length);
  if (words.length > 0) words.push((words.pop() ?? '') + rest);
  if (chunks === null || words.length <= chunks) return words;
  return [...words.slice(0, chunks - 1), words.slice(chunks - 1).join('')];
}
