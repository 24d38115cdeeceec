import type { JsonObject } from '../call';
import type { ProviderContext, StreamDecoder } from '../codec';
import type { StreamEvent } from '../response';
import { SseDecoder } from '../stream/decoder-base';
import { asObject } from '../values/json';
import { BareJson } from './bare-json';
import { ResponseReader } from './response-reader';

/**
 * Reads `streamGenerateContent?alt=sse`. It has no end mark: the stream is complete when each
 * candidate has a finishReason.
 */
class GeminiStream extends SseDecoder {
  private readonly response: ResponseReader;
  private readonly bare = new BareJson();

  constructor(context: ProviderContext) {
    super();
    this.response = new ResponseReader(this.out, context);
  }

  override write(chunk: Buffer): StreamEvent[] {
    const events = this.bare.split(chunk);
    return events.length === 0 ? [] : super.write(events);
  }

  override end(): StreamEvent[] {
    for (const value of this.bare.values()) {
      const response = asObject(value);
      if (response !== null && !this.out.isOver) this.response.take(response);
    }
    return super.end();
  }

  protected onEvent(event: JsonObject): void {
    this.response.take(event);
  }

  /** Handles the end mark of OpenAI, which some gateways in front of Google send. */
  protected override onText(data: string): boolean {
    return data === '[DONE]';
  }

  protected override onEnd(): void {
    if (this.response.isFinished) this.response.finish();
    else this.response.reportUsage();
  }
}

export const decodeStream = (context: ProviderContext): StreamDecoder => new GeminiStream(context);
