import { isObject, jsonStrings, jsonTexts, withEditedStrings, withEditedTexts } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from './message';

/** Texts of a result that guardrails check, and the number of parts that they cannot read. */
export interface ResultText {
  /** Texts of parts, resources, links and completions, and the texts of `structuredContent`. */
  readonly texts: readonly string[];
  /** Number of images, audio parts and blobs, which are not checked. */
  readonly binaries: number;
}

/** Members of a link to a resource that a model reads. */
const LINK_TEXTS = ['name', 'title', 'description', 'uri'] as const;

/**
 * Collects the texts of a result of tools/call, prompts/get (its messages), resources/read (its
 * contents) or completion/complete (its values).
 */
export function resultText(result: JsonObject): ResultText {
  const texts: string[] = [];
  let binaries = 0;
  withEditedParts(result, (part) => {
    for (const name of textMembers(part)) {
      const text = own(part, name);
      if (typeof text === 'string') texts.push(text);
    }
    if (own(part, 'blob') !== undefined || own(part, 'data') !== undefined) binaries += 1;
    return part;
  });
  const values = ownList(ownObject(result, 'completion'), 'values');
  return {
    texts: [...texts, ...jsonStrings(values), ...jsonTexts(own(result, 'structuredContent'))],
    binaries,
  };
}

const textMembers = (part: JsonObject): readonly string[] =>
  own(part, 'type') === 'resource_link' ? LINK_TEXTS : ['text'];

/**
 * Returns a result with the texts of `resultText` edited. A text part that holds the JSON of
 * `structuredContent` and the latter stay equal; when the edited text is no JSON, the result loses
 * `structuredContent`, which would show what the edit has removed.
 */
export function withEditedResult(result: JsonObject, edit: (text: string) => string): JsonObject {
  const { structuredContent: structured, ...others } = result;
  const twins = structured === undefined ? [] : twinsOf(result, structured);
  const edited = withEditedTexts(
    twins.reduce<unknown>((value, twin) => afterTwin(value, twin, edit), structured),
    edit,
  );
  const textOf = (text: string): string =>
    edited !== undefined && twins.includes(text) ? JSON.stringify(edited) : edit(text);
  const completion = own(result, 'completion');
  return {
    ...withEditedParts(others, (part) => editedPart(part, textOf)),
    ...(isObject(completion) && {
      completion: { ...completion, values: withEditedStrings(ownList(completion, 'values'), edit) },
    }),
    ...(edited !== undefined && { structuredContent: edited }),
  };
}

/**
 * Returns the result with each part of its content, messages and contents replaced; for a part with
 * an embedded resource, the resource.
 */
function withEditedParts(result: JsonObject, edit: (part: JsonObject) => JsonObject): JsonObject {
  const editPart = (part: unknown): unknown => {
    if (!isObject(part)) return part;
    const resource = own(part, 'type') === 'resource' ? own(part, 'resource') : undefined;
    return isObject(resource) ? { ...part, resource: edit(resource) } : edit(part);
  };
  const editMessage = (message: unknown): unknown => {
    const content = isObject(message) ? own(message, 'content') : undefined;
    return content === undefined
      ? message
      : {
          ...(message as JsonObject),
          content: Array.isArray(content) ? content.map(editPart) : editPart(content),
        };
  };
  const lists = [
    ['content', editPart],
    ['messages', editMessage],
    ['contents', editPart],
  ] as const;
  const changed = lists.flatMap(([name, change]) =>
    Array.isArray(own(result, name)) ? [[name, ownList(result, name).map(change)] as const] : [],
  );
  return { ...result, ...Object.fromEntries(changed) };
}

const editedPart = (part: JsonObject, edit: (text: string) => string): JsonObject => ({
  ...part,
  ...Object.fromEntries(
    textMembers(part).flatMap((name) => {
      const text = own(part, name);
      return typeof text === 'string' ? [[name, edit(text)] as const] : [];
    }),
  ),
});

/** Returns the texts of parts that hold the JSON of `structuredContent`. */
function twinsOf(result: JsonObject, structured: unknown): readonly string[] {
  const json = JSON.stringify(structured);
  return ownList(result, 'content').flatMap((part) => {
    const text = isObject(part) ? own(part, 'text') : null;
    return typeof text === 'string' && isJson(text, json) ? [text] : [];
  });
}

/** Returns the structured value after the edit of a text with its JSON; undefined without JSON. */
function afterTwin(value: unknown, twin: string, edit: (text: string) => string): unknown {
  const text = edit(twin);
  if (text === twin || value === undefined) return value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns whether a text is the JSON of a value, apart from white space. */
function isJson(text: string, json: string): boolean {
  if (!/^\s{0,16}[[{"\d\-tfn]/.test(text)) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
