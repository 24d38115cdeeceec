import { encodeError } from '../anthropic-messages/encode-error';
import { streamFault } from '../bedrock-converse/stream-fault';
import type { ProviderFault } from '../response';
import { AwsFrameReader, type AwsFrame } from '../stream/aws-frames';
import { BROKEN_STREAM, CUT_STREAM } from '../stream/decoder-base';
import { asObject, asString, parseObject } from '../values/json';

/**
 * Turns the frames of InvokeModelWithResponseStream into the event stream of Anthropic's own API:
 * the events of Claude are written unchanged, one for each frame. A broken or truncated stream ends
 * with an `error` event.
 */
export class InvokeStream {
  readonly contentType = 'text/event-stream';
  /** Whether the message is complete. */
  complete = false;
  failed = false;
  private readonly reader = new AwsFrameReader();

  constructor(private readonly requestId: string) {}

  /** Returns the client's text for these bytes; '' when no frame is complete yet. */
  write(chunk: Buffer): string {
    let text = '';
    for (const frame of this.reader.write(chunk)) if (!this.isOver) text += this.frame(frame);
    return this.reader.broken && !this.isOver ? text + this.fail(BROKEN_STREAM) : text;
  }

  /** Returns the rest once the provider has ended. */
  end(): string {
    return this.isOver ? '' : this.fail(CUT_STREAM);
  }

  private get isOver(): boolean {
    return this.complete || this.failed;
  }

  private frame(frame: AwsFrame): string {
    if (frame.type !== 'event') return this.fail(streamFault(frame));
    if (frame.name !== 'chunk') return '';
    const bytes = asString(parseObject(frame.payload.toString('utf8'))?.['bytes']);
    const json = bytes === null ? '' : Buffer.from(bytes, 'base64').toString('utf8');
    const event = parseObject(json);
    const type = asString(event?.['type']);
    if (event === null || type === null || !TYPE.test(type)) return this.fail(BROKEN_STREAM);
    this.complete = type === 'message_stop';
    this.failed = type === 'error' && asObject(event['error']) !== null;
    // Line ends are white space in JSON, but would end the line of the event stream.
    return `event: ${type}\ndata: ${json.replace(/[\r\n]+/g, ' ')}\n\n`;
  }

  private fail(fault: ProviderFault): string {
    this.failed = true;
    return `event: error\ndata: ${JSON.stringify(encodeError(fault, this.requestId))}\n\n`;
  }
}

/** Allowed event names; others could break the lines of the event stream. */
const TYPE = /^[a-z0-9_.]{1,64}$/;
