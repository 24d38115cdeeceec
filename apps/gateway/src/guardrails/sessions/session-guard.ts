import type { Buffer } from 'node:buffer';
import {
  hookResults,
  PASSED,
  Subject,
  then,
  Work,
  type CompiledGuardrail,
  type Eventually,
  type GuardrailResult,
  type GuardrailStage,
  type StageVerdict,
} from '@gw/guardrails';
import { GatewayError, isObject, hasDuplicateMembers } from '@gw/kernel';
import type { JsonObject } from '@gw/providers';
import { BodyBudget } from '../../bodies/body-budget';
import { GuardrailDenial } from '../guardrail-denial';
import { HELD_BYTES_MAX } from '../streams/held-events';
import type { SessionGuarding } from './session-guarding';
import { exceededBy, READ_WHOLE } from '../../bodies/read-whole';
import { GuardedResponse, type ResponseOut } from './guarded-response';
import {
  isBrokenJson,
  isSilent,
  isTranscript,
  itemIdOf,
  messageOf,
  responseIdOf,
  resultsEvent,
  seenMessage,
  type SeenMessage,
} from './realtime-events';

/** Receives the messages of a guarded session after judgement. */
export interface SessionOut {
  toClient(message: Buffer, isBinary: boolean): void;
  toProvider(message: Buffer, isBinary: boolean): void;
  /**
   * Ends the session. `cause` is the id of the client event that caused it, if the event has one.
   */
  deny(error: GatewayError, cause: unknown): void;
  isGone(): boolean;
}

/** Maximum number of concurrent responses of one session. */
const RESPONSES_MAX = 16;
/** Maximum number of items of these responses that are tracked by id. */
const ITEMS_MAX = 256;

/**
 * The guardrails of one session. Input guardrails judge each client message before the provider
 * receives it, and a user's speech once the provider has transcribed it. Output guardrails judge
 * each response as a stream, and other provider messages as a whole. A denial ends the session.
 * Methods never throw or reject.
 */
export class SessionGuard {
  private readonly responses = new Map<string, GuardedResponse>();
  private readonly items = new Map<string, GuardedResponse>();
  private readonly reported = new Set<string>();
  private readonly budget = new BodyBudget(HELD_BYTES_MAX);
  private readonly guarding: SessionGuarding;
  private readonly responseOut: ResponseOut;

  constructor(
    guarding: SessionGuarding,
    private readonly out: SessionOut,
  ) {
    const note = (stage: GuardrailStage, results: readonly GuardrailResult[]): void => {
      guarding.note(
        stage,
        results.filter((result) => this.isWorthLogging(stage, result)),
      );
    };
    this.guarding = { ...guarding, note };
    this.responseOut = {
      toClient: (message) => {
        out.toClient(message, false);
      },
      deny: (verdict) => {
        out.deny(new GuardrailDenial(verdict, [], verdict.results), null);
      },
      fail: (error) => {
        out.deny(error, null);
      },
      isGone: () => out.isGone(),
    };
    const { before } = guarding;
    if (before.outcome === 'mark') out.toClient(resultsEvent(hookResults(before.results)), false);
  }

  fromClient(message: Buffer, isBinary: boolean): Eventually<void> {
    const bound = exceededBy(message, READ_WHOLE);
    if (bound !== null) {
      const text = `A message has more than ${bound}, which is more than guardrails can read.`;
      this.out.deny(new GatewayError('body_too_large', { message: text }), null);
      return undefined;
    }
    const seen = seenMessage(message);
    if (isBrokenJson(message)) {
      this.out.deny(new GatewayError('body_invalid', { message: 'A message is JSON but not UTF-8.' }), null);
      return undefined;
    }
    if (seen === null) {
      this.out.toProvider(message, isBinary);
      return undefined;
    }
    return then(this.judgeInput(seen), (verdict) => {
      if (this.out.isGone() || this.isDenied(verdict, seen.value)) return;
      const { body } = verdict;
      // The provider's parser may use the first of two duplicate members, so the provider receives
      // the judged object.
      const isPlain = body === undefined && (seen.isText || !hasDuplicateMembers(message));
      this.out.toProvider(isPlain ? message : messageOf(body ?? seen.value, seen.isText), isBinary);
      this.mark(verdict);
    });
  }

  fromProvider(message: Buffer, isBinary: boolean): Eventually<void> {
    const seen = seenMessage(message);
    if (seen === null) {
      this.out.toClient(message, isBinary);
      return undefined;
    }
    const { value, isText } = seen;
    if (!isText && isTranscript(value)) return this.transcript(message, isBinary, seen);
    if (this.guarding.output.length > 0 && (isText || !isSilent(value))) {
      const response = isText ? null : this.responseOf(value);
      return response === null
        ? this.judgeWhole(message, isBinary, seen)
        : this.judgeInResponse(response, message, value);
    }
    this.out.toClient(message, isBinary);
    return undefined;
  }

  /** Discards all held events. */
  close(): void {
    for (const response of this.responses.values()) this.end(response);
    this.responses.clear();
    this.items.clear();
  }

  /**
   * Judges a client message: guardrails on parameters judge the settings in it, guardrails on texts
   * judge its texts.
   */
  private judgeInput({ value }: SeenMessage): Eventually<StageVerdict> {
    const { input } = this.guarding;
    const requested = parametersIn(value).reduce<Eventually<StageVerdict>>(
      (before, set) => then(before, (known) => this.judgeMore(known, set)),
      PASSED,
    );
    return then(requested, (first) =>
      first.outcome === 'deny'
        ? first
        : then(this.judge('input', input, value, false), (second) => combined(first, second)),
    );
  }

