import { Buffer } from 'node:buffer';
import { hookResults, restored, Subject, type StageVerdict } from '@gw/guardrails';
import { GatewayError, isObject, exactNumbers } from '@gw/kernel';
import { readResponse, type ResponseFacts, type StreamTap } from '@gw/providers';
import { contentTypeOf } from '../http/header-rules';
import { parseJsonObject, parseTranslated } from '../bodies/json-body';
import { RESPONSE_READ_WHOLE, assertResponseReadable, unreadableResponse } from '../bodies/read-whole';
import { isEventStream, isPlainEvents, type GatewayResponse } from '../attempt/gateway-response';
import { isStrict, translationContext } from '../attempt/response-shape';
import type { AttemptListener } from '../attempt/gateway-response';
import type { RequestContext } from '../core/request-context';
import { GuardrailDenial } from './guardrail-denial';
import { GuardedStream, isStreamed } from './streams/guarded-stream';
import { isAsync, type GuardedRequest, type GuardReports, type GuardTools } from './guarded-request';
import { JudgedBody } from './judged-body';
import { bytesOf, textBody, type SeenBody } from './request-subject';
import { textsOfEvents } from './streams/unknown-events';
import { WatchedResponse } from './streams/watched-response';
import { CollectedResponse } from './collected-response';

const MARKED = 246;

/** A whole response that guardrails judge. */
interface SeenResponse extends SeenBody {
  /** The provider's bytes, decoded. */
  readonly bytes: Buffer;
  readonly isTranslated: boolean;
  /** True for a stream in an unknown dialect, which is judged but cannot be changed. */
  readonly isEvents: boolean;
}

/**
 * Wraps the listener of an attempt, so that the plan sees the response after its guardrails: with
 * status 246 when it is marked, or a denial with 446 instead.
 */
export class GuardedAttempt implements AttemptListener {
  constructor(
    private readonly context: RequestContext,
    private readonly guarding: GuardReports,
    private readonly tools: GuardTools,
    private readonly guarded: GuardedRequest,
    private readonly listener: AttemptListener,
  ) {}

  get isApart(): boolean {
    return this.listener.isApart === true;
  }

  callStarted(response: GatewayResponse): void {
    this.listener.callStarted(response);
  }

  refused(thrown: unknown): void {
    this.listener.refused(thrown);
  }

  responded(response: GatewayResponse): void {
    const { status, error } = response;
    if (error !== null || status < 200 || status > 299) this.listener.responded(response);
    else if (isEventStream(response)) this.handleStream(response);
    else if (!this.mustRead(response)) this.pass(response);
    else if (this.hasOnlyAsync()) this.passWatched(response);
    else response.attach(new CollectedResponse(response, (body) => this.received(response, body)));
  }

  private handleStream(response: GatewayResponse): void {
    const { judgesOutput, verdict, facts, output } = this.guarded;
    const { context, guarding } = this;
    if (context.attempts.partial !== null && guarding.streamed !== output) {
      this.listener.refused(
        new GatewayError('route_unsupported', {
          message: 'The target has different guardrails from those of the response that broke off.',
        }),
      );
      return;
    }
    guarding.streamed = output;
    const isShown = verdict.results.length > 0 && !isStrict(context, response.upstream);
    if (!judgesOutput && verdict.placeholders === null && verdict.outcome === 'pass' && !isShown)
      this.passWatched(response);
    else if (isPlainEvents(response) && isStreamed(facts.dialect)) {
      response.guarded = new GuardedStream(
        guarding,
        this.tools,
        this.guarded,
        !isStrict(context, response.upstream),
      );
      this.pass(response);
    } else if (judgesOutput)
      response.attach(new CollectedResponse(response, (body) => this.received(response, body)));
    else this.passWatched(response);
  }

  /** True when only asynchronous guardrails act on the request and the response. */
  private hasOnlyAsync(): boolean {
    const { judgesOutput, verdict } = this.guarded;
    return !judgesOutput && verdict.placeholders === null && verdict.results.length === 0;
  }

  private passWatched(response: GatewayResponse): void {
    if (this.guarded.output.some(isAsync))
      response.guarded = new WatchedResponse(this.guarding, this.tools, this.guarded);
    this.pass(response);
  }

  /**
   * Whether the body is read. Routes with texts return JSON, whatever their content type says; on
   * other routes (dialect `json`) a body is read when its content type is missing, contains `json`
   * or begins with `text/`.
   */
  private mustRead({ headers }: GatewayResponse): boolean {
    if (this.guarded.facts.dialect !== 'json') return true;
    const type = contentTypeOf(headers);
    return type === undefined || type.includes('json') || type.startsWith('text/');
  }

  private pass(response: GatewayResponse): void {
    if (this.guarded.verdict.outcome === 'mark') response.status = MARKED;
    this.listener.responded(response);
  }

  private received(response: GatewayResponse, body: Buffer | GatewayError | null): void {
    if (body === null) {
      // No byte was forwarded, so the plan treats the response as not begun.
      response.status = 0;
      this.listener.responded(response);
    } else if (body instanceof GatewayError) this.listener.refused(body);
    else this.judge(response, body);
  }

