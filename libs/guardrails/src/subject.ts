import { isObject } from '@gw/kernel';
import { listOf } from './json';
import type { ModelCaller } from './port';
import { responsePassages } from './text/responses';
import type { Dialect, Passage } from './text/passages';
import { requestPassages } from './text/requests';
import { select, type Scope } from './text/scope';
import { withoutRepeats } from './text/repeated-texts';
import { withEdits } from './text/with-edits';
import { Work } from './work';

export type GuardrailStage = 'input' | 'output';

/** Facts about a request outside of its body. */
export interface RequestFacts {
  readonly dialect: Dialect;
  /** Name used by `allowedRequestTypes`: `chatComplete`, `embed`, `proxy`, … */
  readonly requestType: string;
  /**
   * Whether the request is sent to the provider unchanged. Only webhooks with `executeOnProxy`, and
   * checks that need no webhook, apply to it.
   */
  readonly isPassthrough: boolean;
  /**
   * For a passthrough request with a known path: the type that a request to our own route would
   * have.
   */
  readonly pathType?: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly contentType: string | null;
  readonly provider: string | null;
  /** Slug of the saved provider; absent when the request brings its own credential. */
  readonly savedProvider?: string;
  /** Requested model after parameter rules and without the saved provider. */
  readonly model: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /**
   * The client's headers by lower-case name. Checks see them; only `forwardHeaders` are sent to
   * others.
   */
  readonly headers: Readonly<Record<string, string>>;
  readonly isStreaming: boolean;
  /** Calls models for checks; when absent, no model can be called. */
  readonly models?: ModelCaller;
  /**
   * The remaining work of the request's checks; when absent, each subject has the budget of a
   * request.
   */
  readonly work?: Work;
}

/** A request or response body as guardrails see it. Immutable: an edit creates another subject. */
export class Subject {
  private readonly found = new Map<string, readonly number[]>();
  private collected: readonly Passage[] | null = null;
  private length: number | null = null;

  private constructor(
    readonly stage: GuardrailStage,
    readonly facts: RequestFacts,
    /** The parsed request body; null when it is not JSON. */
    readonly request: unknown,
    /** The parsed response body; null before there is one, and when it is not JSON. */
    readonly response: unknown,
    readonly responseStatus: number | null,
    /** Whether a guardrail has changed the body. */
    readonly isTransformed: boolean,
    /** Shared by all checks of the request. */
    readonly work: Work,
  ) {}

  static input(facts: RequestFacts, request: unknown): Subject {
    return new Subject('input', facts, request, null, null, false, workOf(facts));
  }

  static output(facts: RequestFacts, request: unknown, response: unknown, status: number): Subject {
    return new Subject('output', facts, request, response, status, false, workOf(facts));
  }

  /** The body that this stage judges. */
  get body(): unknown {
    return this.stage === 'input' ? this.request : this.response;
  }

  /** Returns all texts of the body. Throws `BodyTooLarge`. */
  passages(): readonly Passage[] {
    this.collected ??=
      this.body === null
        ? []
        : (this.stage === 'input' ? requestPassages : responsePassages)(this.facts.dialect, this.body);
    return this.collected;
  }

  /**
   * Returns the positions of the passages that scopes select. For `last_message`, every choice of a
   * response and every input of a list counts as a last message.
   */
  selected(scopes: readonly Scope[]): readonly number[] {
    const key = scopes.join();
    let positions = this.found.get(key);
    if (!positions) {
      positions = select(this.passages(), scopes, !this.hasOneLastMessage());
      this.found.set(key, positions);
    }
    return positions;
  }

  /** Returns the selected texts, joined by message or choice. */
  texts(scopes: readonly Scope[]): readonly string[] {
    const passages = this.passages();
    const texts: string[] = [];
    let unit = -1;
    for (const position of this.selected(scopes)) {
      const passage = passages[position];
      if (!passage) continue;
      if (passage.unit === unit) texts[texts.length - 1] += `\n${passage.text}`;
      else texts.push(passage.text);
      unit = passage.unit;
    }
    return texts;
  }

  /** Returns whether a part of the input is token numbers, which no check can read. */
  hasTokens(): boolean {
    if (this.stage === 'output' || !isObject(this.request)) return false;
    const { dialect } = this.facts;
    if (dialect !== 'embeddings' && dialect !== 'completions') return false;
    return listOf(this.request[dialect === 'embeddings' ? 'input' : 'prompt']).some(
      (item) => typeof item === 'number' || (Array.isArray(item) && item.length > 0),
    );
  }

  /** Returns the number of characters of all texts. */
  size(): number {
    if (this.length === null) {
      this.length = 0;
      for (const { text } of this.passages()) this.length += text.length;
    }
    return this.length;
  }

  /**
   * Returns a subject with replaced texts, by their position. Unchanged parts of the body are
   * shared; a response loses the members that repeat its texts.
   */
  edited(edits: ReadonlyMap<number, string>): Subject {
    const passages = this.passages();
    const changes = [...edits].flatMap(([position, text]) => {
      const passage = passages[position];
      return passage ? [{ ...passage, text }] : [];
    });
    const body = withEdits(this.body, changes);
    return this.withBody(this.stage === 'input' ? body : withoutRepeats(this.facts.dialect, body));
  }

  /** Returns whether a replacement, by position, is of a name that stays as it is. */
  isRefused(edits: ReadonlyMap<number, string> = new Map()): boolean {
    if (edits.size === 0) return false;
    const passages = this.passages();
    return [...edits].some(([position, text]) => {
      const passage = passages[position];
      return passage?.isFixed === true && passage.text !== text;
    });
  }

  /** Returns a subject with another body. */
  withBody(body: unknown): Subject {
    const request = this.stage === 'input' ? body : this.request;
    const response = this.stage === 'output' ? body : this.response;
    return new Subject(this.stage, this.facts, request, response, this.responseStatus, true, this.work);
  }

  private hasOneLastMessage(): boolean {
    const { dialect } = this.facts;
    return this.stage === 'input' && ONE_LAST_MESSAGE.has(dialect);
  }
}

const workOf = ({ work }: RequestFacts): Work => work ?? new Work('');

const ONE_LAST_MESSAGE: ReadonlySet<Dialect> = new Set([
  'chat',
  'messages',
  'responses',
  'gemini',
  'realtime',
]);
