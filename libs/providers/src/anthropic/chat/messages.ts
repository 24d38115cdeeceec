import { asObject, asString } from '@gw/dialects';
import { jsonSize, type GatewayError } from '@gw/kernel';
import { parseExact } from '../../body/json-facts';
import type { DroppedParams } from '../../losses';
import type { JsonObject } from '../../provider';
import { toBlocks } from './content';
import { refuse } from './refuse';

interface Turn {
  readonly role: 'user' | 'assistant';
  /**
   * Grows while adjacent messages have the same role; copying it for each would take quadratic
   * time.
   */
  readonly content: JsonObject[];
}

/**
 * Maximum messages, parts and calls of one request, which are translated in one turn of the event
 * loop.
 */
const ENTRIES_MAX = 20_000;

/**
 * Maximum objects, lists, members and items in the arguments of all calls, which are parsed in the
 * same turn.
 */
const ARGUMENT_VALUES_MAX = 50_000;
/** Number of values that a long number counts as. */
const LONG_NUMBER = 10;

/**
 * Splits chat messages into Anthropic's `system` blocks and turns.
 * System and developer messages become system blocks wherever they are. Adjacent messages of one
 * role become one turn, because all results of parallel tool calls must be in one.
 */
export function toMessages(
  value: unknown,
  losses: DroppedParams,
): { system: JsonObject[]; messages: Turn[] } {
  if (!Array.isArray(value) || value.length === 0) {
    throw refuse('messages', 'messages must be a list with at least one message.');
  }
  const system: JsonObject[] = [];
  const messages: Turn[] = [];
  refuseTooMany(value);
  value.forEach((item: unknown, index) => {
    const path = `messages.${String(index)}`;
    const message = asObject(item);
    if (message === null) throw refuse(path, 'A message must be an object.');
    const { role } = message;
    if (role === 'system' || role === 'developer') {
      append(system, toBlocks(message['content'], `${path}.content`, losses));
      return;
    }
    const turn = toTurn(message, path, losses);
    if (turn.content.length === 0)
      throw refuse(`${path}.content`, 'Anthropic does not accept an empty message.');
    const last = messages.at(-1);
    if (last?.role === turn.role) append(last.content, turn.content);
    else messages.push(turn);
  });
  return { system, messages };
}

/** Appends items one by one, because a spread call overflows the stack for a long list. */
function append(list: JsonObject[], items: readonly JsonObject[]): void {
  for (const item of items) list.push(item);
}

function refuseTooMany(messages: readonly unknown[]): void {
  let [entries, characters] = [0, 0];
  for (const item of messages) {
    const message = asObject(item);
    entries += 1;
    for (const name of ['content', 'tool_calls', 'thinking_blocks']) entries += lengthOf(message?.[name]);
    if (entries > ENTRIES_MAX) throw tooMany(`${String(ENTRIES_MAX)} messages, parts and calls`);
    for (const text of argumentsIn(message)) characters += text.length;
  }
  // Arguments have fewer values than characters.
  if (characters > ARGUMENT_VALUES_MAX) refuseTooManyValues(messages);
}

function refuseTooManyValues(messages: readonly unknown[]): void {
  let values = 0;
  for (const item of messages) {
    for (const text of argumentsIn(asObject(item))) {
      const { containers, commas, longNumbers } = jsonSize(
        Buffer.from(text),
        (size) => size.containers + size.commas > ARGUMENT_VALUES_MAX,
      );
      values += containers + commas + LONG_NUMBER * longNumbers;
      if (values > ARGUMENT_VALUES_MAX)
        throw tooMany(`${String(ARGUMENT_VALUES_MAX)} values in the arguments of calls`);
    }
  }
}

function* argumentsIn(message: JsonObject | null): Generator<string> {
  const calls = message?.['tool_calls'];
  if (!Array.isArray(calls)) return;
  for (const call of calls) {
    const text = asString(asObject(asObject(call)?.['function'])?.['arguments']);
    if (text !== null) yield text;
  }
}

const tooMany = (bound: string): GatewayError =>
  refuse('messages', `At most ${bound} can be translated for Anthropic; send fewer, or use /v1/messages.`);

const lengthOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);

function toTurn(message: JsonObject, path: string, losses: DroppedParams): Turn {
  if (message['name'] !== undefined && message['name'] !== null && message['role'] !== 'tool') {
    losses.leaveOut(`${path}.name`, 'Anthropic does not support participant names.');
  }
  switch (message['role']) {
    case 'user':
      return { role: 'user', content: toBlocks(message['content'], `${path}.content`, losses) };
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message, path, losses) };
    case 'tool':
      return { role: 'user', content: [toolResult(message, path, losses)] };
    default:
      throw refuse(`${path}.role`, 'The role must be system, developer, user, assistant or tool.');
  }
}

/**
 * Translates an assistant message. Thinking comes first, as Anthropic requires; our own responses
 * carry it in `thinking_blocks`, with signatures.
 */
function assistantBlocks(message: JsonObject, path: string, losses: DroppedParams): JsonObject[] {
  for (const name of ['function_call', 'audio']) {
    if (message[name] !== undefined && message[name] !== null) {
      throw refuse(`${path}.${name}`, `Anthropic has no equivalent of ${name}; remove it.`);
    }
  }
  return [
    ...objects(message['thinking_blocks'], `${path}.thinking_blocks`),
    ...toBlocks(message['content'], `${path}.content`, losses),
    ...objects(message['tool_calls'], `${path}.tool_calls`).map((call, index) =>
      toolUse(call, `${path}.tool_calls.${String(index)}`),
    ),
  ];
}

function objects(value: unknown, path: string): JsonObject[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value.map(asObject) : [null];
  const found = list.filter((item) => item !== null);
  if (found.length === list.length) return found;
  throw refuse(path, 'The value must be a list of objects.');
}

function toolUse(call: JsonObject, path: string): JsonObject {
  const called = asObject(call['function']);
  const id = asString(call['id']);
  const name = asString(called?.['name']);
  if (id === null || name === null)
    throw refuse(path, 'A tool call must have an id and a function with a name.');
  return {
    type: 'tool_use',
    id,
    name,
    input: toolInput(called?.['arguments'], `${path}.function.arguments`),
  };
}

/**
 * Parses the arguments of a call: JSON text in OpenAI, an object in Anthropic. Empty text means no
 * arguments.
 */
function toolInput(value: unknown, path: string): JsonObject {
  if (value === undefined || value === null || value === '') return {};
  try {
    const input = typeof value === 'string' ? asObject(parseExact(value)) : null;
    if (input !== null) return input;
  } catch {
    // Falls through to the error below, which does not repeat the text.
  }
  throw refuse(path, 'The arguments must be the text of a JSON object.');
}

function toolResult(message: JsonObject, path: string, losses: DroppedParams): JsonObject {
  const id = asString(message['tool_call_id']);
  if (id === null)
    throw refuse(
      `${path}.tool_call_id`,
      'A tool message must have the tool_call_id of the call it responds to.',
    );
  const { content, cache_control: cacheControl } = message;
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: typeof content === 'string' ? content : toBlocks(content, `${path}.content`, losses),
    ...(cacheControl === undefined ? {} : { cache_control: cacheControl }),
  };
}
