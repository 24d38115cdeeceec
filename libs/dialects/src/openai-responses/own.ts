import type { Extensions, JsonObject } from '../call';

export const DIALECT = 'openai-responses';

/**
 * Members of a message item, stored on each of its parts so that an encoder can restore the item.
 */
export interface MessageMark {
  /** Position of the item in `input` or `output`; parts of one item have the same position. */
  readonly index: number;
  /** Members of the item besides `role` and `content`. */
  readonly item: JsonObject;
}

/** Members that this dialect keeps in the `x` of a part or tool. */
export interface Own {
  readonly message?: MessageMark;
  /** Members of the item, content part or tool with no neutral place. */
  readonly rest?: JsonObject;
  /** Whether an opaque part is a separate item instead of a content part of a message. */
  readonly isItem?: boolean;
  /** Whether the part stands for an absent `input` and is not written. */
  readonly isAbsent?: boolean;
  /** Whether the text of a reasoning part is its `content`, not its `summary`. */
  readonly isContent?: boolean;
  /** Whether `file_data` is base64 without `data:`. */
  readonly isBare?: boolean;
  /** Summary and content of a reasoning item with more than one text. */
  readonly reasoning?: JsonObject;
  /** Whether the item of a tool result is a `custom_tool_call_output`. */
  readonly isCustom?: boolean;
}

export const withOwn = (own: Own): { readonly x: Extensions } => ({ x: { [DIALECT]: { ...own } } });

export const ownOf = (holder: { readonly x?: Extensions }): Own => holder.x?.[DIALECT] ?? {};

/** Returns whether an object was decoded from this dialect. */
export const isOwn = (holder: { readonly x?: Extensions }): boolean => holder.x?.[DIALECT] !== undefined;
