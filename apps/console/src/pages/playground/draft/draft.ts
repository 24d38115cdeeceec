import { urlBelow } from '../../../gateway';
import { isJson, type Json } from '../../../ui/body/conversation';
import type { Attachment } from './attachment';

/** A message of the editor. */
export interface DraftMessage {
  /** Id within this page. */
  readonly id: number;
  readonly role: 'user' | 'assistant' | 'other';
  /** A text that can be edited, or parts (images, tool calls) that are sent unchanged. */
  readonly content: string | readonly Json[];
}

/** Content of the request that all columns send. Held in memory only. */
export interface Draft {
  readonly system: string;
  readonly messages: readonly DraftMessage[];
  /** Members of the body without an input of their own, such as tools or the response format. */
  readonly rest: Json;
  /** Values of `{{name}}` by name. */
  readonly variables: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
  /** Recording for APIs that transcribe; null when none was chosen. */
  readonly recording: File | null;
  /** JSON of the config that columns with the target `draft` use. */
  readonly config: string;
  readonly raw: RawCall;
}

/** A raw call of any path. */
export interface RawCall {
  readonly method: string;
  /** Path below the base URL of the gateway. */
  readonly path: string;
  readonly body: string;
}

let lastId = 0;
/** Creates a message with a new id. */
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
/** Maximum number of variables; further ones are sent as literal text. */
const VARIABLES_MAX = 50;

/** Distinct names of the variables in system prompt and messages, in order of appearance. */
export function variablesOf({ system, messages }: Draft): readonly string[] {
  const texts = [system, ...messages.map(({ content }) => (typeof content === 'string' ? content : ''))];
  const names = texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name ?? ''));
  return [...new Set(names)].slice(0, VARIABLES_MAX);
}

/** Replaces the variables of a text by their values. Variables without a value stay. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(VARIABLE, (tag: string, name: string) =>
    Object.hasOwn(values, name) && values[name] !== '' ? (values[name] ?? tag) : tag,
  );

/** Joins the texts of the messages to the input of an API without a conversation. */
export const inputOf = ({ messages, variables }: Draft): string =>
  messages
    .flatMap(({ content }) =>
      typeof content === 'string' && content !== '' ? [filled(content, variables)] : [],
    )
    .join('\n\n');

/** Formats a config as a header value, one line of ASCII; null when it is not a JSON object. */
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

/** Whether the path of a raw call stays below the gateway's base URL. */
export const isRawPath = (path: string): boolean => urlBelow('https://gateway.invalid/v1', path) !== null;

/** Whether the draft has a message or attachment to send. */
export const isSendable = ({ messages, attachments }: Draft): boolean =>
  attachments.length > 0 || messages.some(({ content }) => content !== '' && content.length > 0);
