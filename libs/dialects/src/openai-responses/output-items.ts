import type {
  HostedPart,
  JsonObject,
  MediaPart,
  OpaquePart,
  ReasoningPart,
  Seal,
  ToolCallPart,
} from '../call';
import { asObject, asString } from '../values/json';
import { carriedSeal, isCarriable } from '../values/seals';
import { callIdOf } from '../values/tool-ids';
import { reasoningTexts } from './encode-items';
import { idOf, type ItemPlace, type OutputBlock, type OutputItems } from './output-list';
import { DIALECT, ownOf } from './own';

/** Maker of the seals that clients of this dialect can use. */
const NATIVE = 'openai';

/** A block that ignores citations. */
abstract class PlainBlock {
  cite(): void {
    // Only messages have annotations.
  }
}

/** Adds a reasoning item that only carries the seal of a neighbouring item. */
export function addCarrier(items: OutputItems, seal: Seal): void {
  if (!isCarriable(seal, NATIVE)) return;
  const make = (id: string): JsonObject => ({
    id,
    type: 'reasoning',
    summary: [],
    encrypted_content: carriedSeal(seal, NATIVE),
  });
  const place = items.add('rs', undefined, make);
  items.done(place, make(place.id));
}

/**
 * A call of the client's tool. An item before the call carries its seal, or an item after it if the
 * seal arrives late.
 */
export class CallBlock extends PlainBlock implements OutputBlock {
  private place: ItemPlace | null = null;
  private head = '';
  private args = '';
  private sealed: Seal | undefined;

  constructor(
    private readonly items: OutputItems,
    private readonly part: ToolCallPart,
  ) {
    super();
    this.sealed = part.seal;
  }

  announce(): ItemPlace {
    if (this.place !== null) return this.place;
    this.writeSeal();
    const { custom = false } = this.part;
    const id = idOf(ownOf(this.part).rest);
    this.place = this.items.add(custom ? 'ctc' : 'fc', id, (made) => this.item(made, 'in_progress'));
    this.head = `${this.place.head},"delta":`;
    return this.place;
  }

  write(text: string): void {
    if (text === '') return;
    this.announce();
    this.args += text;
    this.items.sink.delta(this.type('delta'), this.head, text, '');
  }

  seal(seal: Seal): void {
    this.sealed = seal;
  }

  close(): void {
    const place = this.announce();
    if (this.args === '' && this.part.custom !== true) this.write('{}');
    this.items.event(
      this.type('done'),
      place,
      this.part.custom === true ? { input: this.args } : { arguments: this.args, name: this.part.name },
    );
    this.items.done(place, this.item(place.id, 'completed'));
    this.writeSeal();
  }

  /**
   * Ends a call of a failed response. Its arguments may be incomplete, so it must not look
   * complete.
   */
  abandon(): void {
    if (this.place !== null) this.items.replace(this.place, this.item(this.place.id, 'incomplete'));
  }

  private writeSeal(): void {
    if (this.sealed !== undefined) addCarrier(this.items, this.sealed);
    this.sealed = undefined;
  }

  private type(end: 'delta' | 'done'): string {
    return this.part.custom === true
      ? `response.custom_tool_call_input.${end}`
      : `response.function_call_arguments.${end}`;
  }

  private item(id: string, status: string): JsonObject {
    const { custom = false, name } = this.part;
    const callId = callIdOf(this.part.id, id, 0, 0);
    const namespace = ownOf(this.part).rest?.['namespace'];
    const extra = namespace === undefined ? {} : { namespace };
    return custom
      ? { id, type: 'custom_tool_call', status, call_id: callId, name, input: this.args, ...extra }
      : { id, type: 'function_call', status, call_id: callId, name, arguments: this.args, ...extra };
  }
}

/**
 * Reasoning of the model: a summary, or content of an open model. It is announced with its first
 * text or its seal.
 */
export class ReasoningBlock extends PlainBlock implements OutputBlock {
  private place: ItemPlace | null = null;
  private head = '';
  private text = '';
  private hasPart = false;
  private sealed: Seal | undefined;
  private readonly isContent: boolean;

  constructor(
    private readonly items: OutputItems,
    private readonly source: ReasoningPart,
  ) {
    super();
    if (source.seal !== undefined) this.seal(source.seal);
    this.isContent = ownOf(source).isContent === true;
  }

  write(text: string): void {
    if (text === '') return;
    this.openPart();
    this.text += text;
    const type = this.isContent ? 'response.reasoning_text.delta' : 'response.reasoning_summary_text.delta';
    this.items.sink.delta(type, this.head, text, '');
  }

  seal(seal: Seal): void {
    if (isCarriable(seal, NATIVE)) this.sealed = seal;
  }

