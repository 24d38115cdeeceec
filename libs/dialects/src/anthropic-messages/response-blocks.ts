import type {
  HostedPart,
  JsonObject,
  OpaquePart,
  Part,
  ReasoningPart,
  RefusalPart,
  Seal,
  TextPart,
  ToolCallPart,
} from '../call';
import type { ClientContext } from '../codec';
import { responseArguments } from '../values/tool-arguments';
import { callIdOf } from '../values/tool-ids';
import { encodeCitation } from './citations';
import { DIALECT, own } from './paths';
import { NO_SEAL, writeSignature } from './seals';

const DIRECT: JsonObject = { type: 'direct' };

/**
 * Writes the parts of a response as content blocks. The SDK's types have no optional members, so
 * all are written.
 */
export class BlockWriter {
  readonly blocks: JsonObject[] = [];
  hasCalls = false;
  refused = false;
  /** Whether the last block carries a seal that a call after it would take for its own. */
  private isAfterCarrier = false;

  constructor(
    private readonly context: ClientContext,
    private readonly responseId: string,
  ) {}

  add(part: Part): void {
    switch (part.kind) {
      case 'text':
        this.addText(part);
        break;
      case 'refusal':
        this.refused = true;
        this.addText(part);
        break;
      case 'tool_call':
        this.addCall(part);
        break;
      case 'reasoning':
        this.addThinking(part);
        break;
      case 'hosted_call':
      case 'hosted_result':
      case 'opaque':
        this.addOwn(part);
        break;
      case 'media':
      case 'search_result':
      case 'tool_result':
        this.lose();
        break;
    }
  }

  private push(block: JsonObject): void {
    this.isAfterCarrier = false;
    this.blocks.push(block);
  }

  /** Records a part that has no block. */
  private lose(): void {
    this.context.losses?.note(`content.${String(this.blocks.length)}`);
  }

  private addOwn({ dialect, data }: HostedPart | OpaquePart): void {
    if (dialect === DIALECT) this.push(data);
    else this.lose();
  }

  private addText(part: TextPart | RefusalPart): void {
    const { text } = part;
    const { citations = [], seal } = part.kind === 'text' ? part : {};
    const cited = citations.map((item) => encodeCitation(item)).filter((item) => item !== null);
    if (text !== '') this.push({ type: 'text', text, citations: cited.length === 0 ? null : cited });
    if (seal !== undefined) this.addCarrier(seal);
  }

  private addCall(part: ToolCallPart): void {
    this.hasCalls = true;
    if (part.seal !== undefined) this.addCarrier(part.seal);
    else if (this.isAfterCarrier) this.addCarrier(NO_SEAL);
    const { input, broken } = responseArguments(part.args);
    const index = this.blocks.length;
    if (broken) this.context.losses?.note(`content.${String(index)}.input`, 'approximated', '_raw');
    this.push({
      type: 'tool_use',
      id: callIdOf(part.id, this.responseId, 0, index),
      name: part.name,
      input,
      caller: DIRECT,
      ...own(part),
    });
  }

  private addThinking({ text, seal }: ReasoningPart): void {
    if (seal?.by === 'anthropic' && seal.redacted === true) {
      this.push({ type: 'redacted_thinking', data: seal.value });
      return;
    }
    const signature = seal === undefined ? '' : writeSignature(seal);
    if (text === '' && (signature === '' || signature === null)) return;
    this.push({ type: 'thinking', thinking: text, signature: signature ?? '' });
    this.isAfterCarrier = text === '' && seal?.by === 'google';
  }

  /** Writes a block of thinking without text that carries the seal of another part. */
  private addCarrier(seal: Seal): void {
    this.addThinking({ kind: 'reasoning', text: '', seal });
  }
}
