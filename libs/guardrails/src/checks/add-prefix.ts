import { isObject } from '@gw/kernel';
import { defineCheck } from '../check';
import { listOf, type JsonObject } from '../json';
import { object } from '../parameters';
import type { Dialect } from '../text/passages';
import { prefixedGemini, type PrefixParameters } from './gemini-prefix';

type Parameters = PrefixParameters;

export const addPrefix = defineCheck<Parameters>({
  id: 'default.addPrefix',
  doc: 'Puts a text before the last message of a role, or adds a message of the role.',
  kind: 'params',
  stages: ['input'],
  allowedForMcpTools: true,
  wholeResponse: true,
  transforms: true,
  timeoutMs: 1_000,
  parameters: object(
    {
      prefix: { type: 'string', minLength: 1, maxLength: 20_000 },
      applyToRole: { enum: ['user', 'assistant', 'system', 'developer'], default: 'user' },
      addToExisting: { type: 'boolean', default: true },
      onlyIfEmpty: { type: 'boolean', default: false },
    },
    ['prefix'],
  ),
  example: {
    prefix: 'Answer in one sentence. ',
    applyToRole: 'user',
    addToExisting: true,
    onlyIfEmpty: false,
  },
  prepare: (parameters) => ({
    transforms: true,
    evaluate(subject) {
      const body = isObject(subject.request)
        ? prefixed(subject.facts.dialect, subject.request, parameters)
        : null;
      return body
        ? { verdict: true, data: { applied: true }, body }
        : { verdict: true, data: { applied: false } };
    },
  }),
});

/**
 * Returns the name of the member that contains the single text of a role; null when the dialect has
 * a list of messages instead.
 */
function textMember(dialect: Dialect, body: JsonObject, role: string): string | null {
  if (dialect === 'completions') return 'prompt';
  if (dialect !== 'responses') return null;
  if (role === 'system') return 'instructions';
  return typeof body['input'] === 'string' ? 'input' : null;
}

const LISTS: Readonly<Partial<Record<Dialect, string>>> = {
  chat: 'messages',
  messages: 'messages',
  responses: 'input',
};

/** Returns the body with the prefix; null when nothing is to be changed. */
function prefixed(dialect: Dialect, body: JsonObject, parameters: Parameters): JsonObject | null {
  if (dialect === 'gemini') return prefixedGemini(body, parameters);
  const member = textMember(dialect, body, parameters.applyToRole);
  if (member !== null) return withText(body, member, parameters);
  if (dialect === 'messages' && parameters.applyToRole === 'system')
    return systemOfMessages(body, parameters);
  const list = LISTS[dialect];
  const messages = list === undefined ? null : prefixedMessages(listOf(body[list]), parameters);
  return list === undefined || messages === null ? null : { ...body, [list]: messages };
}

function prefixedMessages(given: readonly unknown[], parameters: Parameters): readonly unknown[] | null {
  const { prefix, applyToRole, addToExisting, onlyIfEmpty } = parameters;
  const messages = [...given];
  const position = messages.findLastIndex((message) => isObject(message) && message['role'] === applyToRole);
  const message = messages[position];
  if (isObject(message) && addToExisting) {
    const content = prefixedContent(message['content'], parameters);
    if (content === null) return null;
    messages[position] = { ...message, content };
    return messages;
  }
  if (isObject(message) && onlyIfEmpty) return null;
  const added = { role: applyToRole, content: prefix };
  // Instructions come first. A message of another role is placed before the last message of that
  // role, or at the end.
  if (applyToRole === 'system' || applyToRole === 'developer') messages.unshift(added);
  else messages.splice(position === -1 ? messages.length : position, 0, added);
  return messages;
}

function withText(body: JsonObject, key: string, { prefix, onlyIfEmpty }: Parameters): JsonObject | null {
  const text = body[key];
  if (text === undefined || text === '') return { ...body, [key]: prefix };
  return typeof text !== 'string' || onlyIfEmpty ? null : { ...body, [key]: prefix + text };
}

function systemOfMessages(body: JsonObject, parameters: Parameters): JsonObject | null {
  const { system } = body;
  if (system === undefined || typeof system === 'string') return withText(body, 'system', parameters);
  const content = prefixedContent(system, parameters);
  return content === null ? null : { ...body, system: content };
}

function prefixedContent(content: unknown, { prefix, onlyIfEmpty }: Parameters): unknown {
  const isEmpty = content === '' || content === undefined || content === null || listOf(content).length === 0;
  if (typeof content === 'string' && content !== '') return onlyIfEmpty ? null : prefix + content;
  if (!Array.isArray(content) || content.length === 0) return isEmpty ? prefix : null;
  if (onlyIfEmpty) return null;
  const parts = [...(content as readonly unknown[])];
  const first = parts.findIndex((part) => isObject(part) && typeof part['text'] === 'string');
  const part = parts[first];
  if (isObject(part)) parts[first] = { ...part, text: prefix + String(part['text']) };
  else parts.unshift({ type: 'text', text: prefix });
  return parts;
}
