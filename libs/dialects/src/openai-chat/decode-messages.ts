import type { JsonObject, Part, SystemPart, ToolCallPart, Turn } from '../call';
import { invalid } from '../losses';
import { asObject, asString, isAbsent, membersBesides, optional, read, required } from '../values/json';
import { readSeal } from '../values/seals';
import { cacheMark, decodeContent } from './decode-content';
import { argumentsText, reasoningText } from './decode-response';

/**
 * Maximum number of messages, parts and calls of one request, which are translated in one turn of
 * the event loop.
 */
const ENTRIES_MAX = 20_000;

export interface DecodedMessages {
  readonly system: readonly SystemPart[];
  readonly turns: readonly Turn[];
}

/** Decodes the messages: leading system and developer texts apart from the turns. */
export function decodeMessages(value: unknown): DecodedMessages {
  const messages = read.objects(value, 'messages') ?? [];
  if (messages.length === 0) throw invalid('messages', 'messages must be a list with at least one message.');
  refuseTooMany(messages);
  const system: SystemPart[] = [];
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const at = `messages.${String(index)}`;
    const role = message['role'];
    if (turns.length === 0 && (role === 'system' || role === 'developer')) {
      for (const part of systemParts(message, at, role)) system.push(part);
    } else turns.push(decodeTurn(message, at));
  });
  if (turns.length === 0)
    throw invalid('messages', 'messages must have at least one message that is no system message.');
  return { system, turns: withPrefill(turns) };
}

function refuseTooMany(messages: readonly JsonObject[]): void {
  let entries = 0;
  for (const message of messages) {
    entries += 1;
    for (const name of ['content', 'tool_calls', 'thinking_blocks']) {
      const list = message[name];
      if (Array.isArray(list)) entries += list.length;
    }
    if (entries > ENTRIES_MAX) {
      throw invalid(
        'messages',
        `At most ${String(ENTRIES_MAX)} messages, parts and calls can be translated; send fewer.`,
      );
    }
  }
}

function systemParts(message: JsonObject, at: string, role: 'system' | 'developer'): SystemPart[] {
  return decodeContent(message['content'], `${at}.content`).map((part) => {
    if (part.kind !== 'text') throw invalid(part.at ?? at, 'A system message takes text only.');
    const mark = cacheMark(message);
    return {
      role,
      text: part.text,
      at: part.at ?? at,
      ...optional('cache', part.cache ?? mark.cache),
      ...optional('x', part.x ?? mark.x),
    };
  });
}

/** Marks a last assistant message without calls as the beginning of the response. */
function withPrefill(turns: Turn[]): Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant' || last.parts.some(({ kind }) => kind === 'tool_call')) return turns;
  return [...turns.slice(0, -1), { ...last, prefill: true }];
}

function decodeTurn(message: JsonObject, at: string): Turn {
  const name = read.string(message['name'], `${at}.name`);
  switch (message['role']) {
    case 'user':
      return {
        role: 'user',
        parts: marked(decodeContent(message['content'], `${at}.content`), message),
        at,
        ...optional('name', name),
      };
    case 'system':
    case 'developer':
      return { role: 'system', parts: decodeContent(message['content'], `${at}.content`), at };
    case 'assistant':
      return decodeAssistant(message, at, name);
    case 'tool':
    case 'function':
      return { role: 'user', parts: [toolResult(message, at)], at };
    default:
      throw invalid(`${at}.role`, 'The role must be system, developer, user, assistant or tool.');
  }
}

/** Moves the cache mark of a message to its last part. */
function marked(parts: Part[], message: JsonObject): Part[] {
  const mark = cacheMark(message);
  const last = parts.at(-1);
  return mark.cache === undefined || last === undefined
    ? parts
    : [...parts.slice(0, -1), { ...last, ...mark }];
}

function toolResult(message: JsonObject, at: string): Part {
  const isOld = message['role'] === 'function';
  const id = isOld
    ? `fn_${required(read.string(message['name'], `${at}.name`), `${at}.name`, 'the name of the function')}`
    : required(
        read.string(message['tool_call_id'], `${at}.tool_call_id`),
        `${at}.tool_call_id`,
        'the id of the tool call',
      );
  return {
    kind: 'tool_result',
    callId: id,
    parts: resultParts(message['content'], `${at}.content`),
    at,
    ...cacheMark(message),
  };
}

/**
 * Decodes the content of a tool result. Some clients send it as an object, which becomes JSON text.
 */
const resultParts = (content: unknown, path: string): Part[] =>
  asObject(content) === null
    ? decodeContent(content, path)
    : [{ kind: 'text', text: writtenText(content, path), at: path }];

