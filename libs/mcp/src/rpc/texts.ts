import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from './message';

const LEAVES_MAX = 50_000;

/** Returns the strings of a JSON value in their order, without member names; at most 50,000. */
export function stringLeaves(value: unknown): readonly string[] {
  const found: string[] = [];
  visit(value, found);
  return found;
}

function visit(value: unknown, found: string[]): void {
  if (found.length >= LEAVES_MAX) return;
  if (typeof value === 'string') found.push(value);
  else if (Array.isArray(value)) for (const each of value) visit(each, found);
  else if (isObject(value)) for (const each of Object.values(value)) visit(each, found);
}

/** Returns the value with each string replaced by `edit`; the same object when nothing changes. */
export function withEditedLeaves(value: unknown, edit: (text: string) => string): unknown {
  if (typeof value === 'string') return edit(value);
  if (Array.isArray(value)) {
    const items = value.map((each: unknown) => withEditedLeaves(each, edit));
    return items.some((each, index) => each !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, withEditedLeaves(each, edit)] as const);
  return members.some(([name, each]) => each !== value[name]) ? Object.fromEntries(members) : value;
}

/**
 * Returns the text of a call that guardrails check: all strings of the arguments, joined by line
 * breaks.
 */
export const argumentText = (args: JsonObject): string => stringLeaves(args).join('\n');

/** Texts of a result that guardrails check, and the number of parts that they cannot read. */
export interface ResultText {
  /** Text parts, texts of embedded resources and strings of `structuredContent`. */
  readonly texts: readonly string[];
  /** Number of images, audio parts and blobs, which are not checked. */
  readonly binaries: number;
}

/**
 * Collects the texts of a result of tools/call, prompts/get (its messages) or resources/read (its
 * contents).
 */
export function resultText(result: JsonObject): ResultText {
  const messages = ownList(result, 'messages')
    .filter(isObject)
    .map((message) => own(message, 'content'));
  const parts = [...ownList(result, 'content'), ...messages.flat(), ...ownList(result, 'contents')].filter(
    isObject,
  );
  const texts: string[] = [];
  let binaries = 0;
  for (const part of parts) {
    const holder = own(part, 'type') === 'resource' ? ownObject(part, 'resource') : part;
    const text = own(holder, 'text');
    if (typeof text === 'string') texts.push(text);
    if (own(holder, 'blob') !== undefined || own(holder, 'data') !== undefined) binaries += 1;
  }
  return { texts: [...texts, ...stringLeaves(own(result, 'structuredContent'))], binaries };
}

/**
 * Returns a tool result with edited texts: the text parts, texts of embedded resources and the
 * strings of `structuredContent`. A text part that holds the JSON of `structuredContent` is
 * serialised from the edited value, so that both stay equal.
 */
export function withEditedResult(result: JsonObject, edit: (text: string) => string): JsonObject {
  const structured = own(result, 'structuredContent');
  const edited = withEditedLeaves(structured, edit);
  const isTwin = (text: string): boolean => structured !== undefined && isSameJson(text, structured);
  const content = ownList(result, 'content').map((part) =>
    editedPart(part, (text) => (isTwin(text) ? JSON.stringify(edited) : edit(text))),
  );
  return {
    ...result,
    ...(own(result, 'content') !== undefined && { content }),
    ...(structured !== undefined && { structuredContent: edited }),
  };
}

function editedPart(part: unknown, edit: (text: string) => string): unknown {
  if (!isObject(part)) return part;
  const text = own(part, 'text');
  if (typeof text === 'string') return { ...part, text: edit(text) };
  const resource = own(part, 'resource');
  return isObject(resource) ? { ...part, resource: editedPart(resource, edit) } : part;
}

function isSameJson(text: string, value: unknown): boolean {
  if (!/^\s{0,16}[[{"\d\-tfn]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
  } catch {
    return false;
  }
}
