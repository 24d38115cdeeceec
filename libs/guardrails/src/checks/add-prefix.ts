import { defineCheck } from '../check';
import { isObject, listOf, type JsonObject } from '../json';
import { object } from '../parameters';

interface Parameters {
  readonly prefix: string;
  readonly applyToRole: 'user' | 'assistant' | 'system' | 'developer';
  readonly addToExisting: boolean;
  readonly onlyIfEmpty: boolean;
}

export const addPrefix = defineCheck<Parameters>({
  id: 'default.addPrefix',
  doc: 'Puts a text before the last message of a role, or adds a message of the role.',
  kind: 'params',
  stages: ['input'],
  deterministic: true,
  wholeAnswer: true,
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

function prefixed(dialect: string, body: JsonObject, parameters: Parameters): JsonObject | null {
  const { prefix, applyToRole } = parameters;
  if (dialect === 'completions') return withText(body, 'prompt', parameters);
  if (dialect === 'responses' && applyToRole === 'system') return withText(body, 'instructions', parameters);
  if (dialect === 'messages' && applyToRole === 'system') return systemOfMessages(body, parameters);
  const key =
    dialect === 'responses' ? 'input' : dialect === 'chat' || dialect === 'messages' ? 'messages' : null;
  if (key === null) return null;
  if (key === 'input' && typeof body['input'] === 'string') return withText(body, 'input', parameters);
  const messages = [...listOf(body[key])];
  const position = messages.findLastIndex((message) => isObject(message) && message['role'] === applyToRole);
  const message = messages[position];
  if (isObject(message) && parameters.addToExisting) {
    const content = prefixedContent(message['content'], parameters);
    if (content === null) return null;
    messages[position] = { ...message, content };
  } else if (!isObject(message) || !parameters.onlyIfEmpty) {
    const added = { role: applyToRole, content: prefix };
    // Instructions stand first; a message of another role before the one it introduces, or at the end.
    if (applyToRole === 'system' || applyToRole === 'developer') messages.unshift(added);
    else messages.splice(position === -1 ? messages.length : position, 0, added);
  } else return null;
  return { ...body, [key]: messages };
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