/** Members of an assistant message with a place in the neutral form. */
const ASSISTANT_MEMBERS: ReadonlySet<string> = new Set([
  'role',
  'name',
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_content',
  'reasoning',
  'thinking_blocks',
  'cache_control',
  'prefix',
  'partial',
]);

function decodeAssistant(message: JsonObject, at: string, name: string | undefined): Turn {
  const refusal = read.string(message['refusal'], `${at}.refusal`);
  const parts: Part[] = [
    ...reasoningParts(message, at),
    ...decodeContent(message['content'], `${at}.content`),
    ...(refusal === undefined ? [] : [{ kind: 'refusal', text: refusal, at: `${at}.refusal` } as const]),
    ...toolCalls(message, at),
  ];
  const rest = membersBesides(message, ASSISTANT_MEMBERS);
  return {
    role: 'assistant',
    parts: marked(parts, message),
    at,
    ...optional('name', name),
    ...(rest === undefined ? {} : { x: { 'openai-chat': rest } }),
  };
}

/**
 * Decodes reasoning: sealed reasoning in `thinking_blocks`, otherwise the text in
 * `reasoning_content` or `reasoning`.
 */
function reasoningParts(message: JsonObject, at: string): Part[] {
  const text = reasoningText(message);
  const blocks = read.objects(message['thinking_blocks'], `${at}.thinking_blocks`);
  if (blocks === undefined)
    return text === '' ? [] : [{ kind: 'reasoning', text, at: `${at}.reasoning_content` }];
  const isAlone = blocks.filter(({ type }) => type === 'thinking').length === 1;
  return blocks.map((block, index) =>
    reasoningBlock(block, `${at}.thinking_blocks.${String(index)}`, isAlone ? text : ''),
  );
}

/**
 * Decodes a block of reasoning. `fallback` is the text for a block that a client built from a
 * stream, which contains only the signature.
 */
function reasoningBlock(block: JsonObject, at: string, fallback: string): Part {
  const data = asString(block['data']);
  if (block['type'] === 'redacted_thinking' && data !== null) {
    return { kind: 'reasoning', text: '', seal: { by: 'anthropic', value: data, redacted: true }, at };
  }
  const signature = asString(block['signature']) ?? '';
  const text = asString(block['thinking']) ?? '';
  return {
    kind: 'reasoning',
    text: text === '' ? fallback : text,
    at,
    ...(signature === '' ? {} : { seal: readSeal(signature, 'anthropic') }),
  };
}

function toolCalls(message: JsonObject, at: string): ToolCallPart[] {
  const calls = (read.objects(message['tool_calls'], `${at}.tool_calls`) ?? []).map((call, index) =>
    toolCall(call, `${at}.tool_calls.${String(index)}`),
  );
  if (isAbsent(message['function_call'])) return calls;
  const path = `${at}.function_call`;
  const called = required(read.object(message['function_call'], path), path, 'an object');
  const name = required(
    read.string(called['name'], `${path}.name`),
    `${path}.name`,
    'the name of the function',
  );
  const args = read.string(called['arguments'], `${path}.arguments`) ?? '';
  return [...calls, { kind: 'tool_call', id: `fn_${name}`, name, args, at: path }];
}

/**
 * Writes a value as JSON text. Throws `validation_failed` for one that is nested too deeply to be
 * written.
 */
function writtenText(value: unknown, path: string): string {
  const text = argumentsText(value);
  if (text === null) throw invalid(path, `${path} is nested too deeply.`);
  return text;
}

function toolCall(call: JsonObject, at: string): ToolCallPart {
  const id = required(read.string(call['id'], `${at}.id`), `${at}.id`, 'the id of the call');
  const isCustom = call['type'] === 'custom';
  const member = isCustom ? 'custom' : 'function';
  const called = required(
    read.object(call[member], `${at}.${member}`),
    `${at}.${member}`,
    'an object with a name',
  );
  const name = required(
    read.string(called['name'], `${at}.${member}.name`),
    `${at}.${member}.name`,
    'a name',
  );
  const signature = asString(asObject(asObject(call['extra_content'])?.['google'])?.['thought_signature']);
  return {
    kind: 'tool_call',
    id,
    name,
    args: isCustom
      ? (asString(called['input']) ?? '')
      : writtenText(called['arguments'], `${at}.${member}.arguments`),
    at,
    ...(isCustom ? { custom: true } : {}),
    ...(signature === null ? {} : { seal: { by: 'google', value: signature } as const }),
    ...cacheMark(call),
  };
}
