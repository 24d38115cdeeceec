import { GatewayError, jsonSize, parseExact } from '@gw/kernel';
import type { JsonObject } from '../call';
import { invalid } from '../losses';
import { asObject } from './json';

/**
 * Maximum number of objects, lists, members and items in the arguments of all calls of a request,
 * which are parsed in one turn of the event loop.
 */
const VALUES_MAX = 50_000;
/** Number of values that one long number counts as. */
const LONG_NUMBER = 10;

/** Parses the arguments of a history's tool calls within one bound for the whole request. */
export class ArgumentsReader {
  private values = 0;

  /** Parses the text of a JSON object; '' means no arguments. Throws `validation_failed`. */
  read(text: string, path: string): JsonObject {
    if (text === '') return {};
    this.count(text, path);
    const found = parsed(text);
    if (found === null)
      throw invalid(path, 'The arguments must be the text of a JSON object of at most 1,000 levels.');
    return found;
  }

  private count(text: string, path: string): void {
    // Arguments have fewer values than characters.
    if (this.values + text.length <= VALUES_MAX) {
      this.values += text.length;
      return;
    }
    const { containers, commas, longNumbers } = jsonSize(
      Buffer.from(text),
      (size) => size.containers + size.commas > VALUES_MAX,
    );
    this.values += containers + commas + LONG_NUMBER * longNumbers;
    if (this.values > VALUES_MAX) {
      throw invalid(path, `The arguments of all calls may have at most ${String(VALUES_MAX)} values.`);
    }
  }
}

/**
 * Maximum depth of objects and lists in arguments; serialising some thousand levels overflows the
 * stack.
 */
const DEPTH_MAX = 1_000;

/** Returns whether JSON text has more than 1,000 levels of objects and lists. */
export const isTooDeep = (text: string): boolean =>
  text.length > 2 * DEPTH_MAX &&
  jsonSize(Buffer.from(text), ({ depth }) => depth > DEPTH_MAX).depth > DEPTH_MAX;

function parsed(text: string): JsonObject | null {
  if (isTooDeep(text)) return null;
  try {
    return asObject(parseExact(text));
  } catch {
    return null;
  }
}

/**
 * Parses the arguments in a provider's response. Text that is not a JSON object is kept as
 * `{"_raw": text}`.
 */
export function responseArguments(text: string): { readonly input: JsonObject; readonly broken: boolean } {
  if (text === '') return { input: {}, broken: false };
  const found = parsed(text);
  return found === null ? { input: { _raw: text }, broken: true } : { input: found, broken: false };
}

/** Returns the error for a provider's body that is not a response. */
export const answerInvalid = (reason: string): GatewayError =>
  new GatewayError('provider_answer_invalid', { detail: { reason } });
