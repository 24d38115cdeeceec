import type { Usage } from '@gw/contracts';
import { isObject } from '@gw/kernel';
import { BYTES_PER_TOKEN } from '@gw/limits';
import { lastUsageMetadata, lastUsageObject, type JsonObject, type Provider } from '@gw/providers';
import { NO_USAGE } from './use';
import { isImplausible } from './absurd-use';

/** Usage that one line of a batch's output reports. */
export interface LineUse {
  readonly model: string | null;
  readonly usage: Usage;
  /** The line was cut before its usage, so its bytes are counted as output. */
  readonly isEstimate: boolean;
}

/** Facts from the start of a line, before the response's text. */
export interface LineHead {
  readonly model: string | null;
  /** The line contains a response; lines of other files on the same route do not. */
  readonly isResponse: boolean;
}

/** A line of the output, or the kept part of a longer line. */
export interface Line {
  /** The whole line, or the end of a long one. */
  readonly text: Buffer;
  readonly bytes: number;
  /** Set for a long line; null: the text is whole. */
  readonly head: LineHead | null;
  /** The line has no line feed at its end. */
  readonly isLast: boolean;
}

const MODEL_LENGTH_MAX = 256;
// A quote inside a text has a backslash before it, so these match members.
const MODEL = /(?<!\\)"model(?:Version)?"\s*:\s*"([^"\\]{1,256})"/;
const RESPONSE = /(?<!\\)"(?:response|result)"\s*:\s*\{/;

export function headOf(text: Buffer, before: LineHead | null = null): LineHead {
  const latin = text.toString('latin1');
  return {
    model: before?.model ?? MODEL.exec(latin)?.[1] ?? null,
    isResponse: before?.isResponse === true || RESPONSE.test(latin),
  };
}

/**
 * Reads the usage of a line. Returns null when the line reports no usage, as for a failed request,
 * or an implausible one.
 */
export function readLine(provider: Pick<Provider, 'usage'>, line: Line): LineUse | null {
  const reported = line.head === null ? parsed(line.text) : null;
  if (reported === null) return line.head !== null || line.isLast ? fromPart(provider, line) : null;
  return useOf(provider, reported);
}

/** Reads the usage of a parsed line. */
export function useOf(provider: Pick<Provider, 'usage'>, reported: JsonObject): LineUse | null {
  const body = bodyOf(reported);
  const usage = body && provider.usage(body);
  if (body === null || usage === null || isImplausible(usage)) return null;
  const model = body['model'] ?? body['modelVersion'];
  const named = typeof model === 'string' ? model.slice(0, MODEL_LENGTH_MAX) : null;
  return { model: named, usage, isEstimate: false };
}

/** Reads the usage of a line that is too long to be parsed, or was cut. */
function fromPart(provider: Pick<Provider, 'usage'>, { text, bytes, head }: Line): LineUse | null {
  const { model, isResponse } = headOf(text, head);
  if (!isResponse) return null;
  const usage = lastUsage(provider, text);
  if (usage !== null && !isImplausible(usage)) return { model, usage, isEstimate: false };
  const outputTokens = Math.ceil(bytes / BYTES_PER_TOKEN);
  return { model, usage: { ...NO_USAGE, outputTokens }, isEstimate: true };
}

function lastUsage(provider: Pick<Provider, 'usage'>, text: Buffer): Usage | null {
  const usage = lastUsageObject(text);
  const usageMetadata = usage === null ? lastUsageMetadata(text) : null;
  return usage === null ? usageMetadata && provider.usage({ usageMetadata }) : provider.usage({ usage });
}

function parsed(text: Buffer): JsonObject | null {
  try {
    const reported: unknown = JSON.parse(text.toString('utf8'));
    return isObject(reported) ? reported : null;
  } catch {
    return null;
  }
}

/**
 * Returns the response in a line of OpenAI's output (`response.body`), of Anthropic's results
 * (`result.message`) or of Gemini's (`response`).
 */
function bodyOf({ response, result }: JsonObject): JsonObject | null {
  if (isObject(response) && isObject(response['usageMetadata'])) return response;
  const body = isObject(response) ? response['body'] : isObject(result) ? result['message'] : null;
  return isObject(body) ? body : null;
}