  close(): void {
    // A signed block whose text was left out has an empty summary, so that it differs from a
    // redacted one.
    const isOmitted = this.sealed?.by === 'anthropic' && this.sealed.redacted !== true;
    if (this.text === '' && isOmitted) this.openPart();
    if (this.hasPart) this.closePart();
    if (this.place === null && this.sealed === undefined) return;
    const place = this.announced();
    this.items.done(place, {
      id: place.id,
      type: 'reasoning',
      ...(ownOf(this.source).reasoning ?? this.texts()),
      ...(this.sealed === undefined ? {} : { encrypted_content: carriedSeal(this.sealed, NATIVE) }),
    });
  }

  abandon(): void {
    if (this.place === null) return;
    this.items.replace(this.place, { id: this.place.id, type: 'reasoning', ...this.texts() });
  }

  private texts(): JsonObject {
    if (this.hasPart && this.text === '') return { summary: [{ type: 'summary_text', text: '' }] };
    return reasoningTexts({ ...this.source, text: this.text }, this.isContent);
  }

  private announced(): ItemPlace {
    this.place ??= this.items.add('rs', this.source.itemId, (id) => ({
      id,
      type: 'reasoning',
      summary: [],
      ...(this.isContent ? { content: [] } : {}),
    }));
    return this.place;
  }

  private openPart(): void {
    if (this.hasPart) return;
    this.hasPart = true;
    const place = this.announced();
    this.head = `${place.head},"${this.indexName}":0,"delta":`;
    this.items.event(this.partType('added'), place, { [this.indexName]: 0, part: this.partOf('') });
  }

  private closePart(): void {
    const place = this.announced();
    const type = this.isContent ? 'response.reasoning_text.done' : 'response.reasoning_summary_text.done';
    this.items.event(type, place, { [this.indexName]: 0, text: this.text });
    this.items.event(this.partType('done'), place, { [this.indexName]: 0, part: this.partOf(this.text) });
  }

  private get indexName(): string {
    return this.isContent ? 'content_index' : 'summary_index';
  }

  private partType(end: 'added' | 'done'): string {
    return this.isContent ? `response.content_part.${end}` : `response.reasoning_summary_part.${end}`;
  }

  private partOf(text: string): JsonObject {
    return { type: this.isContent ? 'reasoning_text' : 'summary_text', text };
  }
}

/** An image that the model generated. */
export class ImageBlock extends PlainBlock implements OutputBlock {
  private readonly place: ItemPlace;
  private data: string;

  constructor(
    private readonly items: OutputItems,
    part: MediaPart,
  ) {
    super();
    this.data = part.source.at === 'base64' ? part.source.data : '';
    this.place = items.add('ig', undefined, (id) => this.item(id, 'in_progress', null));
    items.event('response.image_generation_call.in_progress', this.place);
    items.event('response.image_generation_call.generating', this.place);
  }

  write(data: string): void {
    this.data += data;
  }

  seal(): void {
    // Images of other providers are not sent back.
  }

  close(): void {
    this.items.event('response.image_generation_call.completed', this.place);
    this.items.done(this.place, this.item(this.place.id, 'completed', this.data));
  }

  abandon(): void {
    this.items.replace(this.place, this.item(this.place.id, 'failed', null));
  }

  private item(id: string, status: string, result: string | null): JsonObject {
    return { id, type: 'image_generation_call', status, result };
  }
}

/** A call of a tool that the provider ran. */
export class HostedBlock extends PlainBlock implements OutputBlock {
  private constructor(
    private readonly items: OutputItems,
    private readonly item: JsonObject | null,
    private readonly query: string,
  ) {
    super();
  }

  /**
   * Returns the block of a hosted call; null for a tool that this dialect does not have. Results of
   * searches are in the citations.
   */
  static of(items: OutputItems, part: HostedPart | OpaquePart): HostedBlock | null {
    if (part.dialect === DIALECT) return new HostedBlock(items, part.data, '');
    if (part.kind !== 'hosted_call' || part.tool !== 'web_search') return null;
    const query = asString(asObject(part.data['input'])?.['query']) ?? asString(part.data['query']) ?? '';
    return new HostedBlock(items, null, query);
  }

  write(): void {
    // The item arrives in one piece.
  }

  seal(): void {
    // The item arrives in one piece.
  }

  abandon(): void {
    // The item is announced when it is complete.
  }

  close(): void {
    if (this.item !== null) {
      const { item } = this;
      this.items.done(
        this.items.add('ws', idOf(item), () => item),
        item,
      );
      return;
    }
    const make = (id: string, status: string): JsonObject => ({
      id,
      type: 'web_search_call',
      status,
      action: { type: 'search', query: this.query },
    });
    const place = this.items.add('ws', undefined, (id) => make(id, 'in_progress'));
    for (const stage of ['in_progress', 'searching', 'completed']) {
      this.items.event(`response.web_search_call.${stage}`, place);
    }
    this.items.done(place, make(place.id, 'completed'));
  }
}
