import type { JsonObject } from '../provider';
import type { SandboxResponse } from './request';
import {
  checkSize,
  CREATED,
  FINGERPRINT,
  includesUsage,
  invalid,
  readInteger,
  readStop,
  usageOf,
  type SandboxRequest,
} from './request';
import { writeText } from './text';

/** The documented default of `max_tokens`. */
const DEFAULT_MAX_TOKENS = 16;
const PROMPTS_MAX = 128;

interface Choice {
  readonly index: number;
  readonly pieces: readonly string[];
  readonly finishReason: string;
}

/**
 * Returns an OpenAI text completion: `n` choices for every prompt; streamed chunks have the same
 * shape as the whole.
 */
export function completionResponse(request: SandboxRequest): SandboxResponse {
  const { body, dials } = request;
  const prompts = readPrompts(body['prompt']);
  const perPrompt = readInteger(body, 'n', 1, 128) ?? 1;
  checkSize(dials, prompts.length * perPrompt * (dials.chunks ?? 1));
  const choices = prompts.flatMap((prompt, at) =>
    Array.from({ length: perPrompt }, (_, index) => write(request, prompt, at * perPrompt + index)),
  );
  const length = choices.reduce((sum, { pieces }) => sum + pieces.length, 0);
  checkSize(dials, length);
  const completion = choices.map(({ pieces }) => pieces.join('')).join('');
  const usage = usageOf(dials.usage, prompts.join(''), completion);
  const logprobs = readInteger(body, 'logprobs', 0, 5);
  const base = {
    id: `cmpl-sandbox-${request.id}`,
    object: 'text_completion',
    created: CREATED,
    model: request.model,
    system_fingerprint: FINGERPRINT,
  };
  const shape = (choice: Choice, pieces: readonly string[], offset: number, finish: string | null) => ({
    text: pieces.join(''),
    index: choice.index,
    logprobs: logprobs === null ? null : logprobsOf(pieces, offset, logprobs),
    finish_reason: finish,
  });
  if (body['stream'] !== true) {
    const whole = choices.map((choice) => shape(choice, choice.pieces, 0, choice.finishReason));
    return { kind: 'json', body: { ...base, choices: whole, ...(usage === undefined ? {} : { usage }) } };
  }
  const withUsage = includesUsage(body);
  const chunk: MakeChunk = (choice, pieces, offset, finish) => ({
    ...base,
    choices: [shape(choice, pieces, offset, finish)],
    ...(withUsage ? { usage: null } : {}),
  });
  return {
    kind: 'stream',
    opening: [],
    content: contentOf(choices, chunk),
    length,
    closing: [
      ...choices.map((choice) => chunk(choice, [], choice.pieces.join('').length, choice.finishReason)),
      ...(withUsage && usage !== undefined ? [{ ...base, choices: [], usage }] : []),
    ],
  };
}

type MakeChunk = (
  choice: Choice,
  pieces: readonly string[],
  offset: number,
  finish: string | null,
) => JsonObject;

function* contentOf(choices: readonly Choice[], chunk: MakeChunk): Generator<JsonObject> {
  for (const choice of choices) {
    let offset = 0;
    for (const piece of choice.pieces) {
      yield chunk(choice, [piece], offset, null);
      offset += piece.length;
    }
  }
}

function write({ body, model, dials }: SandboxRequest, prompt: string, index: number): Choice {
  const { pieces, finishReason } = writeText(model, prompt, index, {
    maxTokens: readInteger(body, 'max_tokens', 0, 1_000_000) ?? DEFAULT_MAX_TOKENS,
    stop: readStop(body),
    chunks: dials.chunks,
  });
  return { index, pieces: body['echo'] === true ? [prompt, ...pieces] : pieces, finishReason };
}

/**
 * Reads a text, texts, tokens or lists of tokens; absent means an empty document. Tokens become
 * text as their numbers.
 */
function readPrompts(prompt: unknown): string[] {
  if (prompt === undefined || prompt === null) return [''];
  if (typeof prompt === 'string') return [prompt];
  if (Array.isArray(prompt) && prompt.length > 0) {
    if (prompt.every((item) => typeof item === 'number')) return [prompt.join(' ')];
    if (prompt.length > PROMPTS_MAX)
      throw invalid(`prompt has more than ${String(PROMPTS_MAX)} items.`, 'prompt');
    const texts = prompt.map(promptText).filter((text) => text !== null);
    if (texts.length === prompt.length) return texts;
  }
  throw invalid('prompt must be a string, a list of strings, tokens or lists of tokens.', 'prompt');
}

function promptText(item: unknown): string | null {
  if (typeof item === 'string') return item;
  return Array.isArray(item) && item.every((token) => typeof token === 'number') ? item.join(' ') : null;
}

/** Invented but stable log probabilities: longer pieces are less likely. */
function logprobsOf(pieces: readonly string[], start: number, top: number): JsonObject {
  const scores = pieces.map((piece) => -piece.length / 100);
  let offset = start;
  const offsets = pieces.map((piece) => {
    const at = offset;
    offset += piece.length;
    return at;
  });
  return {
    tokens: pieces,
    token_logprobs: scores,
    top_logprobs: pieces.map((piece, index) => (top === 0 ? {} : { [piece]: scores[index] })),
    text_offset: offsets,
  };
}
