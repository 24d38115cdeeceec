import type { JsonObject, Part } from '../call';
import type { ClientContext, StreamEncoder } from '../codec';
import type { Finish, Logprob, ProviderFault, StreamEvent, TokenUsage } from '../response';
import { endOf } from './encode-response';
import { encodeFailure } from './faults';
import { ownNames } from './namespaces';
import { OutputBuilder } from './output-builder';
import { SseSink } from './output-sink';
import {
  encodeWhole,
  IN_PROGRESS,
  responseId,
  skeletonOf,
  type ResponseEnd,
  type ResponseHead,
} from './skeleton';

const KEEP_ALIVE = ': keep-alive\n\n';

const TOO_LONG: ProviderFault = {
  class: 'server',
  message: 'The response is longer than 32 MiB.',
  status: 502,
};

/**
 * Writes the lifecycle of one response. Only the first candidate is written: the API has no others.
 */
class ResponsesEncoder implements StreamEncoder {
  readonly contentType = 'text/event-stream';
  readonly keepAlive = KEEP_ALIVE;
  hasFailed = false;
  private readonly sink = new SseSink();
  private skeleton: JsonObject | null = null;
  private builder: OutputBuilder;
  private finish: Finish | null = null;
  private usage: TokenUsage | undefined;
  private isOver = false;
  /** Log probabilities that were written with the text before them. */
  private written: StreamEvent | undefined;
  private readonly own: (part: Part) => Part;

  constructor(private readonly context: ClientContext) {
    this.builder = this.newBuilder(context.requestId);
    this.own = ownNames(context.call);
  }

  write(events: readonly StreamEvent[]): string {
    for (const [index, event] of events.entries()) {
      if (this.isOver) break;
      this.take(event, events[index + 1]);
      if (this.builder.overflowed && !this.isOver) {
        this.hasFailed = true;
        this.fail(TOO_LONG);
      }
    }
    if (!this.isOver) this.builder.announce();
    return this.sink.taken();
  }

  private take(event: StreamEvent, next: StreamEvent | undefined): void {
    if ('i' in event) {
      if (event.c === 0) this.fill(event, next);
      return;
    }
    switch (event.t) {
      case 'start':
        this.usage = event.usage;
        this.start(event);
        break;
      case 'finish':
        if (event.c === 0) this.finish = event.finish;
        break;
      case 'usage':
        this.usage = event.usage;
        break;
      case 'ping':
        this.sink.raw(KEEP_ALIVE);
        break;
      case 'error':
        this.fail(event.fault);
        break;
      case 'done':
        this.complete();
        break;
    }
  }

  private fill(event: Extract<StreamEvent, { c: number; i: number }>, next: StreamEvent | undefined): void {
    switch (event.t) {
      case 'open':
        this.builder.open(event.i, this.own(event.part));
        break;
      case 'text':
        this.builder.write(event.i, event.text, this.logprobsOf(event.i, next));
        break;
      case 'args':
        this.builder.write(event.i, event.json);
        break;
      case 'data':
        this.builder.write(event.i, event.base64);
        break;
      case 'seal':
        this.builder.seal(event.i, event.seal);
        break;
      case 'cite':
        this.builder.cite(event.i, event.citation);
        break;
      case 'close':
        this.builder.close(event.i);
        break;
      case 'logprobs':
        if (this.isWanted && event !== this.written) this.builder.write(event.i, '', event.items);
        break;
    }
  }

  private get isWanted(): boolean {
    return this.context.call.logprobs !== undefined;
  }

  /**
   * Returns the log probabilities that belong to a text event. They usually follow their text;
   * those of a token without text, or after a citation, get a separate event.
   */
  private logprobsOf(i: number, next: StreamEvent | undefined): readonly Logprob[] | undefined {
    if (!this.isWanted || next?.t !== 'logprobs' || next.i !== i) return undefined;
    this.written = next;
    return next.items;
  }

  private newBuilder(id: string): OutputBuilder {
    return new OutputBuilder(responseId(id), this.sink, () => this.context.losses?.note('output'));
  }

  private start(head: ResponseHead): JsonObject {
    if (this.skeleton !== null) return this.skeleton;
    this.skeleton = skeletonOf(this.context, { id: head.id, model: head.model, created: head.created });
    this.builder = this.newBuilder(head.id === '' ? this.context.requestId : head.id);
    const response = encodeWhole(this.skeleton, IN_PROGRESS, [], undefined);
    this.sink.event('response.created', { response });
    this.sink.event('response.in_progress', { response });
    return this.skeleton;
  }

  private complete(): void {
    const end = endOf(this.finish ?? { reason: 'error' }, this.builder.hasRefusal);
    this.builder.end(end.status === 'incomplete' ? 'incomplete' : 'completed');
    this.last(end);
  }

  /**
   * Writes a failure. Begins with `response.created` even then, because the SDK refuses streams
   * without it.
   */
  private fail(fault: ProviderFault): void {
    this.builder.abandon();
    this.last({ status: 'failed', incomplete_details: null, error: encodeFailure(fault) });
  }

  private last(end: ResponseEnd): void {
    const skeleton = this.start({ id: '', model: '', created: 0 });
    this.sink.event(`response.${end.status}`, {
      response: encodeWhole(skeleton, end, this.builder.output, this.usage),
    });
    this.isOver = true;
  }
}

export const encodeStream = (context: ClientContext): StreamEncoder => new ResponsesEncoder(context);