  private judgeMore(known: StageVerdict, set: JsonObject): Eventually<StageVerdict> {
    if (known.outcome === 'deny') return known;
    return then(this.judge('input', this.guarding.parameters, set, true), (next) => combined(known, next));
  }

  private judge(
    stage: GuardrailStage,
    guardrails: readonly CompiledGuardrail[],
    body: JsonObject,
    isParameters: boolean,
  ): Eventually<StageVerdict> {
    if (guardrails.length === 0) return PASSED;
    const { facts, tools, watch, note } = this.guarding;
    // A session may last for hours, so each message gets the work budget of a request.
    const work = new Work(facts.work?.owner ?? '');
    const reported = { ...facts, work, ...(isParameters && { dialect: 'json' as const, ...modelIn(body) }) };
    const subject =
      stage === 'input' ? Subject.input(reported, body) : Subject.output(reported, null, body, 200);
    if (!isParameters && hasNoText(subject)) return PASSED;
    watch(stage, guardrails, subject);
    return then(tools.runner.run(guardrails, subject), (verdict) => {
      note(stage, verdict.results);
      return verdict;
    });
  }

  /**
   * Judges a transcript. Guardrails cannot change it, because the provider has already received the
   * speech.
   */
  private transcript(message: Buffer, isBinary: boolean, { value }: SeenMessage): Eventually<void> {
    return then(this.judge('input', this.guarding.input, value, false), (verdict) => {
      if (this.out.isGone() || this.isDenied(verdict, null)) return;
      this.out.toClient(message, isBinary);
      this.mark(verdict);
    });
  }

  private judgeWhole(message: Buffer, isBinary: boolean, { value, isText }: SeenMessage): Eventually<void> {
    return then(this.judge('output', this.guarding.output, value, false), (verdict) => {
      if (this.out.isGone()) return;
      if (verdict.outcome === 'deny') {
        this.responseOut.deny(verdict);
        return;
      }
      const { body } = verdict;
      this.out.toClient(body === undefined ? message : messageOf(body, isText), isBinary);
      if (verdict.outcome === 'mark')
        this.out.toClient(resultsEvent(hookResults([], verdict.results)), false);
    });
  }

  private judgeInResponse(response: GuardedResponse, message: Buffer, event: JsonObject): Eventually<void> {
    const pending = response.take(message, event);
    return then(pending, () => {
      if (response.hasEnded) this.end(response);
    });
  }

  /**
   * Returns the response that an event belongs to and starts a new one; null when the event belongs
   * to none.
   */
  private responseOf(event: JsonObject): GuardedResponse | null {
    const [id, itemId] = [responseIdOf(event), itemIdOf(event)];
    const known = id === null ? this.items.get(itemId ?? '') : this.responses.get(id);
    const response = known ?? (id === null ? null : this.begin(id));
    if (response !== null && itemId !== null && this.items.size < ITEMS_MAX) this.items.set(itemId, response);
    return response;
  }

  private begin(id: string): GuardedResponse {
    if (this.responses.size >= RESPONSES_MAX)
      this.responseOut.fail(
        new GatewayError('provider_answer_invalid', {
          message: 'The session has more concurrent responses than guardrails can judge.',
        }),
      );
    const response = new GuardedResponse(this.guarding, PASSED, this.responseOut, this.budget);
    this.responses.set(id, response);
    return response;
  }

  private end(response: GuardedResponse): void {
    response.release();
    this.guarding.watchStream(() => response.guard.judgeBeside());
    for (const map of [this.responses, this.items])
      for (const [id, known] of map) if (known === response) map.delete(id);
  }

  private isDenied(verdict: StageVerdict, event: JsonObject | null): boolean {
    if (verdict.outcome !== 'deny') return false;
    this.out.deny(new GuardrailDenial(verdict, verdict.results, []), event?.['event_id']);
    return true;
  }

  private mark(verdict: StageVerdict): void {
    if (verdict.outcome === 'mark') this.out.toClient(resultsEvent(hookResults(verdict.results)), false);
  }

  /**
   * Whether a result is worth logging. Further passes of the same guardrail are not, because a
   * session has many messages.
   */
  private isWorthLogging(stage: GuardrailStage, result: GuardrailResult): boolean {
    const key = `${stage} ${result.id}`;
    const isKnown = this.reported.has(key);
    this.reported.add(key);
    return (
      !isKnown ||
      !result.verdict ||
      result.transformed ||
      result.checks.some(({ error }) => error !== undefined)
    );
  }
}

/**
 * Returns the parameters that an event sets for the session or a response. In OpenAI's Responses
 * protocol they are in the event itself.
 */
function parametersIn(event: JsonObject): readonly JsonObject[] {
  const set = [event['session'], event['response'], event['setup']].filter(isObject);
  const isOwn = event['type'] === 'response.create' && event['model'] !== undefined;
  return isOwn ? [event, ...set] : set;
}

/**
 * Returns the model in parameters, which replaces the model of the handshake. Gemini's names begin
 * with `models/`.
 */
function modelIn({ model }: JsonObject): { readonly model?: string } {
  return typeof model === 'string' ? { model: model.replace(/^models\//, '') } : {};
}

/**
 * Whether a message contains no text. A body that cannot be read counts as text, so that its checks
 * run and fail as usual.
 */
function hasNoText(subject: Subject): boolean {
  try {
    return subject.passages().length === 0;
  } catch {
    return false;
  }
}

const combined = (first: StageVerdict, second: StageVerdict): StageVerdict => ({
  ...second,
  outcome: second.outcome === 'pass' ? first.outcome : second.outcome,
  results: [...first.results, ...second.results],
});
