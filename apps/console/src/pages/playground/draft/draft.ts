import { urlBelow } from '../../../gateway';
import { isJson, type Json } from '../../../ui/body/conversation';
import type { Attachment } from './attachment';

/** A message as it is edited. */
export interface DraftMessage {
  /** Id within this page. */
  readonly id: number;
  readonly role: 'user' | 'assistant' | 'other';
  /** A text that is edited, or parts (images, tool calls) that are sent as they are. */
  readonly content: string | readonly Json[];
}

/** Draft that all columns send. It is kept in memory only. */
export interface Draft {
  readonly system: string;
  readonly messages: readonly DraftMessage[];
  /** Members of the body that no field has: tools, the format of the response and so on. */
  readonly rest: Json;
  /** Values of `{{name}}` by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
  /** Recording for APIs that transcribe; null when none was chosen. */
  readonly recording: File | null;
  /** JSON of the config that columns with the target `draft` go by. */
  readonly config: string;
  readonly raw: RawCall;
}

/** A call of any path, as it is sent. */
export interface RawCall {
  readonly method: string;
  /** Below the base URL of the gateway. */
  readonly path: string;
  readonly body: string;
}

let lastId = 0;
/** A message with an id of its own. */
export const newMessage = (
  role: DraftMessage['role'] = 'user',
  content: DraftMessage['content'] = '',
): DraftMessage => ({ id: (lastId += 1), role, content });

export const newDraft = (text = ''): Draft => ({
  system: '',
  messages: [newMessage('user', text)],
  rest: {},
  variables: {},
  attachments: [],
  recording: null,
  config: '',
  raw: { method: 'POST', path: '/chat/completions', body: '' },
});

const VARIABLE = /\{\{\s*([A-Za-z_][\w.-]{0,63})\s*\}\}/g;
/** More are left as they are. */
const VARIABLES_MAX = 50;

/** Names of the variables in system prompt and messages, each once, in their order. */
export function variablesOf({ system, messages }: Draft): readonly string[] {
  const texts = [system, ...messages.map(({ content }) => (typeof content === 'string' ? content : ''))];
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name ?? ''));
  return [...new Set(names)].slice(0, VARIABLES_MAX);
}

/** The text with its variables filled in; those without a value stay. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(VARIABLE, (tag: string, name: string) =>
    Object.hasOwn(values, name) && values[name] !== '' ? (values[name] ?? tag) : tag,
  );

/** Texts of the messages as one: the input of APIs without a conversation. */
export const inputOf = ({ messages, variables }: Draft): string =>
  messages
    .flatMap(({ content }) =>
      typeof content === 'string' && content !== '' ? [filled(content, variables)] : [],
    )
    .join('\n\n');

/** The config as a header: one line of ASCII. Null: it is no JSON object. */
export function configHeader(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJson(value)) return null;
    return JSON.stringify(value).replaceAll(
      /[^\x20-\x7e]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  } catch {
    return null;
  }
}

/** Whether a raw call stays below the gateway's base URL. */
export const isRawPath = (path: string): boolean => urlBelow('https://gateway.invalid/v1', path) !== null;

/** Whether there is something to send. */
export const isSendable = ({ messages, attachments }: Draft): boolean =>
  attachments.length > 0 || messages.some(({ content }) => content !== '' && content.length > 0);
