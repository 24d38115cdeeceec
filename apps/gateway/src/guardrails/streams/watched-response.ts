import { Buffer } from 'node:buffer';
import { StreamGuard, Subject, undecidedInBackground, type GuardrailResult } from '@gw/guardrails';
import { addPiece } from '@gw/kernel';
import { codingOf, decode } from '@gw/outbound';
import type { HeaderList } from '@gw/providers';
import { contentTypeOf, valueOf } from '../../http/header-rules';
import { RESPONSE_READ_WHOLE, exceededBy } from '../../bodies/read-whole';
import type { RequestContext } from '../../core/request-context';
import { Reply, type Flow, type Settle } from '../../reply/reply';
import { Events } from '../../reply/splice/events';
import { dataOf, objectOf } from '../../reply/splice/splice';
import type { GuardedRequest, GuardReports } from '../guarded-request';
import { EventReader } from './event-reader';
import { dialectFor } from './guarded-stream';
import type { StreamDialect } from './stream-dialect';
import type { GuardTools } from '../guarded-request';
import { textBody } from '../request-subject';
import { textsOfEvents } from './unknown-events';
import { RESPONSE_BYTES_MAX, TOO_LARGE } from '../collected-response';

type Verdicts = Promise<readonly GuardrailResult[]> | null;

/** Collects a response for asynchronous guardrails while it is sent. */
interface Watcher {
  add(chunk: Buffer): void;
  judge(): Verdicts;
}

/**
 * A response that is forwarded as it arrives and judged by asynchronous guardrails once it has
 * ended.
 */
export class WatchedResponse {
  readonly kind = 'stream';

  constructor(
    private readonly guarding: GuardReports,
    private readonly tools: GuardTools,
    private readonly guarded: GuardedRequest,
  ) {}

  reply(context: RequestContext, settle: Settle, flow: Flow | null, keepBytes: number): Reply {
    const reply = new WatchedReply(context, settle, flow, keepBytes, (headers) => this.watcherFor(headers));
    this.guarding.judgeAtEnd(() => reply.judge());
    return reply;
  }

  private watcherFor(headers: HeaderList): Watcher {
    const isEvents = contentTypeOf(headers)?.startsWith('text/event-stream') === true;
    const encoding = valueOf(headers, 'content-encoding');
    const { facts } = this.guarded;
    const dialect = isEvents && encoding === undefined ? dialectFor(facts.dialect) : null;
    return dialect === null
      ? new WholeWatcher(this.tools, this.guarded, isEvents, encoding)
      : new EventWatcher(dialect, this.tools, this.guarded);
  }
}

class WatchedReply extends Reply {
  private watcher: Watcher | null = null;

  constructor(
    context: RequestContext,
    settle: Settle,
    flow: Flow | null,
    keepBytes: number,
    private readonly watcherFor: (headers: HeaderList) => Watcher,
  ) {
    super(context, settle, flow, keepBytes);
  }

  override start(status: number, headers: HeaderList): void {
    this.watcher = this.watcherFor(headers);
    super.start(status, headers);
  }

  judge(): Verdicts {
    return this.watcher?.judge() ?? null;
  }

  protected override note(chunk: Buffer): void {
    super.note(chunk);
    this.watcher?.add(chunk);
  }
}

/**
 * Collects the texts of a stream. Events that cannot be read are not judged, because they have been
 * sent already.
 */
class EventWatcher implements Watcher {
  private events: Events | null = new Events();
  private readonly guard: StreamGuard;
  private readonly reader: EventReader;

  constructor(dialect: StreamDialect, tools: GuardTools, { facts, request, output }: GuardedRequest) {
    this.guard = new StreamGuard({ ...tools, guardrails: output, facts, request });
    this.reader = new EventReader(dialect);
  }

  add(chunk: Buffer): void {
    const events = this.events?.write(chunk) ?? null;
    if (events === null) this.events = null;
    for (const event of events ?? []) {
      const data = dataOf(event);
      const body = data === null ? null : objectOf(data);
      const read = body === null ? null : this.reader.read(body);
      for (const { channel, text } of read?.texts ?? []) this.guard.push(channel, text);
    }
  }

  judge(): Verdicts {
    return this.guard.judgeBeside();
  }
}

/** Collects the bytes of a response that can only be read as a whole. */
class WholeWatcher implements Watcher {
  private chunks: Buffer[] = [];
  private size = 0;

  constructor(
    private readonly tools: GuardTools,
    private readonly guarded: GuardedRequest,
    private readonly isEvents: boolean,
    private readonly encoding: string | undefined,
  ) {}

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size <= RESPONSE_BYTES_MAX) addPiece(this.chunks, chunk);
    else this.chunks = [];
  }

  judge(): Verdicts {
    if (this.size > RESPONSE_BYTES_MAX) return this.undecided(TOO_LARGE);
    const { encoding, chunks } = this;
    if (encoding === undefined || encoding === 'identity') return this.judgeBytes(Buffer.concat(chunks));
    const coding = codingOf(encoding);
    if (coding === null)
      return this.undecided('The response has a content encoding that guardrails cannot decode.');
    const pieces: Buffer[] = [];
    return decode(chunks, coding, RESPONSE_BYTES_MAX, (piece) => pieces.push(piece)).then(
      (end) =>
        (end === 'whole'
          ? this.judgeBytes(Buffer.concat(pieces))
          : this.undecided(end === 'too_large' ? TOO_LARGE : 'The response could not be decoded.')) ?? [],
    );
  }

  private judgeBytes(bytes: Buffer): Verdicts {
    const { facts, request, output } = this.guarded;
    const bound = exceededBy(bytes, RESPONSE_READ_WHOLE);
    if (bound !== null)
      return this.undecided(`The response has more than ${bound}, which is more than guardrails can read.`);
    const value = this.isEvents ? textsOfEvents(bytes) : textBody(bytes).value;
    const reported = this.isEvents ? { ...facts, dialect: 'json' as const } : facts;
    return this.tools.runner.runBeside(output, Subject.output(reported, request, value, 200));
  }

  private undecided(message: string): Verdicts {
    const { facts, request, output } = this.guarded;
    const subject = Subject.output(facts, request, null, 200);
    return undecidedInBackground(output, subject, message, this.tools.port);
  }
}
