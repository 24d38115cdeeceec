import type { Citation, JsonObject, Seal } from '../call';
import type { Logprob } from '../response';
import { base62 } from '../values/tool-ids';
import type { OutputSink } from './output-sink';

/** Prefixes of the ids of items. */
export type IdPrefix = 'msg' | 'fc' | 'ctc' | 'rs' | 'ws' | 'ig';

/** Index and id of an announced item. */
export interface ItemPlace {
  readonly id: string;
  readonly index: number;
  /** `"item_id":"…","output_index":0`. */
  readonly head: string;
}

/** A block of the response while it is filled. */
export interface OutputBlock {
  write(text: string, logprobs?: readonly Logprob[]): void;
  seal(seal: Seal): void;
  cite(citation: Citation): void;
  close(): void;
  /** Writes the current state into the output without events, because the response has failed. */
  abandon(): void;
}

/** The items of a response in the order in which they were announced. */
export class OutputItems {
  readonly output: JsonObject[] = [];
  /** Code units of the text of all messages so far. */
  textLength = 0;

  constructor(
    private readonly responseId: string,
    readonly sink: OutputSink,
  ) {}

  /**
   * Announces an item. `make` receives its id, which is `id` if a provider of this dialect sent
   * one.
   */
  add(prefix: IdPrefix, id: string | undefined, make: (id: string) => JsonObject): ItemPlace {
    const index = this.output.length;
    const made = id ?? `${prefix}_${base62(`${this.responseId}\n${String(index)}`, 24)}`;
    const item = make(made);
    this.output.push(item);
    this.sink.event('response.output_item.added', { output_index: index, item });
    return { id: made, index, head: `"item_id":${JSON.stringify(made)},"output_index":${String(index)}` };
  }

  /** Replaces an item without an event. */
  replace({ index }: ItemPlace, item: JsonObject): void {
    this.output[index] = item;
  }

  /** Replaces an item by its final form. */
  done({ index }: ItemPlace, item: JsonObject): void {
    this.output[index] = item;
    this.sink.event('response.output_item.done', { output_index: index, item });
  }

  event(type: string, { id, index }: ItemPlace, members: JsonObject = {}): void {
    this.sink.event(type, { item_id: id, output_index: index, ...members });
  }
}

/** Returns the id of an item of this dialect; undefined for other items. */
export const idOf = (members: JsonObject | undefined): string | undefined =>
  typeof members?.['id'] === 'string' ? members['id'] : undefined;
