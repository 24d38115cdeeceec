import {
  targetOf,
  type ModelCall,
  type ProviderCodec,
  type StreamEvent,
  type TokenUsage,
} from '@gw/dialects';
import type { Usage } from '@gw/contracts';
import type { StreamTap } from '../provider';

const CALL: ModelCall = { model: '', stream: true, system: [], turns: [], paths: {} };

/** Returns tokens as the ledger counts them. */
export const ledgerUsage = (usage: TokenUsage): Usage => ({
  inputTokens: usage.input,
  outputTokens: usage.output,
  cacheReadTokens: usage.cacheRead,
  cacheWriteTokens: usage.cacheWrite,
  ...(usage.cacheWrite1h > 0 ? { cacheWrite1hTokens: usage.cacheWrite1h } : {}),
  reasoningTokens: usage.reasoning,
  inputAudioTokens: usage.inputAudio,
  outputAudioTokens: usage.outputAudio,
});

/**
 * Reads the stream of a dialect with the codec of the dialect, for streams that are not server-sent
 * events. The codec bounds the memory.
 */
export class CodecTap implements StreamTap {
  complete = false;
  failed = false;
  finishedChoices = 0;
  usageMayFollow = false;
  model: string | null = null;
  readonly made = null;
  private readonly decoder;
  private found: TokenUsage | null = null;

  constructor(provider: string, codec: ProviderCodec) {
    const target = targetOf({ provider, dialect: codec.dialect, model: '' });
    this.decoder = codec.decodeStream({ call: CALL, target, requestId: '', createdAt: 0 });
  }

  write(chunk: Buffer): void {
    for (const event of this.decoder.write(chunk)) this.take(event);
  }

  usage(): Usage | null {
    return this.found === null ? null : ledgerUsage(this.found);
  }

  begun(): Usage | null {
    return this.usage();
  }

  private take(event: StreamEvent): void {
    if (event.t === 'start' && event.model !== '') this.model = event.model;
    if ((event.t === 'start' || event.t === 'usage') && event.usage !== undefined) this.found = event.usage;
    if (event.t === 'open' || event.t === 'close') this.usageMayFollow = event.t === 'close';
    if (event.t === 'finish') this.finishedChoices += 1;
    if (event.t === 'error') this.failed = true;
    if (event.t === 'done') this.complete = true;
  }
}
