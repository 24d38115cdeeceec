import { isObject } from '@gw/kernel';
import { listOf, objectsOf, type JsonObject } from '../json';
import {
  citations,
  content,
  contentPart,
  kindOf,
  promptVariables,
  responsesItems,
  toolCalls,
  toolChoice,
  tools,
} from './items';
import { FREE, PassageCollector, type Dialect, type Passage, type PassageKind } from './passages';
import { geminiRequest } from './gemini';
import { realtimeEvent } from './realtime';

/** Members of which a request of a dialect has at least one. */
const SIGNS: Readonly<Partial<Record<Dialect, readonly string[]>>> = {
  chat: ['messages'],
  completions: ['prompt'],
  embeddings: ['input'],
  moderations: ['input'],
  messages: ['messages'],
  responses: ['input', 'prompt'],
};

/**
 * Returns the texts of a request in order. A body of unknown shape, as a server may accept at a path
 * that ends like one of ours, is searched for any text.
 */
export function requestPassages(dialect: Dialect, body: unknown): readonly Passage[] {
  const collector = new PassageCollector();
  if (!isObject(body) || SIGNS[dialect]?.every((name) => body[name] === undefined) === true) {
    collector.walk('other', { body }, 'body');
    return collector.passages();
  }
  READERS[dialect](collector, body);
  collector.rest(body);
  return collector.passages();
}

/** Members of a conversation that some providers and servers put before a model as well. */
const OTHER_TEXTS: Readonly<Record<string, PassageKind>> = {
  system: 'system',
  instructions: 'system',
  documents: 'user',
  context: 'user',
  prompt: 'user',
  input: 'user',
  suffix: 'user',
  chat_template: 'system',
  chat_template_kwargs: 'user',
};

type Reader = (collector: PassageCollector, body: JsonObject) => void;

const READERS: Readonly<Record<Dialect, Reader>> = {
  chat(collector, body) {
    tools(collector, body);
    toolChoice(collector, body);
    otherTexts(collector, body);
    if (isObject(body['prediction'])) content(collector, body['prediction'], 'content', 'assistant');
    collector.unit++;
    chatMessages(collector, body);
  },
  completions(collector, body) {
    everyText(collector, body, 'prompt', 'user');
    collector.take('user', body, 'suffix');
  },
  embeddings: (collector, body) => {
    everyText(collector, body, 'input', 'user');
    // Ollama's older route reads this member only.
    collector.walk('user', body, 'prompt');
  },
  moderations: (collector, body) => {
    everyText(collector, body, 'input', 'user');
  },
  responses(collector, body) {
    tools(collector, body);
    toolChoice(collector, body);
    content(collector, body, 'instructions', 'system');
    promptVariables(collector, body['prompt']);
    collector.unit++;
    if (Array.isArray(body['input'])) responsesItems(collector, body['input']);
    else collector.walk('user', body, 'input');
  },
  messages(collector, body) {
    tools(collector, body);
    toolChoice(collector, body);
    otherTexts(collector, body);
    contextEdits(collector, body);
    collector.unit++;
    chatMessages(collector, body);
  },
  gemini: geminiRequest,
  realtime: realtimeEvent,
  arguments: (collector, body) => {
    collector.walk('other', { body }, 'body', FREE);
  },
  json: (collector, body) => {
    collector.walk('other', { body }, 'body');
  },
};

/**
 * Adds each text of a list as its own unit: lists of these dialects are separate inputs, not parts
 * of one.
 */
function everyText(collector: PassageCollector, body: JsonObject, key: string, kind: PassageKind): void {
  const value = body[key];
  if (!Array.isArray(value)) {
    collector.walk(kind, body, key);
    return;
  }
  for (let index = 0; index < value.length; index++) {
    collector.walk(kind, value, index);
    collector.unit++;
  }
}

function otherTexts(collector: PassageCollector, body: JsonObject): void {
  for (const [name, kind] of Object.entries(OTHER_TEXTS)) {
    content(collector, body, name, kind);
    collector.unit++;
  }
}

/** Collects the instructions for a summary of the conversation. */
function contextEdits(collector: PassageCollector, { context_management: management }: JsonObject): void {
  for (const edit of objectsOf(isObject(management) ? management['edits'] : null))
    collector.take('system', edit, 'instructions');
}

function chatMessages(collector: PassageCollector, body: JsonObject): void {
  if (!Array.isArray(body['messages'])) collector.walk('other', body, 'messages');
  const messages = listOf(body['messages']);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (isObject(message)) chatMessage(collector, message);
    else collector.walk('other', messages, index);
    collector.unit++;
  }
}

function chatMessage(collector: PassageCollector, message: JsonObject): void {
  const kind = kindOf(message);
  participant(collector, message, kind);
  content(collector, message, 'content', kind);
  collector.take('reasoning', message, 'reasoning_content');
  collector.take('reasoning', message, 'reasoning');
  for (const block of objectsOf(message['thinking_blocks'])) contentPart(collector, block, 'reasoning');
  for (const block of objectsOf(message['content_blocks'])) contentPart(collector, block, kind);
  collector.take('assistant', message, 'refusal');
  citations(collector, message);
  toolCalls(collector, message);
}

/** Collects the name of a participant or of a called function, which the model reads. */
function participant(collector: PassageCollector, message: JsonObject, kind: PassageKind): void {
  if (typeof message['name'] !== 'string') return;
  if (kind === 'tool_result') {
    collector.take('tool_name', message, 'name');
    return;
  }
  collector.take(kind, message, 'name');
  // A unit of its own, because it is no part of what the participant says.
  collector.unit++;
}