  private judge(response: GatewayResponse, bytes: Buffer): void {
    try {
      const seen = this.seen(response, bytes);
      const { facts, request, output, judgesOutput } = this.guarded;
      const reported = seen.isEvents ? { ...facts, dialect: 'json' as const } : facts;
      const subject = Subject.output(reported, request, seen.value, response.status);
      this.guarding.watch('output', output, subject);
      if (!judgesOutput) {
        this.conclude(response, seen, null);
        return;
      }
      const aborting = new AbortController();
      const verdict = this.tools.runner.run(output, subject, aborting.signal);
      if (!(verdict instanceof Promise)) {
        this.conclude(response, seen, verdict);
        return;
      }
      // Aborting the response while checks run aborts the checks too.
      response.call = { pause: NOTHING, resume: NOTHING, abort: () => aborting.abort() };
      verdict
        .then((settled) => {
          this.conclude(response, seen, settled);
        })
        .catch((thrown: unknown) => {
          this.listener.refused(thrown);
        });
    } catch (thrown) {
      this.listener.refused(thrown);
    }
  }

  /**
   * Converts the body to the client's dialect. Throws `provider_answer_invalid` when it cannot be
   * translated.
   */
  private seen(response: GatewayResponse, bytes: Buffer): SeenResponse {
    const { support, provider } = response.upstream;
    if (isEventStream(response))
      return { value: textsOfEvents(bytes), isText: false, bytes, isTranslated: false, isEvents: true };
    if (support?.via !== 'translated') assertResponseReadable(bytes, RESPONSE_READ_WHOLE);
    if (support?.via !== 'translated')
      return { ...textBody(bytes), bytes, isTranslated: false, isEvents: false };
    try {
      const translation = translationContext(this.context, response.upstream);
      const value = support.translator.response(parseTranslated(support.translator, bytes), translation);
      return { value, isText: false, bytes, isTranslated: true, isEvents: false };
    } catch (cause) {
      // The provider charges for the response nevertheless.
      this.guarding.addUse(response, readResponse(provider, bytes));
      throw unreadableResponse(provider.id, cause);
    }
  }

  /** Applies the verdict. `verdict` is null when no output guardrail ran. */
  private conclude(response: GatewayResponse, seen: SeenResponse, verdict: StageVerdict | null): void {
    const { verdict: before } = this.guarded;
    const facts = factsOnce(response, seen);
    if (verdict !== null) this.guarding.note('output', verdict.results);
    if (verdict?.outcome === 'deny') {
      this.guarding.addUse(response, facts());
      this.listener.refused(new GuardrailDenial(verdict, before.results, verdict.results));
      return;
    }
    if (seen.isEvents && verdict?.body !== undefined) {
      this.guarding.addUse(response, facts());
      this.listener.refused(cannotChange());
      return;
    }
    const isMarked = before.outcome === 'mark' || verdict?.outcome === 'mark';
    const body = this.bodyFor(seen, verdict, isMarked);
    if (isMarked) response.status = MARKED;
    response.guarded = new JudgedBody(body, seen.isTranslated ? JSON_TYPE : null, facts);
    this.listener.responded(response);
  }

  /** Returns the body for the client: the provider's bytes, unless something has to change. */
  private bodyFor(seen: SeenResponse, verdict: StageVerdict | null, isMarked: boolean): Buffer {
    const { verdict: before, facts } = this.guarded;
    const after = verdict?.results ?? [];
    const { placeholders } = before;
    const judged = bytesFor(seen, verdict?.body);
    const body = placeholders === null ? judged : withOriginals(judged, placeholders, seen.isText);
    const hasJudged = before.results.length + after.length > 0;
    const showsResults = isMarked || (!facts.isPassthrough && hasJudged);
    return showsResults && canAddMember(seen)
      ? withMember(body, 'hook_results', hookResults(before.results, after))
      : body;
  }
}

const bytesFor = ({ value, isText, isTranslated, bytes }: SeenResponse, changed: unknown): Buffer =>
  changed === undefined && !isTranslated
    ? bytes
    : bytesOf(changed ?? value, isText, isText ? null : exactNumbers(bytes));

const canAddMember = ({ value, isText, isEvents }: SeenResponse): boolean =>
  !isText && !isEvents && isObject(value);

const NOTHING = (): void => undefined;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Reads the usage on the first call and caches it. */
function factsOnce(
  { upstream: { provider } }: GatewayResponse,
  { bytes, isEvents }: SeenResponse,
): () => ResponseFacts {
  let read: ResponseFacts | null = null;
  return () => (read ??= isEvents ? factsOfEvents(provider.tap(), bytes) : readResponse(provider, bytes));
}

function factsOfEvents(tap: StreamTap, bytes: Buffer): ResponseFacts {
  tap.write(bytes);
  return { usage: tap.usage(), model: tap.model };
}

const cannotChange = (): GatewayError =>
  new GatewayError('provider_answer_invalid', {
    message: 'Guardrails would change the stream, but its dialect is unknown.',
  });

function withOriginals(body: Buffer, originals: ReadonlyMap<string, string>, isText: boolean): Buffer {
  const write = isText ? undefined : (original: string) => JSON.stringify(original).slice(1, -1);
  return Buffer.from(restored(body.toString('utf8'), originals, write));
}

/** Adds a member at the end of a JSON object, replacing one of the same name. */
function withMember(body: Buffer, name: string, value: unknown): Buffer {
  const text = JSON.stringify(value);
  if (body.includes(`"${name}"`))
    return bytesOf({ ...parseJsonObject(body), [name]: value }, false, exactNumbers(body));
  const end = body.lastIndexOf('}');
  const isEmpty = body.subarray(0, end).toString('latin1').trimEnd().endsWith('{');
  return Buffer.concat([
    body.subarray(0, end),
    Buffer.from(`${isEmpty ? '' : ','}"${name}":${text}`),
    body.subarray(end),
  ]);
}
