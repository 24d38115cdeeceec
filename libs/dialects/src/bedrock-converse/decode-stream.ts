import { OUTPUT_TOOL } from '../anthropic-messages/encode-output';
import { withoutToolUse } from '../anthropic-messages/finish';
import type { JsonObject } from '../call';
import type { ProviderContext, StreamDecoder } from '../codec';
import type { Finish, StreamEvent, TokenUsage } from '../response';
import { AwsFrameReader, type AwsFrame } from '../stream/aws-frames';
import { BROKEN_STREAM, CUT_STREAM, EventWriter } from '../stream/decoder-base';
import { asNumber, asObject, asString, parseObject } from '../values/json';
import { StreamBlocks } from './stream-blocks';
import { responseId } from './decode-response';
import { decodeFinish } from './finish';
import { modelOf } from './models';
import { streamFault } from './stream-fault';
import { decodeUsage } from './usage';

export const decodeStream = (context: ProviderContext): StreamDecoder => new ConverseStream(context);

/**
 * Reads the frames of ConverseStream. The finish waits for the usage, which comes after it, or for
 * the end of the stream; a stream without a stop reason is cut.
 */
class ConverseStream implements StreamDecoder {
  private readonly reader = new AwsFrameReader();
  private readonly out = new EventWriter();
  private readonly blocks: StreamBlocks;
  private finish: Finish | null = null;
  private usage: TokenUsage | undefined;

  constructor(private readonly context: ProviderContext) {
    this.blocks = new StreamBlocks(this.out, {
      isClaude: modelOf(context.target).family === 'claude',
      outputTool: context.outputTool === true ? OUTPUT_TOOL : null,
    });
  }

  write(chunk: Buffer): StreamEvent[] {
    for (const frame of this.reader.write(chunk)) if (!this.out.isOver) this.take(frame);
    if (this.reader.broken && !this.out.isOver) this.out.fail(BROKEN_STREAM);
    return this.out.taken();
  }

  end(): StreamEvent[] {
    if (!this.out.isOver) this.complete();
    return this.out.taken();
  }

  private take(frame: AwsFrame): void {
    if (frame.type !== 'event') {
      this.out.fail(streamFault(frame));
      return;
    }
    const payload = parseObject(frame.payload.toString('utf8'));
    if (payload === null) this.out.fail(BROKEN_STREAM);
    else this.event(frame.name, payload);
  }

  private event(name: string, payload: JsonObject): void {
    switch (name) {
      case 'messageStart':
        this.messageStart();
        break;
      case 'contentBlockStart':
        this.start();
        this.blocks.start(indexOf(payload), asObject(payload['start']) ?? {});
        break;
      case 'contentBlockDelta':
        this.start();
        this.blocks.delta(indexOf(payload), asObject(payload['delta']) ?? {});
        break;
      case 'contentBlockStop':
        this.blocks.stop(indexOf(payload));
        break;
      case 'messageStop':
        this.messageStop(payload);
        break;
      case 'metadata':
        this.usage = decodeUsage(payload['usage']) ?? this.usage;
        if (this.finish !== null) this.complete();
        break;
      default:
      // Unknown types of events are ignored, because providers add new ones.
    }
  }

  /**
   * Starts the message. Fails the stream for a second start, because two overlapping messages must
   * not be merged.
   */
  private messageStart(): void {
    if (this.out.isStarted) this.out.fail(BROKEN_STREAM);
    else this.start();
  }

  private start(): void {
    this.out.start(responseId(this.context), '', this.context.createdAt);
  }

  private messageStop(payload: JsonObject): void {
    if (this.finish !== null || asString(payload['stopReason']) === null) return;
    this.blocks.stopAll();
    const { hasCalls, hasOutput, hasContent } = this.blocks;
    const finish = decodeFinish(payload, hasCalls || hasOutput);
    this.finish = hasOutput ? withoutToolUse(finish) : finish;
    if (finish.reason === 'error' && !hasContent) this.out.fail(BROKEN_STREAM);
    else if (this.usage !== undefined) this.complete();
  }

  private complete(): void {
    if (this.finish === null || this.reader.hasRest) {
      this.out.fail(CUT_STREAM);
      return;
    }
    this.start();
    this.out.finish(0, this.finish);
    if (this.usage !== undefined) this.out.push({ t: 'usage', usage: this.usage });
    this.out.done();
  }
}

const indexOf = (payload: JsonObject): number => asNumber(payload['contentBlockIndex']) ?? 0;
